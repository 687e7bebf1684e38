//! What to measure, validated before anything runs.

use super::super::args::SortArguments;
use super::super::kinds::{Distribution, KeyKind, ValueKind};
use super::super::setting::{Setting, distinct};
use anyhow::{Result, ensure};

/// A benchmark that can run.
pub struct Plan {
    pub setting: Setting,
    pub n: Vec<usize>,
    pub keys: Vec<KeyKind>,
    pub values: Vec<ValueKind>,
    /// Bits of a digit; nothing is automatic.
    pub digits: Vec<Option<u32>>,
    pub dist: Vec<Distribution>,
}

impl Plan {
    pub fn new(raw: SortArguments) -> Result<Self> {
        for &n in &raw.n {
            ensure!(n > 0, "--n 0 leaves nothing to measure");
            ensure!(u32::try_from(n).is_ok(), "--n {n} is too many: one sort takes up to 2^32 - 1 keys");
        }
        for &bits in &raw.digit_bits {
            ensure!((4..=8).contains(&bits), "--digit-bits {bits} is out of range: 4 to 8");
        }
        let chosen = distinct(raw.digit_bits).into_iter().map(Some);
        let digits: Vec<_> = chosen.collect();
        Ok(Self {
            setting: Setting::new(raw.common)?,
            n: distinct(raw.n),
            keys: distinct(raw.keys),
            values: distinct(raw.values),
            digits: if digits.is_empty() { vec![None] } else { digits },
            dist: distinct(raw.dist),
        })
    }

    /// A row for each combination, and what the memory allows for each n.
    pub fn steps(&self) -> u64 {
        let rows = self.keys.len() * self.dist.len() * self.values.len() * self.digits.len();
        (self.n.len() * (1 + rows)) as u64
    }
}
