//! Columns that were in no table before: keys, permutations, counts.

use super::super::table::TableFormat;
use super::super::write::ColumnOut;
use super::guarded;
use super::writer::{Style, write};
use crate::commands::files::key_type::KeyType;
use anyhow::{Context, Result};
use arrow_array::{ArrayRef, BooleanArray, RecordBatch, make_array};
use arrow_buffer::{Buffer, NullBuffer};
use arrow_data::ArrayData;
use arrow_schema::{DataType, Field, Schema, SchemaRef, TimeUnit};
use npyz::TimeUnits;
use std::io::Write;
use std::sync::Arc;

/// Elements that are written as one batch.
const STEP: usize = 1 << 16;

/// The digits that decimals of 64 bits have at most.
const DECIMAL_DIGITS: u8 = 19;

/// Writes a table of one column.
pub fn write_column(to: &mut dyn Write, format: TableFormat, column: &ColumnOut<'_>) -> Result<()> {
    guarded(|| {
        // Opaque elements may have their bytes in another order.
        let known = KeyType::of(column.dtype).ok().filter(|found| found.dtype().is_ok_and(|own| own == *column.dtype));
        let known = known.and_then(|key_type| Some((key_type, data_type(key_type)?)));
        let (key_type, data_type) = known.with_context(|| {
            format!("elements of {} cannot be written to {format}; name a .npy file", column.dtype.descr())
        })?;
        let field = Field::new(column.name, data_type, key_type.is_time());
        let schema: SchemaRef = Arc::new(Schema::new(vec![field]));
        let n = column.words.len();
        let mut batches = (0..n).step_by(STEP).map(|begin| {
            let words = column.words.slice(begin..n.min(begin + STEP));
            let bits: Vec<Option<u64>> = (0..words.len()).map(|i| Some(column.encoding.bits(words.get(i)))).collect();
            Ok(RecordBatch::try_new(schema.clone(), vec![array(key_type, &bits)?])?)
        });
        write(to, format, &Style { schema: schema.clone(), codecs: Vec::new(), notes: Vec::new() }, &mut batches)
    })
}

/// Returns the type of Arrow for elements, if it has one.
pub fn data_type(key_type: KeyType) -> Option<DataType> {
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
        KeyType::Decimal(places) => DataType::Decimal128(DECIMAL_DIGITS, places),
        KeyType::Text => return None,
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

/// Returns an array of elements, given as their bits. NaT is null.
pub fn array(key_type: KeyType, bits: &[Option<u64>]) -> Result<ArrayRef> {
    let data_type = data_type(key_type).context("strings are no elements of fixed size")?;
    let nat = |bits: u64| key_type.is_time() && bits as i64 == i64::MIN;
    let bits = || bits.iter().map(|&bits| bits.filter(|&bits| !nat(bits)));
    if key_type == KeyType::Bool {
        return Ok(Arc::new(BooleanArray::from_iter(bits().map(|bit| bit.map(|bit| bit != 0)))));
    }
    let valid: NullBuffer = bits().map(|bits| bits.is_some()).collect();
    let numbers = || bits().map(Option::unwrap_or_default);
    let buffer = match (&data_type, key_type.width()) {
        (DataType::Date32, _) => {
            let day = |day: u64| {
                let far = || format!("{} is too far for the dates of Arrow", key_type.show_exactly(day));
                i32::try_from(day as i64).with_context(far)
            };
            Buffer::from_vec(numbers().map(day).collect::<Result<Vec<i32>>>()?)
        }
        (DataType::Decimal128(..), _) => Buffer::from_vec(numbers().map(|n| i128::from(n as i64)).collect::<Vec<_>>()),
        (_, 1) => Buffer::from_vec(numbers().map(|bits| bits as u8).collect::<Vec<_>>()),
        (_, 2) => Buffer::from_vec(numbers().map(|bits| bits as u16).collect::<Vec<_>>()),
        (_, 4) => Buffer::from_vec(numbers().map(|bits| bits as u32).collect::<Vec<_>>()),
        _ => Buffer::from_vec(numbers().collect::<Vec<u64>>()),
    };
    let valid = Some(valid).filter(|valid| valid.null_count() > 0);
    Ok(make_array(ArrayData::builder(data_type).len(bits().len()).add_buffer(buffer).nulls(valid).build()?))
}
