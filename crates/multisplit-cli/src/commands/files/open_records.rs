//! Text and tables that do not fit the memory: their rows stay where they are, and their keys are kept in a temporary
//! file, to be read in pieces as any numbers.

#[cfg(feature = "arrow")]
use super::formats::arrow::StoredTable;
use super::formats::column_file::ColumnFile;
use super::formats::head::Head;
use super::formats::source::Source;
#[cfg(feature = "arrow")]
use super::formats::stored_records::StoredRecords;
use super::formats::stored_text::StoredText;
#[cfg(feature = "arrow")]
use super::formats::table::TableFormat;
use super::formats::text_pieces::{Settling, TextPieces};
use super::formats::{self, Wanted};
#[cfg(feature = "arrow")]
use super::formats::{Format, NullPlace};
use super::input::Input;
use super::key_files::{KeyColumns, KeyFiles};
use super::key_type::KeyType;
use super::large::table::{SizedRecords, StoredNamed};
use super::open::{Beside, Needs, Opened};
use super::paths::OutputPaths;
use anyhow::Result;

/// The part of the limit that text is read in at a time: where its records and fields are takes many times as much.
const COPIES_OF_TEXT: u64 = 32;

/// The most that is read of a text at a time, so that the size of a record has 32 bits.
const MOST_OF_TEXT: u64 = 1 << 30;

impl Input {
    /// Leaves rows where they are, if it can be done.
    pub(super) fn open_records(&self, source: Source, paths: &OutputPaths, needs: Needs) -> Result<Option<Opened>> {
        #[cfg(feature = "arrow")]
        if let Format::Table(format) = formats::format_of(&source)? {
            return self.open_rows(source, format, paths, needs);
        }
        if !formats::is_text(&source)? {
            return Ok(None);
        }
        let (source, mut files) = (source.in_file()?, KeyFiles::new(paths, KeyType::Text, self.null)?);
        let text = self.open_text(&source, &self.wanted(), &mut |table, (key_type, words), before| {
            if before == 0 {
                files.clear(key_type)?;
            }
            let sizes: Vec<u32> = table.rows().iter().map(|row| row.range().len() as u32).collect();
            files.push(words, &sizes, table.keyless(), before)
        })?;
        let Some(text) = text else { return Ok(None) };
        let named = self.named_of_text(&source, text.head(), paths)?;
        let (key_type, name, format) = (text.key_type, text.name().map(str::to_string), text.format());
        let formats = paths.formats_of_keys(format)?;
        let rows = StoredText::new(text, &formats, self.budget.bytes())?;
        let moved = paths.moves_stored(&rows, format)?;
        let KeyColumns { keys, sizes, nulls } = files.finish(key_type, name, format)?;
        paths.check_values(nulls.is_some())?;
        let records: Option<SizedRecords> = moved.then(|| (Box::new(rows) as Box<_>, sizes));
        self.table(keys, Beside { records, nulls, named }, paths, needs).map(Some)
    }

    /// Opens a text to be read in pieces.
    pub(super) fn open_text(
        &self,
        source: &Source,
        wanted: &Wanted<'_>,
        visit: Settling<'_>,
    ) -> Result<Option<TextPieces>> {
        let piece = (self.budget.bytes() / COPIES_OF_TEXT).min(MOST_OF_TEXT);
        TextPieces::open(source, wanted, piece as usize, visit)
    }

    /// Keeps the columns of a text that were asked for by their names.
    fn named_of_text(&self, source: &Source, head: &Head, paths: &OutputPaths) -> Result<Vec<StoredNamed>> {
        let (mut named, folder) = (Vec::new(), paths.folder_for_temporary_files());
        for name in self.others() {
            let mut column = ColumnFile::new(&folder, KeyType::Text.width())?;
            let wanted = formats::wanted_of_other(name, head)?;
            let text = self.open_text(source, &wanted, &mut |_, (key_type, words), before| {
                if before == 0 {
                    column.clear(key_type.width())?;
                }
                column.push(words.as_ref())
            })?;
            let Some(text) = text else { continue };
            named.push(StoredNamed::new(name, column.finish(Some(text.key_type), None, text.format())?));
        }
        Ok(named)
    }

    /// Leaves rows of a table where they are, if it can be done.
    #[cfg(feature = "arrow")]
    fn open_rows(
        &self,
        source: Source,
        format: TableFormat,
        paths: &OutputPaths,
        needs: Needs,
    ) -> Result<Option<Opened>> {
        let (source, memory) = (source.in_file()?, self.budget.bytes());
        let open = |wanted: &Wanted<'_>| StoredTable::open(&source, format, wanted, memory);
        let Some(mut rows) = open(&self.wanted())? else { return Ok(None) };
        let mut named = Vec::new();
        for name in self.others() {
            let keyed_by = (self.null != NullPlace::Error).then(|| rows.column());
            let wanted = Wanted { column: Some(name), keyed_by, ..Wanted::default() };
            let Some(mut column) = open(&wanted)? else { continue };
            let mut file = ColumnFile::new(&paths.folder_for_temporary_files(), column.key_type.width())?;
            column.keys(false, &mut |rows| file.push(rows.words.as_ref()))?;
            named.push(StoredNamed::new(name, file.finish(Some(column.key_type), None, Format::Table(format))?));
        }
        let (format, key_type) = (Format::Table(format), KeyType::settle(self.key_type, Some(rows.key_type))?);
        let moved = paths.moves_stored(&rows, format)?;
        if moved {
            rows.measure()?;
        }
        let mut files = KeyFiles::new(paths, key_type, self.null)?;
        rows.keys(moved, &mut |rows| files.push(rows.words, rows.sizes, rows.keyless, rows.before as u64))?;
        // Rows without a key are written whole.
        paths.moves_stored(&rows, format)?;
        let KeyColumns { keys, sizes, nulls } = files.finish(key_type, Some(rows.name().to_string()), format)?;
        paths.check_values(nulls.is_some())?;
        let records: Option<SizedRecords> = moved.then(|| (Box::new(rows) as Box<_>, sizes));
        self.table(keys, Beside { records, nulls, named }, paths, needs).map(Some)
    }

    /// Returns how many bytes a file takes in memory, with the rows of a table if those are written.
    #[cfg(feature = "arrow")]
    pub(super) fn size_of_rows(&self, source: &Source, paths: &OutputPaths) -> Result<Option<u64>> {
        let size_of = |format: TableFormat| {
            let mut rows = StoredTable::open(source, format, &self.wanted(), self.budget.bytes()).ok()??;
            let moved = paths.moves_stored(&rows, Format::Table(format)).unwrap_or(true);
            (moved && rows.measure().is_ok()).then(|| rows.bytes())
        };
        Ok(match formats::format_of(source)? {
            // What is wrong with it is said when it is read.
            Format::Table(format) => size_of(format).or(source.size()?),
            _ => source.size()?,
        })
    }

    #[cfg(not(feature = "arrow"))]
    pub(super) fn size_of_rows(&self, source: &Source, _paths: &OutputPaths) -> Result<Option<u64>> {
        source.size()
    }
}
