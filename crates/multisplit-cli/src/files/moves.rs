//! Keys and values on a device, and what becomes of them there.

use super::key::FileKey;
use super::plan::Places;
use super::values::{Values, Words};
use super::write::Outputs;
use crate::parallel;
use anyhow::Result;
use bytemuck::Pod;
use multisplit::{Buffer, Column, Device, Key};
use npyz::DType;
use std::borrow::Cow;

/// Everything that a sort or a split moves, with room for the result. Keys are `C` there, which keys of files become.
pub struct Moves<C> {
    pub device: Device,
    keys: Side<C>,
    values: Vec<(DType, Carried)>,
    permutation: Option<Buffer<u32>>,
}

/// From where to where.
pub struct Side<T> {
    pub from: Buffer<T>,
    pub to: Buffer<T>,
}

enum Carried {
    Narrow(Side<u32>),
    Wide(Side<u64>),
}

impl<T: Pod> Side<T> {
    fn new(device: &Device, elements: &[T]) -> multisplit::Result<Self> {
        Ok(Self { from: device.upload(elements)?, to: device.alloc(elements.len())? })
    }
}

impl<C: Key> Moves<C> {
    pub fn new(device: &Device, keys: &[C], values: Vec<Values>, permutation: bool) -> Result<Self> {
        let carried = values.into_iter().map(|Values { dtype, words }| {
            let carried = match words {
                Words::Narrow(words) => Carried::Narrow(Side::new(device, &words)?),
                Words::Wide(words) => Carried::Wide(Side::new(device, &words)?),
            };
            Ok((dtype, carried))
        });
        Ok(Self {
            device: device.clone(),
            keys: Side::new(device, keys)?,
            values: carried.collect::<Result<_>>()?,
            permutation: permutation.then(|| device.alloc(keys.len())).transpose()?,
        })
    }

    pub fn n(&self) -> usize {
        self.keys.from.len()
    }

    /// How many columns there are of 4 bytes, and how many of 8.
    pub fn widths(&self) -> (usize, usize) {
        let wide = self.values.iter().filter(|(_, carried)| matches!(carried, Carried::Wide(_))).count();
        (self.values.len() - wide + usize::from(self.permutation.is_some()), wide)
    }

    /// The keys, and the columns that go with them.
    pub fn sides(&mut self) -> (&mut Side<C>, Vec<Column<'_>>) {
        let carried = self.values.iter_mut().map(|(_, carried)| match carried {
            Carried::Narrow(side) => Column::new(&side.from, &mut side.to),
            Carried::Wide(side) => Column::new(&side.from, &mut side.to),
        });
        let columns = carried.chain(self.permutation.as_mut().map(Column::permutation)).collect();
        (&mut self.keys, columns)
    }

    /// Writes the first `n` rows of the result; `key` makes keys of the file's type of those on the device.
    pub fn write<K: FileKey>(
        &self,
        n: usize,
        key: impl Fn(C) -> K + Sync,
        places: &Places,
        outputs: &mut Outputs,
    ) -> Result<()> {
        if let Some(path) = &places.keys {
            let keys: Vec<K> = parallel::map(&download(&self.keys.to)?[..n], &key);
            outputs.numbers(path, &keys)?;
        }
        for ((dtype, carried), (_, path)) in self.values.iter().zip(&places.values) {
            match carried {
                Carried::Narrow(side) => outputs.write(path, dtype, n, bytes(&download(&side.to)?[..n]))?,
                Carried::Wide(side) => outputs.write(path, dtype, n, bytes(&download(&side.to)?[..n]))?,
            }
        }
        if let (Some(path), Some(permutation)) = (&places.permutation, &self.permutation) {
            outputs.numbers(path, &download(permutation)?[..n])?;
        }
        Ok(())
    }
}

/// A buffer's elements: where they are, if that is host memory.
fn download<T: Pod>(buffer: &Buffer<T>) -> Result<Cow<'_, [T]>> {
    Ok(match buffer.as_slice() {
        Some(elements) => Cow::Borrowed(elements),
        None => Cow::Owned(buffer.download()?),
    })
}

fn bytes<T: Pod>(elements: &[T]) -> &[u8] {
    bytemuck::cast_slice(elements)
}
