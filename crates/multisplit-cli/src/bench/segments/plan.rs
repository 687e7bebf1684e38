//! What to measure, validated before anything runs.

use super::super::args::SegmentsArguments;
use super::super::kinds::{Lengths, ValueKind};
use super::super::setting::{Setting, distinct};
use anyhow::{Result, ensure};
use multisplit::MAX_BUCKETS;

/// A benchmark that can run.
pub struct Plan {
    pub setting: Setting,
    pub n: Vec<usize>,
    pub segments: Vec<usize>,
    pub lengths: Vec<Lengths>,
    pub buckets: Vec<u32>,
    pub values: Vec<ValueKind>,
}

impl Plan {
    pub fn new(raw: SegmentsArguments) -> Result<Self> {
        for &n in &raw.n {
            ensure!(n > 0, "--n 0 leaves nothing to measure");
            ensure!(u32::try_from(n).is_ok(), "--n {n} is too many: one call takes up to 2^32 - 1 keys");
        }
        ensure!(!raw.segments.contains(&0), "--segments 0 leaves nothing to measure");
        for &m in &raw.buckets {
            ensure!(m > 0, "--buckets 0: there must be at least 1");
            let most = raw.segments.iter().max().copied().unwrap_or(0);
            ensure!(
                most.saturating_mul(m as usize) <= MAX_BUCKETS as usize,
                "--segments {most} times --buckets {m} are too many: up to {MAX_BUCKETS} in all"
            );
        }
        Ok(Self {
            setting: Setting::new(raw.common)?,
            n: distinct(raw.n),
            segments: distinct(raw.segments),
            lengths: distinct(raw.lengths),
            buckets: distinct(raw.buckets),
            values: distinct(raw.values),
        })
    }

    /// A row for each combination, and what the memory allows for each n.
    pub fn steps(&self) -> u64 {
        let rows = self.segments.len() * self.lengths.len() * self.buckets.len() * self.values.len();
        (self.n.len() * (1 + rows)) as u64
    }
}
