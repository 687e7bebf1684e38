//! `multisplit partition`: parts the keys of a file in two or three, or selects some.

use super::files::bucket_split::{BucketFunction, FileBuckets, FileSplit};
use super::files::input::{Input, InputArguments, KeyCommand};
use super::files::key::FileKey;
use super::files::paths::{MovedArguments, OutputPaths};
use super::files::summary;
use super::files::write::OutputFiles;
use anyhow::{Context, Result, ensure};
use clap::Args;
use multisplit::Method;
use std::io::{self, Write};
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
    let [offsets, permutation] = [&raw.offsets, &raw.permutation].map(Option::as_deref);
    let paths = OutputPaths::new(&raw.moved, offsets, permutation, "--output, --offsets or --permutation")?;
    let (below, and_below) = (raw.below.clone(), raw.and_below.clone());
    Input::new(&raw.input)?.run(&PartitionCommand { below, and_below, select: raw.select, paths })
}

impl KeyCommand for PartitionCommand {
    fn run<K: FileKey>(&self, input: &Input, keys: Vec<K>) -> Result<()> {
        let (n, out) = (keys.len(), &mut io::stdout().lock());
        let mut files = OutputFiles::default();
        let (about, function) = self.function()?;
        let split = FileSplit { input, paths: &self.paths, method: Method::Auto, select: self.select };
        let buckets = split.run::<K>(keys, function, &mut files)?;
        files.commit()?;
        summary::keys::<K>(out, input, n, self.paths.values.len())?;
        self.report(out, input, &about, &buckets)
    }
}

impl PartitionCommand {
    /// Returns the function of two parts or three, and its description.
    fn function<K: FileKey>(&self) -> Result<(String, BucketFunction<K>)> {
        let below = K::parse(&self.below).context("--below")?;
        let mut about = format!("below {}", below.show());
        let mut bounds = vec![below];
        if let Some(text) = &self.and_below {
            let second = K::parse(text).context("--and-below")?;
            ensure!(below <= second, "--and-below {} is less than --below {}", second.show(), below.show());
            about = format!("{about}, then below {}", second.show());
            bounds.push(second);
        }
        Ok((about, BucketFunction::between(&bounds)?))
    }

    fn report(&self, out: &mut impl Write, input: &Input, about: &str, buckets: &FileBuckets) -> Result<()> {
        let n = buckets.offsets.last().copied().unwrap_or(0);
        let verb = if self.select { "Selected" } else { "Parted" };
        writeln!(out, "{verb} {}, on {}:", about, input.device.info())?;
        let names: &[&str] = match (self.select, &self.and_below) {
            (true, _) => &["kept", "left out"],
            (false, None) => &["below", "others"],
            (false, Some(_)) => &["below", "then below", "others"],
        };
        for (name, pair) in names.iter().zip(buckets.offsets.windows(2)) {
            writeln!(out, "  {name:<12} {}", summary::counted(pair[1] - pair[0], "key"))?;
        }
        summary::time(out, input, n, buckets.time)?;
        summary::outputs(out, &self.paths)
    }
}
