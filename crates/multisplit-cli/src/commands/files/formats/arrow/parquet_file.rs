//! Parquet files. Columns are read when they are wanted.

use super::super::source::Source;
use anyhow::{Context, Result, bail, ensure};
use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use bytes::Bytes;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder};
use parquet::basic::{Compression, CompressionCodec};
use parquet::errors::{ParquetError, Result as ParquetResult};
use parquet::file::reader::{ChunkReader, Length};
use parquet::schema::types::ColumnPath;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::sync::Arc;

/// Rows that are read at a time.
const ROWS: usize = 1 << 16;

/// The letters that a file begins and ends with.
const MAGIC: &[u8; 4] = b"PAR1";

/// An open file, of which the end was read.
pub struct ParquetFile {
    chunks: Chunks,
    about: ArrowReaderMetadata,
}

impl ParquetFile {
    pub fn open(source: Source) -> Result<Self> {
        let chunks = match (source.file()?, source.size()?) {
            (Some(file), Some(len)) => Chunks::File(Arc::new(file), len),
            _ => Chunks::Memory(source.into_memory()?.into()),
        };
        Self::of(chunks)
    }

    /// Opens a file of so many bytes.
    pub fn of_file(file: File, len: u64) -> Result<Self> {
        Self::of(Chunks::File(Arc::new(file), len))
    }

    fn of(chunks: Chunks) -> Result<Self> {
        let end = chunks.len().checked_sub(8).context("it is cut short")?;
        let tail = chunks.get_bytes(end, 8)?;
        ensure!(!tail.ends_with(b"PARE"), "it is encrypted; save it without that");
        ensure!(tail.ends_with(MAGIC), "it is cut short or damaged: it does not end as Parquet files do");
        let size = tail.first_chunk().map_or(0, |size| u32::from_le_bytes(*size));
        ensure!(
            u64::from(size) + 4 <= end,
            "its end says that it is of {size} bytes, but the file has {} only",
            chunks.len()
        );
        let about = ArrowReaderMetadata::load(&chunks, ArrowReaderOptions::new())?;
        Ok(Self { chunks, about })
    }

    pub fn schema(&self) -> &SchemaRef {
        self.about.schema()
    }

    /// Reads one column, or all.
    pub fn read(&self, column: Option<usize>) -> Result<Vec<RecordBatch>> {
        let column = column.map(|column| [column]);
        let columns = column.as_ref().map(|column| &column[..]);
        let batches: Vec<RecordBatch> = self.batches(columns, ROWS)?.collect::<Result<_>>()?;
        self.check_rows(rows(&batches))?;
        Ok(batches)
    }

    /// Begins to read some columns, or all, so many rows at a time.
    pub fn batches(
        &self,
        columns: Option<&[usize]>,
        rows: usize,
    ) -> Result<impl Iterator<Item = Result<RecordBatch>> + use<>> {
        self.check_codecs(columns)?;
        let mask = match columns {
            Some(columns) => ProjectionMask::roots(self.about.parquet_schema(), columns.iter().copied()),
            None => ProjectionMask::all(),
        };
        let reader = ParquetRecordBatchReaderBuilder::new_with_metadata(self.chunks.clone(), self.about.clone());
        let reader = reader.with_projection(mask).with_batch_size(rows).build()?;
        Ok(reader.map(|batch| batch.context("it cannot be read; it is damaged, or encrypted")))
    }

    /// Returns how many rows it says that it has.
    pub fn rows(&self) -> i64 {
        self.about.metadata().file_metadata().num_rows()
    }

    /// Refuses a file that has more rows or fewer than it says.
    pub fn check_rows(&self, found: usize) -> Result<()> {
        let said = self.rows();
        ensure!(
            i64::try_from(found).is_ok_and(|found| found == said),
            "it is damaged: it says that it has {said} rows, but has {found}"
        );
        Ok(())
    }

    /// Refuses what is compressed by what is not read, or encrypted.
    fn check_codecs(&self, columns: Option<&[usize]>) -> Result<()> {
        let schema = self.about.parquet_schema();
        for group in self.about.metadata().row_groups() {
            for (leaf, chunk) in group.columns().iter().enumerate() {
                let root = schema.get_column_root_idx(leaf);
                if columns.is_some_and(|columns| !columns.contains(&root)) {
                    continue;
                }
                let name = format!("column '{}'", self.schema().field(root).name());
                match chunk.compression_codec() {
                    CompressionCodec::ZSTD if cfg!(not(feature = "zstd")) => return Err(without_zstd(&name)),
                    codec @ (CompressionCodec::BROTLI | CompressionCodec::LZO) => bail!(
                        "{name} is compressed by {}, which is not read; write it with snappy, gzip, lz4 or zstd",
                        format!("{codec:?}").to_lowercase()
                    ),
                    _ => {}
                }
            }
        }
        Ok(())
    }

    /// Returns how each column is compressed.
    pub fn codecs(&self) -> Vec<(ColumnPath, Compression)> {
        let chunks = self.about.metadata().row_groups().first().map(|group| group.columns()).unwrap_or_default();
        let codec = |found: Compression| if found == Compression::LZ4 { Compression::LZ4_RAW } else { found };
        chunks.iter().map(|chunk| (chunk.column_path().clone(), codec(chunk.compression()))).collect()
    }
}

pub fn rows(batches: &[RecordBatch]) -> usize {
    batches.iter().map(RecordBatch::num_rows).sum()
}

/// Says that `what` is compressed by zstd, and what to do.
pub fn without_zstd(what: &str) -> anyhow::Error {
    anyhow::anyhow!(
        "{what} is compressed by zstd, which this program was built without: build it with `--features zstd`, as in \
         `cargo install --locked --path crates/multisplit-cli --features zstd`"
    )
}

/// The bytes of a file.
#[derive(Clone)]
enum Chunks {
    File(Arc<File>, u64),
    Memory(Bytes),
}

impl Length for Chunks {
    fn len(&self) -> u64 {
        match self {
            Self::File(_, len) => *len,
            Self::Memory(bytes) => bytes.len() as u64,
        }
    }
}

impl ChunkReader for Chunks {
    type T = Box<dyn Read>;

    fn get_read(&self, start: u64) -> ParquetResult<Self::T> {
        Ok(match self {
            Self::File(file, _) => file.get_read(start).map(Box::new)?,
            Self::Memory(bytes) => Box::new(bytes.get_read(start)?),
        })
    }

    fn get_bytes(&self, start: u64, length: usize) -> ParquetResult<Bytes> {
        let end = start.checked_add(length as u64).filter(|&end| end <= self.len());
        if end.is_none() {
            let about = format!("{length} bytes are said to be at {start}, but the file has {} only", self.len());
            return Err(ParquetError::EOF(about));
        }
        match self {
            Self::File(file, _) => {
                let mut bytes = vec![0; length];
                let mut file: &File = file;
                file.seek(SeekFrom::Start(start))?;
                file.read_exact(&mut bytes)?;
                Ok(bytes.into())
            }
            Self::Memory(bytes) => bytes.get_bytes(start, length),
        }
    }
}
