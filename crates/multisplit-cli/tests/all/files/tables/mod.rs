//! Parquet files and Arrow's. Those in `data` are pyarrow's, others are written here by the crates of the Arrow project.

mod bad;
mod keys;
mod large;
mod rows;
mod text;

use super::folder::Folder;
use arrow_array::{Int32Array, RecordBatch, UInt32Array};
use arrow_ipc::reader::{FileReader, StreamReader};
use arrow_ipc::writer::{FileWriter, StreamWriter};
use arrow_select::concat::concat_batches;
use arrow_select::take::take_record_batch;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use std::fs::File;
use std::sync::Arc;

/// The formats, by their names.
const FORMATS: [&str; 3] = ["parquet", "arrow", "arrows"];

/// A file that pyarrow made.
fn made(name: &str) -> String {
    format!("{}/tests/all/files/tables/data/{name}", env!("CARGO_MANIFEST_DIR"))
}

impl Folder {
    /// Writes a table in the format that the name says. In Parquet, a group has 50 rows.
    fn table(&self, name: &str, batches: &[RecordBatch]) {
        let (file, schema) = (File::create(self.say(&format!("@{name}"))).unwrap(), batches[0].schema());
        let batches = batches.iter();
        if name.ends_with(".parquet") {
            let notes = schema.metadata().iter().map(|(key, value)| KeyValue::new(key.clone(), value.clone()));
            let properties = WriterProperties::builder().set_max_row_group_row_count(Some(50));
            let properties = properties.set_key_value_metadata(Some(notes.collect())).build();
            let mut writer = ArrowWriter::try_new(file, schema, Some(properties)).unwrap();
            batches.for_each(|batch| writer.write(batch).unwrap());
            writer.close().unwrap();
        } else if name.ends_with(".arrow") {
            // Which has one dictionary for all batches.
            let whole = concat_batches(&schema, batches.clone()).unwrap();
            let mut writer = FileWriter::try_new(file, &schema).unwrap();
            let mut begin = 0;
            batches.for_each(|batch| {
                writer.write(&whole.slice(begin, batch.num_rows())).unwrap();
                begin += batch.num_rows();
            });
            writer.finish().unwrap();
        } else {
            let mut writer = StreamWriter::try_new(file, &schema).unwrap();
            batches.for_each(|batch| writer.write(batch).unwrap());
            writer.finish().unwrap();
        }
    }

    /// Reads a table.
    fn read_table(&self, name: &str) -> RecordBatch {
        let file = File::open(self.say(&format!("@{name}"))).unwrap();
        let (schema, batches): (_, Vec<RecordBatch>) = if name.ends_with(".parquet") {
            let reader = ParquetRecordBatchReaderBuilder::try_new(file).unwrap();
            (reader.schema().clone(), reader.build().unwrap().map(Result::unwrap).collect())
        } else if name.ends_with(".arrows") {
            let reader = StreamReader::try_new(file, None).unwrap();
            (reader.schema(), reader.map(Result::unwrap).collect())
        } else {
            let reader = FileReader::try_new(file, None).unwrap();
            (reader.schema(), reader.map(Result::unwrap).collect())
        };
        concat_batches(&schema, &batches).unwrap()
    }

    /// Reads an array of u32 numbers.
    fn numbers(&self, name: &str) -> Vec<u32> {
        self.read(name)[128..].chunks_exact(4).map(bytemuck::pod_read_unaligned).collect()
    }
}

/// The rows of these numbers.
fn picked(batches: &[RecordBatch], order: &[u32]) -> RecordBatch {
    let whole = concat_batches(&batches[0].schema(), batches).unwrap();
    take_record_batch(&whole, &UInt32Array::from(order.to_vec())).unwrap()
}

/// A table of one column.
fn single(name: &str, keys: Vec<i32>) -> Vec<RecordBatch> {
    vec![RecordBatch::try_from_iter([(name, Arc::new(Int32Array::from(keys)) as _)]).unwrap()]
}
