//! One measurement. Its JSON form is a contract: other programs read it.

use serde::{Deserialize, Serialize};

/// Fields that do not apply are null.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
pub struct Row {
    /// split, which is stable; partition, a peer's that is not; copy and read (what the memory allows); launch (a launch of next to nothing, waited for).
    pub op: String,
    /// Whose: multisplit, or a peer.
    #[serde(rename = "impl")]
    pub by: String,
    pub method: Option<String>,
    pub bucket: Option<String>,
    pub dist: Option<String>,
    /// For other operations than these.
    pub graph: Option<String>,
    pub device: String,
    pub n: u64,
    pub m: Option<u32>,
    pub key: Option<String>,
    /// Null for keys only.
    pub value: Option<String>,
    /// Milliseconds of one call among many: the median.
    pub ms: f64,
    /// 1e9 elements per second; for copy and read, of 4 bytes.
    pub rate: Option<f64>,
    /// Whether the result was compared with the reference and equal.
    pub verified: bool,
    /// Of the speed of light.
    pub fraction: Option<f64>,
    pub stages: Option<Stages>,
    /// Milliseconds of one call that is waited for, where the input is small: the median.
    pub latency_ms: Option<f64>,
    pub driver: Option<String>,
    pub commit: Option<String>,
    pub date: Option<String>,
    /// The command that measured it.
    pub command: Option<String>,
}

/// Milliseconds of each.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq)]
pub struct Stages {
    pub prescan: f64,
    pub scan: f64,
    pub postscan: f64,
}

impl Row {
    /// Sets time and rate.
    pub fn timed(mut self, seconds: f64) -> Self {
        self.ms = milliseconds(seconds);
        self.rate = (self.n > 0).then(|| round(1e-9 * self.n as f64 / seconds));
        self
    }

    /// Whether it measures the same thing as another, by whatever method, whoever's.
    pub fn same_case(&self, other: &Self) -> bool {
        let case = |row: &Self| {
            (row.op.clone(), row.bucket.clone(), row.dist.clone(), row.n, row.m, row.key.clone(), row.value.clone())
        };
        self.device == other.device && case(self) == case(other)
    }

    /// The fastest way of a peer's among `rows` to do what this row does.
    pub fn best_peer<'a>(&self, rows: &'a [Self]) -> Option<&'a Self> {
        let rivals = rows.iter().filter(|row| row.by != self.by && row.verified);
        rivals.filter(|row| row.same_case(self)).min_by(|a, b| a.ms.total_cmp(&b.ms))
    }
}

/// In milliseconds.
pub fn milliseconds(seconds: f64) -> f64 {
    round(1e3 * seconds)
}

/// To six digits: more would be noise.
pub fn round(x: f64) -> f64 {
    format!("{x:.5e}").parse().unwrap_or(x)
}
