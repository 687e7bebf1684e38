//! Rows of tables as text.

use super::super::column::NullPlace;
use super::super::format::TextStyle;
use super::super::text_records::write_field;
use super::keys::{self, Keys};
use anyhow::{Result, ensure};
use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::{DataType, Schema};
use arrow_select::take::take;
use std::borrow::Cow;
use std::io::Write;

/// Refuses columns that text does not have.
pub fn check(schema: &Schema) -> Result<()> {
    for field in schema.fields() {
        let (name, data_type) = (field.name(), field.data_type());
        ensure!(
            *data_type == DataType::Null || keys::is_known(data_type),
            "column '{name}' is of type {data_type}, which text does not have; name a .parquet or .arrow file"
        );
    }
    Ok(())
}

/// Writes the names of the columns, if they are written.
pub fn begin(to: &mut dyn Write, style: TextStyle, schema: &Schema) -> Result<()> {
    let mut line = Vec::new();
    // Without names nobody would know which of several columns is which.
    if style.header || schema.fields().len() != 1 {
        let names = schema.fields().iter().map(|field| field.name().as_bytes());
        write_line(names, style.delimiter, &mut line);
    }
    Ok(to.write_all(&line)?)
}

/// Writes rows. What is null becomes an empty field.
pub fn part(to: &mut dyn Write, style: TextStyle, batch: &RecordBatch) -> Result<()> {
    let mut lines = Vec::new();
    let columns: Vec<ArrayRef> = batch.columns().iter().map(plain).collect::<Result<_>>()?;
    let cells: Vec<Cells<'_>> = columns.iter().map(Cells::new).collect::<Result<_>>()?;
    for row in 0..batch.num_rows() {
        let fields: Vec<_> = cells.iter().map(|cells| cells.show(row)).collect();
        write_line(fields.iter().map(|field| &**field), style.delimiter, &mut lines);
    }
    Ok(to.write_all(&lines)?)
}

/// Writes fields. A line that would be empty, which readers leave out, gets quotes.
fn write_line<'a>(fields: impl Iterator<Item = &'a [u8]>, delimiter: u8, lines: &mut Vec<u8>) {
    let begin = lines.len();
    for (i, field) in fields.enumerate() {
        if i > 0 {
            lines.push(delimiter);
        }
        write_field(field, delimiter, lines);
    }
    if lines.len() == begin {
        lines.extend_from_slice(b"\"\"");
    }
    lines.push(b'\n');
}

/// Returns the elements of a dictionary, each as often as it is named.
fn plain(array: &ArrayRef) -> Result<ArrayRef> {
    Ok(match array.as_any_dictionary_opt() {
        Some(dictionary) => take(dictionary.values(), dictionary.keys(), None)?,
        None => array.clone(),
    })
}

/// A column of a batch.
enum Cells<'a> {
    Texts(&'a ArrayRef, keys::Texts<'a>),
    /// Keys, and which of them is in each row, if some rows have none.
    Keys(Keys, Option<Vec<Option<usize>>>),
    Nothing,
}

impl<'a> Cells<'a> {
    fn new(array: &'a ArrayRef) -> Result<Self> {
        if *array.data_type() == DataType::Null {
            return Ok(Self::Nothing);
        }
        if let Some(texts) = keys::texts(array) {
            return Ok(Self::Texts(array, texts));
        }
        let keys = keys::of(array.data_type(), std::slice::from_ref(array), NullPlace::Drop, 0)?;
        let places = keys.nulls.as_ref().map(|nulls| nulls.key_of_row());
        Ok(Self::Keys(keys, places))
    }

    fn show(&self, row: usize) -> Cow<'_, [u8]> {
        match self {
            Self::Texts(array, text) if array.is_valid(row) => text(row).into(),
            Self::Keys(keys, places) => {
                let key = places.as_ref().map_or(Some(row), |places| places[row]);
                let shown = key.map(|key| keys.key_type.show_exactly(keys.words.as_ref().get(key)));
                shown.unwrap_or_default().into_bytes().into()
            }
            _ => Vec::new().into(),
        }
    }
}
