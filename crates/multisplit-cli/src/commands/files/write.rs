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
    let mut builder = tempfile::Builder::new();
    builder.prefix(&prefix).suffix(".tmp");
    // As of any new file: temporary ones are private by default.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    Ok(builder.tempfile_in(folder).map_err(without_path)?)
}

/// Takes the name of the temporary file out of an error: the user did not choose it.
fn without_path(error: io::Error) -> io::Error {
    let source = error.get_ref().and_then(std::error::Error::source);
    let code = source.and_then(|source| source.downcast_ref::<io::Error>()?.raw_os_error());
    code.map_or(error, io::Error::from_raw_os_error)
}

fn little_endian<K: FileKey>(numbers: &[K]) -> Cow<'_, [u8]> {
    let mut bytes = Cow::Borrowed(bytemuck::cast_slice(numbers));
    if cfg!(target_endian = "big") {
        bytes.to_mut().chunks_exact_mut(size_of::<K>()).for_each(<[u8]>::reverse);
    }
    bytes
}
