//! A column of a text file: comma or tab separated, or one number per line.

use super::Wanted;
use super::column::{Column, Elements, NullPlace, Nulls};
use super::head::{Head, MARK};
use super::lines::{Lines, Span, line_of, unquoted};
use super::text_records::TextRecords;
#[cfg(feature = "arrow")]
use super::{arrow::KeyColumn, text_records::AsTable};
use crate::commands::files::key_type::KeyType;
use crate::commands::files::text_hash::hash;
use crate::commands::files::words::Words;
use anyhow::{Context, Result, ensure};
use multisplit_graph::parallel;
use npyz::TimeUnits;
use std::borrow::Cow;

pub const DATES: KeyType = KeyType::Datetime(TimeUnits::Microsecond);
/// Of fewer years, for texts that have more digits.
const FINE_DATES: KeyType = KeyType::Datetime(TimeUnits::Nanosecond);

const TOO_MANY: &str = "there are 2^32 rows or more, which are too many";

/// Reads a column of a text, and others by their names.
pub fn read(mut text: Vec<u8>, wanted: &Wanted<'_>, others: &[&str]) -> Result<(Column, Vec<Elements>)> {
    if text.starts_with(MARK) {
        text.drain(..MARK.len());
    }
    let head = Head::of(&text, wanted)?;
    let table = Table::scan(&text, &head, true, 0)?;
    let nulls = table.nulls(wanted.null)?;
    let (key_type, words) = match wanted.key_type {
        Some(key_type) => table.parse_as(key_type, key_type == DATES)?,
        None => table.infer()?,
    };
    let (header, rows) = (table.header, table.rows);
    let other = |name: &&str| read_other(&text, &wanted_of_other(name, &head)?);
    let others = others.iter().map(other).collect::<Result<_>>()?;
    let records = TextRecords {
        text,
        header,
        rows,
        delimiter: head.delimiter,
        nulls,
        #[cfg(feature = "arrow")]
        as_table: AsTable::new(KeyColumn { column: head.column, key_type }, None),
    };
    let (elements, format) = (Elements::Keys(key_type, words), head.format());
    Ok((Column { name: head.name, elements, format, records: Some(Box::new(records)) }, others))
}

/// Returns what is wanted of a text for another column than that of the head, by its name or its number.
pub fn wanted_of_other<'a>(name: &'a str, head: &Head) -> Result<Wanted<'a>> {
    ensure!(
        head.has_header || name.parse::<usize>().is_ok(),
        "there is no column '{name}': those of this file have no names; write the number of one in brackets, as in [2]"
    );
    let (header, keyed_by) = (Some(head.has_header), head.keyed_by);
    Ok(Wanted { column: Some(name), header, keyed_by, ..Wanted::default() })
}

/// Reads another column.
fn read_other(text: &[u8], wanted: &Wanted<'_>) -> Result<Elements> {
    let head = Head::of(text, wanted)?;
    let (key_type, words) = Table::scan(text, &head, true, 0)?.infer()?;
    Ok(Elements::Keys(key_type, words))
}

/// A text whose records were found.
pub struct Table<'a> {
    text: &'a [u8],
    header: Option<Span>,
    rows: Vec<Span>,
    /// Where the field of the wanted column is in each row that has a key.
    fields: Vec<Span>,
    /// The rows that have none, and are not refused for it.
    keyless: Vec<u32>,
    /// What messages call the column.
    called: &'a str,
    /// How many lines come before the text.
    lines_before: usize,
}

impl<'a> Table<'a> {
    /// Finds the records of a text, or of a part of one, before which there are some lines.
    pub fn scan(text: &'a [u8], head: &'a Head, first: bool, lines_before: usize) -> Result<Self> {
        let (mut lines, mut fields) = (Lines::new(text, head.delimiter).after(lines_before), Vec::new());
        let (rows, called) = (Vec::new(), &head.called);
        let keyless = Vec::new();
        let mut table = Self { text, header: None, rows, fields: Vec::new(), keyless, called, lines_before };
        if first && head.has_header {
            table.header = lines.next(&mut fields)?;
        }
        while let Some(row) = lines.next(&mut fields)? {
            ensure!(
                fields.len() == head.fields,
                "line {}: the row has {} field{}, but the first line has {}",
                lines_before + line_of(text, row.start),
                fields.len(),
                if fields.len() == 1 { "" } else { "s" },
                head.fields
            );
            if head.keyed_by.is_some_and(|key| unquoted(&text[fields[key].range()]).is_empty()) {
                table.keyless.push(u32::try_from(table.rows.len()).context(TOO_MANY)?);
            } else {
                table.fields.push(fields[head.column]);
            }
            table.rows.push(row);
        }
        Ok(table)
    }

    /// Returns the record that names the columns.
    pub fn header(&self) -> Option<&'a [u8]> {
        self.header.map(|header| &self.text[header.range()])
    }

    #[cfg(feature = "arrow")]
    pub fn text(&self) -> &'a [u8] {
        self.text
    }

    /// Returns the rows that have no key, and are not refused for it.
    pub fn keyless(&self) -> &[u32] {
        &self.keyless
    }

    /// Returns where the record is that names the columns.
    #[cfg(feature = "arrow")]
    pub fn header_span(&self) -> Option<Span> {
        self.header
    }

    /// Returns where the records are.
    pub fn rows(&self) -> &[Span] {
        &self.rows
    }

    pub fn into_rows(self) -> Vec<Span> {
        self.rows
    }

    /// Returns a column of which the fields are known. Those that are empty are left out.
    #[cfg(feature = "arrow")]
    pub fn of_column(text: &'a [u8], rows: Vec<Span>) -> Result<Self> {
        let (fields, keyless) = (Vec::new(), Vec::new());
        let mut table = Self { text, header: None, rows, fields, keyless, called: "the column", lines_before: 0 };
        for (row, field) in table.rows.iter().enumerate() {
            if unquoted(&text[field.range()]).is_empty() {
                table.keyless.push(u32::try_from(row).context(TOO_MANY)?);
            } else {
                table.fields.push(*field);
            }
        }
        Ok(table)
    }

    /// Returns whether there are no fields.
    #[cfg(feature = "arrow")]
    pub fn is_empty(&self) -> bool {
        self.fields.is_empty()
    }

    /// Returns the rows without a key, if there are some.
    pub fn nulls(&self, place: NullPlace) -> Result<Option<Nulls>> {
        if self.keyless.is_empty() {
            return Ok(None);
        }
        let mut keyless = self.keyless.iter().peekable();
        let rows = u32::try_from(self.rows.len()).context(TOO_MANY)?;
        let of_keys = (0..rows).filter(|row| keyless.next_if_eq(&row).is_none()).collect();
        Ok(Some(Nulls { of_keys, rows: self.keyless.clone(), place }))
    }

    fn field(&self, row: usize) -> Cow<'a, [u8]> {
        unquoted(&self.text[self.fields[row].range()])
    }

    /// Parses the column. Fails with the number of the first row that does not fit the type.
    fn parse(&self, key_type: KeyType) -> Result<Words, usize> {
        let bits = |row: usize| {
            let field = self.field(row);
            // Strings need not be UTF-8.
            if key_type == KeyType::Text {
                return Some(hash(&field));
            }
            std::str::from_utf8(&field).ok().and_then(|field| key_type.parse_bits(field))
        };
        let n = self.fields.len();
        let words = match Words::none(key_type.width()) {
            Words::Narrow(_) => Words::Narrow(parallel::fill(n, |row| bits(row).unwrap_or(0) as u32)),
            Words::Wide(_) => Words::Wide(parallel::fill(n, |row| bits(row).unwrap_or(0))),
        };
        // The bits of a bad field are 0, so only those are looked at again.
        let bad = |row: usize| words.as_ref().get(row) == 0 && bits(row).is_none();
        match (0..n).find(|&row| bad(row)) {
            Some(row) => Err(row),
            None => Ok(words),
        }
    }

    /// Parses the column as the type that its first field has which is not empty: whole numbers, numbers, dates, true
    /// and false, or strings. Whole numbers become others where they must.
    pub fn infer(&self) -> Result<(KeyType, Words)> {
        // Of empty fields nothing is known; they are refused later.
        self.parse_as(self.first_type().unwrap_or(KeyType::Signed(64)), true)
    }

    /// Returns the type of the first field that is not empty.
    pub fn first_type(&self) -> Option<KeyType> {
        let first = (0..self.fields.len()).map(|row| self.field(row)).find(|field| !field.is_empty())?;
        let first = String::from_utf8_lossy(&first);
        let fits = |key_type: KeyType| key_type.parse_bits(&first).is_some();
        let candidates = [KeyType::Signed(64), KeyType::Unsigned(64), KeyType::Float(64), DATES];
        Some(match candidates.into_iter().find(|&key_type| fits(key_type)) {
            Some(key_type) => key_type,
            // Not of 0 and 1, which are whole numbers.
            None if fits(KeyType::Bool) => KeyType::Bool,
            None => KeyType::Text,
        })
    }

    /// Parses the column as a type, or as one of the same kind with more room if it must.
    pub fn parse_as(&self, mut key_type: KeyType, may_change: bool) -> Result<(KeyType, Words)> {
        let fits = |key_type: KeyType, text: &str| may_change && key_type.parse_bits(text).is_some();
        loop {
            let row = match self.parse(key_type) {
                Ok(words) => return Ok((key_type, words)),
                Err(row) => row,
            };
            let field = self.field(row);
            let field = String::from_utf8_lossy(&field);
            key_type = match key_type {
                KeyType::Signed(_) if fits(KeyType::Unsigned(64), &field) => KeyType::Unsigned(64),
                KeyType::Signed(_) if fits(KeyType::Float(64), &field) => KeyType::Float(64),
                KeyType::Unsigned(_) if field.contains(['.', 'e', 'E']) && fits(KeyType::Float(64), &field) => {
                    KeyType::Float(64)
                }
                DATES if fits(FINE_DATES, &field) => FINE_DATES,
                _ => return Err(self.complaint(row, key_type)),
            };
        }
    }

    fn complaint(&self, row: usize, key_type: KeyType) -> anyhow::Error {
        let line = self.lines_before + line_of(self.text, self.fields[row].start);
        let what = match key_type {
            KeyType::Float(_) => "a number",
            KeyType::Datetime(_) => "a date such as 2024-02-29 or 2024-02-29T12:30:15.25",
            KeyType::Bool => "true or false",
            _ => &format!("a key of type {key_type}"),
        };
        let field = self.field(row);
        let column = self.called;
        if field.is_empty() {
            return anyhow::anyhow!(
                "line {line}, {column}: the field is empty, but must be {what}; --null drop leaves such rows out"
            );
        }
        let advice = if key_type == KeyType::Signed(64) { "; name another --type, such as f64 or string" } else { "" };
        anyhow::anyhow!("line {line}, {column}: '{}' is not {what}{advice}", String::from_utf8_lossy(&field))
    }
}
