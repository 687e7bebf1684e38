//! `bench split` and `bench large-m`: splits into buckets.

pub mod arguments;
mod cases;
mod measure;

use crate::bench::harness::bandwidth::Bandwidths;
use crate::bench::harness::columns::{KeyColumn, ValueColumn};
use crate::bench::harness::key_types::{BucketKind, KeyType, ValueType};
use crate::bench::harness::keys::{BenchKey, BucketRanges, generate};
use crate::bench::harness::measure::Measured;
use crate::bench::harness::operation::{Benchmark, Operation, Subject};
use crate::bench::harness::options::Options;
use crate::bench::harness::peers::{Peer, PeerTask, list};
use crate::bench::harness::row::Row;
use crate::bench::harness::sinks::Sink;
use crate::bench::harness::table::Table;
use crate::bench::harness::verify::Expected;
use anyhow::{Context, Result};
use arguments::BenchSplitArguments;
use cases::{SplitCase, SplitCases, SplitKeySet};
use measure::measure;
use multisplit::Offsets;
use multisplit::bucket::{Buckets, Delta, Identity, Splitters};
use std::io::Write;

/// Prepares `multisplit bench split`.
pub fn prepare(raw: BenchSplitArguments) -> Result<Box<dyn Benchmark>> {
    Ok(Box::new(SplitCases::new(raw)?))
}

impl Operation for SplitCases {
    type KeySet = SplitKeySet;
    type Case = SplitCase;
    type Output = Offsets;

    fn options(&self) -> &Options {
        &self.options
    }

    fn sizes(&self) -> &[usize] {
        &self.n
    }

    fn key_sets(&self, n: usize) -> Vec<SplitKeySet> {
        self.key_sets(n)
    }

    fn cases(&self, set: &SplitKeySet) -> Vec<SplitCase> {
        self.cases(set)
    }

    fn generate<'a>(&'a self, set: &'a SplitKeySet) -> Result<Box<dyn Subject<Self> + 'a>> {
        Ok(match set.key {
            KeyType::U32 => Box::new(SplitSubject::<u32>::new(self, set)),
            KeyType::U64 => Box::new(SplitSubject::<u64>::new(self, set)),
        })
    }

    fn value_type(&self, case: &SplitCase) -> ValueType {
        case.value
    }

    fn row(&self, case: &SplitCase) -> Row {
        Row {
            method: Some(case.method.to_string()),
            bucket: Some(case.bucket.to_string()),
            dist: Some(case.dist.to_string()),
            n: case.n as u64,
            m: Some(case.m),
            key: Some(case.key.to_string()),
            value: case.value.in_row(),
            ..Row::ours("split")
        }
    }

    fn fraction(&self, row: &Row, bandwidths: Bandwidths) -> Option<f64> {
        bandwidths.fraction_of_split(row)
    }

    fn table(&self, out: Box<dyn Write>) -> Box<dyn Sink> {
        Box::new(Table::new(&self.options, self.stages, out))
    }
}

/// Keys of one type to split.
struct SplitSubject<'a, K> {
    bench: &'a SplitCases,
    set: &'a SplitKeySet,
    keys: KeyColumn<K>,
    /// The reference of the last number of buckets.
    expected: Option<(u32, Expected)>,
}

impl<'a, K: BenchKey> SplitSubject<'a, K> {
    fn new(bench: &'a SplitCases, set: &'a SplitKeySet) -> Self {
        // Where one set serves several numbers of buckets, each of them gives the same keys.
        let keys = generate(set.n, &BucketRanges::new::<K>(set.bucket, set.buckets[0]), set.dist);
        Self { bench, set, keys: KeyColumn::new(keys), expected: None }
    }

    fn splitters(&self, m: u32) -> Vec<K> {
        BucketRanges::new::<K>(self.set.bucket, m).splitters()
    }

    fn measure_by<F: Buckets<Key = K>>(
        &mut self,
        f: &F,
        case: &SplitCase,
        values: &mut ValueColumn,
    ) -> multisplit::Result<(Measured, Offsets)> {
        if self.expected.as_ref().is_none_or(|(m, _)| *m != case.m) {
            self.expected = None;
            self.expected = Some((case.m, Expected::new(&self.keys.host, f)));
        }
        measure(self.bench, case, f, self.keys.on(&self.bench.options.device)?, values)
    }
}

impl<K: BenchKey> Subject<SplitCases> for SplitSubject<'_, K> {
    fn measure(&mut self, case: &SplitCase, values: &mut ValueColumn) -> multisplit::Result<(Measured, Offsets)> {
        match case.bucket {
            BucketKind::Delta => self.measure_by(&Delta::<K>::whole(case.m)?, case, values),
            BucketKind::Identity => self.measure_by(&Identity::<K>::new(case.m), case, values),
            BucketKind::Splitters => self.measure_by(&Splitters::new(&self.splitters(case.m))?, case, values),
        }
    }

    fn verify(&self, _: &SplitCase, values: &ValueColumn, offsets: &Offsets) -> Result<()> {
        let (_, expected) = self.expected.as_ref().context("nothing was measured")?;
        expected.check_offsets(&offsets.read()?)?;
        expected.check_keys(&self.keys.host, &self.keys.output()?)?;
        values.check(expected)
    }

    fn run_peer(&self, peer: &Peer) -> Result<Vec<Row>> {
        let set = self.set;
        let m: Vec<u32> = set.buckets.iter().copied().filter(|&m| m >= 2).collect();
        let bounds = match set.bucket {
            BucketKind::Splitters => m.iter().map(|&m| self.splitters(m)).collect(),
            BucketKind::Delta | BucketKind::Identity => Vec::new(),
        };
        let task = PeerTask {
            op: "split",
            keys: &self.keys.host,
            key: set.key.to_string(),
            m,
            bucket: set.bucket.to_string(),
            dist: set.dist.to_string(),
            bounds,
            more: vec!["--values".into(), list(&self.bench.values)],
        };
        peer.run(&self.bench.options, &task)
    }
}
