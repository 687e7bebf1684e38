//! One measurement. Its JSON form is a contract: other programs read it.

use crate::shared::timing::Quartiles;
use serde::{Deserialize, Serialize};

/// A measurement. Fields that do not apply are null.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
pub struct Row {
    /// split, which is stable; partition, of which a peer's is not; select; segments; histogram; sort; sssp, where n
    /// counts arcs; copy and read (what the memory allows); launch (an empty launch that is waited for); absent
    /// (something that was not measured, as `note` says).
    pub op: String,
    /// The implementation: multisplit, or a peer.
    #[serde(rename = "impl")]
    pub by: String,
    pub method: Option<String>,
    pub bucket: Option<String>,
    /// The distribution of keys over buckets; of segments, that of their lengths.
    pub dist: Option<String>,
    /// The number of segments, where there are any.
    pub segments: Option<u64>,
    /// The graph of sssp.
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
    /// The fraction of what the memory allows.
    pub fraction: Option<f64>,
    /// The lower quartile of the times whose median is `ms`, and the upper one.
    pub ms_low: Option<f64>,
    pub ms_high: Option<f64>,
    /// The medians of the stages, and their quartiles.
    pub stages: Option<Stages>,
    pub stages_low: Option<Stages>,
    pub stages_high: Option<Stages>,
    /// Milliseconds of one call that is waited for, where the input is small: the median and the quartiles.
    pub latency_ms: Option<f64>,
    pub latency_ms_low: Option<f64>,
    pub latency_ms_high: Option<f64>,
    /// The same of an empty launch, alternated with it.
    pub launch_ms: Option<f64>,
    pub launch_ms_low: Option<f64>,
    pub launch_ms_high: Option<f64>,
    /// The width of the buckets that the vertices of sssp wait in.
    pub delta: Option<f64>,
    pub driver: Option<String>,
    pub commit: Option<String>,
    pub date: Option<String>,
    /// The command that measured it.
    pub command: Option<String>,
    /// Why something was not measured. Rows of measurements have no such field.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// The times of the stages, in milliseconds.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq)]
pub struct Stages {
    pub prescan: f64,
    pub scan: f64,
    pub postscan: f64,
}

impl Row {
    /// Returns a row of ours, still empty.
    pub fn ours(op: &str) -> Self {
        Self { op: op.into(), by: "multisplit".into(), ..Self::default() }
    }

    /// Sets the time, its quartiles and the rate.
    pub fn timed(self, seconds: Quartiles) -> Self {
        let Quartiles { lower, median, upper } = seconds.map(milliseconds);
        let rate = (self.n > 0).then(|| round(1e-9 * self.n as f64 / seconds.median));
        Self { ms: median, ms_low: Some(lower), ms_high: Some(upper), rate, ..self }
    }

    /// Sets the times of the stages and their quartiles, if they were measured.
    pub fn staged(self, seconds: Option<[Quartiles; 3]>) -> Self {
        let stages = |of: fn(&Quartiles) -> f64| {
            let [prescan, scan, postscan] = seconds.as_ref()?.each_ref().map(|stage| milliseconds(of(stage)));
            Some(Stages { prescan, scan, postscan })
        };
        let (low, middle, high) = (stages(|stage| stage.lower), stages(|stage| stage.median), stages(|s| s.upper));
        Self { stages: middle, stages_low: low, stages_high: high, ..self }
    }

    /// Returns the time with its quartiles, where these are known: peers need not say them.
    pub fn quartiles(&self) -> Option<Quartiles> {
        Some(Quartiles { lower: self.ms_low?, median: self.ms, upper: self.ms_high? })
    }

    /// Returns the times of the three stages with their quartiles, where they were measured.
    pub fn stage_quartiles(&self) -> Option<[Quartiles; 3]> {
        let (low, middle, high) = (self.stages_low?, self.stages?, self.stages_high?);
        let stage = |of: fn(&Stages) -> f64| Quartiles { lower: of(&low), median: of(&middle), upper: of(&high) };
        Some([stage(|stages| stages.prescan), stage(|stages| stages.scan), stage(|stages| stages.postscan)])
    }

    /// Returns the latency with its quartiles, where it was measured.
    pub fn latency_quartiles(&self) -> Option<Quartiles> {
        Some(Quartiles { lower: self.latency_ms_low?, median: self.latency_ms?, upper: self.latency_ms_high? })
    }

    /// Returns whether another row measures the same, by whatever method and implementation.
    pub fn same_case(&self, other: &Self) -> bool {
        let case = |row: &Self| {
            let texts = [&row.bucket, &row.dist, &row.key, &row.value].map(Clone::clone);
            (row.op.clone(), texts, row.segments, row.n, row.m)
        };
        self.device == other.device && case(self) == case(other)
    }

    /// Returns the fastest verified row of a peer that measures the same.
    pub fn best_peer<'a>(&self, rows: &'a [Self]) -> Option<&'a Self> {
        let rivals = rows.iter().filter(|row| row.by != self.by && row.verified);
        rivals.filter(|row| row.same_case(self)).min_by(|a, b| a.ms.total_cmp(&b.ms))
    }
}

/// Converts seconds to milliseconds.
pub fn milliseconds(seconds: f64) -> f64 {
    round(1e3 * seconds)
}

/// Rounds to six digits: more would be noise.
pub fn round(x: f64) -> f64 {
    format!("{x:.5e}").parse().unwrap_or(x)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_json_form_is_a_contract() {
        let seconds = Quartiles { lower: 0.00125, median: 0.0015, upper: 0.00175 };
        let stage = |ms: f64| Quartiles { lower: 0.0005 * ms, median: 0.001 * ms, upper: 0.002 * ms };
        let row = Row { op: "split".into(), by: "multisplit".into(), n: 3_000_000, m: Some(2), ..Row::default() };
        let row = row.timed(seconds).staged(Some([stage(0.25), stage(0.5), stage(1.0)]));
        assert_eq!(row.quartiles(), Some(seconds.map(milliseconds)));
        assert_eq!(row.stage_quartiles(), Some([0.25, 0.5, 1.0].map(|ms| stage(ms).map(milliseconds))));
        let json = serde_json::to_string(&row).unwrap();
        assert_eq!(
            json,
            r#"{"op":"split","impl":"multisplit","method":null,"bucket":null,"dist":null,"segments":null,"graph":null,"#
                .to_string()
                + r#""device":"","n":3000000,"m":2,"key":null,"value":null,"ms":1.5,"rate":2.0,"verified":false,"fraction":null,"#
                + r#""ms_low":1.25,"ms_high":1.75,"stages":{"prescan":0.25,"scan":0.5,"postscan":1.0},"#
                + r#""stages_low":{"prescan":0.125,"scan":0.25,"postscan":0.5},"#
                + r#""stages_high":{"prescan":0.5,"scan":1.0,"postscan":2.0},"#
                + r#""latency_ms":null,"latency_ms_low":null,"latency_ms_high":null,"#
                + r#""launch_ms":null,"launch_ms_low":null,"launch_ms_high":null,"#
                + r#""delta":null,"driver":null,"commit":null,"date":null,"command":null}"#
        );
    }

    /// A peer says no more than it must.
    #[test]
    fn rows_of_peers() {
        let text = r#"{"op":"split","impl":"cub","method":"onesweep","bucket":"delta","dist":"uniform","graph":null,
            "device":"a","n":8,"m":2,"key":"u32","value":null,"ms":2.5,"rate":1e-6,"verified":true}"#;
        let slow: Row = serde_json::from_str(text).unwrap();
        assert_eq!((slow.quartiles(), slow.stage_quartiles(), slow.latency_quartiles()), (None, None, None));
        let fast = Row { method: Some("radix-sort".into()), ms: 2.0, ..slow.clone() };
        let wrong = Row { ms: 1.0, verified: false, ..slow.clone() };
        let unstable = Row { op: "partition".into(), ms: 1.0, ..slow.clone() };
        let elsewhere = Row { device: "b".into(), ms: 1.0, ..slow.clone() };
        let pairs = Row { value: Some("u32".into()), ms: 1.0, ..slow.clone() };
        let ours = Row { by: "multisplit".into(), method: Some("auto".into()), ms: 1.0, ..slow.clone() };
        let rows = [ours.clone(), slow, fast.clone(), wrong, unstable, elsewhere, pairs];
        assert_eq!(ours.best_peer(&rows), Some(&fast));
        assert_eq!(ours.best_peer(&rows[..1]), None);
    }

    #[test]
    fn six_digits() {
        assert_eq!(round(1.23456789), 1.23457);
        assert_eq!(round(123456789.0), 123457000.0);
        assert_eq!(round(1.23456789e-5), 1.23457e-5);
        assert_eq!(round(0.0), 0.0);
    }
}
