//! Rows of a table, to be written in another order.

use super::super::column::{Nulls, Records};
use super::super::format::Format;
use super::parquet_file::rows;
use super::types::{has_dictionaries, has_views};
use super::writer::{Style, write};
use super::{Table, guarded, text_out};
use anyhow::{Context, Result, bail, ensure};
use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, RecordBatch, UInt32Array, make_array};
use arrow_data::ArrayData;
use arrow_schema::{DataType, SchemaRef};
use arrow_select::concat::concat;
use arrow_select::interleave::interleave;
use arrow_select::take::take;
use std::cell::OnceCell;
use std::io::{self, Write};
use std::iter;
use std::sync::Arc;

/// Rows that are put in order at a time, and written as one batch.
pub const ROWS: usize = 1 << 16;

/// An open table. Its columns are read when rows are written for the first time.
pub struct TableRows {
    table: Table,
    n: usize,
    nulls: Option<Nulls>,
    columns: OnceCell<Columns>,
}

/// The columns of a table in memory.
pub struct Columns {
    schema: SchemaRef,
    columns: Vec<Parts>,
    /// The row that each part begins with.
    starts: Vec<usize>,
}

/// A column.
enum Parts {
    Whole(ArrayRef),
    /// As it was read: together, its strings may be more than one array can have.
    Several(Vec<ArrayRef>),
}

impl TableRows {
    pub fn new(table: Table, n: usize, nulls: Option<Nulls>) -> Self {
        Self { table, n, nulls, columns: OnceCell::new() }
    }

    fn columns(&self) -> Result<&Columns> {
        if let Some(columns) = self.columns.get() {
            return Ok(columns);
        }
        let batches = self.table.batches()?;
        ensure!(rows(&batches) == self.n, "the input has changed while it was read");
        let columns = Columns::new(self.table.schema().clone(), &batches)?;
        Ok(self.columns.get_or_init(|| columns))
    }

    fn style(&self) -> Style {
        let schema = self.table.schema().clone();
        match &self.table {
            Table::Parquet(file) => Style { schema, codecs: file.codecs(), notes: Vec::new() },
            Table::Arrow(table) => Style { schema, codecs: Vec::new(), notes: table.notes.clone() },
        }
    }
}

/// Returns the rows of a column that have a key.
pub fn with_keys(parts: &[ArrayRef], nulls: &Nulls) -> Result<Vec<ArrayRef>> {
    let mut keys = nulls.of_keys.iter().copied().peekable();
    let mut begin = 0;
    let mut kept = Vec::with_capacity(parts.len());
    for part in parts {
        let end = begin + part.len();
        let here: UInt32Array =
            iter::from_fn(|| keys.next_if(|&row| (row as usize) < end)).map(|row| row - begin as u32).collect();
        kept.push(take(part, &here, None)?);
        begin = end;
    }
    Ok(kept)
}

impl Records for TableRows {
    fn check(&self, format: Format) -> Result<()> {
        match format {
            Format::Table(_) => Ok(()),
            Format::Text(_) => text_out::check(self.table.schema()),
            _ => bail!("rows of a table can be written to .parquet, .arrow, .csv and .tsv files only"),
        }
    }

    /// Keys alone have no nulls, and a text would be taken for all that there is.
    fn must_be_whole(&self, format: Format) -> bool {
        self.nulls.as_ref().is_some_and(Nulls::stay) || matches!(format, Format::Text(_))
    }

    fn nulls(&self) -> Option<&Nulls> {
        self.nulls.as_ref()
    }

    fn write(&self, to: &mut dyn Write, format: Format, order: &[u32]) -> io::Result<()> {
        let order = match &self.nulls {
            Some(nulls) => &nulls.all_rows(order)[..],
            None => order,
        };
        let written = guarded(|| {
            let columns = self.columns()?;
            let batches = &mut order.chunks(ROWS).map(|rows| columns.in_order(rows));
            match format {
                Format::Table(format) => write(to, format, &self.style(), batches),
                Format::Text(style) => {
                    text_out::begin(to, style, &columns.schema)?;
                    batches.try_for_each(|batch| text_out::part(to, style, &batch?))
                }
                _ => bail!("this is no format of tables"),
            }
        });
        written.map_err(|error| error.downcast().unwrap_or_else(io::Error::other))
    }
}

impl Columns {
    pub fn new(schema: SchemaRef, batches: &[RecordBatch]) -> Result<Self> {
        let column = |i: usize| -> Result<Parts> {
            let parts: Vec<ArrayRef> = batches.iter().map(|batch| batch.column(i).clone()).collect();
            // A file has one dictionary for all of its rows.
            let whole = || has_dictionaries(schema.field(i).data_type()) && !parts.is_empty();
            Ok(match &parts[..] {
                [only] => Parts::Whole(only.clone()),
                _ if whole() => Parts::Whole(concat(&refs(&parts)).with_context(|| named(&schema, i))?),
                _ => Parts::Several(parts),
            })
        };
        let columns = (0..schema.fields().len()).map(column).collect::<Result<_>>()?;
        let begin = |start: &mut usize, batch: &RecordBatch| {
            let begin = *start;
            *start += batch.num_rows();
            Some(begin)
        };
        Ok(Self { columns, starts: batches.iter().scan(0, begin).collect(), schema })
    }

    /// Returns rows, in the order of their numbers.
    pub fn in_order(&self, numbers: &[u32]) -> Result<RecordBatch> {
        let place = |&row: &u32| {
            let part = self.starts.partition_point(|&start| start <= row as usize) - 1;
            (part, row as usize - self.starts[part])
        };
        let places: Vec<(usize, usize)> = numbers.iter().map(place).collect();
        let numbers = UInt32Array::from(numbers.to_vec());
        let column = |(i, parts): (usize, &Parts)| {
            let moved = match parts {
                Parts::Whole(array) => take(array, &numbers, None),
                Parts::Several(parts) => interleave(&refs(parts), &places),
            };
            compact(moved.with_context(|| named(&self.schema, i))?)
        };
        let columns = self.columns.iter().enumerate().map(column).collect::<Result<Vec<_>>>()?;
        Ok(RecordBatch::try_new(self.schema.clone(), columns)?)
    }
}

fn refs(parts: &[ArrayRef]) -> Vec<&dyn Array> {
    parts.iter().map(|part| &**part).collect()
}

fn named(schema: &SchemaRef, i: usize) -> String {
    format!("column '{}'", schema.field(i).name())
}

/// Copies the strings that are looked up elsewhere: a batch would be written with those of all rows.
fn compact(array: ArrayRef) -> Result<ArrayRef> {
    Ok(match array.data_type() {
        DataType::Utf8View => Arc::new(array.as_string_view().gc()),
        DataType::BinaryView => Arc::new(array.as_binary_view().gc()),
        data_type if !has_views(data_type) => array,
        _ => {
            let data = array.to_data();
            let child = |child: &ArrayData| Ok(compact(make_array(child.clone()))?.to_data());
            let children = data.child_data().iter().map(child).collect::<Result<_>>()?;
            make_array(data.into_builder().child_data(children).build()?)
        }
    })
}
