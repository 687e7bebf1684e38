//! Rows of words, on their way to a device and back. Only what is in here and calls the library knows their types.

use super::encoding::Encoding;
use super::words::{Words, WordsRef};
use anyhow::Result;
use bytemuck::Pod;
use multisplit::{Buffer, Column, Device, DoubleColumn, Side};
use std::time::Duration;

/// Rows in host memory: what they are split or sorted by, and the columns that travel along.
pub struct Rows {
    pub carriers: Words,
    pub columns: Vec<Words>,
}

/// Rows that were split or sorted.
pub struct MovedRows {
    pub rows: Rows,
    /// Where each was before, if that was asked for.
    pub permutation: Option<Vec<u32>>,
    /// One more than there are buckets. Empty after a sort.
    pub offsets: Vec<usize>,
    /// How long the device took.
    pub time: Duration,
}

/// An input buffer, and an output buffer of the same length.
pub struct InOut<T> {
    pub from: Buffer<T>,
    pub to: Buffer<T>,
}

/// A column on a device.
pub enum ColumnBuffers {
    Narrow(InOut<u32>),
    Wide(InOut<u64>),
}

impl<T: Pod> InOut<T> {
    /// Moves elements to a device.
    pub fn new(device: &Device, elements: Vec<T>) -> multisplit::Result<Self> {
        let to = device.alloc(elements.len())?;
        Ok(Self { from: device.upload_vec(elements)?, to })
    }

    /// Moves the elements of one side back.
    pub fn into_vec(self, side: Side) -> multisplit::Result<Vec<T>> {
        match side {
            Side::First => self.from,
            Side::Second => self.to,
        }
        .into_vec()
    }
}

impl ColumnBuffers {
    pub fn new(device: &Device, words: Words) -> multisplit::Result<Self> {
        Ok(match words {
            Words::Narrow(words) => Self::Narrow(InOut::new(device, words)?),
            Words::Wide(words) => Self::Wide(InOut::new(device, words)?),
        })
    }

    pub fn column(&mut self) -> Column<'_> {
        match self {
            Self::Narrow(buffers) => Column::new(&buffers.from, &mut buffers.to),
            Self::Wide(buffers) => Column::new(&buffers.from, &mut buffers.to),
        }
    }

    pub fn double(&mut self) -> DoubleColumn<'_> {
        match self {
            Self::Narrow(buffers) => DoubleColumn::new(&mut buffers.from, &mut buffers.to),
            Self::Wide(buffers) => DoubleColumn::new(&mut buffers.from, &mut buffers.to),
        }
    }

    pub fn into_words(self, side: Side) -> multisplit::Result<Words> {
        Ok(match self {
            Self::Narrow(buffers) => Words::Narrow(buffers.into_vec(side)?),
            Self::Wide(buffers) => Words::Wide(buffers.into_vec(side)?),
        })
    }
}

/// Returns the words of some keys, given as bits, that the rows go by, though they are not the keys. The number is that
/// of the first of these keys in the input.
pub type WordsOf<'a> = Box<dyn Fn(WordsRef<'_>, u64) -> Result<Words> + 'a>;

/// What rows go by.
pub enum By<'a> {
    /// The keys, in some encoding.
    Keys(Encoding),
    /// Other words. The keys travel along as the first column.
    Others(WordsOf<'a>),
}

impl By<'_> {
    /// Makes rows of columns, of which the first has the bits of the keys. `first` is the number of the first row.
    pub fn rows(&self, mut columns: Vec<Words>, first: u64) -> Result<Rows> {
        match self {
            Self::Keys(encoding) => {
                let mut carriers = columns.remove(0);
                encoding.apply(&mut carriers);
                Ok(Rows { carriers, columns })
            }
            Self::Others(words) => Ok(Rows { carriers: words(columns[0].as_ref(), first)?, columns }),
        }
    }

    /// Returns the columns of rows, of which the first has the keys.
    pub fn columns(&self, rows: Rows) -> Vec<Words> {
        let Rows { carriers, mut columns } = rows;
        if let Self::Keys(_) = self {
            columns.insert(0, carriers);
        }
        columns
    }

    /// Returns what the words of the keys then say.
    pub fn encoding(&self) -> Encoding {
        match self {
            Self::Keys(encoding) => *encoding,
            Self::Others(_) => Encoding::Bits,
        }
    }
}
