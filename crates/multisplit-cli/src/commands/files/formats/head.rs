//! What the first record of a text says: how its fields are separated, and which column is wanted.

use super::Wanted;
use super::column::NullPlace;
use super::column_names::{Position, is_value, list, position};
use super::format::{Format, TextStyle};
use super::lines::{Lines, Span, delimiter_of, unquoted};
use anyhow::{Context, Result, bail, ensure};

/// What is at the beginning of some files in UTF-8.
pub const MARK: &[u8] = b"\xef\xbb\xbf";

/// What the first record says of a text.
pub struct Head {
    pub delimiter: u8,
    /// How many fields each record has.
    pub fields: usize,
    /// Which of them is wanted.
    pub column: usize,
    /// The column of the keys, if rows of which that is empty are left out.
    pub keyed_by: Option<usize>,
    /// Whether the first record names the columns.
    pub has_header: bool,
    /// The name of the column.
    pub name: Option<String>,
    /// What messages call it.
    pub called: String,
}

impl Head {
    /// Looks at the first record of a text.
    pub fn of(text: &[u8], wanted: &Wanted<'_>) -> Result<Self> {
        let delimiter = delimiter_of(text)?;
        let mut fields = Vec::new();
        Lines::new(text, delimiter).next(&mut fields)?.context("the file has nothing but empty lines")?;
        let names: Vec<String> = fields.iter().map(|&span| show(text, span)).collect();
        let column = wanted.column.map(|column| position(&names, column)).transpose()?;
        let (by_name, column) = match column {
            Some(Position::Named(i)) => (true, i),
            Some(Position::Numbered(i)) => (false, i),
            None if names.len() == 1 => (false, 0),
            None if wanted.beside => {
                bail!("there must be one column, or it must be named, but there are {}", list(&names))
            }
            None => bail!("which column, --column NAME or NUMBER? There are {}", list(&names)),
        };
        let looks_like_one = || !names.iter().any(|name| is_value(name));
        ensure!(
            !by_name || wanted.header != Some(false),
            "--column {} is a name, but --header no says that there are none",
            names[column]
        );
        let has_header = wanted.header.unwrap_or_else(|| by_name || looks_like_one());
        let name = has_header.then(|| names[column].clone());
        let called = name.clone().map_or_else(|| format!("column {}", column + 1), |name| format!("column '{name}'"));
        let keyed_by = wanted.keyed_by.or((wanted.null != NullPlace::Error).then_some(column));
        Ok(Self { delimiter, fields: names.len(), column, keyed_by, has_header, name, called })
    }

    pub fn format(&self) -> Format {
        Format::Text(TextStyle { delimiter: self.delimiter, header: self.has_header })
    }

    /// Returns where the last record of a text ends that is followed by a line end; behind that.
    pub fn end_of_records(&self, text: &[u8]) -> usize {
        let (mut lines, mut fields, mut end) = (Lines::new(text, self.delimiter), Vec::new(), 0);
        while let Ok(Some(_)) = lines.next(&mut fields)
            && lines.at() < text.len()
        {
            end = lines.at() + 1;
        }
        end
    }

    /// Returns the same for the first record, or 0 if the text does not have all of it.
    pub fn end_of_first(text: &[u8]) -> usize {
        let Ok(delimiter) = delimiter_of(text) else { return 0 };
        let (mut lines, mut fields) = (Lines::new(text, delimiter), Vec::new());
        match lines.next(&mut fields) {
            Ok(Some(_)) if lines.at() < text.len() => lines.at() + 1,
            _ => 0,
        }
    }
}

fn show(text: &[u8], span: Span) -> String {
    String::from_utf8_lossy(&unquoted(&text[span.range()])).into_owned()
}
