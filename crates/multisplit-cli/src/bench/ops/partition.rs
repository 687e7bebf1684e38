//! `bench partition`: stable partitions into two and three parts, and selections.

use crate::bench::harness::columns::{KeyColumn, ValueColumn};
use crate::bench::harness::key_types::{BucketKind, Distribution, KeyType, ValueType};
use crate::bench::harness::keys::{BenchKey, BucketRanges, generate};
use crate::bench::harness::measure::{Measured, repeat_move};
use crate::bench::harness::operation::{Benchmark, Operation, Subject};
use crate::bench::harness::options::{CommonArguments, Options, check_sizes, distinct};
use crate::bench::harness::peers::{Peer, PeerTask, list};
use crate::bench::harness::row::Row;
use crate::bench::harness::verify::Expected;
use crate::shared::arguments::count;
use crate::shared::usage::ensure_usage;
use anyhow::{Result, ensure};
use clap::Args;
use multisplit::bucket::Delta;
use multisplit::{Multisplit, Offsets};
use std::fmt;

#[derive(Args, Clone, Debug)]
pub struct BenchPartitionArguments {
    /// How many keys: numbers, or powers such as 2^25, separated by commas.
    #[arg(short, long, value_delimiter = ',', default_value = "2^25", value_parser = count)]
    pub n: Vec<usize>,
    /// Numbers of parts: 2, which is also timed as a selection of the first, and 3.
    #[arg(long, value_delimiter = ',', default_values_t = [2, 3])]
    pub parts: Vec<u32>,
    /// Key types.
    #[arg(short, long, value_delimiter = ',', default_value = "u32")]
    pub keys: Vec<KeyType>,
    /// Value types; none is keys only.
    #[arg(short, long, value_delimiter = ',', default_value = "none,u32")]
    pub values: Vec<ValueType>,
    /// Distributions of the keys over the parts.
    #[arg(long, value_delimiter = ',', default_value = "uniform")]
    pub dist: Vec<Distribution>,
    #[command(flatten)]
    pub common: CommonArguments,
}

/// Prepares `multisplit bench partition`.
pub fn prepare(raw: BenchPartitionArguments) -> Result<Box<dyn Benchmark>> {
    Ok(Box::new(PartitionCases::new(raw)?))
}

/// The lists of which every combination is a row.
struct PartitionCases {
    options: Options,
    n: Vec<usize>,
    parts: Vec<u32>,
    keys: Vec<KeyType>,
    values: Vec<ValueType>,
    dist: Vec<Distribution>,
}

impl PartitionCases {
    fn new(raw: BenchPartitionArguments) -> Result<Self> {
        check_sizes(&raw.n, "one partition takes up to 2^32 - 1 keys")?;
        for &m in &raw.parts {
            ensure_usage!((2..=3).contains(&m), "--parts {m} is out of range: 2 or 3");
        }
        Ok(Self {
            options: Options::new(raw.common)?,
            n: distinct(raw.n),
            parts: distinct(raw.parts),
            keys: distinct(raw.keys),
            values: distinct(raw.values),
            dist: distinct(raw.dist),
        })
    }
}

/// What is called.
#[derive(Clone, Copy, PartialEq)]
enum Call {
    Partition,
    /// Keeps the first part only.
    Select,
}

impl Call {
    /// Returns the calls that make so many parts.
    fn of(m: u32) -> &'static [Self] {
        if m == 2 { &[Self::Partition, Self::Select] } else { &[Self::Partition] }
    }

    fn op(self) -> &'static str {
        match self {
            Self::Partition => "partition",
            Self::Select => "select",
        }
    }
}

/// One set of keys.
#[derive(Clone, Copy)]
struct PartitionKeySet {
    n: usize,
    m: u32,
    key: KeyType,
    dist: Distribution,
}

impl fmt::Display for PartitionKeySet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} keys", self.dist, self.key)
    }
}

/// One row.
struct PartitionCase {
    set: PartitionKeySet,
    value: ValueType,
    call: Call,
}

impl fmt::Display for PartitionCase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { set, value, call } = self;
        write!(f, "{} of {} {set} with {value} values, {} parts", call.op(), set.n, set.m)
    }
}

impl Operation for PartitionCases {
    type KeySet = PartitionKeySet;
    type Case = PartitionCase;
    type Output = Offsets;

    fn options(&self) -> &Options {
        &self.options
    }

    fn sizes(&self) -> &[usize] {
        &self.n
    }

    fn key_sets(&self, n: usize) -> Vec<PartitionKeySet> {
        let mut sets = Vec::new();
        for &key in &self.keys {
            for &dist in &self.dist {
                sets.extend(self.parts.iter().map(|&m| PartitionKeySet { n, m, key, dist }));
            }
        }
        sets
    }

    fn cases(&self, &set: &PartitionKeySet) -> Vec<PartitionCase> {
        let of_value = |&value: &ValueType| Call::of(set.m).iter().map(move |&call| PartitionCase { set, value, call });
        self.values.iter().flat_map(of_value).collect()
    }

    fn generate<'a>(&'a self, set: &'a PartitionKeySet) -> Result<Box<dyn Subject<Self> + 'a>> {
        Ok(match set.key {
            KeyType::U32 => Box::new(PartitionSubject::<u32>::new(self, *set)?),
            KeyType::U64 => Box::new(PartitionSubject::<u64>::new(self, *set)?),
        })
    }

    fn value_type(&self, case: &PartitionCase) -> ValueType {
        case.value
    }

    fn row(&self, case: &PartitionCase) -> Row {
        let PartitionKeySet { n, m, key, dist } = case.set;
        Row {
            method: Some("auto".into()),
            bucket: Some(BucketKind::Delta.to_string()),
            dist: Some(dist.to_string()),
            n: n as u64,
            m: Some(m),
            key: Some(key.to_string()),
            value: case.value.in_row(),
            ..Row::ours(case.call.op())
        }
    }
}

/// Keys of one type to part.
struct PartitionSubject<'a, K: BenchKey> {
    bench: &'a PartitionCases,
    set: PartitionKeySet,
    f: Delta<K>,
    keys: KeyColumn<K>,
    expected: Expected,
}

impl<'a, K: BenchKey> PartitionSubject<'a, K> {
    fn new(bench: &'a PartitionCases, set: PartitionKeySet) -> Result<Self> {
        let keys = generate(set.n, &BucketRanges::new::<K>(BucketKind::Delta, set.m), set.dist);
        let f = Delta::<K>::whole(set.m)?;
        let expected = Expected::new(&keys, &f);
        Ok(Self { bench, set, f, keys: KeyColumn::new(keys), expected })
    }
}

impl<K: BenchKey> Subject<PartitionCases> for PartitionSubject<'_, K> {
    fn measure(&mut self, case: &PartitionCase, values: &mut ValueColumn) -> multisplit::Result<(Measured, Offsets)> {
        let (options, by) = (&self.bench.options, Multisplit::by(&self.f));
        let device = &options.device;
        let keys = self.keys.on(device)?;
        let mut offsets = by.offsets(device)?;
        let mut workspace = by.workspace(device, keys.from.len(), 1)?;
        let measured = repeat_move(options, keys, values, &mut |keys, values| {
            let mut column = values.column();
            let (columns, to) = (column.as_mut_slice(), &mut keys.to);
            match case.call {
                Call::Partition => by.enqueue(&keys.from, to, columns, &mut offsets, &mut workspace),
                Call::Select => by.enqueue_select(&keys.from, to, columns, &mut offsets, &mut workspace),
            }
        })?;
        Ok((measured, offsets))
    }

    /// Compares all of a partition, or what was selected: the rest of the output is unspecified.
    fn verify(&self, case: &PartitionCase, values: &ValueColumn, offsets: &Offsets) -> Result<()> {
        let (expected, mut got) = (&self.expected, self.keys.output()?);
        match case.call {
            Call::Partition => {
                expected.check_offsets(&offsets.read()?)?;
                expected.check_keys(&self.keys.host, &got)?;
                values.check(expected)
            }
            Call::Select => {
                let (selected, first) = (offsets.selected()?, expected.first());
                ensure!(
                    selected == first.permutation.len(),
                    "{selected} keys were selected, not those of the reference"
                );
                got.truncate(selected);
                first.check_keys(&self.keys.host, &got)?;
                values.check(&first)
            }
        }
    }

    fn run_peer(&self, peer: &Peer) -> Result<Vec<Row>> {
        let task = PeerTask {
            op: "partition",
            keys: &self.keys.host,
            key: self.set.key.to_string(),
            m: vec![self.set.m],
            bucket: BucketKind::Delta.to_string(),
            dist: self.set.dist.to_string(),
            bounds: Vec::new(),
            more: vec!["--values".into(), list(&self.bench.values)],
        };
        peer.run(&self.bench.options, &task)
    }
}
