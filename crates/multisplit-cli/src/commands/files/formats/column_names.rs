//! Which column of several is meant.

use crate::commands::files::key_type::KeyType;
use anyhow::{Context, Result};
use npyz::TimeUnits;

/// Which column is meant.
pub enum Position {
    Named(usize),
    Numbered(usize),
}

/// Finds a column by its name, or else by its number, from 1.
pub fn position(names: &[String], column: &str) -> Result<Position> {
    if let Some(i) = names.iter().position(|name| name == column) {
        // Of a file without a header, 7 is the number of a column even if it has that number in its first row.
        let number = if is_value(column) { numbered(names, column) } else { None };
        return Ok(number.map_or(Position::Named(i), Position::Numbered));
    }
    let number = numbered(names, column).map(Position::Numbered);
    number.with_context(|| format!("there is no column '{column}'; there are {}", list(names)))
}

/// Returns the column of this number, from 1.
pub fn numbered(names: &[String], column: &str) -> Option<usize> {
    let number: usize = column.parse().ok()?;
    (1..=names.len()).contains(&number).then(|| number - 1)
}

/// Returns whether a field is a number, a date or true or false, as names of columns are not.
pub fn is_value(field: &str) -> bool {
    [KeyType::Float(64), KeyType::Datetime(TimeUnits::Microsecond), KeyType::Bool]
        .iter()
        .any(|key_type| key_type.parse_bits(field).is_some())
}

/// Lists columns by number and name.
pub fn list(names: &[String]) -> String {
    const MOST: usize = 20;
    let numbered = names.iter().enumerate().take(MOST).map(|(i, name)| format!("{} ({name})", i + 1));
    let shown = numbered.collect::<Vec<_>>().join(", ");
    if names.len() > MOST { format!("{shown}, … {}", names.len()) } else { shown }
}
