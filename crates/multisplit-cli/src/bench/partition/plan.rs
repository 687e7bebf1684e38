//! What to measure, validated before anything runs.

use super::super::args::PartitionArguments;
use super::super::kinds::{Distribution, KeyKind, ValueKind};
use super::super::setting::{Setting, distinct};
use anyhow::{Result, ensure};

/// A benchmark that can run.
pub struct Plan {
    pub setting: Setting,
    pub n: Vec<usize>,
    pub parts: Vec<u32>,
    pub keys: Vec<KeyKind>,
    pub values: Vec<ValueKind>,
    pub dist: Vec<Distribution>,
}

impl Plan {
    pub fn new(raw: PartitionArguments) -> Result<Self> {
        for &n in &raw.n {
            ensure!(n > 0, "--n 0 leaves nothing to measure");
            ensure!(u32::try_from(n).is_ok(), "--n {n} is too many: one partition takes up to 2^32 - 1 keys");
        }
        for &m in &raw.parts {
            ensure!((2..=3).contains(&m), "--parts {m} is out of range: 2 or 3");
        }
        Ok(Self {
            setting: Setting::new(raw.common)?,
            n: distinct(raw.n),
            parts: distinct(raw.parts),
            keys: distinct(raw.keys),
            values: distinct(raw.values),
            dist: distinct(raw.dist),
        })
    }

    /// A row for each combination, two where it is also a selection, and what the memory allows for each n.
    pub fn steps(&self) -> u64 {
        let calls: usize = self.parts.iter().map(|&m| super::calls(m).len()).sum();
        let rows = self.keys.len() * self.dist.len() * self.values.len() * calls;
        (self.n.len() * (1 + rows)) as u64
    }
}
