//! NumPy files of one dimension.

use super::column::{Column, Elements};
use super::elements::{self, Layout};
use super::fixed_text::FixedText;
use super::format::Format;
use crate::commands::files::key_type::KeyType;
use crate::shared::npy::{self, Header};
use anyhow::{Result, bail};
use npyz::{DType, Endianness, TypeChar};
use std::io::Read;

/// Reads a file. `there` is how many bytes it has, if that is known. Opaque elements keep their bytes and their type.
pub fn read(from: &mut dyn Read, there: Option<u64>, opaque: bool) -> Result<Column> {
    let (Header { dtype, n }, size) = npy::read_header(from)?;
    let there = there.map(|there| there.saturating_sub(size));
    if !opaque
        && let DType::Plain(plain) = &dtype
        && matches!(plain.type_char(), TypeChar::UnicodeStr | TypeChar::ByteStr)
    {
        return FixedText::read(from, plain.clone(), n, there);
    }
    let key_type = if opaque { None } else { Some(KeyType::of(&dtype)?) };
    let Some(width @ (1 | 2 | 4 | 8)) = dtype.num_bytes() else {
        bail!("values must be of 1, 2, 4 or 8 bytes, but these are {}", dtype.descr());
    };
    let big_endian =
        key_type.is_some() && matches!(&dtype, DType::Plain(plain) if plain.endianness() == Endianness::Big);
    let (words, _) = elements::read(
        from,
        Layout { width, big_endian },
        n,
        there.map(|there| there.min(n.saturating_mul(width as u64))),
    )?;
    elements::check_count(words.len(), n)?;
    let elements = match key_type {
        Some(found) => Elements::Keys(found, words),
        None => Elements::Opaque(dtype, words),
    };
    // More arrays may follow in a file; the first counts.
    Ok(Column { name: None, elements, format: Format::Npy, records: None })
}
