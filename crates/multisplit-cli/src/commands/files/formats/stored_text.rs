//! Records of a text that stay in their file.

#[cfg(feature = "arrow")]
use super::arrow::{KeyColumn, TextTypes};
use super::column::Records;
use super::format::Format;
use super::lines::Span;
use super::stored_records::{KeptPart, RecordReader, RecordWriter, SomeRecords, StoredRecords};
use super::text_pieces::{Cursor, TextPieces};
#[cfg(feature = "arrow")]
use super::text_records::AsTable;
use super::text_records::TextRecords;
use anyhow::{Context, Result, ensure};
use std::io::Write;
#[cfg(feature = "arrow")]
use std::sync::Arc;

const CUT: &str = "a temporary file was cut short";

/// Such records.
pub struct StoredText {
    text: TextPieces,
    /// What they are in tables, if they are written to one.
    #[cfg(feature = "arrow")]
    types: Option<Arc<TextTypes>>,
    /// How many bytes may be held.
    #[cfg(feature = "arrow")]
    memory: u64,
}

impl StoredText {
    /// Takes the records of a text, to be written in some of these formats with so much memory. For tables it is read
    /// again, to find the types of all columns.
    pub fn new(text: TextPieces, formats: &[Format], memory: u64) -> Result<Self> {
        #[cfg(feature = "arrow")]
        {
            let as_table = formats.iter().any(|format| matches!(format, Format::Table(_)));
            let types = as_table.then(|| TextTypes::find(&text).map(Arc::new)).transpose()?;
            Ok(Self { text, types, memory })
        }
        #[cfg(not(feature = "arrow"))]
        {
            let _ = (formats, memory);
            Ok(Self { text })
        }
    }

    /// Returns records of a text as those in memory are.
    fn records(&self, text: Vec<u8>, header: Option<Span>, rows: Vec<Span>) -> TextRecords {
        let head = self.text.head();
        TextRecords {
            text,
            header,
            rows,
            delimiter: head.delimiter,
            nulls: None,
            #[cfg(feature = "arrow")]
            as_table: AsTable::new(KeyColumn { column: head.column, key_type: self.text.key_type }, self.types.clone()),
        }
    }

    /// Returns how many bytes about a record takes, of the text alone.
    #[cfg(feature = "arrow")]
    fn record_size(&self) -> u64 {
        (self.text.length / self.text.rows().max(1)).max(1)
    }
}

impl StoredRecords for StoredText {
    fn check(&self, format: Format) -> Result<bool> {
        if matches!(format, Format::Text(_) | Format::Table(_)) {
            return Ok(true);
        }
        let (nulls, place) = self.text.nulls;
        let alone = self.text.key_type.dtype().is_ok() && !(nulls > 0 && place.stays());
        ensure!(alone, "lines of text can be written to a text file only");
        Ok(false)
    }

    fn bytes(&self) -> u64 {
        self.text.length
    }

    fn check_unchanged(&self) -> Result<()> {
        self.text.check_length()
    }

    fn reader(&self) -> Result<Box<dyn RecordReader + '_>> {
        Ok(Box::new(LineReader { text: &self.text, cursor: self.text.cursor()?, rows: Vec::new() }))
    }

    fn copies(&self) -> u64 {
        #[cfg(feature = "arrow")]
        if let Some(types) = &self.types {
            return 2 + types.row_bytes() / self.record_size();
        }
        1
    }

    fn take(&self, kept: Vec<u8>, parts: &[KeptPart]) -> Result<Box<dyn SomeRecords + '_>> {
        let mut rows = Vec::with_capacity(parts.iter().map(|part| part.count).sum());
        for KeptPart { range, count } in parts {
            let mut start = range.start + 4 * count;
            let sizes = kept.get(range.start..start).context(CUT)?;
            for size in sizes.as_chunks::<4>().0 {
                let end = start + u32::from_le_bytes(*size) as usize;
                rows.push(Span { start, end });
                start = end;
            }
            ensure!(start == range.end && start <= kept.len(), CUT);
        }
        Ok(Box::new(self.records(kept, None, rows)))
    }

    fn begin(&self, to: &mut dyn Write, format: Format) -> Result<RecordWriter> {
        #[cfg(feature = "arrow")]
        if let (Format::Table(table), Some(types)) = (format, &self.types) {
            let row_size = (2 * self.record_size() + types.row_bytes()) as usize;
            let table = types.begin(table, (self.memory / 8) as usize, row_size)?;
            return Ok(RecordWriter { format, table: Some(table) });
        }
        if let Some(header) = self.text.header() {
            let span = Span { start: 0, end: header.len() };
            Records::write(&self.records(header.to_vec(), Some(span), Vec::new()), to, format, &[])?;
        }
        Ok(RecordWriter {
            format,
            #[cfg(feature = "arrow")]
            table: None,
        })
    }
}

/// Reads records of a text.
struct LineReader<'a> {
    text: &'a TextPieces,
    cursor: Cursor<'a>,
    /// Where those of the last piece are.
    rows: Vec<Span>,
}

impl RecordReader for LineReader<'_> {
    fn next(&mut self) -> Result<Option<usize>> {
        let Some(table) = self.text.next(&mut self.cursor)? else { return Ok(None) };
        self.rows = table.into_rows();
        Ok(Some(self.rows.len()))
    }

    fn keep(&self, rows: &[u32], to: &mut Vec<u8>) -> Result<()> {
        let spans = || rows.iter().map(|&row| self.rows[row as usize].range());
        to.extend(spans().flat_map(|span| (span.len() as u32).to_le_bytes()));
        spans().for_each(|span| to.extend_from_slice(&self.cursor.text()[span]));
        Ok(())
    }
}

impl SomeRecords for TextRecords {
    fn write(&self, to: &mut dyn Write, writer: &mut RecordWriter, rows: &[u32]) -> Result<()> {
        #[cfg(feature = "arrow")]
        if let Some(table) = &mut writer.table {
            return table.write_batches(to, rows, &|rows| self.columns()?.batch(&self.text, rows));
        }
        Ok(Records::write(self, to, writer.format, rows)?)
    }
}
