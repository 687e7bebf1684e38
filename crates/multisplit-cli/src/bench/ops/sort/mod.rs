//! `bench sort`: sorts by the whole key.

#[cfg(feature = "cpu-peers")]
mod crates;

use crate::bench::harness::columns::{KeyColumn, ValueColumn};
use crate::bench::harness::key_types::{BucketKind, Distribution, KeyType, PeerKind, ValueType};
#[cfg(not(feature = "cpu-peers"))]
use crate::bench::harness::keys::BenchKey;
use crate::bench::harness::keys::{BucketRanges, generate};
use crate::bench::harness::measure::{Measured, repeat_move};
use crate::bench::harness::operation::{Benchmark, Operation, Subject};
use crate::bench::harness::options::{CommonArguments, Options, check_sizes, distinct};
use crate::bench::harness::peers::{Peer, PeerTask, list};
use crate::bench::harness::row::Row;
use crate::bench::harness::verify::Expected;
use crate::shared::arguments::count;
use crate::shared::usage::ensure_usage;
use anyhow::Result;
use clap::Args;
#[cfg(feature = "cpu-peers")]
use crates::CrateKey;
#[cfg(feature = "cpu-peers")]
use multisplit::DeviceKind;
use multisplit::Sort;
use std::fmt;

/// Parts of the key's range that distributions distinguish.
const PARTS: u32 = 256;

#[derive(Args, Clone, Debug)]
pub struct BenchSortArguments {
    /// How many keys: numbers, or powers such as 2^25, separated by commas.
    #[arg(short, long, value_delimiter = ',', default_value = "2^25", value_parser = count)]
    pub n: Vec<usize>,
    /// Key types.
    #[arg(short, long, value_delimiter = ',', default_value = "u32,u64")]
    pub keys: Vec<KeyType>,
    /// Value types; none is keys only.
    #[arg(short, long, value_delimiter = ',', default_value = "none,u32")]
    pub values: Vec<ValueType>,
    /// Bits per split, 4 to 8 [default: as many as are best].
    #[arg(long, value_delimiter = ',')]
    pub digit_bits: Vec<u32>,
    /// Distributions of the keys over 256 parts of their range.
    #[arg(long, value_delimiter = ',', default_value = "uniform")]
    pub dist: Vec<Distribution>,
    #[command(flatten)]
    pub common: CommonArguments,
}

/// Prepares `multisplit bench sort`.
pub fn prepare(raw: BenchSortArguments) -> Result<Box<dyn Benchmark>> {
    Ok(Box::new(SortCases::new(raw)?))
}

/// The lists of which every combination is a row.
struct SortCases {
    options: Options,
    n: Vec<usize>,
    keys: Vec<KeyType>,
    values: Vec<ValueType>,
    /// Bits of a digit; none is automatic.
    digits: Vec<Option<u32>>,
    dist: Vec<Distribution>,
}

impl SortCases {
    fn new(raw: BenchSortArguments) -> Result<Self> {
        check_sizes(&raw.n, "one sort takes up to 2^32 - 1 keys")?;
        for &bits in &raw.digit_bits {
            ensure_usage!((4..=8).contains(&bits), "--digit-bits {bits} is out of range: 4 to 8");
        }
        let digits: Vec<_> = distinct(raw.digit_bits).into_iter().map(Some).collect();
        Ok(Self {
            options: Options::new(raw.common)?,
            n: distinct(raw.n),
            keys: distinct(raw.keys),
            values: distinct(raw.values),
            digits: if digits.is_empty() { vec![None] } else { digits },
            dist: distinct(raw.dist),
        })
    }
}

/// One set of keys.
#[derive(Clone, Copy)]
struct SortKeySet {
    n: usize,
    key: KeyType,
    dist: Distribution,
}

impl SortKeySet {
    /// Returns a row of these keys, by whatever implementation.
    fn row(self, value: ValueType, by: &str) -> Row {
        Row {
            op: "sort".into(),
            by: by.into(),
            dist: Some(self.dist.to_string()),
            n: self.n as u64,
            key: Some(self.key.to_string()),
            value: value.in_row(),
            ..Row::default()
        }
    }
}

impl fmt::Display for SortKeySet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} keys", self.dist, self.key)
    }
}

/// One row.
struct SortCase {
    set: SortKeySet,
    value: ValueType,
    digit: Option<u32>,
}

impl SortCase {
    fn method(&self) -> String {
        self.digit.map_or("auto".to_string(), |bits| format!("{bits}-bit digits"))
    }
}

impl fmt::Display for SortCase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} with {} values, {}", self.set.n, self.set, self.value, self.method())
    }
}

impl Operation for SortCases {
    type KeySet = SortKeySet;
    type Case = SortCase;
    type Output = ();

    fn options(&self) -> &Options {
        &self.options
    }

    fn sizes(&self) -> &[usize] {
        &self.n
    }

    fn key_sets(&self, n: usize) -> Vec<SortKeySet> {
        let of_key = |&key: &KeyType| self.dist.iter().map(move |&dist| SortKeySet { n, key, dist });
        self.keys.iter().flat_map(of_key).collect()
    }

    fn cases(&self, &set: &SortKeySet) -> Vec<SortCase> {
        let of_value = |&value: &ValueType| self.digits.iter().map(move |&digit| SortCase { set, value, digit });
        self.values.iter().flat_map(of_value).collect()
    }

    fn generate<'a>(&'a self, set: &'a SortKeySet) -> Result<Box<dyn Subject<Self> + 'a>> {
        Ok(match set.key {
            KeyType::U32 => Box::new(SortSubject::<u32>::new(self, *set)),
            KeyType::U64 => Box::new(SortSubject::<u64>::new(self, *set)),
        })
    }

    fn value_type(&self, case: &SortCase) -> ValueType {
        case.value
    }

    fn row(&self, case: &SortCase) -> Row {
        Row { method: Some(case.method()), ..case.set.row(case.value, "multisplit") }
    }
}

/// Keys of one type to sort.
struct SortSubject<'a, K> {
    bench: &'a SortCases,
    set: SortKeySet,
    keys: KeyColumn<K>,
    expected: Expected,
}

impl<'a, K: CrateKey> SortSubject<'a, K> {
    fn new(bench: &'a SortCases, set: SortKeySet) -> Self {
        let keys = generate(set.n, &BucketRanges::new::<K>(BucketKind::Delta, PARTS), set.dist);
        let expected = Expected::sorted(&keys);
        Self { bench, set, keys: KeyColumn::new(keys), expected }
    }
}

impl<K: CrateKey> Subject<SortCases> for SortSubject<'_, K> {
    fn measure(&mut self, case: &SortCase, values: &mut ValueColumn) -> multisplit::Result<(Measured, ())> {
        let options = &self.bench.options;
        let keys = self.keys.on(&options.device)?;
        let sort = case.digit.map_or(Sort::new(), |bits| Sort::new().digit_bits(bits));
        let mut workspace = sort.workspace::<K>(&options.device, keys.from.len(), 1, 1)?;
        let measured = repeat_move(options, keys, values, &mut |keys, values| {
            sort.enqueue(&keys.from, &mut keys.to, values.column().as_mut_slice(), &mut workspace)
        })?;
        options.device.sync()?;
        Ok((measured, ()))
    }

    fn verify(&self, _: &SortCase, values: &ValueColumn, (): &()) -> Result<()> {
        self.expected.check_keys(&self.keys.host, &self.keys.output()?)?;
        values.check(&self.expected)
    }

    fn run_peer(&self, peer: &Peer) -> Result<Vec<Row>> {
        let task = PeerTask {
            op: "sort",
            keys: &self.keys.host,
            key: self.set.key.to_string(),
            m: vec![PARTS],
            bucket: "delta".into(),
            dist: self.set.dist.to_string(),
            bounds: Vec::new(),
            more: vec!["--values".into(), list(&self.bench.values)],
        };
        peer.run(&self.bench.options, &task)
    }

    /// Crates run on the CPU, and on keys alone.
    #[cfg(feature = "cpu-peers")]
    fn run_crate(&self, peer: PeerKind) -> Result<Option<Row>> {
        let options = &self.bench.options;
        let fits = options.device.info().kind == DeviceKind::Cpu && self.bench.values.contains(&ValueType::None);
        anyhow::ensure!(fits, "it sorts keys alone, on the CPU");
        let Some((seconds, sorted)) = crates::time(peer, &self.keys.host, options.runs)? else { return Ok(None) };
        let verified = self.expected.check_keys(&self.keys.host, &sorted).is_ok();
        Ok(Some(Row { verified, ..self.set.row(ValueType::None, &peer.to_string()) }.timed(seconds)))
    }

    #[cfg(not(feature = "cpu-peers"))]
    fn run_crate(&self, _: PeerKind) -> Result<Option<Row>> {
        anyhow::bail!("build the program with `--features cpu-peers` for it")
    }
}

/// A key type that is timed.
#[cfg(not(feature = "cpu-peers"))]
trait CrateKey: BenchKey {}

#[cfg(not(feature = "cpu-peers"))]
impl<K: BenchKey> CrateKey for K {}
