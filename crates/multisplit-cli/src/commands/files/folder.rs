//! A folder with a file for each bucket.

use super::formats::Format;
use super::paths::OutputPaths;
use super::results::Results;
use super::write::OutputFiles;
use crate::shared::progress;
use anyhow::{Context, Result, ensure};
use std::fs;
use std::path::{Path, PathBuf};

/// The most buckets that get a file each.
const MOST_FILES: usize = 1 << 16;

const PREFIX: &str = "bucket-";

/// Refuses a folder that has files of buckets, or that there cannot be.
pub fn check(place: &Path) -> Result<()> {
    let check = || -> Result<()> {
        if !place.exists() {
            let parent = place.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
            ensure!(parent.is_dir(), "there is no folder {} to put it in", parent.display());
            return Ok(());
        }
        ensure!(place.is_dir(), "this is not a folder");
        for file in fs::read_dir(place)? {
            let name = file?.file_name();
            ensure!(
                !name.to_string_lossy().starts_with(PREFIX),
                "there is already {}; name a new folder, or remove the files of buckets",
                place.join(&name).display()
            );
        }
        Ok(())
    };
    check().with_context(|| format!("--output-dir {}", place.display()))?;
    // What is begun is removed again.
    OutputFiles::default().begin_folder(place).map(drop)
}

/// Refuses more buckets than a folder gets files.
pub fn check_buckets(buckets: usize) -> Result<()> {
    ensure!(buckets <= MOST_FILES, "--output-dir makes a file for each bucket: at most {MOST_FILES}, not {buckets}");
    Ok(())
}

/// Writes the results of each bucket to files of their own.
pub fn write(
    place: &Path,
    results: &Results,
    offsets: &[usize],
    paths: &OutputPaths,
    files: &mut OutputFiles,
) -> Result<()> {
    let _stage = progress::transfer(format!("writing {}", place.display()));
    let folder = BucketFiles::begin(place, offsets.len() - 1, paths, results.format_of_input(), files)?;
    for (b, pair) in offsets.windows(2).enumerate() {
        results.write(pair[0]..pair[1], &folder.of_bucket(b), files)?;
    }
    Ok(())
}

/// The names of the files of buckets.
pub struct BucketFiles {
    folder: PathBuf,
    digits: usize,
    format: Format,
    /// How many files of values there are for each.
    values: usize,
}

impl BucketFiles {
    /// Begins a folder for so many buckets.
    pub fn begin(
        place: &Path,
        buckets: usize,
        paths: &OutputPaths,
        of_input: Format,
        files: &mut OutputFiles,
    ) -> Result<Self> {
        let (digits, format) = ((buckets - 1).to_string().len(), paths.asked.unwrap_or(of_input));
        Ok(Self { folder: files.begin_folder(place)?, digits, format, values: paths.values.len() })
    }

    /// Returns where the results of a bucket go.
    pub fn of_bucket(&self, b: usize) -> OutputPaths {
        let &Self { digits, format, .. } = self;
        let extension = format.extension();
        let path = |what: String| self.folder.join(format!("{PREFIX}{b:0digits$}{what}.{extension}"));
        let values = |i: usize| path(if i == 0 { "-values".into() } else { format!("-values-{}", i + 1) });
        OutputPaths {
            asked: Some(format),
            keys: Some(path(String::new())),
            values_outputs: (0..self.values).map(values).collect(),
            ..OutputPaths::default()
        }
    }
}
