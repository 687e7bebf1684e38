//! The files that a command writes.

use super::formats::stored_records::StoredRecords;
use super::formats::{self, Format, Records};
use super::input::FileKeys;
use crate::shared::output_files::{ensure_writable, report_to};
use crate::shared::same_file::{Named, ensure_distinct, is_standard_output, place};
use crate::shared::usage::{as_usage, usage};
use anyhow::{Context, Result, ensure};
use clap::Args;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

#[derive(Args, Clone, Debug)]
pub struct MovedArguments {
    /// Write the keys to this file, which may be the input, or to standard output for -. All outputs have the format
    /// that their names say: .npy, .npz, .csv, .tsv, .txt (a number in each line), or else numbers alone,
    /// little-endian; and .parquet, .arrow and .arrows, if the program was built with them. Rows of a text file or a
    /// table go with their keys to a file of either kind, strings of a .npy file to a .npy file.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// The format of all outputs, whatever their names: npy, npz, csv, tsv, txt or raw, or parquet, arrow or arrows if
    /// the program was built with them. That of - is by default the input's.
    #[arg(long, value_name = "FORMAT", value_parser = formats::named)]
    pub output_format: Option<Format>,
    /// A file of values that travel with the keys, of 1, 2, 4 or 8 bytes and any type; may be given several times.
    #[arg(long, value_name = "FILE")]
    pub values: Vec<PathBuf>,
    /// The column of a text file of values, or the array of an archive, by its name or its number from 1; once for each
    /// --values, in the same order, or not at all.
    #[arg(long, value_name = "NAME|NUMBER", requires = "values")]
    pub values_column: Vec<String>,
    /// Write the values to this file; once for each --values, in the same order.
    #[arg(long, value_name = "FILE")]
    pub values_output: Vec<PathBuf>,
}

/// The files that values come from, and those that results go to.
#[derive(Clone, Default)]
pub struct OutputPaths {
    /// The format that was asked for.
    pub asked: Option<Format>,
    pub keys: Option<PathBuf>,
    /// Where values come from: files, and columns of them.
    pub values: Vec<(PathBuf, Option<String>)>,
    /// Where they go to.
    pub values_outputs: Vec<PathBuf>,
    pub offsets: Option<PathBuf>,
    pub permutation: Option<PathBuf>,
    pub splitters: Option<PathBuf>,
    /// Of a histogram.
    pub counts: Option<PathBuf>,
    pub edges: Option<PathBuf>,
    pub picture: Option<PathBuf>,
    /// A folder that gets a file for each bucket.
    pub folder: Option<PathBuf>,
}

impl OutputPaths {
    /// Returns what every command on keys has.
    pub fn new(raw: &MovedArguments) -> Result<Self> {
        let (values, columns) = (raw.values.len(), raw.values_column.len());
        if columns != 0 && columns != values {
            let about =
                format!("there are {values} --values, but {columns} --values-column; name one for each, or none");
            return Err(usage(about));
        }
        let column = |(i, path): (usize, &PathBuf)| (path.clone(), raw.values_column.get(i).cloned());
        Ok(Self {
            asked: raw.output_format,
            keys: raw.output.clone(),
            values: raw.values.iter().enumerate().map(column).collect(),
            values_outputs: raw.values_output.clone(),
            ..Self::default()
        })
    }

    /// Refuses outputs that collide, that cannot be written, or none at all. `options` are those that name outputs.
    pub fn checked(self, options: &str) -> Result<Self> {
        let (values, outputs) = (self.values.len(), self.values_outputs.len());
        if values != outputs && (outputs > 0 || self.folder.is_none()) {
            return Err(usage(format!(
                "there are {values} --values, but {outputs} --values-output; every file of values needs one to be \
                 written to"
            )));
        }
        if self.named().next().is_none() {
            return Err(usage(format!("nothing would be written; name {options}")));
        }
        self.checked_or_none()
    }

    /// Refuses outputs that collide, that have names of other formats, or that cannot be written.
    pub fn checked_or_none(self) -> Result<Self> {
        let outputs: Vec<Named<'_>> = self.named().map(|(_, option, path)| (option, path)).collect();
        // An output may be an input: that was read when it is written.
        ensure_distinct(&[], &outputs)?;
        for (what, _, path) in self.files() {
            // A picture has one format, and standard output that of an input that is not known yet.
            if what != "picture" {
                as_usage(self.format(path, Format::Raw))?;
            }
            ensure_writable(path)?;
        }
        Ok(self)
    }

    /// Returns the paths of all files that are written.
    pub fn all(&self) -> impl Iterator<Item = &Path> {
        self.files().map(|(.., path)| path)
    }

    /// Returns every file that is written: what it is, the option that names it, and its path.
    fn files(&self) -> impl Iterator<Item = (&'static str, &'static str, &Path)> {
        let single = [
            ("keys", "--output", &self.keys),
            ("offsets", "--offsets", &self.offsets),
            ("permutation", "--permutation", &self.permutation),
            ("splitters", "--splitters-output", &self.splitters),
            ("counts", "--output", &self.counts),
            ("edges", "--edges-output", &self.edges),
            ("picture", "--svg", &self.picture),
        ];
        let single = single.into_iter().filter_map(|(what, option, path)| Some((what, option, path.as_deref()?)));
        single.chain(self.values_outputs.iter().map(|path| ("values", "--values-output", path.as_path())))
    }

    /// Returns everything that is written, likewise.
    pub fn named(&self) -> impl Iterator<Item = (&'static str, &'static str, &Path)> {
        self.files().chain(self.folder.as_deref().map(|folder| ("buckets", "--output-dir", folder)))
    }

    /// Returns the folder of the first output that is a file, or that of the system for temporary files.
    pub fn folder_for_temporary_files(&self) -> PathBuf {
        let folder_of = |path: &Path| {
            let is_file = !is_standard_output(path)
                && fs::metadata(path)
                    .map_or(true, |there| !there.permissions().readonly() && (there.is_file() || there.is_dir()));
            let place = place(path);
            place.parent().filter(|folder| is_file && folder.is_dir()).map(Path::to_path_buf)
        };
        self.named().find_map(|(.., path)| folder_of(path)).unwrap_or_else(std::env::temp_dir)
    }

    /// Returns whether all outputs have formats that are written part by part.
    pub fn are_in_parts(&self, of_input: Format) -> bool {
        let folder = self.folder.as_ref().map(|_| self.asked.unwrap_or(of_input));
        let files = self.files().filter_map(|(.., path)| self.format(path, of_input).ok());
        files.chain(folder).all(|format| formats::check_parts(format).is_ok())
    }

    /// Returns the format to write a file in.
    pub fn format(&self, path: &Path, of_input: Format) -> Result<Format> {
        Format::to_write(path, self.asked, of_input).with_context(|| path.display().to_string())
    }

    /// Returns the formats in which keys are written.
    pub fn formats_of_keys(&self, of_input: Format) -> Result<Vec<Format>> {
        let all = self.keys.as_deref().map(|path| self.format(path, of_input)).transpose()?;
        Ok(all.into_iter().chain(self.folder.as_ref().map(|_| self.asked.unwrap_or(of_input))).collect())
    }

    /// Returns whether records are written, for which a permutation is needed.
    pub fn moves_records(&self, keys: &FileKeys) -> bool {
        let formats = self.formats_of_keys(keys.format).unwrap_or_default();
        let is_for = |records: &dyn Records| formats.iter().any(|&format| records.check(format).is_ok());
        keys.records.as_deref().is_some_and(is_for)
    }

    /// Returns the same of records that stay in their file. Refuses formats that those or keys cannot be written in.
    pub fn moves_stored(&self, records: &dyn StoredRecords, of_input: Format) -> Result<bool> {
        let formats = self.formats_of_keys(of_input)?;
        formats.into_iter().try_fold(false, |some, format| Ok(records.check(format)? || some))
    }

    /// Refuses values beside rows of which some have no key.
    pub fn check_values(&self, has_nulls: bool) -> Result<()> {
        ensure!(
            !has_nulls || self.values.is_empty(),
            "some rows have no key, so that --values cannot go with them; put the values into the same file"
        );
        Ok(())
    }

    /// Refuses formats that the keys cannot be written in.
    pub fn check_records(&self, keys: &FileKeys) -> Result<()> {
        let Some(records) = &keys.records else { return Ok(()) };
        self.check_values(records.nulls().is_some())?;
        let must = |format: Format| keys.key_type.dtype().is_err() || records.must_be_whole(format);
        let formats = self.formats_of_keys(keys.format)?;
        formats.into_iter().filter(|&format| must(format)).try_for_each(|format| records.check(format))
    }

    /// Returns where the report goes: results may be on standard output.
    pub fn report(&self) -> Box<dyn Write> {
        report_to(self.all())
    }
}
