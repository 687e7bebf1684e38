//! NumPy's archives: zip files of NumPy files.

use super::column::Column;
use super::format::Format;
use super::source::ReadSeek;
use super::zip::Archive;
use super::{Wanted, npy};
use crate::shared::npy as header;
use anyhow::{Context, Result, ensure};
use npyz::DType;
use std::io::{self, Read, Write};

/// Reads the array of this name, or the only one.
pub fn read(file: Box<dyn ReadSeek>, wanted: &Wanted<'_>) -> Result<Column> {
    with_entry(file, wanted, true, |name, size, from| {
        let column = npy::read(from, Some(size), wanted.values_of.is_some())?;
        Ok(Column { name: Some(name.into()), format: Format::Npz, ..column })
    })
}

/// Calls `read` with the array of this name, or the only one: its name, its bytes as a file of NumPy's, and how many
/// they are. If it is read as a `whole`, what is left is read too, and the checksum compared.
pub fn with_entry<T>(
    file: Box<dyn ReadSeek>,
    wanted: &Wanted<'_>,
    whole: bool,
    read: impl FnOnce(&str, u64, &mut dyn Read) -> Result<T>,
) -> Result<T> {
    let mut archive = Archive::open(file)?;
    let names: Vec<String> =
        archive.names().map(|name| name.strip_suffix(".npy").unwrap_or(name).to_string()).collect();
    ensure!(!names.is_empty(), "there is no array in this archive");
    let i = match wanted.column {
        Some(name) => names
            .iter()
            .position(|each| each == name)
            .with_context(|| format!("there is no array '{name}'; there are {}", names.join(", ")))?,
        None => {
            let question = if wanted.beside {
                "there must be one array, or it must be named, but there"
            } else {
                "which array, --column NAME? There"
            };
            ensure!(names.len() == 1, "{question} are {}", names.join(", "));
            0
        }
    };
    let context = || format!("array '{}'", names[i]);
    let mut entry = archive.entry(i).with_context(context)?;
    let size = entry.size();
    let found = read(&names[i], size, &mut entry).with_context(context)?;
    if whole {
        entry.finish().with_context(context)?;
    }
    Ok(found)
}

/// Writes an archive of one array, which is not compressed. `elements` writes those of `width` bytes.
pub fn write(
    to: &mut dyn Write,
    name: &str,
    dtype: &DType,
    n: usize,
    elements: &dyn Fn(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    super::zip::write_single(to, &format!("{name}.npy"), &|to| {
        header::write_header(to, dtype, n)?;
        elements(to)
    })
}
