//! Writes a column in a format.

#[cfg(feature = "arrow")]
use super::arrow;
use super::format::Format;
use super::text_records::write_field;
use super::{elements, npz};
use crate::commands::files::encoding::Encoding;
use crate::commands::files::key_type::KeyType;
use crate::commands::files::words::WordsRef;
use crate::shared::npy;
use anyhow::{Result, ensure};
use npyz::DType;
use std::io::{self, Write};

/// A column to write.
#[derive(Clone, Copy)]
pub struct ColumnOut<'a> {
    /// What archives and texts call it.
    pub name: &'a str,
    pub dtype: &'a DType,
    pub words: WordsRef<'a>,
    pub encoding: Encoding,
}

/// Writes a column.
pub fn write(to: &mut dyn Write, format: Format, column: &ColumnOut<'_>) -> io::Result<()> {
    let &ColumnOut { name, dtype, words, encoding } = column;
    match format {
        Format::Npz => {
            let write = |to: &mut dyn Write| elements::write(to, words, width(dtype)?, encoding);
            npz::write(to, name, dtype, words.len(), &write)
        }
        #[cfg(feature = "arrow")]
        Format::Table(table) => arrow::write_column(to, table, column).map_err(io::Error::other),
        #[cfg(not(feature = "arrow"))]
        Format::Table(table) => Err(io::Error::other(format!("{table} cannot be written"))),
        Format::Npy | Format::Text(_) | Format::Raw => {
            begin(to, format, name, dtype, words.len() as u64)?;
            part(to, format, dtype, words, encoding)
        }
    }
}

/// Refuses formats that are not written part by part: archives begin with a checksum, and tables end with where their
/// parts are.
pub fn check_parts(format: Format) -> Result<()> {
    ensure!(
        !matches!(format, Format::Npz | Format::Table(_)),
        "so many keys are written in parts, which .{} files cannot be; name a .npy file, or give more --memory",
        format.extension()
    );
    Ok(())
}

/// Writes what comes before the `n` elements of a column, which follow in parts.
pub fn begin(to: &mut dyn Write, format: Format, name: &str, dtype: &DType, n: u64) -> io::Result<()> {
    match format {
        Format::Npy => npy::write_header_of(to, dtype, &[n]),
        Format::Text(style) if style.header => {
            let mut line = Vec::new();
            write_field(name.as_bytes(), style.delimiter, &mut line);
            line.push(b'\n');
            to.write_all(&line)
        }
        _ => Ok(()),
    }
}

/// Writes some elements of a column.
pub fn part(
    to: &mut dyn Write,
    format: Format,
    dtype: &DType,
    words: WordsRef<'_>,
    encoding: Encoding,
) -> io::Result<()> {
    if !matches!(format, Format::Text(_)) {
        return elements::write(to, words, width(dtype)?, encoding);
    }
    // Opaque elements may have their bytes in another order.
    let key_type = KeyType::of(dtype).ok().filter(|found| found.dtype().is_ok_and(|own| own == *dtype));
    let Some(key_type) = key_type else {
        let about = format!("elements of {} cannot be written as text; name a .npy file", dtype.descr());
        return Err(io::Error::other(about));
    };
    let mut lines = Vec::new();
    for i in 0..words.len() {
        lines.extend_from_slice(key_type.show_exactly(encoding.bits(words.get(i))).as_bytes());
        lines.push(b'\n');
        if lines.len() > 1 << 16 {
            to.write_all(&lines)?;
            lines.clear();
        }
    }
    to.write_all(&lines)
}

fn width(dtype: &DType) -> io::Result<usize> {
    dtype.num_bytes().ok_or_else(|| io::Error::other("elements of no fixed size"))
}
