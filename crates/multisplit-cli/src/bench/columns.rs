//! Keys and values on the device, and room for them when split.

use super::kinds::ValueKind;
use super::verify::{Expected, IndexValue};
use crate::shared::parallel;
use anyhow::Result;
use multisplit::measure::bandwidth;
use multisplit::{Buffer, Column, Device, Value};
use std::ops::Not;

/// A column of the input and its output.
pub struct Moved<T> {
    pub from: Buffer<T>,
    pub to: Buffer<T>,
    junk: Buffer<T>,
}

impl<T: Value + Not<Output = T>> Moved<T> {
    pub fn new(device: &Device, host: &[T]) -> multisplit::Result<Self> {
        let junk: Vec<T> = parallel::map(host, T::not);
        Ok(Self { from: device.upload(host)?, to: device.alloc(host.len())?, junk: device.upload(&junk)? })
    }

    /// Overwrites the output, so that an old result is not taken for a new one.
    pub fn spoil(&mut self) -> multisplit::Result<()> {
        bandwidth::copy(&self.junk, &mut self.to)
    }
}

/// The values that travel along, if any: each is the index of its element.
pub enum Values {
    None,
    U32(Moved<u32>),
    U64(Moved<u64>),
}

impl Values {
    pub fn new(device: &Device, kind: ValueKind, n: usize) -> multisplit::Result<Self> {
        fn indices<V: IndexValue>(device: &Device, n: usize) -> multisplit::Result<Moved<V>> {
            Moved::new(device, &parallel::fill(n, |i| V::of(i as u32)))
        }
        Ok(match kind {
            ValueKind::None => Self::None,
            ValueKind::U32 => Self::U32(indices(device, n)?),
            ValueKind::U64 => Self::U64(indices(device, n)?),
        })
    }

    pub fn spoil(&mut self) -> multisplit::Result<()> {
        match self {
            Self::None => Ok(()),
            Self::U32(values) => values.spoil(),
            Self::U64(values) => values.spoil(),
        }
    }

    pub fn column(&mut self) -> Option<Column<'_>> {
        match self {
            Self::None => None,
            Self::U32(values) => Some(Column::new(&values.from, &mut values.to)),
            Self::U64(values) => Some(Column::new(&values.from, &mut values.to)),
        }
    }

    /// Compares as many of them as are expected: all, or what was selected.
    pub fn check(&self, expected: &Expected) -> Result<()> {
        fn first<V: IndexValue>(values: &Moved<V>, expected: &Expected) -> Result<()> {
            let mut got = values.to.download()?;
            got.truncate(expected.permutation.len());
            expected.check_values(&got)
        }
        match self {
            Self::None => Ok(()),
            Self::U32(values) => first(values, expected),
            Self::U64(values) => first(values, expected),
        }
    }
}
