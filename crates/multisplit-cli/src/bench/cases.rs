//! Every combination asked for, in an order that makes each set of keys once.

use super::kinds::{BucketKind, Distribution, KeyKind, ValueKind};
use super::plan::Plan;
use multisplit::Method;
use multisplit::approach::Way;
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

/// How a row splits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    Method(Method),
    Approach(Way),
}

impl fmt::Display for How {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Method(method) => method.fmt(f),
            Self::Approach(way) => way.fmt(f),
        }
    }
}

/// One row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Case {
    pub n: usize,
    pub m: u32,
    pub key: KeyKind,
    pub value: ValueKind,
    pub method: How,
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
        let values = if *value == ValueKind::None { String::new() } else { format!(" with {value} values") };
        write!(f, "{n} {dist} {key} keys{values}, {m} {bucket} buckets, {method}")
    }
}

/// The bytes that a split must move at least: keys are read twice and written once, values read once and written once.
pub fn least_bytes(n: u64, key: u64, value: u64) -> u64 {
    n * (3 * key + 2 * value)
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use crate::bench::args::BenchCommand;
    use crate::commands::{Arguments, Command};
    use clap::Parser;

    /// A plan for the CPU.
    pub fn plan(arguments: &str) -> Plan {
        let arguments = format!("multisplit bench split --device cpu {arguments}");
        match Arguments::parse_from(arguments.split_whitespace()).command {
            Some(Command::Bench(BenchCommand::Split(raw))) => Plan::new(*raw).unwrap(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn every_combination_is_a_row() {
        let lists = "--n 8 --buckets 2,3,4 --keys u32,u64 --values none,u32,u64 --method auto,direct --approach \
                     reduced-bit-sort,recursive-scan-split --bucket delta,identity,splitters --dist uniform,zipf,sorted";
        let plan = plan(lists);
        let mut all: Vec<Case> = Vec::new();
        for set in key_sets(&plan, 8) {
            set.buckets.iter().for_each(|&m| all.extend(set.cases(&plan, m)));
        }
        assert_eq!(all.len(), 3 * 2 * 3 * 4 * 3 * 3);
        assert!(all.iter().enumerate().all(|(i, case)| !all[..i].contains(case)));
    }

    #[test]
    fn keys_are_made_once_where_they_can_be() {
        let sets = |text| key_sets(&plan(text), 8).len();
        assert_eq!(sets("--buckets 2,4,8 --dist uniform,sorted"), 2);
        assert_eq!(sets("--buckets 2,4,8 --dist binomial"), 3);
        assert_eq!(sets("--buckets 2,4,8,8,2 --bucket identity"), 3);
    }
}
