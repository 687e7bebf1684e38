//! Writes tables.

use super::super::table::TableFormat;
use super::types::has_unions;
use anyhow::{Result, ensure};
use arrow_array::RecordBatch;
use arrow_ipc::writer::{FileWriter, StreamWriter};
use arrow_schema::SchemaRef;
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::schema::types::ColumnPath;
use std::io::Write;
use std::mem::take;

/// What is to be known of a table before its rows.
pub struct Style {
    pub schema: SchemaRef,
    /// How columns of Parquet are compressed, if not by snappy.
    pub codecs: Vec<(ColumnPath, Compression)>,
    /// What the end of an Arrow file says beside the schema.
    pub notes: Vec<(String, String)>,
}

/// Writes to memory, from where bytes are taken: the writer of Parquet wants what threads can share.
pub enum Writer {
    Parquet(Box<ArrowWriter<Vec<u8>>>),
    File(Box<FileWriter<Vec<u8>>>),
    Stream(Box<StreamWriter<Vec<u8>>>),
}

/// Writes a table, batch by batch.
pub fn write(
    to: &mut dyn Write,
    format: TableFormat,
    style: &Style,
    batches: &mut dyn Iterator<Item = Result<RecordBatch>>,
) -> Result<()> {
    let mut writer = Writer::new(format, style)?;
    for batch in batches {
        to.write_all(&writer.write(&batch?)?)?;
    }
    Ok(to.write_all(&writer.finish()?)?)
}

impl Writer {
    pub fn new(format: TableFormat, style: &Style) -> Result<Self> {
        let schema = &style.schema;
        Ok(match format {
            TableFormat::Parquet => {
                for field in schema.fields() {
                    let (name, data_type) = (field.name(), field.data_type());
                    ensure!(
                        !has_unions(data_type),
                        "column '{name}' is of type {data_type}, which Parquet does not have; name a .arrow file"
                    );
                }
                let properties = Some(properties(style));
                Self::Parquet(Box::new(ArrowWriter::try_new(Vec::new(), schema.clone(), properties)?))
            }
            TableFormat::ArrowFile => {
                let mut writer = FileWriter::try_new(Vec::new(), schema)?;
                style.notes.iter().for_each(|(key, value)| writer.write_metadata(key, value));
                Self::File(Box::new(writer))
            }
            TableFormat::ArrowStream => Self::Stream(Box::new(StreamWriter::try_new(Vec::new(), schema)?)),
        })
    }

    /// Writes rows, and returns the bytes that are complete.
    pub fn write(&mut self, batch: &RecordBatch) -> Result<Vec<u8>> {
        Ok(match self {
            Self::Parquet(writer) => {
                writer.write(batch)?;
                take(writer.inner_mut())
            }
            Self::File(writer) => {
                writer.write(batch)?;
                take(writer.get_mut())
            }
            Self::Stream(writer) => {
                writer.write(batch)?;
                take(writer.get_mut())
            }
        })
    }

    /// Ends a group of rows of Parquet that takes more memory, which waits for more rows else. Returns its bytes.
    pub fn limit(&mut self, most: usize) -> Result<Vec<u8>> {
        let Self::Parquet(writer) = self else { return Ok(Vec::new()) };
        if writer.memory_size() > most {
            writer.flush()?;
        }
        Ok(take(writer.inner_mut()))
    }

    /// Returns the bytes that are left.
    pub fn finish(self) -> Result<Vec<u8>> {
        Ok(match self {
            Self::Parquet(writer) => writer.into_inner()?,
            Self::File(writer) => writer.into_inner()?,
            Self::Stream(writer) => writer.into_inner()?,
        })
    }
}

/// Returns how Parquet is written: columns compressed as they were, and what the schema says for other programs, too.
fn properties(style: &Style) -> WriterProperties {
    let mut notes: Vec<_> = style.schema.metadata().iter().collect();
    notes.sort();
    let notes: Vec<KeyValue> =
        notes.into_iter().map(|(key, value)| KeyValue::new(key.clone(), Some(value.clone()))).collect();
    let mut builder = WriterProperties::builder().set_compression(Compression::SNAPPY);
    builder = builder.set_key_value_metadata((!notes.is_empty()).then_some(notes));
    for (column, codec) in &style.codecs {
        builder = builder.set_column_compression(column.clone(), *codec);
    }
    builder.build()
}
