//! Numbers alone, little-endian: files that say nothing about themselves.

use super::Wanted;
use super::column::{Column, Elements};
use super::elements::{self, Layout};
use super::format::Format;
use super::shape::Shape;
use crate::commands::files::key_type::KeyType;
use crate::commands::files::words::Words;
use crate::shared::npy;
use anyhow::{Result, bail, ensure};
use npyz::DType;
use std::io::Read;

/// Returns the type of the keys, which must have been named.
pub fn key_type(wanted: &Wanted<'_>) -> Result<KeyType> {
    let Some(key_type) = wanted.key_type else {
        bail!("this is no NumPy file and no text, so it is taken for numbers alone; tell of which --type, such as u32")
    };
    ensure!(key_type != KeyType::Text, "strings of a file of numbers alone have no length; save them as .npy or .csv");
    ensure!(key_type.dtype().is_ok(), "numbers alone are no decimals; name the type of their units, such as i64");
    Ok(key_type)
}

/// Returns the number and the type of the elements in so many bytes.
pub fn shape(size: u64, wanted: &Wanted<'_>) -> Result<Shape> {
    let (key_type, width, dtype) = match wanted.values_of {
        Some(keys) => {
            let width = width_of_values(size, keys as u64)?;
            (None, width, dtype_of_values(width)?)
        }
        None => {
            let key_type = key_type(wanted)?;
            (Some(key_type), key_type.width(), key_type.dtype()?)
        }
    };
    let what = key_type.map_or("values".into(), |key_type| key_type.to_string());
    ensure!(size.is_multiple_of(width as u64), "{}", elements::ends_within(&what, width));
    Ok(Shape { n: size / width as u64, layout: Layout { width, big_endian: false }, key_type, dtype })
}

/// Reads keys of a type. `there` is how many bytes there are, if that is known.
pub fn read(from: &mut dyn Read, there: Option<u64>, key_type: KeyType) -> Result<Column> {
    let words = elements::read_to_end(from, key_type.width(), there, &key_type.to_string())?;
    Ok(column(Elements::Keys(key_type, words)))
}

/// Reads the values of so many keys: as wide as the number of keys says.
pub fn read_values(from: &mut dyn Read, there: Option<u64>, keys: usize) -> Result<Column> {
    let mut bytes = Vec::new();
    let (mut whole, size): (&mut dyn Read, u64) = match there {
        Some(size) => (from, size),
        None => {
            from.read_to_end(&mut bytes)?;
            let size = bytes.len() as u64;
            (&mut &bytes[..], size)
        }
    };
    let width = width_of_values(size, keys as u64)?;
    let words: Words = elements::read_to_end(&mut whole, width, Some(size), "values")?;
    Ok(column(Elements::Opaque(dtype_of_values(width)?, words)))
}

/// Returns how wide values are: as the number of keys says.
fn width_of_values(size: u64, keys: u64) -> Result<usize> {
    let width = [1, 2, 4, 8].into_iter().find(|&width| keys.saturating_mul(width) == size);
    let Some(width) = width else {
        bail!("there are {size} bytes, but {keys} keys; there must be 1, 2, 4 or 8 for each");
    };
    Ok(width as usize)
}

fn dtype_of_values(width: usize) -> Result<DType> {
    npy::dtype(["|u1", "<u2", "<u4", "<u8"][width.ilog2() as usize])
}

fn column(elements: Elements) -> Column {
    Column { name: None, elements, format: Format::Raw, records: None }
}
