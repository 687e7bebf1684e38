//! Lines of a text file, to be written in another order.

#[cfg(feature = "arrow")]
use super::arrow::{KeyColumn, Lines as LinesOf, TextColumns, TextTypes};
use super::column::{Nulls, Records};
use super::format::{Format, TextStyle};
use super::lines::{Lines, Span, unquoted};
#[cfg(feature = "arrow")]
use super::table::TableFormat;
use anyhow::{Result, ensure};
use std::borrow::Cow;
#[cfg(feature = "arrow")]
use std::cell::OnceCell;
use std::io::{self, Write};
#[cfg(feature = "arrow")]
use std::sync::Arc;

/// A text, and where its records are.
pub struct TextRecords {
    pub text: Vec<u8>,
    pub header: Option<Span>,
    pub rows: Vec<Span>,
    pub delimiter: u8,
    /// Which rows have an empty field for a key.
    pub nulls: Option<Nulls>,
    #[cfg(feature = "arrow")]
    pub as_table: AsTable,
}

/// What is to be known of a text that is written as a table.
#[cfg(feature = "arrow")]
pub struct AsTable {
    key: KeyColumn,
    /// The types of all columns, if the text is a part of one.
    types: Option<Arc<TextTypes>>,
    /// All columns, from when the first rows are written.
    columns: OnceCell<TextColumns>,
}

#[cfg(feature = "arrow")]
impl AsTable {
    pub fn new(key: KeyColumn, types: Option<Arc<TextTypes>>) -> Self {
        Self { key, types, columns: OnceCell::new() }
    }
}

impl Records for TextRecords {
    fn check(&self, format: Format) -> Result<()> {
        ensure!(
            matches!(format, Format::Text(_) | Format::Table(_)),
            "lines of text can be written to a text file only"
        );
        Ok(())
    }

    fn must_be_whole(&self, _format: Format) -> bool {
        self.nulls.as_ref().is_some_and(Nulls::stay)
    }

    fn nulls(&self) -> Option<&Nulls> {
        self.nulls.as_ref()
    }

    fn write(&self, to: &mut dyn Write, format: Format, order: &[u32]) -> io::Result<()> {
        let order = self.nulls.as_ref().map_or(Cow::Borrowed(order), |nulls| nulls.all_rows(order).into());
        let delimiter = match format {
            Format::Text(TextStyle { delimiter, .. }) => delimiter,
            #[cfg(feature = "arrow")]
            Format::Table(table) => {
                return self
                    .write_table(to, table, &order)
                    .map_err(|error| error.downcast().unwrap_or_else(io::Error::other));
            }
            _ => self.delimiter,
        };
        let rows = order.iter().map(|&i| self.rows[i as usize]);
        let mut line = Vec::new();
        for span in self.header.into_iter().chain(rows) {
            line.clear();
            if delimiter == self.delimiter {
                line.extend_from_slice(&self.text[span.range()]);
            } else {
                self.separate_anew(&self.text[span.range()], delimiter, &mut line)?;
            }
            line.push(b'\n');
            to.write_all(&line)?;
        }
        Ok(())
    }
}

impl TextRecords {
    /// Writes rows to a table.
    #[cfg(feature = "arrow")]
    fn write_table(&self, to: &mut dyn Write, format: TableFormat, order: &[u32]) -> Result<()> {
        self.columns()?.write(to, format, &self.text, order)
    }

    /// Returns the columns, which are read when they are asked for.
    #[cfg(feature = "arrow")]
    pub fn columns(&self) -> Result<&TextColumns> {
        let AsTable { key, types, columns } = &self.as_table;
        if let Some(columns) = columns.get() {
            return Ok(columns);
        }
        let lines = LinesOf { text: &self.text, rows: &self.rows, delimiter: self.delimiter };
        let found = match types {
            Some(types) => TextColumns::of_types(&lines, types.schema.clone(), &types.columns)?,
            None => TextColumns::new(&lines, self.header, *key)?,
        };
        Ok(columns.get_or_init(|| found))
    }

    /// Writes a record with another delimiter.
    fn separate_anew(&self, record: &[u8], delimiter: u8, line: &mut Vec<u8>) -> io::Result<()> {
        let mut fields = Vec::new();
        Lines::new(record, self.delimiter).next(&mut fields).map_err(io::Error::other)?;
        for (i, &field) in fields.iter().enumerate() {
            if i > 0 {
                line.push(delimiter);
            }
            write_field(&unquoted(&record[field.range()]), delimiter, line);
        }
        Ok(())
    }
}

/// Writes a field, in quotes where it needs them.
pub fn write_field(field: &[u8], delimiter: u8, line: &mut Vec<u8>) {
    let special = |byte: &u8| *byte == delimiter || b"\"\r\n".contains(byte);
    if !field.iter().any(special) {
        line.extend_from_slice(field);
        return;
    }
    line.push(b'"');
    for &byte in field {
        if byte == b'"' {
            line.push(b'"');
        }
        line.push(byte);
    }
    line.push(b'"');
}
