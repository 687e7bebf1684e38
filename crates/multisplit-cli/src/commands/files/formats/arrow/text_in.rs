//! Rows of a text as a table: each column is of the type that its fields have.

use super::super::column::NullPlace;
use super::super::csv::Table;
use super::super::lines::{Lines as Fields, Span, unquoted};
use super::super::table::TableFormat;
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

/// Records of a text.
pub struct Lines<'a> {
    pub text: &'a [u8],
    pub rows: &'a [Span],
    pub delimiter: u8,
}

/// The column of the keys, whose type is known.
#[derive(Clone, Copy)]
pub struct KeyColumn {
    /// Its number, from 0.
    pub column: usize,
    pub key_type: KeyType,
}

impl Lines<'_> {
    /// Returns where the fields of a record are.
    pub fn fields_of(&self, record: Span) -> Result<Vec<Span>> {
        let mut fields = Vec::new();
        Fields::new(&self.text[record.range()], self.delimiter).next(&mut fields)?;
        let moved = |field: Span| Span { start: record.start + field.start, end: record.start + field.end };
        Ok(fields.into_iter().map(moved).collect())
    }

    /// Returns where the fields of so many columns are.
    pub fn columns(&self, count: usize) -> Result<Vec<Vec<Span>>> {
        let mut columns: Vec<Vec<Span>> = (0..count).map(|_| Vec::with_capacity(self.rows.len())).collect();
        for &row in self.rows {
            columns.iter_mut().zip(self.fields_of(row)?).for_each(|(column, field)| column.push(field));
        }
        Ok(columns)
    }

    /// Returns the names of columns, of which the first record, or the header, has the fields.
    pub fn names(&self, header: Option<Span>) -> Result<Vec<String>> {
        let first = header.or(self.rows.first().copied());
        let fields = first.map_or(Ok(Vec::new()), |first| self.fields_of(first))?;
        let named = fields.into_iter().enumerate().map(|(i, name)| match header {
            Some(_) => String::from_utf8_lossy(&unquoted(&self.text[name.range()])).into_owned(),
            None => format!("column {}", i + 1),
        });
        Ok(named.collect())
    }
}

impl TextColumns {
    /// Reads all columns of a text.
    pub fn new(lines: &Lines<'_>, header: Option<Span>, key: KeyColumn) -> Result<Self> {
        let names = lines.names(header)?;
        let fields = lines.columns(names.len())?.into_iter().enumerate();
        let column = |(i, fields)| TextColumn::new(lines.text, fields, (i == key.column).then_some(key.key_type));
        let columns: Vec<TextColumn> = fields.map(column).collect::<Result<_>>()?;
        let schema = schema(names.into_iter().zip(columns.iter().map(TextColumn::data_type)));
        Ok(Self { schema, columns })
    }

    /// Reads the columns of a part of a text, of which the types are known.
    pub fn of_types(lines: &Lines<'_>, schema: SchemaRef, types: &[Option<KeyType>]) -> Result<Self> {
        let fields = lines.columns(types.len())?.into_iter();
        let column = |(fields, &of): (_, &Option<KeyType>)| TextColumn::of_type(lines.text, fields, of);
        let columns = fields.zip(types).map(column).collect::<Result<_>>()?;
        Ok(Self { schema, columns })
    }

    /// Writes rows.
    pub fn write(&self, to: &mut dyn Write, format: TableFormat, text: &[u8], order: &[u32]) -> Result<()> {
        guarded(|| {
            let style = Style { schema: self.schema.clone(), codecs: Vec::new(), notes: Vec::new() };
            write(to, format, &style, &mut order.chunks(ROWS).map(|rows| self.batch(text, rows)))
        })
    }

    /// Returns rows as a batch.
    pub fn batch(&self, text: &[u8], rows: &[u32]) -> Result<RecordBatch> {
        let columns = self.columns.iter().map(|column| column.in_order(text, rows));
        Ok(RecordBatch::try_new(self.schema.clone(), columns.collect::<Result<_>>()?)?)
    }
}

impl TextColumn {
    /// Reads a column, of a type that is wanted or of that of its fields.
    fn new(text: &[u8], fields: Vec<Span>, wanted: Option<KeyType>) -> Result<Self> {
        if wanted.is_some() {
            return Self::of_type(text, fields, wanted);
        }
        let table = Table::of_column(text, fields)?;
        match table.values(None) {
            Found::Values(key_type, words) => Self::values(&table, key_type, words),
            Found::Nothing | Found::Strings => Ok(Self::Strings(table.into_rows())),
        }
    }

    /// Reads a column of a type that Arrow has, or of strings.
    fn of_type(text: &[u8], fields: Vec<Span>, of: Option<KeyType>) -> Result<Self> {
        let Some(key_type) = of.filter(|&of| data_type(of).is_some()) else { return Ok(Self::Strings(fields)) };
        let table = Table::of_column(text, fields)?;
        let (key_type, words) = table.parse_as(key_type, false)?;
        Self::values(&table, key_type, words)
    }

    fn values(table: &Table<'_>, key_type: KeyType, words: Words) -> Result<Self> {
        let places = table.nulls(NullPlace::Drop)?.map(|nulls| nulls.key_of_row());
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

/// What the fields of a column are.
pub enum Found {
    /// All are empty.
    Nothing,
    Values(KeyType, Words),
    Strings,
}

impl Table<'_> {
    /// Reads the fields of a column as values of one type, or of a wider one if they must, but not of less than they
    /// say. `so_far` is the type of those before.
    pub fn values(&self, so_far: Option<KeyType>) -> Found {
        if self.is_empty() {
            return Found::Nothing;
        }
        let found = so_far.map_or_else(|| self.infer(), |so_far| self.parse_as(so_far, true)).ok();
        let known = found.filter(|&(key_type, _)| data_type(key_type).is_some());
        let exact = |&(key_type, _): &(KeyType, Words)| {
            !self.rows().iter().any(|field| loses(&unquoted(&self.text()[field.range()]), key_type))
        };
        known.filter(exact).map_or(Found::Strings, |(key_type, words)| Found::Values(key_type, words))
    }
}

/// Returns the schema of columns with these names and types, of which any may have nulls.
pub fn schema(columns: impl Iterator<Item = (String, DataType)>) -> SchemaRef {
    Arc::new(Schema::new(columns.map(|(name, data_type)| Field::new(name, data_type, true)).collect::<Vec<_>>()))
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
