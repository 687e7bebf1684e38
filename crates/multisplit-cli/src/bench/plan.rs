//! What to measure, validated before anything runs.

use super::args::SplitArguments;
use super::cases::How;
use super::kinds::{BucketKind, Distribution, KeyKind, ValueKind};
use super::setting::{Setting, distinct};
use anyhow::{Result, ensure};
use multisplit::MAX_BUCKETS;

/// Buckets that the coins of the binomial distribution are tossed for.
const MOST_BINOMIAL: u32 = 256;

/// A benchmark that can run.
pub struct Plan {
    pub setting: Setting,
    pub n: Vec<usize>,
    pub buckets: Vec<u32>,
    pub keys: Vec<KeyKind>,
    pub values: Vec<ValueKind>,
    /// Methods, then other approaches.
    pub methods: Vec<How>,
    pub bucket: Vec<BucketKind>,
    pub dist: Vec<Distribution>,
    pub stages: bool,
}

impl Plan {
    pub fn new(raw: SplitArguments) -> Result<Self> {
        for &n in &raw.n {
            ensure!(n > 0, "--n 0 leaves nothing to measure");
            ensure!(u32::try_from(n).is_ok(), "--n {n} is too many: one split takes up to 2^32 - 1 keys");
        }
        for &m in &raw.buckets {
            ensure!((1..=MAX_BUCKETS).contains(&m), "--buckets {m} is out of range: 1 to {MAX_BUCKETS}");
            let binomial = raw.dist.contains(&Distribution::Binomial);
            ensure!(!binomial || m <= MOST_BINOMIAL, "--dist binomial takes up to {MOST_BINOMIAL} buckets, not {m}");
        }
        let methods = raw.method.into_iter().map(How::Method);
        let approaches = raw.approach.into_iter().map(How::Approach);
        Ok(Self {
            setting: Setting::new(raw.common)?,
            n: distinct(raw.n),
            buckets: distinct(raw.buckets),
            keys: distinct(raw.keys),
            values: distinct(raw.values),
            methods: distinct(methods.chain(approaches).collect()),
            bucket: distinct(raw.bucket),
            dist: distinct(raw.dist),
            stages: raw.stages,
        })
    }

    /// Rows for each number of buckets and set of keys.
    pub fn rows_per_bucket(&self) -> usize {
        self.values.len() * self.methods.len()
    }
}
