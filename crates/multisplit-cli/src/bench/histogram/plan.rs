//! What to measure, validated before anything runs.

use super::super::args::HistogramArguments;
use super::super::kinds::{BinKind, Distribution, SampleKind};
use super::super::setting::{Setting, distinct};
use anyhow::{Result, ensure};
use multisplit::MAX_BINS;

/// Tossing coins for each key takes too long for more.
const MOST_BINOMIAL: u32 = 256;

/// A benchmark that can run.
pub struct Plan {
    pub setting: Setting,
    pub n: Vec<usize>,
    pub bins: Vec<u32>,
    pub keys: Vec<SampleKind>,
    pub bucket: Vec<BinKind>,
    pub dist: Vec<Distribution>,
}

impl Plan {
    pub fn new(raw: HistogramArguments) -> Result<Self> {
        for &n in &raw.n {
            ensure!(n > 0, "--n 0 leaves nothing to measure");
            ensure!(u32::try_from(n).is_ok(), "--n {n} is too many: counts are of 32 bits here");
        }
        ensure!(!raw.bins.is_empty(), "--bins names none");
        for &m in &raw.bins {
            ensure!((1..=MAX_BINS).contains(&m), "--bins {m} is out of range: 1 to {MAX_BINS}");
            let binomial = raw.dist.contains(&Distribution::Binomial);
            ensure!(!binomial || m <= MOST_BINOMIAL, "--dist binomial takes up to {MOST_BINOMIAL} bins, not {m}");
        }
        Ok(Self {
            setting: Setting::new(raw.common)?,
            n: distinct(raw.n),
            bins: distinct(raw.bins),
            keys: distinct(raw.keys),
            bucket: distinct(raw.bucket),
            dist: distinct(raw.dist),
        })
    }

    /// A row for each combination, and what the memory allows for each n.
    pub fn steps(&self) -> u64 {
        let rows = self.keys.len() * self.bucket.len() * self.dist.len() * self.bins.len();
        (self.n.len() * (1 + rows)) as u64
    }
}
