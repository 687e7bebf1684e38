//! Records of a text that stay in their file.

use super::column::Records;
use super::format::Format;
use super::lines::Span;
use super::stored_records::{KeptPart, RecordReader, RecordWriter, SomeRecords, StoredRecords};
use super::text_pieces::{Cursor, TextPieces};
use super::text_records::TextRecords;
use anyhow::{Context, Result, bail, ensure};
use std::io::Write;

const CUT: &str = "a temporary file was cut short";

/// Such records.
pub struct StoredText(pub TextPieces);

/// Refuses formats that rows of a text are not written in part by part.
pub fn check(format: Format) -> Result<()> {
    if let Format::Table(table) = format {
        bail!(
            "rows of a text become {table} as a whole, which do not fit the memory; name a .csv or .tsv file, or give \
             more --memory"
        );
    }
    Ok(())
}

impl StoredText {
    /// Returns records of a text as those in memory are.
    fn records(&self, text: Vec<u8>, header: Option<Span>, rows: Vec<Span>) -> TextRecords {
        TextRecords {
            text,
            header,
            rows,
            delimiter: self.0.delimiter(),
            nulls: None,
            #[cfg(feature = "arrow")]
            as_table: super::text_records::AsTable::new((0, self.0.key_type)),
        }
    }
}

impl StoredRecords for StoredText {
    fn check(&self, format: Format) -> Result<bool> {
        check(format)?;
        let whole = matches!(format, Format::Text(_));
        ensure!(whole || self.0.key_type.dtype().is_ok(), "lines of text can be written to a text file only");
        Ok(whole)
    }

    fn bytes(&self) -> u64 {
        self.0.length
    }

    fn check_unchanged(&self) -> Result<()> {
        self.0.check_length()
    }

    fn reader(&self) -> Result<Box<dyn RecordReader + '_>> {
        Ok(Box::new(LineReader { text: &self.0, cursor: self.0.cursor()?, rows: Vec::new() }))
    }

    fn copies(&self) -> u64 {
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
        if let Some(header) = self.0.header() {
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
        Ok(Records::write(self, to, writer.format, rows)?)
    }
}
