//! Columns of tables as keys.

use super::super::column::{NullPlace, Nulls};
use crate::commands::files::key_type::KeyType;
use crate::commands::files::text_hash::hash;
use crate::commands::files::words::Words;
use anyhow::{Context, Result, bail, ensure};
use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, BooleanArray};
use arrow_buffer::NullBuffer;
use arrow_schema::{DataType, TimeUnit};
use arrow_select::filter::filter;
use multisplit_graph::parallel;
use npyz::TimeUnits;

/// A column as keys.
pub struct Keys {
    pub key_type: KeyType,
    /// The bits of those that are not null.
    pub words: Words,
    /// How many rows there are.
    pub rows: usize,
    /// Which of them are null, if there are some.
    pub nulls: Option<Nulls>,
}

/// How the elements of an array become the bits of keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Layout {
    /// They have as many bytes as the key.
    Plain,
    /// They are whole numbers of so many bytes, of which the key has 8.
    Whole(usize),
    /// They are bits.
    Bits,
    /// They are strings.
    Texts,
}

/// Returns whether values of a type can be keys.
pub fn is_known(data_type: &DataType) -> bool {
    layout(data_type).is_some()
}

/// Returns the parts of a column as keys. Before them, there are some rows.
pub fn of(data_type: &DataType, parts: &[ArrayRef], place: NullPlace, before: usize) -> Result<Keys> {
    ensure!(*data_type != DataType::Null, "all of it is null, which is no key");
    let (key_type, layout) = layout(data_type).with_context(|| {
        format!(
            "values of type {data_type} cannot be keys; whole numbers, floats, booleans, dates, times, decimals and \
             strings can"
        )
    })?;
    let rows = parts.iter().map(|part| part.len()).sum();
    let valid: Vec<Option<NullBuffer>> =
        parts.iter().map(|part| part.logical_nulls().filter(|valid| valid.null_count() > 0)).collect();
    let nulls = if valid.iter().any(Option::is_some) { nulls(parts, &valid, (rows, before), place)? } else { None };
    let mut words = Words::none(key_type.width());
    for (part, valid) in parts.iter().zip(&valid) {
        let part = match valid {
            Some(valid) => &filter(part, &BooleanArray::new(valid.inner().clone(), None))?,
            None => part,
        };
        let appended = words.len();
        append(part, key_type, layout, &mut words).map_err(|misfit| match misfit {
            Misfit::Decimal(i) => {
                let key = appended + i;
                let row = before + nulls.as_ref().map_or(key, |nulls| nulls.of_keys[key] as usize);
                anyhow::anyhow!("row {row}, counted from 0, has more digits than 64 bits have; convert it to float64")
            }
            Misfit::Size => anyhow::anyhow!("it is damaged: it has fewer bytes than rows need"),
        })?;
    }
    Ok(Keys { key_type, words, rows, nulls })
}

/// Returns the rows that are null, or refuses them.
fn nulls(
    parts: &[ArrayRef],
    valid: &[Option<NullBuffer>],
    (rows, before): (usize, usize),
    place: NullPlace,
) -> Result<Option<Nulls>> {
    let mut is_key = Vec::with_capacity(rows);
    for (part, valid) in parts.iter().zip(valid) {
        match valid {
            Some(valid) => is_key.extend(valid.iter()),
            None => is_key.resize(is_key.len() + part.len(), true),
        }
    }
    let nulls = Nulls::find(rows, &|row| is_key[row], place)?;
    if let Some(row) = nulls.as_ref().filter(|_| place == NullPlace::Error).and_then(|nulls| nulls.rows.first()) {
        let row = before + *row as usize;
        bail!(
            "row {row} is null, counted from 0; fill it in, or leave such rows out by --null drop; sorts have --null \
             last and first, too"
        );
    }
    Ok(nulls)
}

/// Returns the type of the keys, and how they lie in arrays of a type.
fn layout(data_type: &DataType) -> Option<(KeyType, Layout)> {
    Some(match data_type {
        DataType::Boolean => (KeyType::Bool, Layout::Bits),
        DataType::UInt8 => (KeyType::Unsigned(8), Layout::Plain),
        DataType::UInt16 => (KeyType::Unsigned(16), Layout::Plain),
        DataType::UInt32 => (KeyType::Unsigned(32), Layout::Plain),
        DataType::UInt64 => (KeyType::Unsigned(64), Layout::Plain),
        DataType::Int8 => (KeyType::Signed(8), Layout::Plain),
        DataType::Int16 => (KeyType::Signed(16), Layout::Plain),
        DataType::Int32 => (KeyType::Signed(32), Layout::Plain),
        DataType::Int64 => (KeyType::Signed(64), Layout::Plain),
        DataType::Float16 => (KeyType::Float(16), Layout::Plain),
        DataType::Float32 => (KeyType::Float(32), Layout::Plain),
        DataType::Float64 => (KeyType::Float(64), Layout::Plain),
        DataType::Date32 => (KeyType::Datetime(TimeUnits::Day), Layout::Whole(4)),
        DataType::Date64 => (KeyType::Datetime(TimeUnits::Millisecond), Layout::Plain),
        DataType::Timestamp(unit, _) => (KeyType::Datetime(units(*unit)), Layout::Plain),
        DataType::Time32(unit) => (KeyType::Timedelta(units(*unit)), Layout::Whole(4)),
        DataType::Time64(unit) | DataType::Duration(unit) => (KeyType::Timedelta(units(*unit)), Layout::Plain),
        DataType::Decimal32(_, places) => (decimal(*places), Layout::Whole(4)),
        DataType::Decimal64(_, places) => (decimal(*places), Layout::Plain),
        DataType::Decimal128(_, places) => (decimal(*places), Layout::Whole(16)),
        DataType::Decimal256(_, places) => (decimal(*places), Layout::Whole(32)),
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => (KeyType::Text, Layout::Texts),
        DataType::Binary | DataType::LargeBinary | DataType::BinaryView | DataType::FixedSizeBinary(_) => {
            (KeyType::Text, Layout::Texts)
        }
        DataType::Dictionary(_, values) => layout(values)?,
        _ => return None,
    })
}

/// Returns the type of decimals, which are whole numbers if they have no decimal places.
fn decimal(places: i8) -> KeyType {
    if places == 0 { KeyType::Signed(64) } else { KeyType::Decimal(places) }
}

fn units(unit: TimeUnit) -> TimeUnits {
    match unit {
        TimeUnit::Second => TimeUnits::Second,
        TimeUnit::Millisecond => TimeUnits::Millisecond,
        TimeUnit::Microsecond => TimeUnits::Microsecond,
        TimeUnit::Nanosecond => TimeUnits::Nanosecond,
    }
}

/// What keys cannot be made of.
enum Misfit {
    /// A decimal of too many digits, by its place in the array.
    Decimal(usize),
    /// An array that lacks bytes.
    Size,
}

/// Appends the elements of an array.
fn append(array: &ArrayRef, key_type: KeyType, layout: Layout, words: &mut Words) -> Result<(), Misfit> {
    if let Some(dictionary) = array.as_any_dictionary_opt() {
        return append_dictionary(dictionary, key_type, layout, words);
    }
    match (layout, words) {
        (Layout::Bits, Words::Narrow(words)) => words.extend(array.as_boolean().values().iter().map(u32::from)),
        (Layout::Texts, Words::Wide(words)) => {
            let text = texts(array).ok_or(Misfit::Size)?;
            words.extend(parallel::fill(array.len(), |i| hash(text(i))));
        }
        (Layout::Whole(width), Words::Wide(words)) => {
            for (i, element) in bytes(array, width, &mut Vec::new())?.chunks_exact(width).enumerate() {
                words.push(whole(element).ok_or(Misfit::Decimal(i))? as u64);
            }
        }
        (_, words) => append_plain(array, key_type.width(), words)?,
    }
    Ok(())
}

/// Appends elements of 1, 2, 4 or 8 bytes.
fn append_plain(array: &ArrayRef, width: usize, words: &mut Words) -> Result<(), Misfit> {
    let mut room = Vec::new();
    let bytes = bytes(array, width, &mut room)?;
    match words {
        Words::Wide(words) => words.extend(bytes.chunks_exact(8).map(bytemuck::pod_read_unaligned::<u64>)),
        Words::Narrow(words) => match width {
            1 => words.extend(bytes.iter().map(|&byte| u32::from(byte))),
            2 => words.extend(bytes.chunks_exact(2).map(|pair| u32::from(bytemuck::pod_read_unaligned::<u16>(pair)))),
            _ => words.extend(bytes.chunks_exact(4).map(bytemuck::pod_read_unaligned::<u32>)),
        },
    }
    Ok(())
}

/// Returns the bytes of an array of elements of one width.
fn bytes<'a>(array: &ArrayRef, width: usize, room: &'a mut Vec<arrow_buffer::Buffer>) -> Result<&'a [u8], Misfit> {
    let data = array.to_data();
    let (begin, size) = (data.offset() * width, data.len() * width);
    room.extend(data.buffers().first().cloned());
    room.first().and_then(|buffer| buffer.get(begin..)?.get(..size)).ok_or(Misfit::Size)
}

/// Returns a whole number, in the order of bytes of this machine, if it has 64 bits at most.
fn whole(element: &[u8]) -> Option<i64> {
    let mut little: Vec<u8> = element.to_vec();
    if cfg!(target_endian = "big") {
        little.reverse();
    }
    little.resize(little.len().max(8), if little.last()? & 0x80 == 0 { 0 } else { 0xff });
    let number = i64::from_le_bytes(*little.first_chunk()?);
    let above = if number < 0 { 0xff } else { 0 };
    little[8..].iter().all(|&byte| byte == above).then_some(number)
}

/// Appends the elements of a dictionary, each as often as it is named.
fn append_dictionary(
    dictionary: &dyn arrow_array::array::AnyDictionaryArray,
    key_type: KeyType,
    layout: Layout,
    words: &mut Words,
) -> Result<(), Misfit> {
    if dictionary.is_empty() {
        return Ok(());
    }
    let mut known = Words::none(key_type.width());
    append(dictionary.values(), key_type, layout, &mut known)?;
    let named = dictionary.normalized_keys();
    match (words, known) {
        (Words::Narrow(words), Words::Narrow(known)) => words.extend(named.iter().map(|&i| known[i])),
        (Words::Wide(words), Words::Wide(known)) => words.extend(named.iter().map(|&i| known[i])),
        _ => {}
    }
    Ok(())
}

/// What returns the bytes of a string, by its place.
pub type Texts<'a> = Box<dyn Fn(usize) -> &'a [u8] + Sync + 'a>;

/// Returns the bytes of each string.
pub fn texts(array: &ArrayRef) -> Option<Texts<'_>> {
    macro_rules! of {
        ($array:expr) => {{
            let array = $array;
            Box::new(move |i| array.value(i).as_ref())
        }};
    }
    Some(match array.data_type() {
        DataType::Utf8 => of!(array.as_string::<i32>()),
        DataType::LargeUtf8 => of!(array.as_string::<i64>()),
        DataType::Utf8View => of!(array.as_string_view()),
        DataType::Binary => of!(array.as_binary::<i32>()),
        DataType::LargeBinary => of!(array.as_binary::<i64>()),
        DataType::BinaryView => of!(array.as_binary_view()),
        DataType::FixedSizeBinary(_) => of!(array.as_fixed_size_binary()),
        _ => return None,
    })
}
