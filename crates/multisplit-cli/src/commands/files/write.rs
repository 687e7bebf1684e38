//! Writes arrays to files: all of them or none.
//!
//! Each is first written to a temporary file in the same folder. When all are complete they are renamed, so that an
//! error loses nothing, and an output can have the name of an input.

use super::key::FileKey;
use crate::shared::npy;
use anyhow::{Context, Result};
use npyz::DType;
use std::borrow::Cow;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// Files that are complete, but not in place yet. They are removed unless they are committed.
#[derive(Default)]
pub struct OutputFiles {
    /// Each file, and its place.
    waiting: Vec<(NamedTempFile, PathBuf)>,
}

impl OutputFiles {
    /// Writes elements of `dtype`, given as the bytes of a file. The file is a NumPy file if its name says so.
    pub fn write(&mut self, path: &Path, dtype: &DType, n: usize, bytes: &[u8]) -> Result<()> {
        self.try_write(path, dtype, n, bytes).with_context(|| path.display().to_string())
    }

    /// Writes numbers of one of the key types.
    pub fn numbers<K: FileKey>(&mut self, path: &Path, numbers: &[K]) -> Result<()> {
        self.write(path, &K::TYPE.dtype()?, numbers.len(), &little_endian(numbers))
    }

    fn try_write(&mut self, path: &Path, dtype: &DType, n: usize, bytes: &[u8]) -> Result<()> {
        // A link stays one, and its target is replaced.
        let place = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
        let there = fs::metadata(&place).ok();
        let is_npy = npy::is_npy(path);
        let write = |file: &mut File| -> io::Result<()> {
            if is_npy {
                npy::write_header(file, dtype, n)?;
            }
            file.write_all(bytes)
        };
        if there.as_ref().is_some_and(|there| !there.is_file()) {
            // A pipe or a device: it takes what is written, and must stay what it is. A folder says that it is one.
            return Ok(write(&mut OpenOptions::new().write(true).open(&place)?)?);
        }
        let mut file = create_beside(&place)?;
        if let Some(there) = there {
            file.as_file().set_permissions(there.permissions())?;
        }
        write(file.as_file_mut())?;
        self.waiting.push((file, place));
        Ok(())
    }

    /// Moves every file to its place.
    pub fn commit(self) -> Result<()> {
        for (file, place) in self.waiting {
            file.persist(&place).map_err(|error| error.error).with_context(|| place.display().to_string())?;
        }
        Ok(())
    }
}

/// Creates a temporary file in the folder of `place`, so that it can be renamed to it.
fn create_beside(place: &Path) -> Result<NamedTempFile> {
    let name = place.file_name().context("this is not the name of a file")?;
    let folder = place.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut prefix = std::ffi::OsString::from(".");
    prefix.push(name);
    prefix.push(".");
    // Opened here, so that it has the permissions of any new file: those of tempfile are private.
    let create = |path: &Path| OpenOptions::new().write(true).create_new(true).open(path);
    Ok(tempfile::Builder::new().prefix(&prefix).suffix(".tmp").make_in(folder, create)?)
}

fn little_endian<K: FileKey>(numbers: &[K]) -> Cow<'_, [u8]> {
    let mut bytes = Cow::Borrowed(bytemuck::cast_slice(numbers));
    if cfg!(target_endian = "big") {
        bytes.to_mut().chunks_exact_mut(size_of::<K>()).for_each(<[u8]>::reverse);
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_in_place_when_all_are_committed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("numbers.bin");
        let mut files = OutputFiles::default();
        files.numbers(&path, &[1u8, 2]).unwrap();
        assert!(!path.exists());
        drop(files);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "what is not committed is removed");

        let mut files = OutputFiles::default();
        files.numbers(&path, &[1u8, 2]).unwrap();
        files.commit().unwrap();
        assert_eq!(fs::read(&path).unwrap(), [1, 2]);
        let plain = folder.path().join("plain");
        fs::write(&plain, "").unwrap();
        let permissions = |path: &Path| fs::metadata(path).unwrap().permissions();
        assert_eq!(permissions(&path), permissions(&plain), "those of any new file");
    }

    #[test]
    fn errors_name_the_file_that_the_user_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("none/numbers.bin");
        let error = OutputFiles::default().numbers(&path, &[1u8]).unwrap_err();
        let expected = format!("{}: {}", path.display(), File::open(&path).unwrap_err());
        assert_eq!(format!("{error:#}"), expected);
    }
}
