//! Rows of a table that are read in pieces, and kept as streams of Arrow.

use super::super::stored_records::RecordReader;
use super::guarded;
use super::rows::Columns;
use anyhow::Result;
use arrow_array::cast::AsArray;
use arrow_array::{ArrayRef, RecordBatch};
use arrow_ipc::writer::StreamWriter;
use arrow_select::dictionary::garbage_collect_any_dictionary;

/// The rows of a table, batch by batch.
pub type BatchesOf<'a> = Box<dyn Iterator<Item = Result<RecordBatch>> + 'a>;

/// Reads rows of a table.
pub struct RowReader<'a> {
    batches: BatchesOf<'a>,
    /// Those that were read last.
    columns: Option<Columns>,
}

impl<'a> RowReader<'a> {
    pub fn new(batches: BatchesOf<'a>) -> Self {
        Self { batches, columns: None }
    }
}

impl RecordReader for RowReader<'_> {
    fn next(&mut self) -> Result<Option<usize>> {
        let Self { batches, columns } = self;
        // Room for the next ones.
        *columns = None;
        guarded(|| {
            let Some(batch) = batches.next().transpose()? else { return Ok(None) };
            let rows = batch.num_rows();
            *columns = Some(Columns::new(batch.schema(), &[batch])?);
            Ok(Some(rows))
        })
    }

    fn keep(&self, rows: &[u32], to: &mut Vec<u8>) -> Result<()> {
        let Some(columns) = &self.columns else { return Ok(()) };
        guarded(|| {
            let batch = columns.in_order(rows)?;
            // Each part would have all that dictionaries have.
            let small = |column: &ArrayRef| match column.as_any_dictionary_opt() {
                Some(dictionary) => garbage_collect_any_dictionary(dictionary),
                None => Ok(column.clone()),
            };
            let columns = batch.columns().iter().map(small).collect::<Result<_, _>>()?;
            let batch = RecordBatch::try_new(batch.schema(), columns)?;
            let mut writer = StreamWriter::try_new(to, &batch.schema())?;
            writer.write(&batch)?;
            Ok(writer.finish()?)
        })
    }
}
