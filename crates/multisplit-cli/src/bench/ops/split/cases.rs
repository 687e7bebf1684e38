//! Every combination that was asked for, in an order in which each set of keys is generated once.

use super::arguments::BenchSplitArguments;
use crate::bench::harness::key_types::{BucketKind, Distribution, KeyType, ValueType};
use crate::bench::harness::options::{Options, check_sizes, distinct};
use crate::shared::usage::ensure_usage;
use anyhow::Result;
use multisplit::approach::Way;
use multisplit::{MAX_BUCKETS, Method};
use std::fmt;

/// Up to so many buckets the binomial distribution can be drawn.
const MOST_BINOMIAL: u32 = 256;

/// The lists of which every combination is a row.
pub struct SplitCases {
    pub options: Options,
    pub n: Vec<usize>,
    buckets: Vec<u32>,
    keys: Vec<KeyType>,
    pub values: Vec<ValueType>,
    /// Methods, then other approaches.
    methods: Vec<SplitMethod>,
    bucket: Vec<BucketKind>,
    dist: Vec<Distribution>,
    pub stages: bool,
}

/// One set of keys, and the numbers of buckets that it serves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SplitKeySet {
    pub n: usize,
    pub key: KeyType,
    pub bucket: BucketKind,
    pub dist: Distribution,
    pub buckets: Vec<u32>,
}

/// How a row splits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SplitMethod {
    Method(Method),
    Approach(Way),
}

impl fmt::Display for SplitMethod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Method(method) => method.fmt(f),
            Self::Approach(way) => way.fmt(f),
        }
    }
}

/// One row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SplitCase {
    pub n: usize,
    pub m: u32,
    pub key: KeyType,
    pub value: ValueType,
    pub method: SplitMethod,
    pub bucket: BucketKind,
    pub dist: Distribution,
}

impl SplitCases {
    /// Checks the arguments.
    pub fn new(raw: BenchSplitArguments) -> Result<Self> {
        check_sizes(&raw.n, "one split takes up to 2^32 - 1 keys")?;
        for &m in &raw.buckets {
            ensure_usage!((1..=MAX_BUCKETS).contains(&m), "--buckets {m} is out of range: 1 to {MAX_BUCKETS}");
            let binomial = raw.dist.contains(&Distribution::Binomial);
            ensure_usage!(
                !binomial || m <= MOST_BINOMIAL,
                "--dist binomial takes up to {MOST_BINOMIAL} buckets, not {m}"
            );
        }
        let methods = raw.method.into_iter().map(SplitMethod::Method);
        let approaches = raw.approach.into_iter().map(SplitMethod::Approach);
        Ok(Self {
            options: Options::new(raw.common)?,
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

    /// Returns the sets of `n` keys.
    pub fn key_sets(&self, n: usize) -> Vec<SplitKeySet> {
        let mut sets = Vec::new();
        for &key in &self.keys {
            for &bucket in &self.bucket {
                for &dist in &self.dist {
                    let set = |buckets: &[u32]| SplitKeySet { n, key, bucket, dist, buckets: buckets.to_vec() };
                    if depends_on_buckets(bucket, dist) {
                        sets.extend(self.buckets.chunks(1).map(set));
                    } else {
                        sets.push(set(&self.buckets));
                    }
                }
            }
        }
        sets
    }

    /// Returns the rows of a set.
    pub fn cases(&self, set: &SplitKeySet) -> Vec<SplitCase> {
        let SplitKeySet { n, key, bucket, dist, .. } = *set;
        let mut cases = Vec::new();
        for &m in &set.buckets {
            for &value in &self.values {
                let case = |&method: &SplitMethod| SplitCase { n, m, key, value, method, bucket, dist };
                cases.extend(self.methods.iter().map(case));
            }
        }
        cases
    }
}

/// Returns whether another number of buckets takes other keys.
fn depends_on_buckets(bucket: BucketKind, dist: Distribution) -> bool {
    bucket == BucketKind::Identity || !matches!(dist, Distribution::Uniform | Distribution::Sorted)
}

impl fmt::Display for SplitKeySet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} keys", self.dist, self.key)
    }
}

impl fmt::Display for SplitCase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { n, m, key, value, method, bucket, dist } = self;
        let values = if *value == ValueType::None { String::new() } else { format!(" with {value} values") };
        write!(f, "{n} {dist} {key} keys{values}, {m} {bucket} buckets, {method}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::{Args, FromArgMatches};

    /// Cases for the CPU.
    fn cases(arguments: &str) -> SplitCases {
        let arguments = format!("split --device cpu {arguments}");
        let command = BenchSplitArguments::augment_args(clap::Command::new("split"));
        let matches = command.get_matches_from(arguments.split_whitespace());
        SplitCases::new(BenchSplitArguments::from_arg_matches(&matches).unwrap()).unwrap()
    }

    #[test]
    fn every_combination_is_a_row() {
        let lists = "--n 8 --buckets 2,3,4 --keys u32,u64 --values none,u32,u64 --method auto,direct --approach \
                     reduced-bit-sort,recursive-scan-split --bucket delta,identity,splitters --dist \
                     uniform,zipf,sorted";
        let split = cases(lists);
        let mut all: Vec<SplitCase> = Vec::new();
        for set in split.key_sets(8) {
            all.extend(split.cases(&set));
        }
        assert_eq!(all.len(), 3 * 2 * 3 * 4 * 3 * 3);
        assert!(all.iter().enumerate().all(|(i, case)| !all[..i].contains(case)));
    }

    #[test]
    fn keys_are_made_once_where_they_can_be() {
        let sets = |text| cases(text).key_sets(8).len();
        assert_eq!(sets("--buckets 2,4,8 --dist uniform,sorted"), 2);
        assert_eq!(sets("--buckets 2,4,8 --dist binomial"), 3);
        assert_eq!(sets("--buckets 2,4,8,8,2 --bucket identity"), 3);
    }
}
