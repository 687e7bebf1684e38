//! `bench segments`: splits of many segments in one call. Keys are u32 and uniform.

use crate::bench::harness::columns::{KeyColumn, ValueColumn};
use crate::bench::harness::key_types::{BucketKind, Distribution, KeyType, ValueType};
use crate::bench::harness::keys::{BucketRanges, generate};
use crate::bench::harness::measure::{Measured, repeat_move};
use crate::bench::harness::operation::{Benchmark, Operation, Subject};
use crate::bench::harness::options::{CommonArguments, Options, check_sizes, distinct};
use crate::bench::harness::row::Row;
use crate::bench::harness::verify::Expected;
use crate::shared::arguments::{count, display_as_typed};
use crate::shared::usage::ensure_usage;
use anyhow::Result;
use clap::{Args, ValueEnum};
use multisplit::bucket::Delta;
use multisplit::{MAX_BUCKETS, Multisplit, Offsets};
use std::fmt;

#[derive(Args, Clone, Debug)]
pub struct BenchSegmentsArguments {
    /// How many keys in all segments together: numbers, or powers such as 2^25, separated by commas.
    #[arg(short, long, value_delimiter = ',', default_value = "2^25", value_parser = count)]
    pub n: Vec<usize>,
    /// Numbers of segments, or powers such as 2^15.
    #[arg(short, long, value_delimiter = ',', default_value = "1,2^5,2^10,2^15,2^18", value_parser = count)]
    pub segments: Vec<usize>,
    /// How long segments are.
    #[arg(short, long, value_delimiter = ',', default_value = "equal,zipf")]
    pub lengths: Vec<Lengths>,
    /// Numbers of buckets.
    #[arg(short, long, value_delimiter = ',', default_values_t = [8, 64])]
    pub buckets: Vec<u32>,
    /// Value types; none is keys only.
    #[arg(short, long, value_delimiter = ',', default_value = "none,u32")]
    pub values: Vec<ValueType>,
    #[command(flatten)]
    pub common: CommonArguments,
}

/// How long segments are.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lengths {
    /// All the same, but for rounding.
    Equal,
    /// Segment s is proportional to 1 / (s + 1): a few long ones, and many short or empty.
    Zipf,
}

impl Lengths {
    /// Returns where segments of `n` keys begin, and where the last ends.
    pub fn bounds(self, n: usize, segments: usize) -> Vec<usize> {
        let weight = |s: usize| match self {
            Self::Equal => 1.0,
            Self::Zipf => 1.0 / (s + 1) as f64,
        };
        let total: f64 = (0..segments).map(weight).sum();
        let mut sum = 0.0;
        let mut bounds = vec![0];
        for s in 0..segments {
            sum += weight(s);
            bounds.push(((n as f64 * sum / total) as usize).min(n));
        }
        bounds[segments] = n;
        bounds
    }
}

display_as_typed!(Lengths);

/// Prepares `multisplit bench segments`.
pub fn prepare(raw: BenchSegmentsArguments) -> Result<Box<dyn Benchmark>> {
    Ok(Box::new(SegmentsCases::new(raw)?))
}

/// The lists of which every combination is a row.
struct SegmentsCases {
    options: Options,
    n: Vec<usize>,
    segments: Vec<usize>,
    lengths: Vec<Lengths>,
    buckets: Vec<u32>,
    values: Vec<ValueType>,
}

impl SegmentsCases {
    fn new(raw: BenchSegmentsArguments) -> Result<Self> {
        check_sizes(&raw.n, "one call takes up to 2^32 - 1 keys")?;
        ensure_usage!(!raw.segments.contains(&0), "--segments 0 leaves nothing to measure");
        for &m in &raw.buckets {
            ensure_usage!(m > 0, "--buckets 0: there must be at least 1");
            let most = raw.segments.iter().max().copied().unwrap_or(0);
            ensure_usage!(
                most.saturating_mul(m as usize) <= MAX_BUCKETS as usize,
                "--segments {most} times --buckets {m} are too many: up to {MAX_BUCKETS} in all"
            );
        }
        Ok(Self {
            options: Options::new(raw.common)?,
            n: distinct(raw.n),
            segments: distinct(raw.segments),
            lengths: distinct(raw.lengths),
            buckets: distinct(raw.buckets),
            values: distinct(raw.values),
        })
    }
}

/// The one set of keys of a size.
struct SegmentsKeySet {
    n: usize,
}

impl fmt::Display for SegmentsKeySet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} keys", Distribution::Uniform, KeyType::U32)
    }
}

/// One row.
struct SegmentsCase {
    n: usize,
    m: u32,
    segments: usize,
    lengths: Lengths,
    value: ValueType,
}

impl fmt::Display for SegmentsCase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { n, m, segments, lengths, value } = self;
        write!(f, "{n} keys with {value} values in {segments} segments of {lengths} length, {m} buckets")
    }
}

impl Operation for SegmentsCases {
    type KeySet = SegmentsKeySet;
    type Case = SegmentsCase;
    type Output = Offsets;

    fn options(&self) -> &Options {
        &self.options
    }

    fn sizes(&self) -> &[usize] {
        &self.n
    }

    fn key_sets(&self, n: usize) -> Vec<SegmentsKeySet> {
        vec![SegmentsKeySet { n }]
    }

    fn cases(&self, &SegmentsKeySet { n }: &SegmentsKeySet) -> Vec<SegmentsCase> {
        let mut cases = Vec::new();
        for &value in &self.values {
            for &m in &self.buckets {
                for &segments in &self.segments {
                    let case = |&lengths: &Lengths| SegmentsCase { n, m, segments, lengths, value };
                    cases.extend(self.lengths.iter().map(case));
                }
            }
        }
        cases
    }

    fn generate<'a>(&'a self, &SegmentsKeySet { n }: &'a SegmentsKeySet) -> Result<Box<dyn Subject<Self> + 'a>> {
        let keys = generate(n, &BucketRanges::new::<u32>(BucketKind::Delta, 256), Distribution::Uniform);
        Ok(Box::new(SegmentsSubject { bench: self, keys: KeyColumn::new(keys) }))
    }

    fn value_type(&self, case: &SegmentsCase) -> ValueType {
        case.value
    }

    fn row(&self, case: &SegmentsCase) -> Row {
        Row {
            method: Some("auto".into()),
            bucket: Some(BucketKind::Delta.to_string()),
            dist: Some(case.lengths.to_string()),
            segments: Some(case.segments as u64),
            n: case.n as u64,
            m: Some(case.m),
            key: Some(KeyType::U32.to_string()),
            value: case.value.in_row(),
            ..Row::ours("segments")
        }
    }
}

/// Keys to split in segments.
struct SegmentsSubject<'a> {
    bench: &'a SegmentsCases,
    keys: KeyColumn<u32>,
}

impl Subject<SegmentsCases> for SegmentsSubject<'_> {
    fn measure(&mut self, case: &SegmentsCase, values: &mut ValueColumn) -> multisplit::Result<(Measured, Offsets)> {
        let options = &self.bench.options;
        let (device, f) = (&options.device, Delta::<u32>::whole(case.m)?);
        let (by, bounds) = (Multisplit::by(&f), case.lengths.bounds(case.n, case.segments));
        let mut offsets = by.segment_offsets(device, case.segments)?;
        let mut workspace = by.segment_workspace(device, case.n, case.segments, 1)?;
        let measured = repeat_move(options, self.keys.on(device)?, values, &mut |keys, values| {
            let mut column = values.column();
            let columns = column.as_mut_slice();
            by.enqueue_segments(&keys.from, &bounds, &mut keys.to, columns, &mut offsets, &mut workspace)
        })?;
        Ok((measured, offsets))
    }

    fn verify(&self, case: &SegmentsCase, values: &ValueColumn, offsets: &Offsets) -> Result<()> {
        let bounds = case.lengths.bounds(case.n, case.segments);
        let expected = Expected::of_segments(&self.keys.host, &bounds, &Delta::<u32>::whole(case.m)?);
        expected.check_offsets(&offsets.read()?)?;
        expected.check_keys(&self.keys.host, &self.keys.output()?)?;
        values.check(&expected)
    }
}
