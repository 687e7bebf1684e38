//! The fields of a line.

use crate::error::{Error, Result};
use crate::graph::Weight;

/// Fields, separated by spaces, tabs or commas.
#[derive(Clone)]
pub(super) struct Fields<'a> {
    line: u64,
    rest: &'a [u8],
}

/// A weight as it is written.
pub(super) enum Number {
    Integer(u32),
    Real(f32),
}

impl<'a> Fields<'a> {
    pub(super) fn new(line: u64, text: &'a [u8]) -> Self {
        Self { line, rest: text }
    }

    /// The next field, if there is one more.
    pub(super) fn next(&mut self) -> Option<&'a [u8]> {
        let separates = |byte: &u8| byte.is_ascii_whitespace() || *byte == b',';
        let start = self.rest.iter().position(|byte| !separates(byte))?;
        let from = &self.rest[start..];
        let end = from.iter().position(separates).unwrap_or(from.len());
        let (field, rest) = from.split_at(end);
        self.rest = rest;
        Some(field)
    }

    /// The next field, which must be there.
    pub(super) fn need(&mut self, what: &str) -> Result<&'a [u8]> {
        self.next().ok_or_else(|| self.error(format!("{what} is missing")))
    }

    /// A whole number from 0 on.
    pub(super) fn number(&mut self, what: &str) -> Result<u64> {
        let field = self.need(what)?;
        integer(field).ok_or_else(|| {
            let shown = show(field);
            self.error(if is_digits(field) {
                format!("{what} is beyond {}, the largest number: '{shown}'", u64::MAX)
            } else {
                format!("{what} must be a whole number from 0 on, not '{shown}'")
            })
        })
    }

    /// The number of vertices.
    pub(super) fn vertices(&mut self) -> Result<u32> {
        let count = self.number("the number of vertices")?;
        u32::try_from(count).map_err(|_| Error::TooManyVertices { vertices: count })
    }

    /// A vertex of a file that numbers them from 1, as we do from 0.
    pub(super) fn vertex(&mut self, vertices: u32) -> Result<u32> {
        let id = self.number("a vertex")?;
        match id.checked_sub(1).and_then(|v| u32::try_from(v).ok()).filter(|&v| v < vertices) {
            Some(v) => Ok(v),
            None => Err(self.error(format!("vertex {id} is not from 1 to {vertices}, as the header says"))),
        }
    }

    /// A weight: an integer if it is digits alone, maybe behind a sign, and a real number otherwise.
    pub(super) fn weight(&mut self) -> Result<Number> {
        let field = self.need("the weight")?;
        let (negative, digits) = match field {
            [b'+', digits @ ..] => (false, digits),
            [b'-', digits @ ..] => (true, digits),
            digits => (false, digits),
        };
        match integer(digits).and_then(|value| u32::try_from(value).ok()) {
            Some(value) if !negative || value == 0 => Ok(Number::Integer(value)),
            // It is not taken for a real number: all other weights of the file would be rounded too.
            None if !negative && is_digits(digits) => {
                Err(self.error(format!("the weight {} is beyond {}, the largest", show(field), u32::MAX)))
            }
            _ => self.as_real(field).map(Number::Real),
        }
    }

    /// A weight that is a real number, even if it is written like an integer.
    pub(super) fn real_weight(&mut self) -> Result<Number> {
        let field = self.need("the weight")?;
        self.as_real(field).map(Number::Real)
    }

    fn as_real(&self, field: &[u8]) -> Result<f32> {
        let real = str::from_utf8(field).ok().and_then(|text| text.parse::<f32>().ok());
        let real = real.ok_or_else(|| self.error(format!("the weight must be a number, not '{}'", show(field))))?;
        real.checked().ok_or_else(|| self.error(format!("the weight {} is not a finite number from 0 on", show(field))))
    }

    /// There must be no more fields.
    pub(super) fn end(&mut self) -> Result<()> {
        match self.next() {
            Some(field) => Err(self.error(format!("'{}' is one field too many", show(field)))),
            None => Ok(()),
        }
    }

    /// The header should be here.
    pub(super) fn missing_header(&self, expected: impl Into<String>) -> Error {
        Error::MissingHeader { line: self.line, expected: expected.into() }
    }

    pub(super) fn error(&self, reason: impl Into<String>) -> Error {
        Error::line(self.line, reason)
    }
}

/// The value of digits, if it fits.
fn integer(field: &[u8]) -> Option<u64> {
    let digit = |value: u64, byte: &u8| {
        let digit = u64::from(byte.wrapping_sub(b'0'));
        if digit < 10 { value.checked_mul(10)?.checked_add(digit) } else { None }
    };
    if field.is_empty() { None } else { field.iter().try_fold(0, digit) }
}

/// Whether a field is a whole number, of whatever size.
fn is_digits(field: &[u8]) -> bool {
    !field.is_empty() && field.iter().all(u8::is_ascii_digit)
}

/// A field as it can be shown: not too long.
pub(super) fn show(field: &[u8]) -> String {
    let mut text = String::from_utf8_lossy(&field[..field.len().min(40)]).into_owned();
    if field.len() > 40 {
        text.push('…');
    }
    text.escape_debug().to_string()
}
