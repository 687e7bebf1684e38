//! Columns of which each element has its place in a file: they are read in pieces, and as often as needed.

use super::elements::{self, Layout};
use super::file_reader::FileReader;
use super::format::Format;
use super::shape::Shape;
use super::source::{self, Source};
use super::{Wanted, format_for, npy, npz, raw};
use crate::commands::files::words::Words;
use crate::shared::npy::{Header, read_header};
use crate::shared::progress::Moving;
use anyhow::{Context, Result};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};

/// Such a column.
pub struct StoredColumn {
    pub shape: Shape,
    /// Its name, where the file has names.
    pub name: Option<String>,
    /// The format that it was read from.
    pub format: Format,
    file: File,
    /// Where its first element is.
    begin: u64,
    /// The bytes of the file when it was opened.
    length: u64,
}

/// Returns the number and the type of elements, if they can be read in pieces: numbers of files that can be read in any
/// order.
pub fn shape(source: &Source, wanted: &Wanted<'_>) -> Result<Option<Shape>> {
    let (Some(mut file), Some(size)) = (source.file()?, source.size()?) else { return Ok(None) };
    file.seek(SeekFrom::Start(0))?;
    match format_for(source, wanted, &[])? {
        Format::Npy => Ok(of_npy(&mut file, size, wanted)?.map(|(shape, _)| shape)),
        Format::Npz => npz::with_entry(Box::new(file), wanted, false, |_, size, from| {
            Ok(of_npy(from, size, wanted)?.map(|(shape, _)| shape))
        }),
        Format::Raw => raw::shape(size, wanted).map(Some),
        Format::Text(_) | Format::Table(_) => Ok(None),
    }
}

/// Opens a column that has a shape. An array of an archive is unpacked to a temporary file.
pub fn open(source: &Source, wanted: &Wanted<'_>) -> Result<Option<StoredColumn>> {
    let (Some(mut file), Some(length)) = (source.file()?, source.size()?) else { return Ok(None) };
    file.seek(SeekFrom::Start(0))?;
    let format = format_for(source, wanted, &[])?;
    let (file, length, name, found) = match format {
        Format::Npy => {
            let found = of_npy(&mut file, length, wanted)?;
            (file, length, None, found)
        }
        Format::Npz => {
            let (name, mut unpacked) = npz::with_entry(Box::new(Moving(file)), wanted, true, unpack)?;
            let length = unpacked.metadata()?.len();
            let found = of_npy(&mut unpacked, length, wanted)?;
            (unpacked, length, Some(name), found)
        }
        Format::Raw => (file, length, None, Some((raw::shape(length, wanted)?, 0))),
        Format::Text(_) | Format::Table(_) => return Ok(None),
    };
    Ok(found.map(|(shape, begin)| StoredColumn { shape, name, format, file, begin, length }))
}

/// Reads the header of an array. None for strings. Returns where the elements begin, too.
fn of_npy(from: &mut dyn Read, size: u64, wanted: &Wanted<'_>) -> Result<Option<(Shape, u64)>> {
    let (Header { dtype, n }, begin) = read_header(from)?;
    let opaque = wanted.values_of.is_some();
    if !opaque && npy::is_text(&dtype) {
        return Ok(None);
    }
    let (key_type, layout) = npy::layout(&dtype, opaque)?;
    let there = size.saturating_sub(begin) / layout.width as u64;
    elements::check_count(there.min(n) as usize, n)?;
    Ok(Some((Shape { n, layout, key_type, dtype }, begin)))
}

/// Unpacks an entry of an archive to a temporary file.
fn unpack(name: &str, _size: u64, from: &mut dyn Read) -> Result<(String, File)> {
    let mut unpack = || -> io::Result<File> {
        let mut file = tempfile::tempfile()?;
        io::copy(from, &mut file)?;
        file.seek(SeekFrom::Start(0))?;
        Ok(file)
    };
    let place = std::env::temp_dir();
    Ok((name.into(), unpack().with_context(|| format!("it cannot be unpacked in {}", place.display()))?))
}

impl StoredColumn {
    /// Takes the elements of a file that has nothing else.
    pub fn of_file(file: File, shape: Shape, name: Option<String>, format: Format) -> Result<Self> {
        let length = file.metadata()?.len();
        Ok(Self { shape, name, format, file, begin: 0, length })
    }

    /// Reads some elements, from number `at` on. They must be there.
    pub fn read(&self, at: u64, count: usize) -> Result<Words> {
        let Layout { width, .. } = self.shape.layout;
        let bytes = count as u64 * width as u64;
        let from = &mut FileReader::new(&self.file, self.begin + at * width as u64).take(bytes);
        let (words, _) = elements::read(from, self.shape.layout, count as u64, Some(bytes))?;
        if words.len() < count {
            self.check_length()?;
            elements::check_count((at + words.len() as u64) as usize, self.shape.n)?;
        }
        Ok(words)
    }

    /// Returns how many bytes its elements have.
    pub fn bytes(&self) -> u64 {
        self.shape.n * self.shape.layout.width as u64
    }

    /// Refuses a file that grew or shrank since it was opened.
    pub fn check_length(&self) -> Result<()> {
        source::check_length(&self.file, self.length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::files::key_type::KeyType;
    use std::fs;

    #[test]
    fn files_that_change_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("keys.bin");
        fs::write(&path, [1, 0, 2, 0, 3, 0]).unwrap();
        let source = Source::open(&path).unwrap();
        let wanted = Wanted { key_type: Some(KeyType::Unsigned(16)), ..Wanted::default() };
        let column = open(&source, &wanted).unwrap().unwrap();
        assert_eq!(column.shape.n, 3);
        assert!(matches!(column.read(1, 2).unwrap(), Words::Narrow(words) if words == [2, 3]));
        column.check_length().unwrap();
        let file = fs::OpenOptions::new().write(true).open(&path).unwrap();
        for length in [4, 8] {
            file.set_len(length).unwrap();
            let said = column.check_length().unwrap_err().to_string();
            assert!(said.contains(&format!("it had 6 bytes, and now has {length}")), "{said}");
        }
        file.set_len(4).unwrap();
        assert!(column.read(1, 2).err().unwrap().to_string().contains("the file changed while it was read"));
    }
}
