//! The types of the columns of a text that is read in pieces, of which a table is made.

use super::super::csv::Table;
use super::super::table::TableFormat;
use super::super::text_pieces::TextPieces;
use super::column_out::data_type;
use super::part::OpenTable;
use super::text_in::{Found, Lines, schema};
use super::writer::Style;
use crate::commands::files::key_type::KeyType;
use anyhow::Result;
use arrow_schema::{DataType, SchemaRef};

/// Bytes for each field of a row in memory: where it is, its value or its string, and where that is.
const OF_FIELD: u64 = 64;

/// Such types.
pub struct TextTypes {
    pub schema: SchemaRef,
    /// None for strings.
    pub columns: Vec<Option<KeyType>>,
}

/// What is known of a column.
#[derive(Clone, Copy, PartialEq)]
enum Known {
    /// Fields were empty so far.
    Nothing,
    Type(KeyType),
    Strings,
    /// The column of the keys.
    Settled(KeyType),
}

impl TextTypes {
    /// Reads a text until it is known which type has the values of all fields of each column, as of a text that is read
    /// as a whole.
    pub fn find(text: &TextPieces) -> Result<Self> {
        let head = text.head();
        let mut known = vec![Known::Nothing; head.fields];
        known[head.column] = Known::Settled(text.key_type);
        let (mut names, mut again) = (None, true);
        while again {
            again = false;
            text.tables(&mut |table| {
                let lines = Lines { text: table.text(), rows: table.rows(), delimiter: head.delimiter };
                if names.is_none() {
                    names = Some(lines.names(table.header_span())?);
                }
                for (known, fields) in known.iter_mut().zip(lines.columns(head.fields)?) {
                    let so_far = match *known {
                        Known::Settled(_) | Known::Strings => continue,
                        Known::Nothing => None,
                        Known::Type(so_far) => Some(so_far),
                    };
                    let now = match Table::of_column(lines.text, fields)?.values(so_far) {
                        Found::Nothing => *known,
                        Found::Values(key_type, _) => Known::Type(key_type),
                        Found::Strings => Known::Strings,
                    };
                    // Fields before may say more than values of the new type.
                    again |= so_far.is_some() && now != *known && now != Known::Strings;
                    *known = now;
                }
                Ok(true)
            })?;
        }
        let of_known = |known| match known {
            Known::Type(key_type) | Known::Settled(key_type) => Some(key_type).filter(|&of| data_type(of).is_some()),
            Known::Nothing | Known::Strings => None,
        };
        let columns: Vec<Option<KeyType>> = known.into_iter().map(of_known).collect();
        let types = columns.iter().map(|of| of.and_then(data_type).unwrap_or(DataType::Utf8));
        Ok(Self { schema: schema(names.unwrap_or_default().into_iter().zip(types)), columns })
    }

    /// Returns how many bytes about a row takes in memory, beside its text.
    pub fn row_bytes(&self) -> u64 {
        OF_FIELD * self.columns.len() as u64
    }

    /// Begins to write rows of so many bytes, of which no more than `most` are held.
    pub fn begin(&self, format: TableFormat, most: usize, row_size: usize) -> Result<OpenTable> {
        let style = Style { schema: self.schema.clone(), codecs: Vec::new(), notes: Vec::new() };
        Ok(OpenTable::new(format, &style, most)?.with_rows_of(row_size))
    }
}
