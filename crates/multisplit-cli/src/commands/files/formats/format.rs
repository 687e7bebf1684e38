//! The formats that files are read and written in, and their names.

use super::source;
use super::table::TableFormat;
use anyhow::{Result, ensure};
use std::path::Path;

/// The format of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// A NumPy array.
    Npy,
    /// An archive of NumPy arrays.
    Npz,
    /// Lines of text.
    Text(TextStyle),
    /// A table of Parquet or Arrow.
    Table(TableFormat),
    /// Numbers alone, little-endian.
    Raw,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextStyle {
    pub delimiter: u8,
    /// Whether the first line names the columns.
    pub header: bool,
}

/// Names of files that are not written.
const FOREIGN_NAMES: [&str; 11] = ["gz", "xz", "bz2", "zst", "zip", "json", "xlsx", "h5", "hdf5", "orc", "avro"];

impl Format {
    /// Returns the format that a name asks for. None for names that say nothing.
    pub fn of_name(path: &Path) -> Option<Self> {
        let extension = path.extension()?.to_str()?.to_ascii_lowercase();
        Some(match extension.as_str() {
            "npy" => Self::Npy,
            "npz" => Self::Npz,
            "csv" => Self::Text(TextStyle { delimiter: b',', header: true }),
            "tsv" | "tab" => Self::Text(TextStyle { delimiter: b'\t', header: true }),
            "txt" => Self::Text(TextStyle { delimiter: b',', header: false }),
            extension => return TableFormat::of_extension(extension).map(Self::Table),
        })
    }

    /// Returns the format to write a file in.
    pub fn to_write(path: &Path, asked: Option<Self>, of_input: Self) -> Result<Self> {
        if let Some(asked) = asked {
            return Ok(asked);
        }
        if source::is_standard(path) {
            return Ok(of_input);
        }
        let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
        ensure!(
            !FOREIGN_NAMES.contains(&extension.to_ascii_lowercase().as_str()),
            ".{extension} files are not written; name a .npy, .npz, .csv or .tsv file, or another --output-format"
        );
        let format = Self::of_name(path).unwrap_or(Self::Raw);
        #[cfg(not(feature = "arrow"))]
        if let Self::Table(table) = format {
            let what = format!(".{extension} is the name of {table}");
            return Err(TableFormat::not_built(&what, "name a .npy, .npz, .csv or .tsv file"));
        }
        Ok(format)
    }

    /// Returns how files of this format are called.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Npy => "npy",
            Self::Npz => "npz",
            Self::Text(TextStyle { delimiter: b'\t', .. }) => "tsv",
            Self::Text(TextStyle { header: true, .. }) => "csv",
            Self::Text(_) => "txt",
            Self::Table(table) => table.extension(),
            Self::Raw => "bin",
        }
    }
}

/// Parses the name of a format.
pub fn named(name: &str) -> Result<Format, String> {
    let path = Path::new("file").with_extension(name);
    let tables = if cfg!(feature = "arrow") { ", parquet, arrow, arrows" } else { "" };
    let found = if name == "raw" { Some(Format::Raw) } else { Format::of_name(&path) };
    let found = found.filter(|format| cfg!(feature = "arrow") || !matches!(format, Format::Table(_)));
    found.ok_or_else(|| format!("there are npy, npz, csv, tsv, txt{tables} and raw"))
}
