//! NumPy's archives: zip files of NumPy files.

use super::column::{Column, Elements};
use super::format::Format;
use super::source::ReadSeek;
use super::zip::Archive;
use super::{Wanted, npy};
use crate::shared::npy as header;
use anyhow::{Context, Result, ensure};
use npyz::DType;
use std::io::{self, Write};

/// Reads the array of this name, or the only one, and others of the same length by their names.
pub fn read(file: Box<dyn ReadSeek>, wanted: &Wanted<'_>, others: &[&str]) -> Result<(Column, Vec<Elements>)> {
    let mut archive = Archive::open(file)?;
    let names: Vec<String> =
        archive.names().map(|name| name.strip_suffix(".npy").unwrap_or(name).to_string()).collect();
    ensure!(!names.is_empty(), "there is no array in this archive");
    let find = |name: &str| {
        let found = names.iter().position(|each| each == name);
        found.with_context(|| format!("there is no array '{name}'; there are {}", names.join(", ")))
    };
    let i = match wanted.column {
        Some(name) => find(name)?,
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
    let mut array = |i: usize, opaque: bool| -> Result<Column> {
        let context = || format!("array '{}'", names[i]);
        let mut entry = archive.entry(i).with_context(context)?;
        let size = entry.size();
        let column = npy::read(&mut entry, Some(size), opaque).with_context(context)?;
        entry.finish().with_context(context)?;
        Ok(Column { name: Some(names[i].clone()), format: Format::Npz, ..column })
    };
    let column = array(i, wanted.values_of.is_some())?;
    let rows = column.elements.len();
    let mut found = Vec::new();
    for name in others {
        let elements = array(find(name)?, false)?.elements;
        let n = elements.len();
        ensure!(n == rows, "array '{name}' has {n} elements, but '{}' has {rows}", names[i]);
        found.push(elements);
    }
    Ok((column, found))
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
