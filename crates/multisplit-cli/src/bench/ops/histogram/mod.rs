//! `bench histogram`: counts of keys in bins.

pub mod samples;

use crate::bench::harness::bandwidth::Bandwidths;
use crate::bench::harness::columns::ValueColumn;
use crate::bench::harness::key_types::Distribution;
use crate::bench::harness::measure::{Measured, repeat};
use crate::bench::harness::operation::{Benchmark, Operation, Subject};
use crate::bench::harness::options::{CommonArguments, Options, check_sizes, distinct};
use crate::bench::harness::peers::{Peer, PeerTask};
use crate::bench::harness::row::Row;
use crate::shared::arguments::count;
use crate::shared::usage::ensure_usage;
use anyhow::{Result, ensure};
use clap::Args;
use multisplit::bucket::{Buckets, EvenBins, RangeBins};
use multisplit::measure::Reference;
use multisplit::{Buffer, Counts, Histogram, MAX_BINS};
use multisplit_graph::parallel;
use samples::{BinKind, Sample, SampleType};
use std::fmt;

/// What the counts are overwritten with before they are timed, so that an old result cannot pass for a new one.
const JUNK: u32 = 0x5eed_f00d;
/// Drawing more bins from the binomial distribution takes too long.
const MOST_BINOMIAL: u32 = 256;

#[derive(Args, Clone, Debug)]
pub struct BenchHistogramArguments {
    /// How many keys: numbers, or powers such as 2^25, separated by commas.
    #[arg(short, long, value_delimiter = ',', default_value = "2^25", value_parser = count)]
    pub n: Vec<usize>,
    /// Numbers of bins.
    #[arg(short, long, value_delimiter = ',', default_values_t = [2, 8, 32, 256, 1024, 4096, 8192, 65536])]
    pub bins: Vec<u32>,
    /// Key types.
    #[arg(short, long, value_delimiter = ',', default_value = "u32,f32")]
    pub keys: Vec<SampleType>,
    /// Kinds of bins.
    #[arg(long, value_delimiter = ',', default_value = "even,range")]
    pub bucket: Vec<BinKind>,
    /// Distributions of the keys over the bins.
    #[arg(long, value_delimiter = ',', default_value = "uniform")]
    pub dist: Vec<Distribution>,
    #[command(flatten)]
    pub common: CommonArguments,
}

/// Prepares `multisplit bench histogram`.
pub fn prepare(raw: BenchHistogramArguments) -> Result<Box<dyn Benchmark>> {
    Ok(Box::new(HistogramCases::new(raw)?))
}

/// The lists of which every combination is a row.
struct HistogramCases {
    options: Options,
    n: Vec<usize>,
    bins: Vec<u32>,
    keys: Vec<SampleType>,
    bucket: Vec<BinKind>,
    dist: Vec<Distribution>,
}

impl HistogramCases {
    fn new(raw: BenchHistogramArguments) -> Result<Self> {
        check_sizes(&raw.n, "counts are of 32 bits here")?;
        ensure_usage!(!raw.bins.is_empty(), "--bins names none");
        for &m in &raw.bins {
            ensure_usage!((1..=MAX_BINS).contains(&m), "--bins {m} is out of range: 1 to {MAX_BINS}");
            let binomial = raw.dist.contains(&Distribution::Binomial);
            ensure_usage!(!binomial || m <= MOST_BINOMIAL, "--dist binomial takes up to {MOST_BINOMIAL} bins, not {m}");
        }
        Ok(Self {
            options: Options::new(raw.common)?,
            n: distinct(raw.n),
            bins: distinct(raw.bins),
            keys: distinct(raw.keys),
            bucket: distinct(raw.bucket),
            dist: distinct(raw.dist),
        })
    }
}

/// One set of keys, and the numbers of bins that it serves.
struct HistogramKeySet {
    n: usize,
    key: SampleType,
    bucket: BinKind,
    dist: Distribution,
    bins: Vec<u32>,
}

impl fmt::Display for HistogramKeySet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} keys", self.dist, self.key)
    }
}

/// One row.
struct HistogramCase {
    n: usize,
    key: SampleType,
    bucket: BinKind,
    dist: Distribution,
    bins: u32,
}

impl fmt::Display for HistogramCase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { n, key, bucket, dist, bins } = self;
        write!(f, "{n} {dist} {key} keys, {bins} {bucket} bins")
    }
}

impl Operation for HistogramCases {
    type KeySet = HistogramKeySet;
    type Case = HistogramCase;
    /// The counts.
    type Output = Buffer<u32>;

    fn options(&self) -> &Options {
        &self.options
    }

    fn sizes(&self) -> &[usize] {
        &self.n
    }

    fn key_sets(&self, n: usize) -> Vec<HistogramKeySet> {
        let mut sets = Vec::new();
        for &key in &self.keys {
            for &bucket in &self.bucket {
                for &dist in &self.dist {
                    // The same keys serve all numbers of bins, unless the distribution depends on them.
                    let same = matches!(dist, Distribution::Uniform | Distribution::Sorted);
                    let bins = self.bins.chunks(if same { self.bins.len() } else { 1 });
                    sets.extend(bins.map(|bins| HistogramKeySet { n, key, bucket, dist, bins: bins.to_vec() }));
                }
            }
        }
        sets
    }

    fn cases(&self, set: &HistogramKeySet) -> Vec<HistogramCase> {
        let HistogramKeySet { n, key, bucket, dist, .. } = *set;
        set.bins.iter().map(|&bins| HistogramCase { n, key, bucket, dist, bins }).collect()
    }

    fn generate<'a>(&'a self, set: &'a HistogramKeySet) -> Result<Box<dyn Subject<Self> + 'a>> {
        Ok(match set.key {
            SampleType::U32 => Box::new(HistogramSubject::<u32>::new(self, set)),
            SampleType::U64 => Box::new(HistogramSubject::<u64>::new(self, set)),
            SampleType::F32 => Box::new(HistogramSubject::<f32>::new(self, set)),
        })
    }

    fn row(&self, case: &HistogramCase) -> Row {
        Row {
            method: Some("auto".into()),
            bucket: Some(case.bucket.to_string()),
            dist: Some(case.dist.to_string()),
            n: case.n as u64,
            m: Some(case.bins),
            key: Some(case.key.to_string()),
            ..Row::ours("histogram")
        }
    }

    fn fraction(&self, row: &Row, bandwidths: Bandwidths) -> Option<f64> {
        bandwidths.fraction_of_read(row)
    }
}

/// Keys of one type to count.
struct HistogramSubject<'a, K> {
    bench: &'a HistogramCases,
    set: &'a HistogramKeySet,
    keys: Vec<K>,
    /// The keys on the device, from their first use.
    input: Option<Buffer<K>>,
}

impl<'a, K: Sample> HistogramSubject<'a, K> {
    fn new(bench: &'a HistogramCases, set: &'a HistogramKeySet) -> Self {
        Self { bench, set, keys: samples::generate(set.n, set.bucket, set.bins[0], set.dist), input: None }
    }

    fn measure_by<F: Buckets<Key = K>>(&mut self, f: &F) -> multisplit::Result<(Measured, Buffer<u32>)> {
        let (options, count) = (&self.bench.options, Histogram::by(f));
        let device = &options.device;
        let input = match &mut self.input {
            Some(input) => input,
            none => none.insert(device.upload(&self.keys)?),
        };
        let junk = vec![JUNK; f.buckets() as usize + 1];
        let mut counts = device.upload(&junk)?;
        let mut call = |counts: &mut Buffer<u32>| count.enqueue(&*input, counts);
        let mut spoil = |counts: &mut Buffer<u32>| {
            *counts = device.upload(&junk)?;
            Ok(())
        };
        let measured = repeat(options, self.keys.len(), &mut counts, &mut call, &mut spoil)?;
        Ok((measured, counts))
    }
}

impl<K: Sample> Subject<HistogramCases> for HistogramSubject<'_, K> {
    fn measure(&mut self, case: &HistogramCase, _: &mut ValueColumn) -> multisplit::Result<(Measured, Buffer<u32>)> {
        match case.bucket {
            BinKind::Even => self.measure_by(&EvenBins::new(K::bounds(), case.bins)?),
            BinKind::Range => self.measure_by(&RangeBins::new(&K::levels(case.bins))?),
        }
    }

    fn verify(&self, case: &HistogramCase, _: &ValueColumn, counts: &Buffer<u32>) -> Result<()> {
        let expected = match case.bucket {
            BinKind::Even => expected(&self.keys, &EvenBins::new(K::bounds(), case.bins)?),
            BinKind::Range => expected(&self.keys, &RangeBins::new(&K::levels(case.bins))?),
        };
        check(&expected, &counts.download()?)
    }

    fn run_peer(&self, peer: &Peer) -> Result<Vec<Row>> {
        let set = self.set;
        let bounds = match set.bucket {
            BinKind::Range => set.bins.iter().map(|&m| K::levels(m)).collect(),
            BinKind::Even => vec![vec![K::bounds().start, K::bounds().end]],
        };
        let task = PeerTask {
            op: "histogram",
            keys: &self.keys,
            key: set.key.to_string(),
            m: set.bins.clone(),
            bucket: set.bucket.to_string(),
            dist: set.dist.to_string(),
            bounds,
            more: Vec::new(),
        };
        peer.run(&self.bench.options, &task)
    }
}

/// Counts parts of the keys by the naive reference, in parallel, and adds them up.
fn expected<F: Buckets>(keys: &[F::Key], f: &F) -> Counts {
    let parts = parallel::parts(keys, |_, part| Reference::histogram(part, f));
    let bins = (0..f.buckets() as usize).map(|b| parts.iter().map(|part| part.bins[b]).sum()).collect();
    Counts { bins, outside: parts.iter().map(|part| part.outside).sum() }
}

/// Compares the counts, of which the last is that of keys outside.
fn check(expected: &Counts, got: &[u32]) -> Result<()> {
    let all = expected.bins.iter().chain([&expected.outside]);
    ensure!(got.len() == expected.bins.len() + 1, "{} counts came back", got.len());
    let wrong = all.zip(got).position(|(&expected, &got)| u64::from(got) != expected);
    ensure!(wrong.is_none(), "the counts differ from the reference, first at {}", wrong.unwrap_or_default());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use multisplit::bucket::Identity;

    #[test]
    fn what_is_wrong_is_found() {
        let expected = expected(&[0u32, 1, 1, 9], &Identity::new(3));
        assert_eq!(expected, Counts { bins: vec![1, 2, 0], outside: 1 });
        assert!(check(&expected, &[1, 2, 0, 1]).is_ok());
        let error = check(&expected, &[1, 2, 1, 0]).unwrap_err();
        assert!(error.to_string().contains("first at 2"), "{error}");
        assert!(check(&expected, &[1, 2, 0]).is_err());
    }
}
