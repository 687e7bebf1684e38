//! NumPy's archives: zip files of NumPy files.

use super::column::{Column, Elements};
use super::format::Format;
use super::source::ReadSeek;
use super::zip::Archive;
use super::{Wanted, npy};
use crate::shared::npy as header;
use anyhow::{Context, Result, ensure};
use npyz::DType;
use std::io::{self, Read, Write};

/// Reads the array of this name, or the only one, and others of the same length by their names.
pub fn read(file: Box<dyn ReadSeek>, wanted: &Wanted<'_>, others: &[&str]) -> Result<(Column, Vec<Elements>)> {
    let mut archive = Arrays::open(file)?;
    let i = archive.find(wanted)?;
    let column = archive.read(i, wanted.values_of.is_some())?;
    let rows = column.elements.len();
    let mut found = Vec::new();
    for name in others {
        let elements = archive.named(name).and_then(|i| archive.read(i, false))?.elements;
        let n = elements.len();
        ensure!(n == rows, "array '{name}' has {n} elements, but '{}' has {rows}", archive.names[i]);
        found.push(elements);
    }
    Ok((column, found))
}

/// Calls `read` with the array of this name, or the only one: its name, its bytes as a file of NumPy's, and how many
/// they are. If it is read as a `whole`, what is left is read too, and the checksum compared.
pub fn with_entry<T>(
    file: Box<dyn ReadSeek>,
    wanted: &Wanted<'_>,
    whole: bool,
    read: impl FnOnce(&str, u64, &mut dyn Read) -> Result<T>,
) -> Result<T> {
    let mut archive = Arrays::open(file)?;
    let i = archive.find(wanted)?;
    archive.with_entry(i, whole, read)
}

/// An archive, and how its arrays are called.
struct Arrays {
    archive: Archive,
    names: Vec<String>,
}

impl Arrays {
    fn open(file: Box<dyn ReadSeek>) -> Result<Self> {
        let archive = Archive::open(file)?;
        let names: Vec<String> =
            archive.names().map(|name| name.strip_suffix(".npy").unwrap_or(name).to_string()).collect();
        ensure!(!names.is_empty(), "there is no array in this archive");
        Ok(Self { archive, names })
    }

    /// Returns the number of the array of this name.
    fn named(&self, name: &str) -> Result<usize> {
        let found = self.names.iter().position(|each| each == name);
        found.with_context(|| format!("there is no array '{name}'; there are {}", self.names.join(", ")))
    }

    /// Returns the number of the array that is wanted: the one that is named, or the only one.
    fn find(&self, wanted: &Wanted<'_>) -> Result<usize> {
        if let Some(name) = wanted.column {
            return self.named(name);
        }
        let question = if wanted.beside {
            "there must be one array, or it must be named, but there"
        } else {
            "which array, --column NAME? There"
        };
        ensure!(self.names.len() == 1, "{question} are {}", self.names.join(", "));
        Ok(0)
    }

    fn read(&mut self, i: usize, opaque: bool) -> Result<Column> {
        self.with_entry(i, true, |name, size, from| {
            let column = npy::read(from, Some(size), opaque)?;
            Ok(Column { name: Some(name.into()), format: Format::Npz, ..column })
        })
    }

    fn with_entry<T>(
        &mut self,
        i: usize,
        whole: bool,
        read: impl FnOnce(&str, u64, &mut dyn Read) -> Result<T>,
    ) -> Result<T> {
        let name = &self.names[i];
        let context = || format!("array '{name}'");
        let mut entry = self.archive.entry(i).with_context(context)?;
        let size = entry.size();
        let found = read(name, size, &mut entry).with_context(context)?;
        if whole {
            entry.finish().with_context(context)?;
        }
        Ok(found)
    }
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
