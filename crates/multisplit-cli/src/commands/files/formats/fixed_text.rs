//! Strings of NumPy files, all of the same length, with zeros behind shorter ones.

use super::column::{Column, Elements, Records};
use super::elements;
use super::format::Format;
use crate::commands::files::key_type::KeyType;
use crate::commands::files::text_hash::hash;
use crate::commands::files::words::Words;
use crate::shared::npy;
use anyhow::{Context, Result, ensure};
use npyz::{DType, Endianness, TypeChar, TypeStr};
use std::io::{self, Read, Write};

/// Strings, as they are in the file.
pub struct FixedText {
    dtype: TypeStr,
    width: usize,
    bytes: Vec<u8>,
}

impl FixedText {
    /// Reads `n` strings.
    pub fn read(from: &mut dyn Read, dtype: TypeStr, n: u64, there: Option<u64>) -> Result<Column> {
        let width =
            dtype.num_bytes().filter(|&width| width > 0).context("strings without characters cannot be used")?;
        let size = n.saturating_mul(width as u64);
        let there = there.map(|there| there.min(size));
        let bytes = elements::read_bytes(from, size, there)?;
        elements::check_count(bytes.len() / width, n)?;
        let texts = Self { dtype, width, bytes };
        let hashes = texts.bytes.chunks_exact(width).map(|text| texts.hash(text)).collect();
        Ok(Column {
            name: None,
            elements: Elements::Keys(KeyType::Text, Words::Wide(hashes)),
            format: Format::Npy,
            records: Some(Box::new(texts)),
        })
    }

    /// Hashes a string, as UTF-8 has it.
    fn hash(&self, text: &[u8]) -> u64 {
        if self.dtype.type_char() == TypeChar::ByteStr {
            let end = text.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
            return hash(&text[..end]);
        }
        let code = |quad: &[u8]| {
            let quad = [quad[0], quad[1], quad[2], quad[3]];
            if self.dtype.endianness() == Endianness::Big { u32::from_be_bytes(quad) } else { u32::from_le_bytes(quad) }
        };
        let text: String = text
            .chunks_exact(4)
            .map(|quad| char::from_u32(code(quad)).unwrap_or(char::REPLACEMENT_CHARACTER))
            .collect();
        hash(text.trim_end_matches('\0').as_bytes())
    }
}

impl Records for FixedText {
    fn check(&self, format: Format) -> Result<()> {
        ensure!(format == Format::Npy, "strings of a NumPy file can be written to a .npy file only");
        Ok(())
    }

    /// Their keys are strings, which are in no other format anyway.
    fn must_be_whole(&self, _format: Format) -> bool {
        true
    }

    fn write(&self, to: &mut dyn Write, _format: Format, order: &[u32]) -> io::Result<()> {
        npy::write_header(to, &DType::Plain(self.dtype.clone()), order.len())?;
        order.iter().try_for_each(|&i| to.write_all(&self.bytes[i as usize * self.width..][..self.width]))
    }
}
