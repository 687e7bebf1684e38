//! Keys and values on the device, with their outputs.

use super::key_types::ValueType;
use super::verify::{Expected, IndexValue};
use anyhow::Result;
use multisplit::measure::bandwidth;
use multisplit::{Buffer, Column, Device, Value};
use multisplit_graph::parallel;
use std::ops::Not;

/// An input column, and its output.
pub struct InOutColumn<T> {
    pub from: Buffer<T>,
    pub to: Buffer<T>,
    junk: Buffer<T>,
}

impl<T: Value + Not<Output = T>> InOutColumn<T> {
    /// Uploads the input.
    pub fn new(device: &Device, host: &[T]) -> multisplit::Result<Self> {
        let junk: Vec<T> = parallel::map(host, T::not);
        Ok(Self { from: device.upload(host)?, to: device.alloc(host.len())?, junk: device.upload(&junk)? })
    }

    /// Overwrites the output, so that an old result cannot pass for a new one.
    pub fn spoil(&mut self) -> multisplit::Result<()> {
        bandwidth::copy(&self.junk, &mut self.to)
    }
}

/// Keys on the host, and on the device from their first use. Peers run before that, and find more memory free.
pub struct KeyColumn<K> {
    pub host: Vec<K>,
    device: Option<InOutColumn<K>>,
}

impl<K: Value + Not<Output = K>> KeyColumn<K> {
    pub fn new(host: Vec<K>) -> Self {
        Self { host, device: None }
    }

    /// Returns the keys on the device.
    pub fn on(&mut self, device: &Device) -> multisplit::Result<&mut InOutColumn<K>> {
        match &mut self.device {
            Some(column) => Ok(column),
            none => Ok(none.insert(InOutColumn::new(device, &self.host)?)),
        }
    }

    /// Downloads the output. It is empty before the first use.
    pub fn output(&self) -> multisplit::Result<Vec<K>> {
        self.device.as_ref().map_or(Ok(Vec::new()), |column| column.to.download())
    }
}

/// The values that travel with keys, if any: each is the index of its element.
pub enum ValueColumn {
    None,
    U32(InOutColumn<u32>),
    U64(InOutColumn<u64>),
}

impl ValueColumn {
    /// Generates and uploads the values.
    pub fn new(device: &Device, value_type: ValueType, n: usize) -> multisplit::Result<Self> {
        fn indices<V: IndexValue>(device: &Device, n: usize) -> multisplit::Result<InOutColumn<V>> {
            InOutColumn::new(device, &parallel::fill(n, |i| V::of(i as u32)))
        }
        Ok(match value_type {
            ValueType::None => Self::None,
            ValueType::U32 => Self::U32(indices(device, n)?),
            ValueType::U64 => Self::U64(indices(device, n)?),
        })
    }

    /// Returns the type of the values.
    pub fn value_type(&self) -> ValueType {
        match self {
            Self::None => ValueType::None,
            Self::U32(_) => ValueType::U32,
            Self::U64(_) => ValueType::U64,
        }
    }

    /// Overwrites the output.
    pub fn spoil(&mut self) -> multisplit::Result<()> {
        match self {
            Self::None => Ok(()),
            Self::U32(values) => values.spoil(),
            Self::U64(values) => values.spoil(),
        }
    }

    /// Returns the column as calls take it.
    pub fn column(&mut self) -> Option<Column<'_>> {
        match self {
            Self::None => None,
            Self::U32(values) => Some(Column::new(&values.from, &mut values.to)),
            Self::U64(values) => Some(Column::new(&values.from, &mut values.to)),
        }
    }

    /// Compares as many of the outputs as are expected: all, or those that were selected.
    pub fn check(&self, expected: &Expected) -> Result<()> {
        fn first<V: IndexValue>(values: &InOutColumn<V>, expected: &Expected) -> Result<()> {
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
