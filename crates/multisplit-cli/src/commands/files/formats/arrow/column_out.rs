//! Columns that were in no table before: keys, permutations, counts.

use super::super::elements;
use super::super::table::TableFormat;
use super::super::write::ColumnOut;
use super::guarded;
use super::writer::{Style, write};
use crate::commands::files::key_type::KeyType;
use anyhow::{Context, Result, bail};
use arrow_array::{ArrayRef, BooleanArray, RecordBatch, make_array};
use arrow_buffer::{Buffer, NullBuffer};
use arrow_data::ArrayData;
use arrow_schema::{DataType, Field, Schema, SchemaRef, TimeUnit};
use npyz::TimeUnits;
use std::io::Write;
use std::ops::Range;
use std::sync::Arc;

/// Elements that are written as one batch.
const STEP: usize = 1 << 16;

/// Writes a table of one column.
pub fn write_column(to: &mut dyn Write, format: TableFormat, column: &ColumnOut<'_>) -> Result<()> {
    guarded(|| {
        // Opaque elements may have their bytes in another order.
        let known = KeyType::of(column.dtype).ok().filter(|found| found.dtype().is_ok_and(|own| own == *column.dtype));
        let known = known.and_then(|key_type| Some((key_type, data_type(key_type)?)));
        let (key_type, data_type) = known.with_context(|| {
            format!("elements of {} cannot be written to {format}; name a .npy file", column.dtype.descr())
        })?;
        let field = Field::new(column.name, data_type.clone(), key_type.is_time());
        let schema: SchemaRef = Arc::new(Schema::new(vec![field]));
        let n = column.words.len();
        let mut batches = (0..n).step_by(STEP).map(|begin| {
            let array = array(column, key_type, &data_type, begin..n.min(begin + STEP))?;
            Ok(RecordBatch::try_new(schema.clone(), vec![array])?)
        });
        write(to, format, &Style { schema: schema.clone(), codecs: Vec::new(), notes: Vec::new() }, &mut batches)
    })
}

/// Returns the type of Arrow for elements, if it has one.
fn data_type(key_type: KeyType) -> Option<DataType> {
    Some(match key_type {
        KeyType::Unsigned(8) => DataType::UInt8,
        KeyType::Unsigned(16) => DataType::UInt16,
        KeyType::Unsigned(32) => DataType::UInt32,
        KeyType::Unsigned(_) => DataType::UInt64,
        KeyType::Signed(8) => DataType::Int8,
        KeyType::Signed(16) => DataType::Int16,
        KeyType::Signed(32) => DataType::Int32,
        KeyType::Signed(_) => DataType::Int64,
        KeyType::Float(16) => DataType::Float16,
        KeyType::Float(32) => DataType::Float32,
        KeyType::Float(_) => DataType::Float64,
        KeyType::Bool => DataType::Boolean,
        KeyType::Datetime(TimeUnits::Day) => DataType::Date32,
        KeyType::Datetime(units) => DataType::Timestamp(unit(units)?, None),
        KeyType::Timedelta(units) => DataType::Duration(unit(units)?),
        KeyType::Decimal(_) | KeyType::Text => return None,
    })
}

fn unit(units: TimeUnits) -> Option<TimeUnit> {
    Some(match units {
        TimeUnits::Second => TimeUnit::Second,
        TimeUnits::Millisecond => TimeUnit::Millisecond,
        TimeUnits::Microsecond => TimeUnit::Microsecond,
        TimeUnits::Nanosecond => TimeUnit::Nanosecond,
        _ => return None,
    })
}

/// Returns some of the elements. NaT is null.
fn array(column: &ColumnOut<'_>, key_type: KeyType, data_type: &DataType, part: Range<usize>) -> Result<ArrayRef> {
    let words = column.words.slice(part);
    let n = words.len();
    let bits = |i: usize| column.encoding.bits(words.get(i));
    let number = |i: usize| bits(i) as i64;
    if key_type == KeyType::Bool {
        return Ok(Arc::new(BooleanArray::from((0..n).map(|i| bits(i) != 0).collect::<Vec<_>>())));
    }
    let valid = key_type.is_time().then(|| (0..n).map(|i| number(i) != i64::MIN).collect::<NullBuffer>());
    let buffer = if *data_type == DataType::Date32 {
        let day = |i: usize| match (i32::try_from(number(i)), number(i)) {
            (Ok(day), _) => Ok(day),
            (Err(_), i64::MIN) => Ok(0),
            (Err(_), day) => bail!("{} is too far for the dates of Arrow", key_type.show_exactly(day as u64)),
        };
        Buffer::from_vec((0..n).map(day).collect::<Result<Vec<i32>>>()?)
    } else {
        let mut bytes = Vec::with_capacity(n * key_type.width());
        elements::write(&mut bytes, words, key_type.width(), column.encoding)?;
        Buffer::from_vec(bytes)
    };
    let data = ArrayData::builder(data_type.clone()).len(n).add_buffer(buffer).nulls(valid).align_buffers(true);
    Ok(make_array(data.build()?))
}
