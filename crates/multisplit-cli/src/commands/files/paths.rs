//! The files that a command writes.

use anyhow::{Context, Result, ensure};
use clap::Args;
use std::collections::HashSet;
use std::path::{Path, PathBuf};

#[derive(Args, Clone, Debug)]
pub struct MovedArguments {
    /// Write the keys to this file, which may be the input: a NumPy array if its name ends in .npy, else numbers alone,
    /// little-endian. So are all outputs.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// A file of values that travel with the keys, of 4 or 8 bytes and any type; may be given several times.
    #[arg(long, value_name = "FILE")]
    pub values: Vec<PathBuf>,
    /// Write the values to this file; once for each --values, in the same order.
    #[arg(long, value_name = "FILE")]
    pub values_output: Vec<PathBuf>,
}

/// The files that values come from, and those that results go to.
pub struct OutputPaths {
    pub keys: Option<PathBuf>,
    /// From where, and where to.
    pub values: Vec<(PathBuf, PathBuf)>,
    pub offsets: Option<PathBuf>,
    pub permutation: Option<PathBuf>,
}

impl OutputPaths {
    /// Pairs the values with their outputs, and refuses outputs that collide or none at all.
    pub fn new(
        raw: &MovedArguments,
        offsets: Option<&Path>,
        permutation: Option<&Path>,
        what_to_name: &str,
    ) -> Result<Self> {
        let (values, outputs) = (raw.values.len(), raw.values_output.len());
        ensure!(
            values == outputs,
            "there are {values} --values, but {outputs} --values-output; every file of values needs one to be written \
             to"
        );
        let paths = Self {
            keys: raw.output.clone(),
            values: raw.values.iter().cloned().zip(raw.values_output.iter().cloned()).collect(),
            offsets: offsets.map(Path::to_path_buf),
            permutation: permutation.map(Path::to_path_buf),
        };
        let mut seen = HashSet::new();
        for path in paths.outputs() {
            let whole = std::path::absolute(path).with_context(|| path.display().to_string())?;
            ensure!(seen.insert(whole), "two outputs would be written to {}", path.display());
        }
        ensure!(!seen.is_empty(), "nothing would be written; name {what_to_name}");
        Ok(paths)
    }

    /// Returns every file that is written.
    fn outputs(&self) -> impl Iterator<Item = &Path> {
        let single = [&self.keys, &self.offsets, &self.permutation];
        let single = single.into_iter().flatten().map(PathBuf::as_path);
        single.chain(self.values.iter().map(|(_, to)| to.as_path()))
    }
}
