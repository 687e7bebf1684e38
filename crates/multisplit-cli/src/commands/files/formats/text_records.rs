//! Lines of a text file, to be written in another order.

use super::column::{Nulls, Records};
use super::format::{Format, TextStyle};
use super::lines::{Lines, Span, unquoted};
use anyhow::{Result, ensure};
use std::borrow::Cow;
use std::io::{self, Write};

/// A text, and where its records are.
pub struct TextRecords {
    pub text: Vec<u8>,
    pub header: Option<Span>,
    pub rows: Vec<Span>,
    pub delimiter: u8,
    /// Which rows have an empty field for a key.
    pub nulls: Option<Nulls>,
}

impl Records for TextRecords {
    fn check(&self, format: Format) -> Result<()> {
        ensure!(matches!(format, Format::Text(_)), "lines of text can be written to a text file only");
        Ok(())
    }

    /// A table of several columns is not one of the keys alone.
    fn must_be_whole(&self, format: Format) -> bool {
        if self.nulls.as_ref().is_some_and(Nulls::stay) {
            return true;
        }
        let mut fields = Vec::new();
        let first = self.header.or(self.rows.first().copied()).map(|span| &self.text[span.range()]);
        let read = first.map(|first| Lines::new(first, self.delimiter).next(&mut fields));
        matches!(format, Format::Table(_)) && matches!(read, Some(Ok(_))) && fields.len() > 1
    }

    fn nulls(&self) -> Option<&Nulls> {
        self.nulls.as_ref()
    }

    fn write(&self, to: &mut dyn Write, format: Format, order: &[u32]) -> io::Result<()> {
        let order = self.nulls.as_ref().map_or(Cow::Borrowed(order), |nulls| nulls.all_rows(order).into());
        let delimiter = match format {
            Format::Text(TextStyle { delimiter, .. }) => delimiter,
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
