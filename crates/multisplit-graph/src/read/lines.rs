//! Lines of a text, with their numbers.

use super::fields::Fields;
use super::source::Source;
use crate::error::{Error, Result};
use crate::graph::memory::with_room;

/// The longest line, in bytes, without its end. No format has any near it: what has is not text.
const LONGEST: usize = 1 << 16;

pub(super) struct Lines<'a> {
    source: Source<'a>,
    buffer: Vec<u8>,
    number: u64,
}

impl<'a> Lines<'a> {
    pub(super) fn new(source: Source<'a>) -> Result<Self> {
        // Room for every line, so that it never grows.
        Ok(Self { source, buffer: with_room(LONGEST + 1)?, number: 0 })
    }

    /// The first bytes of the text, taken or not.
    pub(super) fn head(&self) -> &[u8] {
        self.source.head()
    }

    /// The next line that is neither empty nor begins with one of `comments`.
    pub(super) fn next(&mut self, comments: &[u8]) -> Result<Option<Fields<'_>>> {
        loop {
            self.buffer.clear();
            self.source.line(&mut self.buffer, LONGEST as u64 + 1)?;
            if self.buffer.is_empty() {
                return Ok(None);
            }
            self.number += 1;
            if self.buffer.len() > LONGEST && !self.buffer.ends_with(b"\n") {
                return Err(Error::line(self.number, format!("it is longer than {LONGEST} bytes: this is no text")));
            }
            let first = self.buffer.trim_ascii_start().first();
            if first.is_some_and(|first| !comments.contains(first)) {
                return Ok(Some(Fields::new(self.number, &self.buffer)));
            }
        }
    }

    /// The number of the last line.
    pub(super) fn number(&self) -> u64 {
        self.number
    }
}
