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

/// Returns whether elements are strings.
pub fn is_text(dtype: &DType) -> bool {
    matches!(dtype, DType::Plain(plain) if matches!(plain.type_char(), TypeChar::UnicodeStr | TypeChar::ByteStr))
}

/// Returns how elements of a type lie in a file, and their type as keys unless they are opaque.
pub fn layout(dtype: &DType, opaque: bool) -> Result<(Option<KeyType>, Layout)> {
    let key_type = if opaque { None } else { Some(KeyType::of(dtype)?) };
    let Some(width @ (1 | 2 | 4 | 8)) = dtype.num_bytes() else {
        bail!("values must be of 1, 2, 4 or 8 bytes, but these are {}", dtype.descr());
    };
    let big_endian =
        key_type.is_some() && matches!(dtype, DType::Plain(plain) if plain.endianness() == Endianness::Big);
    Ok((key_type, Layout { width, big_endian }))
}

/// Reads a file. `there` is how many bytes it has, if that is known. Opaque elements keep their bytes and their type.
pub fn read(from: &mut dyn Read, there: Option<u64>, opaque: bool) -> Result<Column> {
    let (Header { dtype, n }, size) = npy::read_header(from)?;
    let there = there.map(|there| there.saturating_sub(size));
    if !opaque
        && is_text(&dtype)
        && let DType::Plain(plain) = &dtype
    {
        return FixedText::read(from, plain.clone(), n, there);
    }
    let (key_type, layout) = layout(&dtype, opaque)?;
    let there = there.map(|there| there.min(n.saturating_mul(layout.width as u64)));
    let (words, _) = elements::read(from, layout, n, there)?;
    elements::check_count(words.len(), n)?;
    let elements = match key_type {
        Some(found) => Elements::Keys(found, words),
        None => Elements::Opaque(dtype, words),
    };
    // More arrays may follow in a file; the first counts.
    Ok(Column { name: None, elements, format: Format::Npy, records: None })
}
