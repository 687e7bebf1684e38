//! Rows of a text as a table: each column is of the type that its fields have.

use super::super::column::NullPlace;
use super::super::csv::Table;
use super::super::lines::{Lines, Span, unquoted};
use super::super::table::TableFormat;
use super::super::text_records::TextRecords;
use super::column_out::{array, data_type};
use super::guarded;
use super::writer::{Style, write};
use crate::commands::files::key_type::KeyType;
use crate::commands::files::words::Words;
use anyhow::{Context, Result};
use arrow_array::{ArrayRef, RecordBatch, StringArray};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use std::io::Write;
use std::sync::Arc;

/// Rows that are written as one batch.
const ROWS: usize = 1 << 16;

/// Digits of whole numbers that floats of 64 bits have for sure.
const EXACT_DIGITS: usize = 15;

/// The columns of a text.
pub struct TextColumns {
    schema: SchemaRef,
    columns: Vec<TextColumn>,
}

enum TextColumn {
    /// Values, and which of them is in each row, if some fields are empty.
    Values(KeyType, Words, Option<Vec<Option<usize>>>),
    Strings(Vec<Span>),
}

impl TextColumns {
    pub fn new(records: &TextRecords) -> Result<Self> {
        let first = records.header.or(records.rows.first().copied());
        let names = first.map_or(Ok(Vec::new()), |first| fields_of(records, first))?;
        let mut fields: Vec<Vec<Span>> = names.iter().map(|_| Vec::with_capacity(records.rows.len())).collect();
        for &row in &records.rows {
            let row = fields_of(records, row)?;
            fields.iter_mut().zip(row).for_each(|(column, field)| column.push(field));
        }
        let (mut columns, mut about) = (Vec::new(), Vec::new());
        for (i, (fields, name)) in fields.into_iter().zip(names).enumerate() {
            let name = match records.header {
                Some(_) => String::from_utf8_lossy(&unquoted(&records.text[name.range()])).into_owned(),
                None => format!("column {}", i + 1),
            };
            let wanted = (records.as_table.key.0 == i).then_some(records.as_table.key.1);
            let column = TextColumn::new(&records.text, fields, wanted)?;
            about.push(Field::new(name, column.data_type(), true));
            columns.push(column);
        }
        Ok(Self { schema: Arc::new(Schema::new(about)), columns })
    }

    /// Writes rows.
    pub fn write(&self, to: &mut dyn Write, format: TableFormat, text: &[u8], order: &[u32]) -> Result<()> {
        guarded(|| {
            let style = Style { schema: self.schema.clone(), codecs: Vec::new(), notes: Vec::new() };
            let batch = |rows: &[u32]| {
                let columns = self.columns.iter().map(|column| column.in_order(text, rows));
                Ok(RecordBatch::try_new(self.schema.clone(), columns.collect::<Result<_>>()?)?)
            };
            write(to, format, &style, &mut order.chunks(ROWS).map(batch))
        })
    }
}

/// Returns where the fields of a record are.
fn fields_of(records: &TextRecords, record: Span) -> Result<Vec<Span>> {
    let mut fields = Vec::new();
    Lines::new(&records.text[record.range()], records.delimiter).next(&mut fields)?;
    let moved = |field: Span| Span { start: record.start + field.start, end: record.start + field.end };
    Ok(fields.into_iter().map(moved).collect())
}

impl TextColumn {
    /// Reads a column, of a type that is wanted or of that of its fields.
    fn new(text: &[u8], fields: Vec<Span>, wanted: Option<KeyType>) -> Result<Self> {
        let mut table = Table::of_column(text, fields.clone());
        let nulls = table.take_nulls(NullPlace::Drop)?;
        let found = match wanted {
            Some(KeyType::Text) => None,
            Some(key_type) => Some(table.parse_as(key_type, false)?),
            None if table.is_empty() => None,
            None => table.infer().ok(),
        };
        let known = found.filter(|&(key_type, _)| data_type(key_type).is_some());
        let exact = |&(key_type, _): &(KeyType, Words)| {
            wanted.is_some() || !fields.iter().any(|field| loses(&unquoted(&text[field.range()]), key_type))
        };
        let Some((key_type, words)) = known.filter(exact) else { return Ok(Self::Strings(fields)) };
        let places = nulls.map(|nulls| nulls.key_of_row());
        Ok(Self::Values(key_type, words, places))
    }

    fn data_type(&self) -> DataType {
        match self {
            Self::Values(key_type, ..) => data_type(*key_type).unwrap_or(DataType::Null),
            Self::Strings(_) => DataType::Utf8,
        }
    }

    /// Returns the elements of rows.
    fn in_order(&self, text: &[u8], rows: &[u32]) -> Result<ArrayRef> {
        match self {
            Self::Values(key_type, words, places) => {
                let place = |row: u32| places.as_ref().map_or(Some(row as usize), |places| places[row as usize]);
                let bits: Vec<Option<u64>> =
                    rows.iter().map(|&row| place(row).map(|place| words.as_ref().get(place))).collect();
                array(*key_type, &bits)
            }
            Self::Strings(fields) => {
                let string = |&row: &u32| {
                    let field = unquoted(&text[fields[row as usize].range()]).into_owned();
                    String::from_utf8(field).ok().with_context(|| format!("row {row}, counted from 0, is no UTF-8"))
                };
                let strings: Vec<String> = rows.iter().map(string).collect::<Result<_>>()?;
                Ok(Arc::new(StringArray::from(strings)))
            }
        }
    }
}

/// Returns whether a field says more than a value of a type: zeros before a number, such as those of a post code, or more
/// digits than floats have.
fn loses(field: &[u8], key_type: KeyType) -> bool {
    let digits = field.strip_prefix(b"-").or(field.strip_prefix(b"+")).unwrap_or(field);
    let whole = digits.iter().all(u8::is_ascii_digit);
    match key_type {
        KeyType::Signed(_) | KeyType::Unsigned(_) => digits.len() > 1 && digits[0] == b'0' && whole,
        KeyType::Float(_) => whole && (digits.len() > EXACT_DIGITS || (digits.len() > 1 && digits[0] == b'0')),
        _ => false,
    }
}
