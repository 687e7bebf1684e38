//! `multisplit split`: splits the keys of a file into buckets.

use super::files::bucket_split::{BucketFunction, FileBuckets, FileSplit};
use super::files::carrier::Carrier;
use super::files::folder;
use super::files::input::{FileKeys, Input, InputArguments, read_like_keys};
use super::files::key_type::with_carrier;
use super::files::number::Number;
use super::files::order::check_bits;
use super::files::paths::{MovedArguments, OutputPaths};
use super::files::summary;
use super::files::write::OutputFiles;
use crate::shared::arguments::{bit_range, count, within};
use anyhow::{Context, Result, bail, ensure};
use clap::{Args, ValueEnum};
use multisplit::bucket::{BitWindow, Delta, Hash};
use multisplit::{MAX_BUCKETS, Method};
use std::io::Write;
use std::ops::Range;
use std::path::PathBuf;

#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    /// Ranges of equal width, from the smallest key to the largest or as --from and --to say; keys outside them are in
    /// the first and the last, NaN in the last.
    Delta,
    /// The key is the number of its bucket.
    Identity,
    /// Scattered evenly, equal keys together.
    Hash,
    /// Some bits of the key: those that --bits names, or as many of the highest as the buckets take.
    Bits,
}

#[derive(Args, Clone, Debug)]
pub struct SplitArguments {
    #[command(flatten)]
    pub input: InputArguments,
    #[command(flatten)]
    pub moved: MovedArguments,
    /// Write a file for each bucket into this folder: bucket-0.npy, bucket-1.npy, …, in the format of the input or of
    /// --output-format, and bucket-0-values.npy for --values. The folder must not have such files.
    #[arg(long, value_name = "FOLDER")]
    pub output_dir: Option<PathBuf>,
    /// How many buckets: a number up to 2^24, or a power such as 2^10.
    #[arg(short, long, value_parser = count)]
    pub buckets: Option<usize>,
    /// How keys are assigned to buckets.
    #[arg(long, default_value = "delta")]
    pub by: By,
    /// A file of ascending numbers of the keys' type, to split between: one bucket more than there are numbers.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["buckets", "by", "from", "to", "bits", "seed"])]
    pub splitters: Option<PathBuf>,
    /// Where the first range of --by delta begins [default: at the smallest key].
    #[arg(long, value_name = "KEY", allow_hyphen_values = true)]
    pub from: Option<String>,
    /// Where the last range of --by delta ends [default: with the largest key].
    #[arg(long, value_name = "KEY", allow_hyphen_values = true)]
    pub to: Option<String>,
    /// The bits of --by bits, such as 8..16, counted from the lowest of the key as an unsigned number in its order.
    #[arg(long, value_name = "A..B", value_parser = bit_range)]
    pub bits: Option<Range<u32>>,
    /// Another number is another function of --by hash [default: 0].
    #[arg(long)]
    pub seed: Option<u32>,
    /// Write to this file where the buckets begin, and where the last ends, as u64 numbers.
    #[arg(long, value_name = "FILE")]
    pub offsets: Option<PathBuf>,
    /// Write to this file where each key was before, as u32 numbers.
    #[arg(long, value_name = "FILE")]
    pub permutation: Option<PathBuf>,
    /// auto, direct, warp-level or block-level; the CPU has one way of its own.
    #[arg(short, long, default_value_t = Method::Auto)]
    pub method: Method,
}

/// A split that can run.
struct SplitCommand {
    rule: Rule,
    method: Method,
    paths: OutputPaths,
}

/// Runs `multisplit split`.
pub fn run(raw: &SplitArguments) -> Result<()> {
    let rule = Rule::new(raw)?;
    let (offsets, permutation) = (raw.offsets.clone(), raw.permutation.clone());
    raw.output_dir.as_deref().map_or(Ok(()), folder::check)?;
    let paths = OutputPaths { offsets, permutation, folder: raw.output_dir.clone(), ..OutputPaths::new(&raw.moved) };
    let paths = paths.checked("--output, --output-dir, --offsets or --permutation")?;
    let command = SplitCommand { rule, method: raw.method, paths };
    let input = Input::new(&raw.input)?;
    let keys = input.read()?;
    with_carrier!(keys.key_type.carrier(), C => command.run::<C>(&input, keys))
}

impl SplitCommand {
    fn run<C: Carrier>(&self, input: &Input, keys: FileKeys) -> Result<()> {
        let (n, key_type) = (keys.len(), keys.key_type);
        let mut files = OutputFiles::default();
        let (about, function) = self.rule.function::<C>(&keys)?;
        let split = FileSplit { input, paths: &self.paths, method: self.method, select: false };
        let buckets = split.run(keys, function, &mut files)?;
        files.commit()?;
        let out = &mut *self.paths.report();
        summary::keys(out, input, key_type, n, self.paths.values.len())?;
        self.report(out, input, &about, &buckets)
    }

    fn report(&self, out: &mut dyn Write, input: &Input, about: &str, buckets: &FileBuckets) -> Result<()> {
        let sizes = || buckets.offsets.windows(2).map(|pair| pair[1] - pair[0]).enumerate();
        let n = buckets.offsets.last().copied().unwrap_or(0);
        writeln!(
            out,
            "Split into {} {}, on {}:",
            summary::counted(sizes().count(), "bucket"),
            about,
            input.device.info()
        )?;
        // The first, if several are equal.
        if let Some((b, size)) = sizes().max_by_key(|&(b, size)| (size, std::cmp::Reverse(b))) {
            writeln!(out, "  largest      bucket {b}, {}", summary::counted(size, "key"))?;
        }
        if let Some((b, size)) = sizes().min_by_key(|&(b, size)| (size, b)) {
            writeln!(out, "  smallest     bucket {b}, {}", summary::counted(size, "key"))?;
        }
        writeln!(out, "  empty        {}", summary::counted(sizes().filter(|&(_, size)| size == 0).count(), "bucket"))?;
        summary::time(out, input, n, buckets.time)?;
        summary::outputs(out, &self.paths)
    }
}

/// The rule that assigns keys to buckets. Keys are still text: their type is in the file.
enum Rule {
    Delta { buckets: u32, from: Option<String>, to: Option<String> },
    Identity { buckets: u32 },
    Hash { buckets: u32, seed: u32 },
    Window { bits: Range<u32> },
    Highest { buckets: u32 },
    Splitters { path: PathBuf },
}

impl Rule {
    fn new(raw: &SplitArguments) -> Result<Self> {
        if let Some(path) = &raw.splitters {
            return Ok(Self::Splitters { path: path.clone() });
        }
        ensure!(raw.by == By::Delta || (raw.from.is_none() && raw.to.is_none()), "--from and --to are for --by delta");
        ensure!(raw.by == By::Bits || raw.bits.is_none(), "--bits is for --by bits");
        ensure!(raw.by == By::Hash || raw.seed.is_none(), "--seed is for --by hash");
        if let Some(bits) = &raw.bits {
            let made = 1usize.checked_shl(bits.end.saturating_sub(bits.start)).unwrap_or(usize::MAX);
            if let Some(buckets) = raw.buckets.filter(|&buckets| buckets != made) {
                bail!("--bits {bits:?} are not {buckets} buckets; leave --buckets out");
            }
            return Ok(Self::Window { bits: bits.clone() });
        }
        let buckets = raw.buckets.context("into how many --buckets, or between which --splitters?")?;
        let buckets = within("--buckets", buckets, MAX_BUCKETS)?;
        Ok(match raw.by {
            By::Delta => Self::Delta { buckets, from: raw.from.clone(), to: raw.to.clone() },
            By::Identity => Self::Identity { buckets },
            By::Hash => Self::Hash { buckets, seed: raw.seed.unwrap_or(0) },
            By::Bits => {
                ensure!(buckets.is_power_of_two(), "--by bits makes a power of two of buckets, which {buckets} is not");
                Self::Highest { buckets }
            }
        })
    }

    /// Returns the bucket function for keys of one type, and its description.
    fn function<C: Carrier>(&self, keys: &FileKeys) -> Result<(String, BucketFunction<C>)> {
        let key_type = keys.key_type;
        if !matches!(self, Self::Hash { .. }) {
            key_type.expect_order()?;
        }
        Ok(match self {
            Self::Delta { buckets, from, to } => equal_ranges(keys, *buckets, from.as_deref(), to.as_deref())?,
            Self::Identity { buckets } => ("by the key itself".into(), identity(keys, *buckets)?),
            Self::Hash { buckets, seed } => {
                (format!("by a hash, seed {seed}"), BucketFunction::Hash(Hash::new(*buckets, *seed)))
            }
            Self::Window { bits } => {
                check_bits(bits, key_type)?;
                let window = BitWindow::new(bits.clone()).with_context(|| format!("--bits {bits:?}"))?;
                (format!("by bits {bits:?}"), BucketFunction::Window(window))
            }
            Self::Highest { buckets } => {
                let (width, bits) = (key_type.bits(), buckets.ilog2());
                ensure!(bits <= width, "--buckets {buckets} are too many for the {width} bits of {key_type} keys");
                let bits = width - bits..width;
                (format!("by bits {bits:?}"), BucketFunction::Window(BitWindow::new(bits)?))
            }
            Self::Splitters { path } => {
                let read = || BucketFunction::between(&read_like_keys(path, key_type)?, key_type);
                let function = read().with_context(|| format!("--splitters {}", path.display()))?;
                (format!("between the numbers of {}", path.display()), function)
            }
        })
    }
}

/// Returns the function that takes a key as its bucket, if all keys are below `m`.
fn identity<C: Carrier>(keys: &FileKeys, m: u32) -> Result<BucketFunction<C>> {
    let (key_type, last) = (keys.key_type, m - 1);
    let zero = C::of(Number::Whole(0), key_type).with_context(|| {
        format!("--by identity takes keys for numbers of buckets, which {key_type} keys are not; try delta")
    })?;
    let (smallest, largest) = keys.extent();
    ensure!(
        smallest >= Number::Whole(0) && largest <= Number::Whole(last.into()),
        "the keys are from {} to {}, but the buckets of --by identity from 0 to {last}",
        key_type.show(smallest),
        key_type.show(largest)
    );
    Ok(BucketFunction::Delta(Delta::new(zero, C::ONE, m)?))
}

/// Returns the function of equal ranges, by default of what the keys span, and its description.
fn equal_ranges<C: Carrier>(
    keys: &FileKeys,
    buckets: u32,
    from: Option<&str>,
    to: Option<&str>,
) -> Result<(String, BucketFunction<C>)> {
    let key_type = keys.key_type;
    let (smallest, largest) = keys.extent();
    let lower = from.map_or(Ok(smallest), |text| key_type.parse(text).context("--from"))?;
    let upper = to.map_or(Ok(largest), |text| key_type.parse_end(text).context("--to"))?;
    let about = format!("of equal ranges from {} to {}", key_type.show(lower), key_type.show(upper));
    // The last range also takes what lies beyond it, so it need not end after the largest key.
    let carried = |number| C::of(number, key_type).or_else(|| C::of(key_type.largest(), key_type));
    let (Some(first), Some(end)) = (carried(lower), carried(upper)) else { bail!("{about} cannot be made") };
    let f = if from.is_none() && to.is_none() && smallest == largest {
        // There is nothing to divide: all keys are in the first bucket.
        Delta::new(first, C::ONE, buckets)
    } else {
        Delta::over(first..end, buckets)
    };
    let f = f.with_context(|| format!("{buckets} buckets {about}; name other ends with --from and --to"))?;
    Ok((about, BucketFunction::Delta(f)))
}
