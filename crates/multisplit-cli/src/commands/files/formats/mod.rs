//! The formats of files, a module for each. Nothing outside this folder knows which format a column came from.
//!
//! [`kind`] tells by the first bytes what a file is. [`read`] refuses by name what is not read here, and what has the
//! name of something else.

mod column;
mod csv;
pub mod elements;
mod fixed_text;
mod format;
mod head;
mod kind;
mod lines;
mod npy;
mod npz;
mod raw;
pub mod source;
pub mod stored;
pub mod text_pieces;
mod text_records;
mod write;
mod zip;

use super::key_type::KeyType;
use anyhow::{Result, bail, ensure};
pub use column::{Column, Records};
use format::TextStyle;
pub use format::{Format, named};
use kind::Kind;
use source::Source;
use std::path::Path;
pub use write::{ColumnOut, begin, check_parts, part, write};

/// What is wanted of a file.
#[derive(Clone, Copy, Default)]
pub struct Wanted<'a> {
    /// The name or the number of the column.
    pub column: Option<&'a str>,
    /// Whether the first line of a text names the columns.
    pub header: Option<bool>,
    /// The type of the keys, where the file does not say.
    pub key_type: Option<KeyType>,
    /// Whether it is a file beside that of the keys, which must have one column.
    pub beside: bool,
    /// How many keys there are that the elements are the values of. Then their type is of no consequence.
    pub values_of: Option<usize>,
}

/// Reads a column of a file.
pub fn read(path: &Path, wanted: &Wanted<'_>) -> Result<Column> {
    read_source(Source::open(path)?, wanted)
}

/// Reads a column of a file that is open.
pub fn read_source(source: Source, wanted: &Wanted<'_>) -> Result<Column> {
    let format = format_for(&source, wanted)?;
    let (opaque, there) = (wanted.values_of.is_some(), source.len);
    Ok(match format {
        Format::Npy => npy::read(&mut source.bytes()?, there, opaque)?,
        Format::Npz => npz::read(source.seekable()?, wanted)?,
        Format::Text(_) => csv::read(source.into_memory()?, wanted)?,
        Format::Raw => match wanted.values_of {
            Some(keys) => raw::read_values(&mut source.bytes()?, there, keys)?,
            None => raw::read(&mut source.bytes()?, there, raw::key_type(wanted)?)?,
        },
    })
}

/// Returns the format of a file, of which a column is wanted.
fn format_for(source: &Source, wanted: &Wanted<'_>) -> Result<Format> {
    let format = format_of(source)?;
    ensure!(
        wanted.column.is_none() || matches!(format, Format::Text(_) | Format::Npz),
        "a column is named, but this file has one alone; text and .npz archives have several"
    );
    Ok(format)
}

/// Returns whether a file is text, which may have several columns.
pub fn is_text(source: &Source) -> Result<bool> {
    Ok(matches!(format_of(source)?, Format::Text(_)))
}

/// Decides the format of a file by what it has and by its name. What does not fit its name is refused.
pub fn format_of(source: &Source) -> Result<Format> {
    let path = &source.path;
    // Pipes have no names that say anything.
    let by_name = if source.len.is_some() { Format::of_name(path) } else { None };
    let has_name = source.len.is_some();
    let kind = Kind::of(source.head());
    let text = Format::Text(TextStyle { delimiter: b',', header: true });
    Ok(match (kind, by_name) {
        (Kind::Foreign(name, advice), _) => bail!("this is {name}; {advice}"),
        (Kind::Npy, Some(Format::Npy)) => Format::Npy,
        (Kind::Npy, _) if !has_name => Format::Npy,
        (Kind::Npy, _) => {
            let name = path.with_extension("npy");
            bail!("this is a NumPy file under another name; name it {}", name.display())
        }
        (Kind::Zip, Some(Format::Npz)) => Format::Npz,
        (Kind::Zip, _) if !has_name => Format::Npz,
        (Kind::Zip, _) => bail!("this is a zip archive; extract the file first, or name it .npz if NumPy saved it"),
        (_, Some(Format::Npy)) => bail!("this is no NumPy file{}", but(kind)),
        (_, Some(Format::Npz)) => bail!("this is no archive of NumPy's{}", but(kind)),
        (Kind::Text, _) => text,
        (Kind::Empty, _) => match Format::of_name(path) {
            Some(Format::Npy) => bail!("this is no NumPy file: it is empty"),
            Some(_) => bail!("the file is empty"),
            None => Format::Raw,
        },
        (Kind::Unknown, Some(Format::Text(_))) => {
            bail!("this is no text in UTF-8; save it so, or give it another name if it has numbers alone")
        }
        (Kind::Unknown, _) => Format::Raw,
    })
}

/// Says what a file is instead.
fn but(kind: Kind) -> &'static str {
    match kind {
        Kind::Text => ": it is text; give it the name .csv or .txt",
        _ => "",
    }
}

/// Reads the values of so many keys.
pub fn read_values(path: &Path, column: Option<&str>, keys: usize) -> Result<Column> {
    let column = read(path, &Wanted { column, values_of: Some(keys), beside: true, ..Wanted::default() })?;
    let n = column.elements.len();
    ensure!(n == keys, "there are {n} values, but {keys} keys; there must be as many");
    Ok(column)
}

/// Parses `yes` and `no`.
pub fn yes_or_no(text: &str) -> Result<bool, String> {
    match text {
        "yes" => Ok(true),
        "no" => Ok(false),
        _ => Err("say yes or no".into()),
    }
}
