//! Whole records that stay in their file: they are read in pieces, kept elsewhere in another order, and written.

#[cfg(feature = "arrow")]
use super::arrow::OpenTable;
use super::format::Format;
use anyhow::Result;
use std::io::Write;
use std::ops::Range;

/// Such records.
pub trait StoredRecords: Sync {
    /// Returns whether records are written in a format, rather than keys alone. Refuses one that they cannot be written
    /// in.
    fn check(&self, format: Format) -> Result<bool>;

    /// Returns about how many bytes there are.
    fn bytes(&self) -> u64;

    /// Refuses a file that grew or shrank since it was opened.
    fn check_unchanged(&self) -> Result<()>;

    /// Begins to read the records in their order.
    fn reader(&self) -> Result<Box<dyn RecordReader + '_>>;

    /// Returns how many times records are in memory while they are taken.
    fn copies(&self) -> u64;

    /// Takes records that readers have kept.
    fn take(&self, kept: Vec<u8>, parts: &[KeptPart]) -> Result<Box<dyn SomeRecords + '_>>;

    /// Begins to write records.
    fn begin(&self, to: &mut dyn Write, format: Format) -> Result<RecordWriter>;
}

/// Reads records piece by piece.
pub trait RecordReader {
    /// Reads the next piece, and returns how many records it has. None at the end.
    fn next(&mut self) -> Result<Option<usize>>;

    /// Appends records of the piece to what is kept.
    fn keep(&self, rows: &[u32], to: &mut Vec<u8>) -> Result<()>;
}

/// What was appended at a time to what is kept.
pub struct KeptPart {
    /// Where it is.
    pub range: Range<usize>,
    /// How many records it has.
    pub count: usize,
}

/// Records in memory.
pub trait SomeRecords {
    /// Writes those of these numbers.
    fn write(&self, to: &mut dyn Write, writer: &mut RecordWriter, rows: &[u32]) -> Result<()>;
}

/// What is to be known of an output whose beginning was written.
pub struct RecordWriter {
    pub format: Format,
    #[cfg(feature = "arrow")]
    pub table: Option<OpenTable>,
}

impl RecordWriter {
    /// Writes the end.
    pub fn finish(self, to: &mut dyn Write) -> Result<()> {
        #[cfg(feature = "arrow")]
        if let Some(table) = self.table {
            return table.finish(to);
        }
        let _ = to;
        Ok(())
    }
}
