//! Numbers alone, little-endian: files that say nothing about themselves.

use super::column::{Column, Elements};
use super::elements;
use super::format::Format;
use crate::commands::files::key_type::KeyType;
use crate::commands::files::words::Words;
use crate::shared::npy;
use anyhow::{Result, bail, ensure};
use std::io::Read;

/// Reads keys of a type. `there` is how many bytes there are, if that is known.
pub fn read(from: &mut dyn Read, there: Option<u64>, key_type: KeyType) -> Result<Column> {
    ensure!(key_type != KeyType::Text, "strings of a file of numbers alone have no length; save them as .npy or .csv");
    ensure!(key_type.dtype().is_ok(), "numbers alone are no decimals; name the type of their units, such as i64");
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
    let width = [1, 2, 4, 8].into_iter().find(|&width| keys as u64 * width == size);
    let Some(width) = width else {
        bail!("there are {size} bytes, but {keys} keys; there must be 1, 2, 4 or 8 for each");
    };
    let words: Words = elements::read_to_end(&mut whole, width as usize, Some(size), "values")?;
    let dtype = npy::dtype(["|u1", "<u2", "<u4", "<u8"][width.ilog2() as usize])?;
    Ok(column(Elements::Opaque(dtype, words)))
}

fn column(elements: Elements) -> Column {
    Column { name: None, elements, format: Format::Raw, records: None }
}
