//! `multisplit split`: splits the keys of a file into buckets.

mod expression;
mod quantiles;
mod rule;
mod table;

use super::files::encoding::Encoding;
use super::files::file_split::{FileBuckets, FileSplit};
use super::files::folder;
use super::files::formats::ColumnOut;
use super::files::input::{Input, InputArguments};
use super::files::keys::Keys;
use super::files::open::{Needs, Opened};
use super::files::paths::{MovedArguments, OutputPaths};
use super::files::write::OutputFiles;
use super::files::{summary, thresholds};
use crate::shared::arguments::{bit_range, count};
use crate::shared::progress;
use crate::shared::usage::as_usage;
use anyhow::Result;
use clap::{Args, ValueEnum};
use multisplit::Method;
use rule::{Chosen, Rule};
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
    /// Ranges that have as many keys as each other, as far as equal keys can be parted: they stay together. NaN is in
    /// the last.
    Quantiles,
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
    #[arg(long, value_name = "FILE", conflicts_with_all = ["buckets", "by", "from", "to", "bits", "seed", "table", "expression"])]
    pub splitters: Option<PathBuf>,
    /// A file that says which bucket a key is in: text of two columns, key and bucket, or an array of the buckets of
    /// 0, 1, 2 and so on.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["by", "from", "to", "bits", "seed", "expression"])]
    pub table: Option<PathBuf>,
    /// The bucket of keys that the table does not have [default: they are refused].
    #[arg(long, value_name = "BUCKET", requires = "table")]
    pub otherwise: Option<u32>,
    /// What computes the bucket of each row, such as "key % 7", "x < 10 ? 0 : 1" or "hash([unit price]) % 16". Names
    /// are those of columns; key is that of the keys, which without --column are the first that is named. Without
    /// --buckets there are as many as the largest bucket asks for.
    #[arg(
        long,
        value_name = "EXPRESSION",
        allow_hyphen_values = true,
        conflicts_with_all = ["by", "from", "to", "bits", "seed"]
    )]
    pub expression: Option<String>,
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
    /// Write to this file the least key of each bucket but the first. --splitters takes it, for the same buckets of other
    /// keys. Buckets at the end that no key can be in are left out.
    #[arg(long, value_name = "FILE")]
    pub splitters_output: Option<PathBuf>,
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
    let rule = as_usage(Rule::new(raw))?;
    let (offsets, permutation) = (raw.offsets.clone(), raw.permutation.clone());
    raw.output_dir.as_deref().map_or(Ok(()), folder::check)?;
    let (folder, splitters) = (raw.output_dir.clone(), raw.splitters_output.clone());
    let paths = OutputPaths { offsets, permutation, folder, splitters, ..OutputPaths::new(&raw.moved)? };
    let paths = paths.checked("--output, --output-dir, --offsets, --permutation or --splitters-output")?;
    raw.input.json.check(paths.all())?;
    let command = SplitCommand { rule, method: raw.method, paths };
    let input = Input::unsorted(&raw.input)?.with_columns(command.rule.columns());
    command.run(&input)
}

impl SplitCommand {
    fn run(&self, input: &Input) -> Result<()> {
        let needs = Needs { copies: 3, numbered: self.paths.permutation.is_some() };
        let opened = input.open(&self.paths, needs)?;
        let (short, mut files) = (opened.about(), OutputFiles::default());
        let (about, buckets) = match self.split(input, opened, &mut files) {
            Ok(done) => done,
            Err(error) => {
                files = OutputFiles::default();
                self.split(input, input.reopened(error, &self.paths, needs)?, &mut files)?
            }
        };
        files.commit()?;
        let out = &mut *self.paths.report();
        if input.json {
            let facts = summary::facts("split", input, &short, &self.paths, buckets.time).with("rule", about);
            return Ok(facts.with("method", self.method.to_string()).with_buckets(&buckets.offsets).write(out)?);
        }
        summary::keys(out, input, &short, self.paths.values.len())?;
        self.report(out, input, &about, &buckets)
    }

    /// Splits, and returns by what, and where the buckets are.
    fn split(&self, input: &Input, keys: Opened, files: &mut OutputFiles) -> Result<(String, FileBuckets)> {
        let short = keys.about();
        let stage = progress::stage("choosing buckets");
        let chosen = self.rule.choose(&input.device, &keys)?;
        drop(stage);
        if let Some(path) = &self.paths.splitters {
            let bits = thresholds::bits_of(&chosen.splitters(short.key_type)?, short.key_type);
            let (dtype, words) = (&short.key_type.dtype()?, bits.as_ref());
            let column = ColumnOut { name: short.column_name(), dtype, words, encoding: Encoding::Bits };
            files.column(path, self.paths.format(path, keys.format())?, &column)?;
        }
        let Chosen { about, named, function } = chosen;
        let split = FileSplit { input, paths: &self.paths, method: self.method, select: false, named: &named };
        Ok((about, split.run(keys, function, files)?))
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
            writeln!(out, "  largest      bucket {b}, {}", summary::counted(size as usize, "key"))?;
        }
        if let Some((b, size)) = sizes().min_by_key(|&(b, size)| (size, b)) {
            writeln!(out, "  smallest     bucket {b}, {}", summary::counted(size as usize, "key"))?;
        }
        writeln!(out, "  empty        {}", summary::counted(sizes().filter(|&(_, size)| size == 0).count(), "bucket"))?;
        summary::time(out, input, n as usize, buckets.time)?;
        summary::outputs(out, &self.paths)
    }
}
