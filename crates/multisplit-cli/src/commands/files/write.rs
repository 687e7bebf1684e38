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

/// Files that are complete, but not in their places yet.
#[derive(Default)]
pub struct OutputFiles {
    /// Where each is, and its place.
    waiting: Vec<(PathBuf, PathBuf)>,
}

impl OutputFiles {
    /// Elements of `dtype`, in the bytes that a file has: a NumPy file where it is named like one, else these alone.
    pub fn write(&mut self, path: &Path, dtype: &DType, n: usize, bytes: &[u8]) -> Result<()> {
        self.try_write(path, dtype, n, bytes).with_context(|| path.display().to_string())
    }

    /// Numbers of one of the types that keys have.
    pub fn numbers<K: FileKey>(&mut self, path: &Path, numbers: &[K]) -> Result<()> {
        self.write(path, &K::TYPE.dtype()?, numbers.len(), &little_endian(numbers))
    }

    fn try_write(&mut self, path: &Path, dtype: &DType, n: usize, bytes: &[u8]) -> Result<()> {
        // A link stays one, and its target is replaced.
        let place = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
        let there = fs::metadata(&place).ok();
        let is_npy = npy::is_npy(path);
        let write = |mut file: File| -> io::Result<()> {
            if is_npy {
                npy::write_header(&mut file, dtype, n)?;
            }
            file.write_all(bytes)
        };
        if there.as_ref().is_some_and(|there| !there.is_file()) {
            // A pipe or a device: it takes what is written, and must stay what it is. A folder says that it is one.
            return Ok(write(OpenOptions::new().write(true).open(&place)?)?);
        }
        let (beside, file) = create_beside(&place)?;
        self.waiting.push((beside, place));
        if let Some(there) = there {
            file.set_permissions(there.permissions())?;
        }
        Ok(write(file)?)
    }

    /// Moves every file to its place.
    pub fn commit(mut self) -> Result<()> {
        while let Some((beside, place)) = self.waiting.first() {
            fs::rename(beside, place).with_context(|| place.display().to_string())?;
            self.waiting.remove(0);
        }
        Ok(())
    }
}

impl Drop for OutputFiles {
    /// What was not moved is of no use.
    fn drop(&mut self) {
        for (beside, _) in &self.waiting {
            let _ = fs::remove_file(beside);
        }
    }
}

/// A new file in the same folder, of which moving is no copying.
fn create_beside(place: &Path) -> Result<(PathBuf, File)> {
    let name = place.file_name().context("this is not the name of a file")?;
    for attempt in 0..100 {
        let mut other = std::ffi::OsString::from(".");
        other.push(name);
        other.push(format!(".{}-{attempt}.tmp", std::process::id()));
        let beside = place.with_file_name(other);
        match OpenOptions::new().write(true).create_new(true).open(&beside) {
            Ok(file) => return Ok((beside, file)),
            // Left behind by a program that was stopped, and had the same number.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error.into()),
        }
    }
    anyhow::bail!("no temporary file can be made beside it; remove those that end in .tmp")
}

fn little_endian<K: FileKey>(numbers: &[K]) -> Cow<'_, [u8]> {
    let mut bytes = Cow::Borrowed(bytemuck::cast_slice(numbers));
    if cfg!(target_endian = "big") {
        bytes.to_mut().chunks_exact_mut(size_of::<K>()).for_each(<[u8]>::reverse);
    }
    bytes
}
