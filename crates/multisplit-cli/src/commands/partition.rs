//! `multisplit partition`: parts the keys of a file in two or three, or selects some.

use super::files::bucket_split::BucketFunction;
use super::files::file_split::{FileBuckets, FileSplit};
use super::files::input::{Input, InputArguments};
use super::files::key_type::KeyType;
use super::files::keys::Keys;
use super::files::open::{Needs, Opened};
use super::files::paths::{MovedArguments, OutputPaths};
use super::files::summary;
use super::files::write::OutputFiles;
use crate::shared::usage::ensure_usage;
use anyhow::{Context, Result};
use clap::Args;
use multisplit::Method;
use std::io::Write;
use std::path::PathBuf;

#[derive(Args, Clone, Debug)]
pub struct PartitionArguments {
    #[command(flatten)]
    pub input: InputArguments,
    #[command(flatten)]
    pub moved: MovedArguments,
    /// What is below this key comes first; NaN never is.
    #[arg(long, value_name = "KEY", allow_hyphen_values = true)]
    pub below: String,
    /// What is not, but below this one, comes second: three parts instead of two.
    #[arg(long, value_name = "KEY", allow_hyphen_values = true, conflicts_with = "select")]
    pub and_below: Option<String>,
    /// Keep the first part only.
    #[arg(long)]
    pub select: bool,
    /// Write to this file where the parts begin, and where the last ends, as u64 numbers.
    #[arg(long, value_name = "FILE", conflicts_with = "select")]
    pub offsets: Option<PathBuf>,
    /// Write to this file where each key was before, as u32 numbers.
    #[arg(long, value_name = "FILE")]
    pub permutation: Option<PathBuf>,
}

/// A partition that can run. Keys are still text: their type is in the file.
struct PartitionCommand {
    below: String,
    and_below: Option<String>,
    select: bool,
    paths: OutputPaths,
}

/// Runs `multisplit partition`.
pub fn run(raw: &PartitionArguments) -> Result<()> {
    let (offsets, permutation) = (raw.offsets.clone(), raw.permutation.clone());
    let paths = OutputPaths { offsets, permutation, ..OutputPaths::new(&raw.moved)? };
    let paths = paths.checked("--output, --offsets or --permutation")?;
    raw.input.json.check(paths.all())?;
    let (below, and_below) = (raw.below.clone(), raw.and_below.clone());
    let command = PartitionCommand { below, and_below, select: raw.select, paths };
    command.run(&Input::unsorted(&raw.input)?)
}

impl PartitionCommand {
    fn run(&self, input: &Input) -> Result<()> {
        let needs = Needs { copies: 3, numbered: self.paths.permutation.is_some() };
        let opened = input.open(&self.paths, needs)?;
        let (short, mut files) = (opened.about(), OutputFiles::default());
        let (about, buckets) = match self.part(input, opened, &mut files) {
            Ok(done) => done,
            Err(error) => {
                files = OutputFiles::default();
                self.part(input, input.reopened(error, &self.paths, needs)?, &mut files)?
            }
        };
        files.commit()?;
        let out = &mut *self.paths.report();
        if input.json {
            let facts = summary::facts("partition", input, &short, &self.paths, buckets.time).with("rule", about);
            let kept = self.select.then(|| buckets.offsets.get(1).copied());
            return Ok(facts.with("kept", kept.flatten()).with_buckets(&buckets.offsets).write(out)?);
        }
        summary::keys(out, input, &short, self.paths.values.len())?;
        self.report(out, input, &about, &buckets)
    }

    /// Parts the keys, and returns by what, and where the parts are.
    fn part(&self, input: &Input, keys: Opened, files: &mut OutputFiles) -> Result<(String, FileBuckets)> {
        let (about, function) = self.function(keys.about().key_type)?;
        let split =
            FileSplit { input, paths: &self.paths, method: Method::Auto, select: self.select, named: "--below" };
        Ok((about, split.run(keys, function, files)?))
    }

    /// Returns the function of two parts or three, and its description.
    fn function(&self, key_type: KeyType) -> Result<(String, BucketFunction)> {
        let below = key_type.parse(&self.below).context("--below")?;
        let mut about = format!("below {}", key_type.show(below));
        let mut bounds = vec![below];
        if let Some(text) = &self.and_below {
            let second = key_type.parse(text).context("--and-below")?;
            let shown = key_type.show(second);
            ensure_usage!(below <= second, "--and-below {shown} is less than --below {}", key_type.show(below));
            about = format!("{about}, then below {shown}");
            bounds.push(second);
        }
        Ok((about, BucketFunction::Between(bounds)))
    }

    fn report(&self, out: &mut dyn Write, input: &Input, about: &str, buckets: &FileBuckets) -> Result<()> {
        let n = buckets.offsets.last().copied().unwrap_or(0);
        let verb = if self.select { "Selected" } else { "Parted" };
        writeln!(out, "{verb} {}, on {}:", about, input.device.info())?;
        let names: &[&str] = match (self.select, &self.and_below) {
            (true, _) => &["kept", "left out"],
            (false, None) => &["below", "others"],
            (false, Some(_)) => &["below", "then below", "others"],
        };
        for (name, pair) in names.iter().zip(buckets.offsets.windows(2)) {
            writeln!(out, "  {name:<12} {}", summary::counted((pair[1] - pair[0]) as usize, "key"))?;
        }
        summary::time(out, input, n as usize, buckets.time)?;
        summary::outputs(out, &self.paths)
    }
}
