//! A column of a text that is read in pieces.

use super::Wanted;
use super::column::NullPlace;
use super::csv::{DATES, Table};
use super::elements::fill;
use super::format::Format;
use super::head::{Head, MARK};
use super::source::{self, Source};
use crate::commands::files::key_type::KeyType;
use crate::commands::files::words::{Words, WordsRef};
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
    /// How many rows have no key, and where they go.
    pub nulls: (u64, NullPlace),
    head: Head,
    /// The record that names the columns.
    header: Option<Vec<u8>>,
    file: File,
    /// The bytes of the file when it was opened.
    pub length: u64,
    /// How many bytes are read at a time, unless a record is longer.
    piece: usize,
}

/// What looks at the keys of a piece, and at its records, while the type of the keys is found: it may turn out that
/// those of a piece need another one, after which all come again. The number is that of the rows before.
pub type Settling<'a> = &'a mut dyn FnMut(&Table<'_>, (KeyType, &Words), u64) -> Result<()>;

impl TextPieces {
    /// Opens a text, and reads it to find the type of the column. None for what cannot be read again.
    pub fn open(source: &Source, wanted: &Wanted<'_>, piece: usize, visit: Settling<'_>) -> Result<Option<Self>> {
        let (Some(file), Some(length)) = (source.file()?, source.size()?) else { return Ok(None) };
        let first = Cursor::new(&file, piece)?.next(None)?.map(|piece| Head::of(piece.text, wanted)).transpose()?;
        let head = first.context("the file has nothing but empty lines")?;
        let key_type = KeyType::Signed(64);
        let nulls = (0, wanted.null);
        let mut found = Self { key_type, n: 0, nulls, head, header: None, file, length, piece };
        let asked = wanted.key_type;
        found.key_type = asked.map_or_else(|| found.first_type(), Ok)?;
        let may_change = asked.is_none_or(|asked| asked == DATES);
        while !found.settle(may_change, visit)? {}
        Ok(Some(found))
    }

    /// Returns the name of the column, where the file has names.
    pub fn name(&self) -> Option<&str> {
        self.head.name.as_deref()
    }

    pub fn format(&self) -> Format {
        self.head.format()
    }

    /// Returns what the first record says.
    pub fn head(&self) -> &Head {
        &self.head
    }

    /// Returns how many rows there are, those without a key included.
    #[cfg(feature = "arrow")]
    pub fn rows(&self) -> u64 {
        self.n + self.nulls.0
    }

    /// Returns the record that names the columns.
    pub fn header(&self) -> Option<&[u8]> {
        self.header.as_deref()
    }

    /// Begins to read records.
    pub fn cursor(&self) -> Result<Cursor<'_>> {
        progress::expect(self.length);
        Cursor::new(&self.file, self.piece)
    }

    /// Finds the records of the next piece.
    pub fn next<'a>(&'a self, cursor: &'a mut Cursor<'_>) -> Result<Option<Table<'a>>> {
        let piece = cursor.next(Some(&self.head))?;
        piece.map(|piece| Table::scan(piece.text, &self.head, piece.first, piece.lines_before)).transpose()
    }

    /// Refuses a file that grew or shrank since it was opened.
    pub fn check_length(&self) -> Result<()> {
        source::check_length(&self.file, self.length)
    }

    /// Calls `visit` with the bits of all keys.
    pub fn each(&self, visit: &mut dyn FnMut(WordsRef<'_>) -> Result<()>) -> Result<()> {
        self.tables(&mut |table| {
            let (_, words) = table.parse_as(self.key_type, false)?;
            visit(words.as_ref()).map(|()| true)
        })
    }

    /// Calls `visit` with the records of all pieces, as long as it says so.
    pub fn tables(&self, visit: &mut dyn FnMut(&Table<'_>) -> Result<bool>) -> Result<()> {
        let mut cursor = self.cursor()?;
        while let Some(table) = self.next(&mut cursor)? {
            if !visit(&table)? {
                break;
            }
        }
        self.check_length()
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
    fn settle(&mut self, may_change: bool, visit: Settling<'_>) -> Result<bool> {
        let (mut n, mut rows, mut wider, mut header) = (0, 0, None, None);
        self.tables(&mut |table| {
            let (found, words) = table.parse_as(self.key_type, may_change)?;
            header = header.take().or(table.header().map(<[u8]>::to_vec));
            wider = (found != self.key_type).then_some(found);
            if wider.is_none() {
                visit(table, (found, &words), rows)?;
            }
            n += words.len() as u64;
            rows += table.rows().len() as u64;
            Ok(wider.is_none())
        })?;
        (self.n, self.nulls.0, self.header) = (n, rows - n, header);
        self.key_type = wider.unwrap_or(self.key_type);
        Ok(wider.is_none())
    }
}

/// A part of a text that has whole records.
struct Piece<'a> {
    text: &'a [u8],
    /// Whether it is the first.
    first: bool,
    lines_before: usize,
}

/// Where the next piece of a text begins.
pub struct Cursor<'a> {
    file: &'a File,
    /// How many bytes are read at a time.
    size: usize,
    /// The last piece, and what was read behind it.
    text: Vec<u8>,
    /// Where the last piece ended.
    end: usize,
    lines_before: usize,
    first: bool,
    at_end: bool,
}

impl<'a> Cursor<'a> {
    fn new(mut file: &'a File, size: usize) -> Result<Self> {
        file.seek(SeekFrom::Start(0))?;
        Ok(Self { file, size, text: Vec::new(), end: 0, lines_before: 0, first: true, at_end: false })
    }

    /// Returns the last piece.
    pub fn text(&self) -> &[u8] {
        &self.text[..self.end]
    }

    /// Reads the next piece. Without a head it is one that has the first record.
    fn next(&mut self, head: Option<&Head>) -> Result<Option<Piece<'_>>> {
        let first = self.first;
        self.lines_before += self.text[..self.end].iter().filter(|&&byte| byte == b'\n').count();
        self.text.drain(..self.end);
        self.end = 0;
        while self.end == 0 && !self.at_end {
            self.read_more()?;
            self.end = match head {
                _ if self.at_end => self.text.len(),
                Some(head) => head.end_of_records(&self.text),
                None => Head::end_of_first(&self.text),
            };
        }
        self.first = false;
        let (text, lines_before) = (&self.text[..self.end], self.lines_before);
        Ok((self.end > 0).then_some(Piece { text, first, lines_before }))
    }

    fn read_more(&mut self) -> Result<()> {
        let before = self.text.len();
        ensure!(
            before <= self.size.max(MOST_OF_RECORD),
            "line {}: the record that begins here has more than {before} bytes; does a quoted field not end?",
            self.lines_before + 1
        );
        let more = self.size.max(before);
        self.text.resize(before + more, 0);
        let got = fill(&mut Moving(self.file), &mut self.text[before..])?;
        self.text.truncate(before + got);
        if self.first && before == 0 && self.text.starts_with(MARK) {
            self.text.drain(..MARK.len());
        }
        self.at_end = got < more;
        Ok(())
    }
}
