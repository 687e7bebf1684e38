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
    let Some(width) = dtype.num_bytes() else { return Err(io::Error::other("elements of no fixed size")) };
    match format {
        Format::Raw => elements::write(to, words, width, encoding),
        #[cfg(feature = "arrow")]
        Format::Table(table) => arrow::write_column(to, table, column).map_err(io::Error::other),
        #[cfg(not(feature = "arrow"))]
        Format::Table(table) => Err(io::Error::other(format!("{table} cannot be written"))),
        Format::Npy => {
            npy::write_header(to, dtype, words.len())?;
            elements::write(to, words, width, encoding)
        }
        Format::Npz => {
            let write = |to: &mut dyn Write| elements::write(to, words, width, encoding);
            npz::write(to, name, dtype, words.len(), &write)
        }
        Format::Text(style) => {
            // Opaque elements may have their bytes in another order.
            let key_type = KeyType::of(dtype).ok().filter(|found| found.dtype().is_ok_and(|own| own == *dtype));
            let Some(key_type) = key_type else {
                let about = format!("elements of {} cannot be written as text; name a .npy file", dtype.descr());
                return Err(io::Error::other(about));
            };
            let mut lines = Vec::new();
            if style.header {
                write_field(name.as_bytes(), style.delimiter, &mut lines);
                lines.push(b'\n');
            }
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
    }
}
