//! Parquet files and Arrow's, by the crates of the Arrow project.
//!
//! A [`Table`] is an open file: of [`parquet_file`], or of [`ipc`], as Arrow's own formats are called. [`keys`] takes a
//! column as keys. What else is in the rows is not looked at: [`rows`] writes them in another order, by a [`writer`].
//! [`column_out`] writes what was no table before, [`text_in`] rows of a text, and [`text_out`] those of a table as
//! text. Of a table that does not fit the memory, [`stored`] reads rows in pieces, and [`part`] writes them so.

mod column_out;
mod ipc;
mod keys;
mod parquet_file;
mod part;
mod row_reader;
mod rows;
mod stored;
mod text_in;
mod text_out;
mod text_types;
mod types;
mod writer;

use super::Wanted;
use super::column::{Column, Elements, NullPlace, Nulls};
use super::column_names::{list, numbered};
use super::format::Format;
use super::source::Source;
use super::table::TableFormat;
use anyhow::{Context, Result, bail};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{Schema, SchemaRef};
pub use column_out::write_column;
use ipc::ArrowTable;
use parquet_file::ParquetFile;
pub use part::OpenTable;
use rows::TableRows;
use std::panic::{self, AssertUnwindSafe};
pub use stored::StoredTable;
pub use text_in::{KeyColumn, Lines, TextColumns};
pub use text_types::TextTypes;

/// An open table.
enum Table {
    /// Read where it is wanted.
    Parquet(ParquetFile),
    /// In memory.
    Arrow(ArrowTable),
}

/// Reads a column of a table, and others by their names, of the rows that have a key.
pub fn read(
    source: Source,
    format: TableFormat,
    wanted: &Wanted<'_>,
    others: &[&str],
) -> Result<(Column, Vec<Elements>)> {
    guarded(|| {
        let table = Table::open(source, format).with_context(|| format!("{format} that cannot be read"))?;
        let i = position(table.schema(), wanted)?;
        let keys::Keys { key_type, words, rows, nulls } = table.column(i, wanted.null)?;
        let name = table.schema().field(i).name().clone();
        let others = others.iter().map(|name| table.other(name, nulls.as_ref())).collect::<Result<_>>()?;
        let column = Column {
            name: Some(name),
            elements: Elements::Keys(key_type, words),
            format: Format::Table(format),
            records: Some(Box::new(TableRows::new(table, rows, nulls))),
        };
        Ok((column, others))
    })
}

impl Table {
    fn open(source: Source, format: TableFormat) -> Result<Self> {
        Ok(match format {
            TableFormat::Parquet => Self::Parquet(ParquetFile::open(source)?),
            TableFormat::ArrowFile => Self::Arrow(ArrowTable::of_file(source.into_memory()?)?),
            TableFormat::ArrowStream => Self::Arrow(ArrowTable::of_stream(source.into_memory()?)?),
        })
    }

    fn schema(&self) -> &SchemaRef {
        match self {
            Self::Parquet(file) => file.schema(),
            Self::Arrow(table) => &table.schema,
        }
    }

    /// Returns a column as keys.
    fn column(&self, i: usize, null: NullPlace) -> Result<keys::Keys> {
        self.keys_of(i, &self.parts(i)?, null)
    }

    /// Returns another column, of the rows that have a key.
    fn other(&self, name: &str, nulls: Option<&Nulls>) -> Result<Elements> {
        let i = position(self.schema(), &Wanted { column: Some(name), ..Wanted::default() })?;
        let mut parts = self.parts(i)?;
        if let Some(nulls) = nulls {
            parts = rows::with_keys(&parts, nulls)?;
        }
        let found = self.keys_of(i, &parts, NullPlace::Error)?;
        Ok(Elements::Keys(found.key_type, found.words))
    }

    fn parts(&self, i: usize) -> Result<Vec<ArrayRef>> {
        Ok(match self {
            Self::Parquet(file) => file.read(Some(i))?.iter().map(|batch| batch.column(0).clone()).collect(),
            Self::Arrow(table) => table.batches.iter().map(|batch| batch.column(i).clone()).collect(),
        })
    }

    fn keys_of(&self, i: usize, parts: &[ArrayRef], null: NullPlace) -> Result<keys::Keys> {
        let field = self.schema().field(i);
        keys::of(field.data_type(), parts, null, 0).with_context(|| format!("column '{}'", field.name()))
    }

    /// Returns all columns.
    fn batches(&self) -> Result<Vec<RecordBatch>> {
        match self {
            Self::Parquet(file) => file.read(None),
            Self::Arrow(table) => Ok(table.batches.clone()),
        }
    }
}

/// Finds the column that is wanted: by its name, or else by its number, from 1.
fn position(schema: &Schema, wanted: &Wanted<'_>) -> Result<usize> {
    let names: Vec<String> = schema.fields().iter().map(|field| field.name().clone()).collect();
    Ok(match wanted.column {
        Some(column) => names
            .iter()
            .position(|name| name == column)
            .or_else(|| numbered(&names, column))
            .with_context(|| format!("there is no column '{column}'; there are {}", list(&names)))?,
        None if names.len() == 1 => 0,
        None if names.is_empty() => bail!("the table has no columns"),
        None if wanted.beside => bail!("there must be one column, or it must be named, but there are {}", list(&names)),
        None => bail!("which column, --column NAME or NUMBER? There are {}", list(&names)),
    })
}

/// Runs what reads or writes a table. Of some damaged files, the crates that do so panic.
fn guarded<T>(run: impl FnOnce() -> Result<T>) -> Result<T> {
    let hook = panic::take_hook();
    panic::set_hook(Box::new(|_| {}));
    let result = panic::catch_unwind(AssertUnwindSafe(run));
    panic::set_hook(hook);
    result.unwrap_or_else(|panic| {
        let said = panic.downcast_ref::<String>().map(String::as_str).or(panic.downcast_ref::<&str>().copied());
        bail!("the table is damaged, or has what is not known here: {}", said.unwrap_or("it cannot be read"))
    })
}
