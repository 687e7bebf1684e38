//! Every combination asked for, in an order that makes each set of keys once.

use super::kinds::{BucketKind, Distribution, KeyKind, ValueKind};
use super::plan::Plan;
use multisplit::Method;
use std::fmt;

/// One set of keys, and the numbers of buckets that it is split into.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeySet {
    pub n: usize,
    pub key: KeyKind,
    pub bucket: BucketKind,
    pub dist: Distribution,
    pub buckets: Vec<u32>,
}

/// One row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Case {
    pub n: usize,
    pub m: u32,
    pub key: KeyKind,
    pub value: ValueKind,
    pub method: Method,
    pub bucket: BucketKind,
    pub dist: Distribution,
}

/// The sets of keys of one size.
pub fn key_sets(plan: &Plan, n: usize) -> Vec<KeySet> {
    let mut sets = Vec::new();
    for &key in &plan.keys {
        for &bucket in &plan.bucket {
            for &dist in &plan.dist {
                let set = |buckets: &[u32]| KeySet { n, key, bucket, dist, buckets: buckets.to_vec() };
                if depends_on_buckets(bucket, dist) {
                    sets.extend(plan.buckets.chunks(1).map(set));
                } else {
                    sets.push(set(&plan.buckets));
                }
            }
        }
    }
    sets
}

/// Whether other keys are needed for another number of buckets.
fn depends_on_buckets(bucket: BucketKind, dist: Distribution) -> bool {
    bucket == BucketKind::Identity || !matches!(dist, Distribution::Uniform | Distribution::Sorted)
}

impl KeySet {
    /// The rows of one number of buckets.
    pub fn cases(&self, plan: &Plan, m: u32) -> Vec<Case> {
        let Self { n, key, bucket, dist, .. } = *self;
        let of_value = |&value: &ValueKind| {
            plan.methods.iter().map(move |&method| Case { n, m, key, value, method, bucket, dist })
        };
        plan.values.iter().flat_map(of_value).collect()
    }
}

impl Case {
    /// The bytes that a split must move at least.
    pub fn bytes(&self) -> u64 {
        let value = match self.value {
            ValueKind::None => 0,
            ValueKind::U32 => 4,
            ValueKind::U64 => 8,
        };
        least_bytes(self.n as u64, self.key.bytes(), value)
    }
}

/// As a progress bar says it.
impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { n, m, key, value, method, bucket, dist } = self;
        write!(f, "{n} {dist} {key} keys, {value} values, {m} {bucket} buckets, {method}")
    }
}

/// The bytes that a split must move at least: keys are read twice and written once, values read once and written once.
pub fn least_bytes(n: u64, key: u64, value: u64) -> u64 {
    n * (3 * key + 2 * value)
}
