//! Writes arrays to files: all of them or none, so that an output can have the name of an input.

use super::key::FileKey;
use crate::shared::npy;
use crate::shared::output_files::{self, OutputFile};
use anyhow::Result;
use npyz::DType;
use std::borrow::Cow;
use std::path::Path;

/// Files that are complete, but not in place yet. They are removed unless they are committed.
#[derive(Default)]
pub struct OutputFiles {
    waiting: Vec<OutputFile>,
}

impl OutputFiles {
    /// Writes elements of `dtype`, given as the bytes of a file. The file is a NumPy file if its name says so.
    pub fn write(&mut self, path: &Path, dtype: &DType, n: usize, bytes: &[u8]) -> Result<()> {
        let is_npy = npy::is_npy(path);
        self.waiting.push(OutputFile::written(path, &mut |to| {
            if is_npy {
                npy::write_header(to, dtype, n)?;
            }
            Ok(to.write_all(bytes)?)
        })?);
        Ok(())
    }

    /// Writes numbers of one of the key types.
    pub fn numbers<K: FileKey>(&mut self, path: &Path, numbers: &[K]) -> Result<()> {
        self.write(path, &K::TYPE.dtype()?, numbers.len(), &little_endian(numbers))
    }

    /// Moves every file to its place.
    pub fn commit(self) -> Result<()> {
        output_files::commit(self.waiting)
    }
}

fn little_endian<K: FileKey>(numbers: &[K]) -> Cow<'_, [u8]> {
    let mut bytes = Cow::Borrowed(bytemuck::cast_slice(numbers));
    if cfg!(target_endian = "big") {
        bytes.to_mut().chunks_exact_mut(size_of::<K>()).for_each(<[u8]>::reverse);
    }
    bytes
}
