//! `multisplit histogram`: counts the keys of a file in bins.

mod bins;
mod count;
mod facts;
mod outside;
mod strings;

use super::files::encoding::Encoding;
use super::files::formats::{self, ColumnOut, Format};
use super::files::input::{Input, InputArguments};
use super::files::key_type::KeyType;
use super::files::keys::Keys;
use super::files::number::Number;
use super::files::paths::OutputPaths;
use super::files::write::OutputFiles;
use super::files::{summary, thresholds};
use crate::charts::{Chart, Edge, Histogram};
use crate::shared::arguments::{count, within};
use crate::shared::progress;
use anyhow::{Result, ensure};
use bins::{BinRanges, Bins};
use clap::Args;
use multisplit::{Counts, MAX_BINS};
use outside::Outside;
use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

/// Bins that are shown one by one.
const FEW_BINS: usize = 64;
/// Characters of the longest bar.
const BAR: u64 = 40;
/// The most bins that a picture shows: more than it has pixels.
const MOST_DRAWN: usize = 2048;

#[derive(Args, Clone, Debug)]
pub struct HistogramArguments {
    #[command(flatten)]
    pub input: InputArguments,
    /// How many bins of equal width, or of strings how many buckets of their hash: a number up to 2^24, or a power such as 2^10 [default: twice the cube root of the
    /// number of keys, up to 64; without --from and --to fewer, of a round width: 1, 2 or 5 times a power of ten. Whole
    /// numbers get a bin each if they span no more than 64].
    #[arg(short, long, value_parser = count)]
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
    /// Write the counts to this file, or to standard output for -, as u64 numbers.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Write the edges of the bins to this file, one more than there are bins, as keys. --edges takes it.
    #[arg(long, value_name = "FILE")]
    pub edges_output: Option<PathBuf>,
    /// Draw the histogram into this file, an SVG picture of up to 2048 bins.
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,
    /// The format of --output and --edges-output, whatever their names: npy, npz, csv, tsv, txt or raw, or parquet,
    /// arrow or arrows if the program was built with them.
    #[arg(long, value_name = "FORMAT", value_parser = formats::named)]
    pub output_format: Option<Format>,
}

/// A histogram that can run.
struct HistogramCommand {
    bins: Bins,
    paths: OutputPaths,
}

/// Counted keys.
struct Counted {
    key_type: KeyType,
    ranges: BinRanges,
    counts: Counts,
    outside: Outside,
    time: Duration,
}

/// Runs `multisplit histogram`.
pub fn run(raw: &HistogramArguments) -> Result<()> {
    let bins = match &raw.edges {
        Some(path) => Bins::Edges { path: path.clone() },
        None => {
            let bins = raw.bins.map(|bins| within("--bins", bins, MAX_BINS)).transpose()?;
            Bins::Even { bins, from: raw.from.clone(), to: raw.to.clone() }
        }
    };
    let paths = OutputPaths {
        asked: raw.output_format,
        counts: raw.output.clone(),
        edges: raw.edges_output.clone(),
        picture: raw.svg.clone(),
        ..OutputPaths::default()
    };
    let command = HistogramCommand { bins, paths: paths.checked_or_none()? };
    raw.input.json.check(command.paths.all())?;
    let input = Input::unsorted(&raw.input)?;
    let keys = input.open_keys()?;
    if keys.about().key_type == KeyType::Text {
        return strings::run(raw, &command.paths, &input, &*keys);
    }
    command.run(&input, &*keys)
}

impl HistogramCommand {
    fn run(&self, input: &Input, keys: &dyn Keys) -> Result<()> {
        let (short, format) = (keys.about(), keys.format());
        let key_type = short.key_type;
        let mut files = OutputFiles::default();
        let ranges = self.bins.ranges(keys)?;
        let stage = progress::stage("counting");
        let (counts, time) = ranges.count(&input.device, keys)?;
        drop(stage);
        let outside = match counts.outside {
            0 => Outside::default(),
            _ => Outside::count(keys, (ranges.edge(key_type, 0), ranges.edge(key_type, ranges.len())))?,
        };
        let counted = Counted { key_type, ranges, counts, outside, time };
        if let Some(path) = &self.paths.counts {
            files.counts(path, self.paths.format(path, format)?, "count", &counted.counts.bins)?;
        }
        if let Some(path) = &self.paths.edges {
            let edges = counted.ranges.exact_edges(&input.device, keys, &counted.counts)?;
            let edges = thresholds::bits_of(&edges, key_type);
            let (dtype, words) = (&key_type.dtype()?, edges.as_ref());
            let column = ColumnOut { name: short.column_name(), dtype, words, encoding: Encoding::Bits };
            files.column(path, self.paths.format(path, format)?, &column)?;
        }
        if let Some(path) = &self.paths.picture {
            let picture = counted.draw(&input.name(), short.name.as_deref())?;
            files.write(path, &|to| to.write_all(picture.as_bytes()))?;
        }
        files.commit()?;
        let out = &mut *self.paths.report();
        if input.json {
            return Ok(counted.facts(summary::facts("histogram", input, &short, &self.paths, time)).write(out)?);
        }
        summary::keys(out, input, &short, 0)?;
        self.report(out, input, &counted)
    }

    fn report(&self, out: &mut dyn Write, input: &Input, counted: &Counted) -> Result<()> {
        let (counts, edge) = (&counted.counts, |i| counted.edge(i));
        let bins = &counts.bins;
        let (from, to) = (edge(0), edge(bins.len()));
        writeln!(
            out,
            "Counted in {} from {from} to {to}, on {}:",
            summary::counted(bins.len(), "bin"),
            input.device.info()
        )?;
        counted.table(out)?;
        writeln!(out, "  inside       {}", summary::counted(bins.iter().sum::<u64>() as usize, "key"))?;
        write!(out, "  outside      {}", summary::counted(counts.outside as usize, "key"))?;
        match counts.outside {
            0 => writeln!(out)?,
            _ => writeln!(out, ": {}", counted.outside.list(counted.key_type))?,
        }
        summary::time(out, input, counts.total() as usize, counted.time)?;
        summary::outputs(out, &self.paths)
    }
}

/// Draws a count as a line.
fn bar(count: u64, most: u64) -> String {
    // The product may be more than 64 bits, and a count that is not 0 is seen.
    "#".repeat((u128::from(count) * u128::from(BAR)).div_ceil(u128::from(most.max(1))) as usize)
}

impl Counted {
    /// Formats where a bin begins, which is where the one before it ends.
    fn edge(&self, i: usize) -> String {
        self.key_type.show(self.ranges.edge(self.key_type, i))
    }

    /// Writes few bins one by one, of many the most and the fewest.
    fn table(&self, out: &mut dyn Write) -> Result<()> {
        let (bins, edge) = (&self.counts.bins, |i| self.edge(i));
        if bins.len() <= FEW_BINS {
            let most = bins.iter().copied().max().unwrap_or(0);
            let edges: Vec<String> = (0..=bins.len()).map(edge).collect();
            let width = edges.iter().map(String::len).max().unwrap_or(0);
            let digits = most.to_string().len();
            for (pair, &count) in edges.windows(2).zip(bins) {
                let row = format!("  {:>width$} .. {:<width$} {count:>digits$} {}", pair[0], pair[1], bar(count, most));
                writeln!(out, "{}", row.trim_end())?;
            }
            return Ok(());
        }
        let of = |bin: usize| format!("bin {bin}, {} .. {}", edge(bin), edge(bin + 1));
        if let Some((bin, &count)) = bins.iter().enumerate().max_by_key(|&(b, count)| (count, std::cmp::Reverse(b))) {
            writeln!(out, "  most         {} in {}", summary::counted(count as usize, "key"), of(bin))?;
        }
        if let Some((bin, &count)) = bins.iter().enumerate().min_by_key(|&(b, count)| (count, b)) {
            writeln!(out, "  fewest       {} in {}", summary::counted(count as usize, "key"), of(bin))?;
        }
        let empty = bins.iter().filter(|&&count| count == 0).count();
        Ok(writeln!(out, "  empty        {}", summary::counted(empty, "bin"))?)
    }

    /// Draws the bins. Their widths are in proportion, whatever the numbers.
    fn draw(&self, file: &str, column: Option<&str>) -> Result<String> {
        let bins = &self.counts.bins;
        ensure!(
            bins.len() <= MOST_DRAWN,
            "--svg shows at most {MOST_DRAWN} bins, not {}; name fewer with --bins",
            bins.len()
        );
        let place = |i: usize| match self.ranges.edge(self.key_type, i) {
            Number::Whole(edge) => edge as f64,
            Number::Real(edge) => edge,
        };
        let (from, to) = (place(0), place(bins.len()));
        // Halved, for the difference may be infinite.
        let part = |i: usize| (place(i) / 2.0 - from / 2.0) / (to / 2.0 - from / 2.0);
        let edges = (0..=bins.len()).map(|i| Edge { label: self.edge(i), part: part(i) }).collect();
        let mut about = summary::counted(bins.iter().sum::<u64>() as usize, "key");
        if self.counts.outside > 0 {
            about = format!("{about}; outside {}", self.outside.list(self.key_type));
        }
        let title = column.map_or(file.to_string(), |column| format!("{column} of {file}"));
        Ok(Chart::Histogram(Histogram { title, about, counts: bins.clone(), edges }).file())
    }
}
