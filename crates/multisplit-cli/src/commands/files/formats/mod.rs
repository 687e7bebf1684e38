//! The formats of files, a module for each. Nothing outside this folder knows which format a column came from.
//!
//! [`kind`] tells by the first bytes what a file is. [`read`] refuses by name what is not read here, and what has the
//! name of something else.

#[cfg(feature = "arrow")]
pub mod arrow;
mod column;
pub mod column_file;
mod column_names;
mod csv;
pub mod elements;
mod file_reader;
mod fixed_text;
mod format;
pub mod head;
mod kind;
mod lines;
mod npy;
mod npz;
mod raw;
pub mod shape;
pub mod source;
pub mod stored;
pub mod stored_records;
pub mod stored_text;
pub mod table;
pub mod text_pieces;
mod text_records;
mod write;
mod zip;

use super::key_type::KeyType;
use anyhow::{Result, bail, ensure};
pub use column::{Column, Elements, NullPlace, Records};
pub use csv::wanted_of_other;
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
    /// Where rows go of which the key is null.
    pub null: NullPlace,
    /// Whether it is a file beside that of the keys, which must have one column.
    pub beside: bool,
    /// The number of the column of the keys, from 0, if the column is another, of which rows without a key are left out.
    pub keyed_by: Option<usize>,
    /// How many keys there are that the elements are the values of. Then their type is of no consequence.
    pub values_of: Option<usize>,
}

/// Reads a column of a file.
pub fn read(path: &Path, wanted: &Wanted<'_>) -> Result<Column> {
    read_source(Source::open(path)?, wanted, &[]).map(|(column, _)| column)
}

/// Reads a column of a file that is open, and others of the same rows, by their names.
pub fn read_source(source: Source, wanted: &Wanted<'_>, others: &[&str]) -> Result<(Column, Vec<Elements>)> {
    let format = format_for(&source, wanted, others)?;
    let (opaque, there) = (wanted.values_of.is_some(), source.len);
    let alone = match format {
        Format::Npy => npy::read(&mut source.bytes()?, there, opaque)?,
        Format::Npz => return npz::read(source.seekable()?, wanted, others),
        Format::Text(_) => return csv::read(source.into_memory()?, wanted, others),
        #[cfg(feature = "arrow")]
        Format::Table(table) => return arrow::read(source, table, wanted, others),
        #[cfg(not(feature = "arrow"))]
        Format::Table(table) => {
            let instead = "save the column as a .npy or .csv file";
            return Err(table::TableFormat::not_built(&format!("this is {table}"), instead));
        }
        Format::Raw => match wanted.values_of {
            Some(keys) => raw::read_values(&mut source.bytes()?, there, keys)?,
            None => raw::read(&mut source.bytes()?, there, raw::key_type(wanted)?)?,
        },
    };
    Ok((alone, Vec::new()))
}

/// Returns the format of a file, of which a column is wanted, and maybe others.
fn format_for(source: &Source, wanted: &Wanted<'_>, others: &[&str]) -> Result<Format> {
    let format = format_of(source)?;
    ensure!(
        wanted.column.is_none() && others.is_empty()
            || matches!(format, Format::Text(_) | Format::Table(_) | Format::Npz),
        "a column is named, but this file has one alone; text, tables and .npz archives have several"
    );
    Ok(format)
}

/// Returns whether a file is text.
pub fn is_text(source: &Source) -> Result<bool> {
    Ok(matches!(format_of(source)?, Format::Text(_)))
}

/// Returns whether a file is text or a table, which may have several columns.
pub fn has_columns(source: &Source) -> Result<bool> {
    Ok(matches!(format_of(source)?, Format::Text(_) | Format::Table(_)))
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
        (Kind::Table(table), None) => Format::Table(table),
        (Kind::Table(table), Some(Format::Table(named))) if table.is_parquet() == named.is_parquet() => {
            Format::Table(table)
        }
        (Kind::Table(table), _) => {
            let name = path.with_extension(table.extension());
            bail!("this is {table} under another name; name it {}", name.display())
        }
        (_, Some(Format::Npy)) => bail!("this is no NumPy file{}", but(kind)),
        (_, Some(Format::Npz)) => bail!("this is no archive of NumPy's{}", but(kind)),
        (Kind::Text | Kind::Unknown, Some(Format::Table(named))) => bail!("this is not {named}{}", but(kind)),
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
