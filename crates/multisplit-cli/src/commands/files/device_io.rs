//! Keys and values on a device: their upload, and the download of results into files.

use super::key::FileKey;
use super::paths::OutputPaths;
use super::read::{ArrayFile, FileValues, ValueWords};
use super::write::OutputFiles;
use anyhow::{Context, Result};
use bytemuck::Pod;
use multisplit::{Buffer, Column, Device, Key};
use multisplit_graph::parallel;
use npyz::DType;
use std::borrow::Cow;
use std::path::PathBuf;

/// The inputs and outputs of a sort or a split. `C` is the carrier of the keys.
pub struct DeviceIo<C> {
    pub device: Device,
    keys: InOut<C>,
    values: Vec<(DType, ValueBuffers)>,
    permutation: Option<Buffer<u32>>,
}

/// An input buffer, and an output buffer of the same length.
pub struct InOut<T> {
    pub from: Buffer<T>,
    pub to: Buffer<T>,
}

enum ValueBuffers {
    Narrow(InOut<u32>),
    Wide(InOut<u64>),
}

impl<T: Pod> InOut<T> {
    fn new(device: &Device, elements: &[T]) -> multisplit::Result<Self> {
        Ok(Self { from: device.upload(elements)?, to: device.alloc(elements.len())? })
    }
}

impl<C: Key> DeviceIo<C> {
    /// Reads the values, and uploads them with the keys. `carrier` converts a key.
    pub fn load<K: FileKey>(
        device: &Device,
        paths: &OutputPaths,
        keys: Vec<K>,
        carrier: impl Fn(K) -> C + Sync,
    ) -> Result<Self> {
        let n = keys.len();
        let carriers: Vec<C> = parallel::map(&keys, &carrier);
        drop(keys);
        let read = |(path, _): &(PathBuf, PathBuf)| -> Result<FileValues> {
            let values = ArrayFile::open(path).and_then(|file| file.values(n));
            values.with_context(|| format!("--values {}", path.display()))
        };
        let values = paths.values.iter().map(read).collect::<Result<_>>()?;
        Self::upload(device, &carriers, values, paths.permutation.is_some())
    }

    fn upload(device: &Device, keys: &[C], values: Vec<FileValues>, permutation: bool) -> Result<Self> {
        let values = values.into_iter().map(|FileValues { dtype, words }| {
            let buffers = match words {
                ValueWords::Narrow(words) => ValueBuffers::Narrow(InOut::new(device, &words)?),
                ValueWords::Wide(words) => ValueBuffers::Wide(InOut::new(device, &words)?),
            };
            Ok((dtype, buffers))
        });
        Ok(Self {
            device: device.clone(),
            keys: InOut::new(device, keys)?,
            values: values.collect::<Result<_>>()?,
            permutation: permutation.then(|| device.alloc(keys.len())).transpose()?,
        })
    }

    /// Returns the number of keys.
    pub fn n(&self) -> usize {
        self.keys.from.len()
    }

    /// Returns how many columns there are of 4 bytes, and how many of 8.
    pub fn widths(&self) -> (usize, usize) {
        let wide = self.values.iter().filter(|(_, carried)| matches!(carried, ValueBuffers::Wide(_))).count();
        (self.values.len() - wide + usize::from(self.permutation.is_some()), wide)
    }

    /// Returns the keys, and the columns that travel with them.
    pub fn columns(&mut self) -> (&mut InOut<C>, Vec<Column<'_>>) {
        let carried = self.values.iter_mut().map(|(_, carried)| match carried {
            ValueBuffers::Narrow(buffers) => Column::new(&buffers.from, &mut buffers.to),
            ValueBuffers::Wide(buffers) => Column::new(&buffers.from, &mut buffers.to),
        });
        let columns = carried.chain(self.permutation.as_mut().map(Column::permutation)).collect();
        (&mut self.keys, columns)
    }

    /// Writes the first `n` elements of the results. `key` converts a carrier back.
    pub fn write<K: FileKey>(
        &self,
        n: usize,
        key: impl Fn(C) -> K + Sync,
        paths: &OutputPaths,
        outputs: &mut OutputFiles,
    ) -> Result<()> {
        if let Some(path) = &paths.keys {
            let keys: Vec<K> = parallel::map(&download(&self.keys.to)?[..n], &key);
            outputs.numbers(path, &keys)?;
        }
        for ((dtype, carried), (_, path)) in self.values.iter().zip(&paths.values) {
            match carried {
                ValueBuffers::Narrow(buffers) => outputs.write(path, dtype, n, bytes(&download(&buffers.to)?[..n]))?,
                ValueBuffers::Wide(buffers) => outputs.write(path, dtype, n, bytes(&download(&buffers.to)?[..n]))?,
            }
        }
        if let (Some(path), Some(permutation)) = (&paths.permutation, &self.permutation) {
            outputs.numbers(path, &download(permutation)?[..n])?;
        }
        Ok(())
    }
}

/// Returns a buffer's elements, without a copy if they are in host memory.
fn download<T: Pod>(buffer: &Buffer<T>) -> Result<Cow<'_, [T]>> {
    Ok(match buffer.as_slice() {
        Some(elements) => Cow::Borrowed(elements),
        None => Cow::Owned(buffer.download()?),
    })
}

fn bytes<T: Pod>(elements: &[T]) -> &[u8] {
    bytemuck::cast_slice(elements)
}
