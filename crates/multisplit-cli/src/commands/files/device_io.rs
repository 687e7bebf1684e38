//! Keys and values on a device: their upload, and the download of results into files.

use super::encoding::Encoding;
use super::formats::{ColumnOut, Format, read_values};
use super::input::{FileKeys, shown};
use super::paths::OutputPaths;
use super::words::{Words, WordsRef};
use super::write::OutputFiles;
use crate::shared::{npy, progress};
use anyhow::{Context, Result};
use bytemuck::Pod;
use multisplit::{Buffer, Column, Device, Key};
use npyz::DType;
use std::borrow::Cow;
use std::ops::Range;
use std::path::PathBuf;

/// What travels with keys, or is to be known of them, on a device.
pub struct Beside {
    pub device: Device,
    /// How carriers say what the keys are.
    encoding: Encoding,
    /// The keys, if something travels in their place.
    keys: Option<ValueBuffers>,
    values: Vec<(DType, ValueBuffers)>,
    permutation: Option<Buffer<u32>>,
    /// All about the keys but their bits.
    about: FileKeys,
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

/// Keys, and how they travel.
pub struct Travelling {
    pub keys: FileKeys,
    /// How carriers say what the keys are.
    pub encoding: Encoding,
    /// What travels in place of the keys, which then are a column beside: the number of each key's bucket.
    pub ids: Option<Vec<u32>>,
}

impl ValueBuffers {
    fn new(device: &Device, words: &Words) -> multisplit::Result<Self> {
        Ok(match words {
            Words::Narrow(words) => Self::Narrow(InOut::new(device, words)?),
            Words::Wide(words) => Self::Wide(InOut::new(device, words)?),
        })
    }

    fn download(&self) -> Result<Downloaded<'_>> {
        Ok(match self {
            Self::Narrow(buffers) => Downloaded::Narrow(elements(&buffers.to)?),
            Self::Wide(buffers) => Downloaded::Wide(elements(&buffers.to)?),
        })
    }
}

/// Uploads keys, and what travels with them. `C` is their carrier.
pub fn load<C: Key>(device: &Device, paths: &OutputPaths, travelling: Travelling) -> Result<(InOut<C>, Beside)> {
    let (carriers, beside) = Beside::load(device, paths, travelling)?;
    Ok((InOut::new(device, &carriers.cast::<C>())?, beside))
}

impl Beside {
    /// Reads the values, uploads them, and returns the carriers of the keys.
    fn load(device: &Device, paths: &OutputPaths, travelling: Travelling) -> Result<(Words, Self)> {
        let Travelling { mut keys, encoding, ids } = travelling;
        let n = keys.len();
        paths.check_records(&keys)?;
        let permutation = paths.permutation.is_some() || paths.moves_records(&keys);
        let mut bits = std::mem::replace(&mut keys.bits, Words::none(4));
        encoding.apply(&mut bits);
        let (carriers, own) = match ids {
            Some(ids) => (Words::Narrow(ids), Some(ValueBuffers::new(device, &bits)?)),
            None => (bits, None),
        };
        let read = |(path, column): &(PathBuf, Option<String>)| -> Result<(DType, ValueBuffers)> {
            let _stage = progress::transfer(format!("reading {}", shown(path)));
            let values = || read_values(path, column.as_deref(), n)?.elements.into_values();
            let (dtype, words) = values().with_context(|| format!("--values {}", shown(path)))?;
            Ok((dtype, ValueBuffers::new(device, &words)?))
        };
        let beside = Self {
            device: device.clone(),
            values: paths.values.iter().map(read).collect::<Result<_>>()?,
            keys: own,
            permutation: permutation.then(|| device.alloc(n)).transpose()?,
            encoding,
            about: keys,
        };
        Ok((carriers, beside))
    }

    /// Returns how many columns there are of 4 bytes, and how many of 8.
    pub fn widths(&self) -> (usize, usize) {
        let carried = self.values.iter().map(|(_, carried)| carried).chain(&self.keys);
        let (wide, narrow): (Vec<_>, Vec<_>) = carried.partition(|carried| matches!(carried, ValueBuffers::Wide(_)));
        (narrow.len() + usize::from(self.permutation.is_some()), wide.len())
    }

    /// Returns the columns that travel with the keys.
    pub fn columns(&mut self) -> Vec<Column<'_>> {
        let carried = self.values.iter_mut().map(|(_, carried)| carried).chain(&mut self.keys);
        let carried = carried.map(|carried| match carried {
            ValueBuffers::Narrow(buffers) => Column::new(&buffers.from, &mut buffers.to),
            ValueBuffers::Wide(buffers) => Column::new(&buffers.from, &mut buffers.to),
        });
        carried.chain(self.permutation.as_mut().map(Column::permutation)).collect()
    }

    /// Brings the results to the host, where the carriers of the keys are.
    pub fn results<'a>(&'a self, carriers: Downloaded<'a>) -> Result<Results<'a>> {
        let values = self.values.iter().map(|(dtype, carried)| Ok((dtype, carried.download()?)));
        Ok(Results {
            keys: match &self.keys {
                Some(keys) => keys.download()?,
                None => carriers,
            },
            encoding: self.encoding,
            values: values.collect::<Result<_>>()?,
            permutation: self.permutation.as_ref().map(elements).transpose()?,
            about: &self.about,
        })
    }
}

/// Results in host memory.
pub struct Results<'a> {
    keys: Downloaded<'a>,
    encoding: Encoding,
    values: Vec<(&'a DType, Downloaded<'a>)>,
    permutation: Option<Cow<'a, [u32]>>,
    about: &'a FileKeys,
}

/// Words in host memory.
pub enum Downloaded<'a> {
    Narrow(Cow<'a, [u32]>),
    Wide(Cow<'a, [u64]>),
}

impl<'a> Downloaded<'a> {
    fn of<C: Pod>(elements: Cow<'a, [C]>) -> Self {
        match (elements, size_of::<C>()) {
            (Cow::Borrowed(elements), 4) => Self::Narrow(Cow::Borrowed(bytemuck::cast_slice(elements))),
            (Cow::Borrowed(elements), _) => Self::Wide(Cow::Borrowed(bytemuck::cast_slice(elements))),
            (Cow::Owned(elements), 4) => Self::Narrow(Cow::Owned(bytemuck::allocation::cast_vec(elements))),
            (Cow::Owned(elements), _) => Self::Wide(Cow::Owned(bytemuck::allocation::cast_vec(elements))),
        }
    }

    fn slice(&self, range: Range<usize>) -> WordsRef<'_> {
        match self {
            Self::Narrow(words) => WordsRef::Narrow(words),
            Self::Wide(words) => WordsRef::Wide(words),
        }
        .slice(range)
    }
}

impl Results<'_> {
    /// Returns the format that the keys were read from.
    pub fn format_of_input(&self) -> Format {
        self.about.format
    }

    /// Writes a range of the results to files.
    pub fn write(&self, range: Range<usize>, paths: &OutputPaths, files: &mut OutputFiles) -> Result<()> {
        let (about, format_of_input) = (self.about, self.about.format);
        if let Some(path) = &paths.keys {
            let format = paths.format(path, format_of_input)?;
            match (&about.records, &self.permutation) {
                (Some(records), Some(order)) if records.check(format).is_ok() => {
                    files.write(path, &|to| records.write(to, format, &order[range.clone()]))?;
                }
                _ => {
                    let (dtype, words) = (&about.key_type.dtype()?, self.keys.slice(range.clone()));
                    files.column(
                        path,
                        format,
                        &ColumnOut { name: about.column_name(), dtype, words, encoding: self.encoding },
                    )?;
                }
            }
        }
        for ((dtype, words), path) in self.values.iter().zip(&paths.values_outputs) {
            let words = words.slice(range.clone());
            let column = ColumnOut { name: "value", dtype, words, encoding: Encoding::Bits };
            files.column(path, paths.format(path, format_of_input)?, &column)?;
        }
        if let (Some(path), Some(permutation)) = (&paths.permutation, &self.permutation) {
            let nulls = about.records.as_ref().and_then(|records| records.nulls());
            let rows = nulls.map(|nulls| nulls.all_rows(&permutation[range.clone()]));
            let words = WordsRef::of(rows.as_deref().unwrap_or(&permutation[range]));
            let dtype = &npy::dtype("<u4")?;
            let column = ColumnOut { name: "permutation", dtype, words, encoding: Encoding::Bits };
            files.column(path, paths.format(path, format_of_input)?, &column)?;
        }
        Ok(())
    }
}

/// Returns the bits of a buffer's elements.
pub fn download<C: Pod>(buffer: &Buffer<C>) -> Result<Downloaded<'_>> {
    elements(buffer).map(Downloaded::of)
}

/// Returns a buffer's elements, without a copy if they are in host memory.
fn elements<T: Pod>(buffer: &Buffer<T>) -> Result<Cow<'_, [T]>> {
    Ok(match buffer.as_slice() {
        Some(elements) => Cow::Borrowed(elements),
        None => Cow::Owned(buffer.download()?),
    })
}
