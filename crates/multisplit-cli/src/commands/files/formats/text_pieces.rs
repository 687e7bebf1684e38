//! A column of a text that is read in pieces, for those who only look at keys.

use super::Wanted;
use super::csv::{DATES, Table};
use super::elements::fill;
use super::format::Format;
use super::head::{Head, MARK};
use super::source::Source;
use crate::commands::files::key_type::KeyType;
use crate::commands::files::words::WordsRef;
use crate::shared::progress::{self, Moving};
use anyhow::{Context, Result, ensure};
use std::fs::File;
use std::io::{Seek, SeekFrom};

/// A record that is longer than this, and than a piece, is refused: it may be the rest of the file.
const MOST_OF_RECORD: usize = 1 << 20;

/// Such a column.
pub struct TextPieces {
    pub key_type: KeyType,
    pub n: u64,
    head: Head,
    file: File,
    /// The bytes of the file when it was opened.
    length: u64,
    /// How many bytes are read at a time, unless a record is longer.
    piece: usize,
}

/// A part of a text that has whole records.
struct Piece<'a> {
    text: &'a [u8],
    /// Whether it is the first.
    first: bool,
    lines_before: usize,
}

impl TextPieces {
    /// Opens a text, and reads it to find the type of the column. None for what cannot be read again.
    pub fn open(source: &Source, wanted: &Wanted<'_>, piece: usize) -> Result<Option<Self>> {
        let (Some(file), Some(length)) = (source.file()?, source.size()?) else { return Ok(None) };
        let mut head = None;
        pieces(
            &file,
            piece,
            &mut |piece| {
                head = Some(Head::of(piece.text, wanted)?);
                Ok(false)
            },
            None,
        )?;
        let head = head.context("the file has nothing but empty lines")?;
        let key_type = KeyType::Signed(64);
        let mut found = Self { key_type, n: 0, head, file, length, piece };
        let asked = wanted.key_type;
        found.key_type = asked.map_or_else(|| found.first_type(), Ok)?;
        let may_change = asked.is_none_or(|asked| asked == DATES);
        while !found.settle(may_change)? {}
        Ok(Some(found))
    }

    /// Returns the name of the column, where the file has names.
    pub fn name(&self) -> Option<&str> {
        self.head.name.as_deref()
    }

    pub fn format(&self) -> Format {
        self.head.format()
    }

    /// Calls `visit` with the bits of all keys.
    pub fn each(&self, visit: &mut dyn FnMut(WordsRef<'_>) -> Result<()>) -> Result<()> {
        self.tables(&mut |table| {
            let (_, words) = table.parse_as(self.key_type, false)?;
            visit(words.as_ref()).map(|()| true)
        })
    }

    /// Calls `visit` with the records of all pieces, as long as it says so.
    fn tables(&self, visit: &mut dyn FnMut(&Table<'_>) -> Result<bool>) -> Result<()> {
        let visit =
            &mut |piece: Piece<'_>| visit(&Table::scan(piece.text, &self.head, piece.first, piece.lines_before)?);
        progress::expect(self.length);
        pieces(&self.file, self.piece, visit, Some(&self.head))?;
        let length = self.file.metadata()?.len();
        ensure!(
            length == self.length,
            "the file changed while it was read: it had {} bytes, and now has {length}",
            self.length
        );
        Ok(())
    }

    /// Returns the type of the first field that is not empty.
    fn first_type(&self) -> Result<KeyType> {
        let mut found = None;
        self.tables(&mut |table| {
            found = table.first_type();
            Ok(found.is_none())
        })?;
        Ok(found.unwrap_or(KeyType::Signed(64)))
    }

    /// Counts the keys. Returns whether all are of the type; if not, it is now one with more room.
    fn settle(&mut self, may_change: bool) -> Result<bool> {
        let (mut n, mut wider) = (0, None);
        self.tables(&mut |table| {
            let (found, words) = table.parse_as(self.key_type, may_change)?;
            n += words.len() as u64;
            wider = (found != self.key_type).then_some(found);
            Ok(wider.is_none())
        })?;
        self.n = n;
        self.key_type = wider.unwrap_or(self.key_type);
        Ok(wider.is_none())
    }
}

/// Calls `visit` with pieces of a text, as long as it says so. Without a head there is one piece, which has the first
/// record.
fn pieces(
    mut file: &File,
    size: usize,
    visit: &mut dyn FnMut(Piece<'_>) -> Result<bool>,
    head: Option<&Head>,
) -> Result<()> {
    file.seek(SeekFrom::Start(0))?;
    let (mut text, mut first, mut lines_before) = (Vec::new(), true, 0);
    loop {
        let before = text.len();
        ensure!(
            before <= size.max(MOST_OF_RECORD),
            "line {}: the record that begins here has more than {before} bytes; does a quoted field not end?",
            lines_before + 1
        );
        let more = size.max(before);
        text.resize(before + more, 0);
        let got = fill(&mut Moving(file), &mut text[before..])?;
        text.truncate(before + got);
        if first && before == 0 && text.starts_with(MARK) {
            text.drain(..MARK.len());
        }
        let at_end = got < more;
        let end = match head {
            _ if at_end => text.len(),
            Some(head) => head.end_of_records(&text),
            None => Head::end_of_first(&text),
        };
        if end == 0 && !at_end {
            continue;
        }
        if end > 0 && !visit(Piece { text: &text[..end], first, lines_before })? || at_end {
            return Ok(());
        }
        lines_before += text[..end].iter().filter(|&&byte| byte == b'\n').count();
        text.drain(..end);
        first = false;
    }
}
