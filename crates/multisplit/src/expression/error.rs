//! What is wrong with an expression, and where.

use std::fmt;
use std::ops::Range;

/// Characters of a long expression that are shown on each side of a mistake.
const SHOWN: usize = 50;

/// What is wrong with an expression or its result, where in the text, and in which row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExpressionError {
    message: String,
    place: Option<Place>,
    row: Option<Row>,
}

/// A row without a valid bucket.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Row {
    number: u64,
    /// The values that it has, as messages show them.
    values: String,
}

/// A part of the text of an expression, in characters.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Place {
    text: Vec<char>,
    span: Range<usize>,
}

impl ExpressionError {
    pub(super) fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), place: None, row: None }
    }

    /// Points at some bytes of the text.
    pub(super) fn at(text: &str, span: Range<usize>, message: impl Into<String>) -> Self {
        let characters = |end: usize| text.char_indices().take_while(|&(at, _)| at < end).count();
        // What would break the line that is shown is a blank there.
        let shown = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        let place = Place { text: shown, span: characters(span.start)..characters(span.end) };
        Self { place: Some(place), ..Self::new(message) }
    }

    pub(super) fn in_row(self, row: usize, values: String) -> Self {
        Self { row: Some(Row { number: row as u64, values }), ..self }
    }

    /// Counts rows from `rows` on: those that come before the columns in which the error was found, as in a file that is
    /// read in pieces.
    pub fn behind(mut self, rows: u64) -> Self {
        if let Some(row) = &mut self.row {
            row.number += rows;
        }
        self
    }

    /// Returns the column in the text where the mistake begins, from 1.
    pub fn column(&self) -> Option<usize> {
        self.place.as_ref().map(|place| place.span.start + 1)
    }

    /// Returns the row without a valid bucket, from 0.
    pub fn row(&self) -> Option<u64> {
        self.row.as_ref().map(|row| row.number)
    }

    /// Returns the text of the expression, and below it a line that points at the mistake.
    ///
    /// ```
    /// use multisplit::{Error, expression::Expression};
    ///
    /// let Err(Error::InvalidExpression(error)) = Expression::parse("key % % 7") else { panic!() };
    /// assert_eq!(error.to_string(), "expected a value, found '%', at column 7");
    /// assert_eq!(error.pointer().unwrap(), "key % % 7\n      ^");
    /// ```
    pub fn pointer(&self) -> Option<String> {
        let Place { text, span } = self.place.as_ref()?;
        let begin = span.start.saturating_sub(SHOWN);
        let end = text.len().min(span.end.min(span.start + SHOWN) + SHOWN);
        let line: String = text[begin..end].iter().collect();
        let marks = (span.end.min(end) - span.start.min(end)).max(1);
        let before = span.start - begin;
        let (cut, behind) = (if begin > 0 { "…" } else { "" }, if end < text.len() { "…" } else { "" });
        let indent = " ".repeat(before + cut.chars().count());
        Some(format!("{cut}{}{behind}\n{indent}{}", line.trim_end(), "^".repeat(marks)))
    }
}

impl fmt::Display for ExpressionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(Row { number, values }) = &self.row {
            write!(f, "row {number}, counted from 0{values}: ")?;
        }
        f.write_str(&self.message)?;
        match self.column() {
            Some(column) => write!(f, ", at column {column}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for ExpressionError {}
