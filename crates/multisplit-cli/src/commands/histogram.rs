//! `multisplit histogram`: counts the keys of a file in bins.

use super::files::input::{Input, InputArguments, KeyCommand};
use super::files::key::{End, FileKey, carry_all, extent};
use super::files::read::read_like_keys;
use super::files::summary;
use super::files::write::OutputFiles;
use crate::shared::arguments::{count, within};
use anyhow::{Context, Result, bail};
use clap::Args;
use multisplit::bucket::{EvenBins, RangeBins, Splitters};
use multisplit::{Counts, Device, MAX_BINS, histogram};
use std::io::{self, Write};
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Bins that are shown one by one.
const FEW_BINS: usize = 64;
/// Characters of the longest bar.
const BAR: u64 = 40;

#[derive(Args, Clone, Debug)]
pub struct HistogramArguments {
    #[command(flatten)]
    pub input: InputArguments,
    /// How many bins of equal width: a number up to 2^24, or a power such as 2^10.
    #[arg(short, long, value_parser = count, required_unless_present = "edges")]
    pub bins: Option<usize>,
    /// Where the first bin begins [default: at the smallest key].
    #[arg(long, value_name = "KEY", allow_hyphen_values = true)]
    pub from: Option<String>,
    /// Where the last bin ends; a key that is equal to it is outside [default: behind the largest key].
    #[arg(long, value_name = "KEY", allow_hyphen_values = true)]
    pub to: Option<String>,
    /// A file of ascending numbers of the keys' type, one more than there are bins: each bin begins at one and ends
    /// before the next.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["bins", "from", "to"])]
    pub edges: Option<PathBuf>,
    /// Write the counts to this file, as u64 numbers.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// A histogram that can run.
struct HistogramCommand {
    bins: Bins,
    output: Option<PathBuf>,
}

/// The bins that were asked for. Keys are still text: their type is in the file.
enum Bins {
    Even { bins: u32, from: Option<String>, to: Option<String> },
    Edges { path: PathBuf },
}

/// Counted keys.
struct Counted<'a> {
    /// Formats where a bin begins, which is where the one before it ends.
    edge: &'a dyn Fn(usize) -> String,
    counts: Counts,
    time: Duration,
}

/// Runs `multisplit histogram`.
pub fn run(raw: &HistogramArguments) -> Result<()> {
    let bins = match (&raw.edges, raw.bins) {
        (Some(path), _) => Bins::Edges { path: path.clone() },
        (None, Some(bins)) => {
            let bins = within("--bins", bins, MAX_BINS)?;
            Bins::Even { bins, from: raw.from.clone(), to: raw.to.clone() }
        }
        (None, None) => bail!("how many --bins, or between which --edges?"),
    };
    Input::new(&raw.input)?.run(&HistogramCommand { bins, output: raw.output.clone() })
}

impl KeyCommand for HistogramCommand {
    fn run<K: FileKey>(&self, input: &Input, keys: Vec<K>) -> Result<()> {
        let (n, out) = (keys.len(), &mut io::stdout().lock());
        let mut files = OutputFiles::default();
        let ranges = self.bins.ranges(&keys)?;
        let carriers = carry_all(&keys);
        let start = Instant::now();
        let counts = count_keys(&ranges, &input.device, &carriers)?;
        let counted = Counted { edge: &|i| ranges.edge(i), counts, time: start.elapsed() };
        if let Some(path) = &self.output {
            files.numbers(path, &counted.counts.bins)?;
        }
        files.commit()?;
        summary::keys::<K>(out, input, n, 0)?;
        self.report(out, input, &counted)
    }
}

impl HistogramCommand {
    fn report(&self, mut out: &mut dyn Write, input: &Input, counted_keys: &Counted<'_>) -> Result<()> {
        let Counted { edge, counts, time: took } = counted_keys;
        let bins = &counts.bins;
        let (from, to) = (edge(0), edge(bins.len()));
        writeln!(
            out,
            "Counted in {} from {from} to {to}, on {}:",
            summary::counted(bins.len(), "bin"),
            input.device.info()
        )?;
        let most = bins.iter().copied().max().unwrap_or(0);
        if bins.len() <= FEW_BINS {
            let edges: Vec<String> = (0..=bins.len()).map(edge).collect();
            let width = edges.iter().map(String::len).max().unwrap_or(0);
            let digits = most.to_string().len();
            for (pair, &count) in edges.windows(2).zip(bins) {
                // The product may be more than 64 bits, and a count that is not 0 is seen.
                let bar = (u128::from(count) * u128::from(BAR)).div_ceil(u128::from(most.max(1))) as usize;
                let row = format!("  {:>width$} .. {:<width$} {count:>digits$} {}", pair[0], pair[1], "#".repeat(bar));
                writeln!(out, "{}", row.trim_end())?;
            }
        } else {
            let of = |bin: usize| format!("bin {bin}, {} .. {}", edge(bin), edge(bin + 1));
            if let Some((bin, &count)) = bins.iter().enumerate().max_by_key(|&(b, count)| (count, std::cmp::Reverse(b)))
            {
                writeln!(out, "  most         {} in {}", summary::counted(count as usize, "key"), of(bin))?;
            }
            if let Some((bin, &count)) = bins.iter().enumerate().min_by_key(|&(b, count)| (count, b)) {
                writeln!(out, "  fewest       {} in {}", summary::counted(count as usize, "key"), of(bin))?;
            }
            writeln!(
                out,
                "  empty        {}",
                summary::counted(bins.iter().filter(|&&count| count == 0).count(), "bin")
            )?;
        }
        writeln!(out, "  inside       {}", summary::counted(bins.iter().sum::<u64>() as usize, "key"))?;
        writeln!(out, "  outside      {}", summary::counted(counts.outside as usize, "key"))?;
        let n = counts.total() as usize;
        summary::time(&mut out, input, n, *took)?;
        if let Some(path) = &self.output {
            writeln!(out, "  counts       {}", path.display())?;
        }
        Ok(())
    }
}

/// The bins, for keys of one type.
enum BinRanges<K> {
    Even { lower: K, end: End<K>, bins: u32 },
    Edges(Vec<K>),
}

impl<K: FileKey> BinRanges<K> {
    /// Formats where bin `i` begins, which is where the one before it ends.
    fn edge(&self, i: usize) -> String {
        match self {
            Self::Even { end, bins, .. } if i >= *bins as usize => end.show(),
            Self::Even { lower, end, bins } => K::edge(*lower, *end, *bins, i as u32).show(),
            Self::Edges(edges) => edges.get(i).map_or(String::new(), |edge| edge.show()),
        }
    }
}

impl Bins {
    /// Returns the bins for keys of one type.
    fn ranges<K: FileKey>(&self, keys: &[K]) -> Result<BinRanges<K>> {
        match self {
            Self::Even { bins, from, to } => even(keys, *bins, from.as_deref(), to.as_deref()),
            Self::Edges { path } => {
                let read = || {
                    let edges: Vec<K> = read_like_keys(path)?;
                    RangeBins::new(&carry_all(&edges))?;
                    anyhow::Ok(BinRanges::Edges(edges))
                };
                read().with_context(|| format!("--edges {}", path.display()))
            }
        }
    }
}

fn even<K: FileKey>(keys: &[K], bins: u32, from: Option<&str>, to: Option<&str>) -> Result<BinRanges<K>> {
    let (smallest, largest) = extent(keys);
    let (smallest, behind) = K::range_of(smallest, largest);
    let lower = from.map_or(Ok(smallest), |text| K::parse(text).context("--from"))?;
    let end = to.map_or(Ok(behind), |text| K::parse_end(text).context("--to"))?;
    Ok(BinRanges::Even { lower, end, bins })
}

fn count_keys<K: FileKey>(ranges: &BinRanges<K>, device: &Device, keys: &[K::Carrier]) -> Result<Counts> {
    let (lower, end, bins) = match ranges {
        BinRanges::Edges(edges) => return Ok(histogram(device, keys, &RangeBins::new(&carry_all(edges))?)?),
        BinRanges::Even { lower, end, bins } => (*lower, *end, *bins),
    };
    if let Some(upper) = K::carry_end(end) {
        let about = || {
            let (from, to) = (lower.show(), end.show());
            format!("{bins} bins from {from} to {to}; name other ends with --from and --to")
        };
        let even = EvenBins::new(lower.carry()..upper, bins).with_context(about)?;
        return Ok(histogram(device, keys, &even)?);
    }
    // The type has no key for the bins to end before. So bins are found by where they begin; what is below the first
    // is outside.
    let starts: Vec<K> = (0..bins).map(|i| K::edge(lower, end, bins, i)).collect();
    let Counts { mut bins, outside } = histogram(device, keys, &Splitters::new(&carry_all(&starts))?)?;
    let below = bins.remove(0);
    Ok(Counts { bins, outside: outside + below })
}
