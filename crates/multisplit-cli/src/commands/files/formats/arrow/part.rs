//! Rows of a table that are written part by part.

use super::super::format::Format;
use super::super::stored_records::{RecordWriter, SomeRecords};
use super::super::table::TableFormat;
use super::rows::{Columns, ROWS};
use super::writer::{Style, Writer};
use super::{guarded, text_out};
use anyhow::{Context, Result};
use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use arrow_select::concat::concat_batches;
use std::io::Write;

/// A table of which the beginning was written.
pub struct OpenTable {
    writer: Writer,
    schema: SchemaRef,
    /// Rows that wait for others to be a batch with them.
    waiting: Vec<RecordBatch>,
    rows: usize,
    /// How many bytes about those take.
    size: usize,
    /// How many bytes a batch takes at most, and a group of rows.
    most: usize,
    /// How many bytes a row takes, if all take as many.
    row_size: usize,
}

/// What returns rows of these numbers as a batch.
type BatchOf<'a> = &'a dyn Fn(&[u32]) -> Result<RecordBatch>;

impl OpenTable {
    pub fn new(format: TableFormat, style: &Style, most: usize) -> Result<Self> {
        let (writer, schema) = (Writer::new(format, style)?, style.schema.clone());
        Ok(Self { writer, schema, waiting: Vec::new(), rows: 0, size: 0, most, row_size: 1 })
    }

    /// Takes all rows to be of one size.
    pub fn with_rows_of(self, row_size: usize) -> Self {
        Self { row_size, ..self }
    }

    /// Writes rows of that size.
    pub fn write_batches(&mut self, to: &mut dyn Write, rows: &[u32], batch: BatchOf<'_>) -> Result<()> {
        guarded(|| self.write(to, batch, rows, self.row_size))
    }

    /// Writes rows, of which each takes so many bytes, in batches as large as those of a table that is written at once,
    /// if that many fit.
    fn write(&mut self, to: &mut dyn Write, batch: BatchOf<'_>, mut rows: &[u32], row_size: usize) -> Result<()> {
        while !rows.is_empty() {
            let fit = (self.most.saturating_sub(self.size) / row_size.max(1)).max(1);
            let (here, others) = rows.split_at(rows.len().min(fit).min(ROWS - self.rows));
            self.waiting.push(batch(here)?);
            self.rows += here.len();
            self.size += here.len() * row_size;
            rows = others;
            if self.rows == ROWS || self.size + row_size > self.most {
                self.flush(to)?;
            }
        }
        Ok(())
    }

    /// Writes the rows that wait as a batch.
    fn flush(&mut self, to: &mut dyn Write) -> Result<()> {
        if self.rows > 0 {
            let batch = match &self.waiting[..] {
                [only] => only.clone(),
                several => concat_batches(&self.schema, several)?,
            };
            self.waiting.clear();
            (self.rows, self.size) = (0, 0);
            to.write_all(&self.writer.write(&batch)?)?;
            to.write_all(&self.writer.limit(self.most)?)?;
        }
        Ok(())
    }

    /// Writes the end.
    pub fn finish(mut self, to: &mut dyn Write) -> Result<()> {
        guarded(|| {
            self.flush(to)?;
            Ok(to.write_all(&self.writer.finish()?)?)
        })
    }
}

/// Rows in memory.
pub struct SomeRows {
    pub columns: Columns,
    /// How many bytes about each takes.
    pub row_size: usize,
    /// How many bytes are put in order at a time.
    pub most: usize,
}

impl SomeRecords for SomeRows {
    fn write(&self, to: &mut dyn Write, writer: &mut RecordWriter, rows: &[u32]) -> Result<()> {
        guarded(|| match (writer.format, &mut writer.table) {
            (Format::Text(style), _) => rows
                .chunks((self.most / self.row_size.max(1)).clamp(1, ROWS))
                .try_for_each(|rows| text_out::part(to, style, &self.columns.in_order(rows)?)),
            (_, table) => {
                let table = table.as_mut().context("this is no format of tables")?;
                table.write(to, &|rows| self.columns.in_order(rows), rows, self.row_size)
            }
        })
    }
}
