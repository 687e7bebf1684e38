//! Tables that stay in their file, and are read in pieces: whole batches of Arrow, some rows of Parquet.

use super::super::Wanted;
use super::super::column::NullPlace;
use super::super::format::Format;
use super::super::source::{self, Source};
use super::super::stored_records::{KeptPart, RecordReader, RecordWriter, SomeRecords, StoredRecords};
use super::super::table::TableFormat;
use super::ipc::{Batches, Bytes};
use super::parquet_file::ParquetFile;
use super::part::{OpenTable, SomeRows};
use super::row_reader::{BatchesOf, RowReader};
use super::rows::{Columns, ROWS};
use super::types::{has_dictionaries, has_views};
use super::writer::Style;
use super::{guarded, keys, position, text_out};
use crate::commands::files::key_type::KeyType;
use crate::commands::files::words::Words;
use anyhow::{Context, Result, bail, ensure};
use arrow_array::{Array, ArrayRef, BooleanArray, RecordBatch};
use arrow_buffer::Buffer;
use arrow_ipc::reader::StreamDecoder;
use arrow_schema::{DataType, SchemaRef};
use arrow_select::filter::filter;
use std::fs::File;
use std::io::Write;

/// Rows that tell how large rows are.
const SAMPLED: usize = 1 << 10;

/// The memory for each key that is read, of which not all is used.
const OF_KEY: usize = 128;

/// An open table.
pub struct StoredTable {
    file: File,
    /// The bytes of the file when it was opened.
    length: u64,
    format: TableFormat,
    /// None of Arrow's formats.
    parquet: Option<ParquetFile>,
    schema: SchemaRef,
    /// What the end of an Arrow file says beside the schema.
    notes: Vec<(String, String)>,
    /// The number of the column of the keys.
    column: usize,
    /// Another one, if rows without an element there are left out.
    keyed_by: Option<usize>,
    pub key_type: KeyType,
    /// Where rows without a key go, and whether there are some.
    null: NullPlace,
    has_nulls: bool,
    /// How many bytes may be held.
    memory: usize,
    /// How many rows of Parquet are read at a time.
    rows: usize,
    /// How many bytes about all rows take in memory.
    size: u64,
}

impl StoredTable {
    /// Opens a table to be read with so much memory. None for what is in no file.
    pub fn open(source: &Source, format: TableFormat, wanted: &Wanted<'_>, memory: u64) -> Result<Option<Self>> {
        let (Some(file), Some(length)) = (source.file()?, source.size()?) else { return Ok(None) };
        guarded(|| {
            let memory = usize::try_from(memory).unwrap_or(usize::MAX);
            let begin = || -> Result<_> {
                if format == TableFormat::Parquet {
                    let parquet = ParquetFile::of_file(file.try_clone()?, length)?;
                    return Ok((parquet.schema().clone(), Vec::new(), Some(parquet)));
                }
                let batches = batches(format, file.try_clone()?, length, memory)?;
                Ok((batches.schema()?, batches.notes, None))
            };
            let (schema, notes, parquet) = begin().with_context(|| format!("{format} that cannot be read"))?;
            let column = position(&schema, wanted)?;
            let field = schema.field(column);
            let named = || format!("column '{}'", field.name());
            let key_type = keys::of(field.data_type(), &[], NullPlace::Error, 0).with_context(named)?.key_type;
            let rows = (memory / OF_KEY).clamp(1, ROWS);
            let (keyed_by, null) = (wanted.keyed_by, wanted.null);
            Ok(Some(Self {
                file,
                length,
                format,
                parquet,
                schema,
                notes,
                column,
                keyed_by,
                key_type,
                null,
                has_nulls: false,
                memory,
                rows,
                size: length,
            }))
        })
    }

    /// Finds out how large rows of Parquet are, which are compressed in many ways, by the first of them.
    pub fn measure(&mut self) -> Result<()> {
        let Some(parquet) = &self.parquet else { return Ok(()) };
        let sample = guarded(|| parquet.batches(None, self.rows.min(SAMPLED))?.next().transpose())?;
        if let Some(batch) = sample {
            let row_size = row_size(&batch);
            self.size = self.length.max((parquet.rows().max(0) as u64).saturating_mul(row_size as u64));
            self.rows = (self.memory / 8 / row_size).clamp(1, ROWS);
        }
        Ok(())
    }

    /// Returns the number of the column of the keys.
    pub fn column(&self) -> usize {
        self.column
    }

    /// Returns the name of the column of the keys.
    pub fn name(&self) -> &str {
        self.schema.field(self.column).name()
    }

    /// Returns how the table is written.
    fn style(&self) -> Style {
        let codecs = self.parquet.as_ref().map(ParquetFile::codecs).unwrap_or_default();
        Style { schema: self.schema.clone(), codecs, notes: self.notes.clone() }
    }

    /// Calls `visit` with all keys, and with how many bytes their rows take if those are `whole`.
    pub fn keys(&mut self, whole: bool, visit: &mut dyn FnMut(SomeKeys<'_>) -> Result<()>) -> Result<()> {
        let field = self.schema.field(self.column);
        // Of Parquet only the columns are read that are wanted.
        let mut wanted: Vec<usize> = self.keyed_by.into_iter().chain([self.column]).collect();
        wanted.sort_unstable();
        wanted.dedup();
        let alone = (self.parquet.is_some() && !whole).then_some(&*wanted);
        let place = |column: usize| alone.map_or(column, |wanted| wanted.partition_point(|&each| each < column));
        let mut has_nulls = false;
        let mut take = |batch: &RecordBatch, before: usize| {
            let column = batch.column(place(self.column)).clone();
            let column = match self.keyed_by.and_then(|key| batch.column(place(key)).logical_nulls()) {
                Some(valid) => filter(&column, &BooleanArray::new(valid.inner().clone(), None))?,
                None => column,
            };
            let found = keys::of(field.data_type(), &[column], self.null, before);
            let keys::Keys { words, nulls, .. } = found.with_context(|| format!("column '{}'", field.name()))?;
            let keyless = nulls.as_ref().map_or(&[][..], |nulls| &nulls.rows);
            has_nulls |= !keyless.is_empty();
            let sizes = vec![u32::try_from(row_size(batch)).unwrap_or(u32::MAX); batch.num_rows()];
            visit(SomeKeys { words: &words, sizes: &sizes, keyless, before })
        };
        guarded(|| {
            let (mut batches, mut before) = (self.batches(alone)?, 0);
            while let Some(batch) = batches.next().transpose()? {
                take(&batch, before)?;
                before += batch.num_rows();
            }
            self.parquet.as_ref().map_or(Ok(()), |parquet| parquet.check_rows(before))
        })?;
        self.has_nulls = has_nulls;
        self.check_unchanged()
    }

    /// Begins to read some columns, or all. Of a file that changed, that is said.
    fn batches(&self, columns: Option<&[usize]>) -> Result<BatchesOf<'_>> {
        let changed = |error| self.check_unchanged().err().unwrap_or(error);
        if let Some(parquet) = &self.parquet {
            let batches = parquet.batches(columns, self.rows)?;
            return Ok(Box::new(batches.map(move |batch| batch.map_err(changed))));
        }
        let mut batches = batches(self.format, self.file.try_clone()?, self.length, self.memory)?;
        Ok(Box::new(std::iter::from_fn(move || batches.next().transpose().map(|batch| batch.map_err(changed)))))
    }
}

/// Keys of some rows of a table.
pub struct SomeKeys<'a> {
    pub words: &'a Words,
    /// How many bytes each row takes.
    pub sizes: &'a [u32],
    /// The rows without a key.
    pub keyless: &'a [u32],
    /// How many rows come before.
    pub before: usize,
}

/// Begins to read Arrow's formats, of which a batch may take a quarter of the memory.
fn batches(format: TableFormat, file: File, length: u64, memory: usize) -> Result<Batches> {
    let bytes = Bytes::File { file, len: usize::try_from(length)?, most: memory / 4 };
    if format == TableFormat::ArrowFile { Batches::of_file(bytes) } else { Batches::of_stream(bytes) }
}

/// Returns how many bytes about a row of a batch takes.
fn row_size(batch: &RecordBatch) -> usize {
    let size = |column: &ArrayRef| {
        let slice = || column.to_data().get_slice_memory_size().ok();
        let known = if has_views(column.data_type()) { None } else { slice() };
        known.unwrap_or_else(|| column.get_array_memory_size())
    };
    (batch.columns().iter().map(size).sum::<usize>() / batch.num_rows().max(1)).max(1)
}

impl StoredRecords for StoredTable {
    fn check(&self, format: Format) -> Result<bool> {
        for field in self.schema.fields() {
            let (name, data_type) = (field.name(), field.data_type());
            let is_dictionary = matches!(data_type, DataType::Dictionary(..));
            let refused = match format {
                // A file has one dictionary for all of its rows.
                Format::Table(TableFormat::ArrowFile) => has_dictionaries(data_type),
                Format::Table(_) | Format::Text(_) => has_dictionaries(data_type) && !is_dictionary,
                _ => false,
            };
            ensure!(
                !refused,
                "column '{name}' is of type {data_type}, of which a dictionary is in memory as a whole here; {}give \
                 more --memory",
                if is_dictionary { "name a .parquet or .arrows file, or " } else { "" }
            );
        }
        match format {
            Format::Table(_) => Ok(true),
            Format::Text(_) => text_out::check(&self.schema).map(|()| true),
            _ if self.key_type.dtype().is_ok() && !(self.has_nulls && self.null.stays()) => Ok(false),
            _ => bail!("rows of a table can be written to .parquet, .arrow, .csv and .tsv files only"),
        }
    }

    fn bytes(&self) -> u64 {
        self.size
    }

    fn check_unchanged(&self) -> Result<()> {
        source::check_length(&self.file, self.length)
    }

    fn reader(&self) -> Result<Box<dyn RecordReader + '_>> {
        let batches = guarded(|| self.batches(None))?;
        Ok(Box::new(RowReader::new(batches)))
    }

    fn copies(&self) -> u64 {
        2
    }

    fn take(&self, kept: Vec<u8>, parts: &[KeptPart]) -> Result<Box<dyn SomeRecords + '_>> {
        guarded(|| {
            let (kept, mut batches) = (Buffer::from_vec(kept), Vec::with_capacity(parts.len()));
            for KeptPart { range, .. } in parts {
                let mut part = kept.slice_with_length(range.start, range.len());
                let mut decoder = StreamDecoder::new();
                while !part.is_empty() {
                    batches.extend(decoder.decode(&mut part)?);
                }
            }
            let row_size = batches.iter().map(row_size).max().unwrap_or(1);
            let columns = Columns::new(self.schema.clone(), &batches)?;
            Ok(Box::new(SomeRows { columns, row_size, most: self.memory / 8 }) as Box<_>)
        })
    }

    fn begin(&self, to: &mut dyn Write, format: Format) -> Result<RecordWriter> {
        guarded(|| {
            let table = match format {
                Format::Table(format) => Some(OpenTable::new(format, &self.style(), self.memory / 8)?),
                Format::Text(style) => {
                    text_out::begin(to, style, &self.schema)?;
                    None
                }
                _ => None,
            };
            Ok(RecordWriter { format, table })
        })
    }
}
