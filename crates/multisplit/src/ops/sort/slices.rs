//! The calls on slices.

use super::Sort;
use crate::bucket::key::Key;
use crate::cpu::Scratch;
#[cfg(feature = "gpu")]
use crate::cpu::sort::differing_bits;
use crate::cpu::sort::{Carried, DoubleSlice, Input, Rows, Source, sort_from};
use crate::device::{Device, dispatch};
use crate::error::Result;
#[cfg(feature = "gpu")]
use crate::gpu::sort::SortBy;
use crate::memory::buffer::zeroed;
use crate::memory::columns::{Columns, HostColumn};
use crate::request::order::Order;
use crate::request::outputs::{Moved, Outputs, moved};
use bytemuck::cast_slice_mut;

/// Keys that were sorted, and what came with them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sorted<K, V = ()> {
    /// The keys, in order; equal ones in input order.
    pub keys: Vec<K>,
    /// The values, each still with its key.
    pub values: V,
    /// If asked for ([`Sort::with_permutation`]): `permutation[i]` is the index in the input of output element i.
    pub permutation: Option<Vec<u32>>,
}

impl Sort {
    /// Sorts keys.
    ///
    /// # Errors
    /// [`Error::InvalidSort`](crate::Error::InvalidSort), [`Error::TooManyKeys`](crate::Error::TooManyKeys);
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory),
    /// [`Error::MissingCapability`](crate::Error::MissingCapability) and what else can go wrong on a device.
    pub fn sort<K: Key>(&self, device: &Device, keys: &[K]) -> Result<Sorted<K>> {
        self.sort_with(device, keys, ())
    }

    /// Sorts keys with one or more value columns: `&[V]`, or a tuple of up to eight such.
    ///
    /// # Errors
    /// As [`Sort::sort`]; [`Error::LengthMismatch`](crate::Error::LengthMismatch).
    pub fn sort_with<K: Key, V: Columns>(
        &self,
        device: &Device,
        keys: &[K],
        values: V,
    ) -> Result<Sorted<K, V::Output>> {
        let n = keys.len();
        let order = self.order::<K>(n)?;
        let run: &mut dyn FnMut(Outputs<'_, '_, K>) -> Result<()> = &mut |to| sort_to(device, order, keys, to);
        let Moved { keys, values, permutation } = moved(device, n, values, self.permutation, run)?;
        Ok(Sorted { keys, values, permutation })
    }
}

fn sort_to<K: Key>(device: &Device, order: Order, keys: &[K], to: Outputs<'_, '_, K>) -> Result<()> {
    dispatch!(device,
        gpu => {
            // Digits in which all keys agree are not sorted by.
            let differing = differing_bits(order, keys);
            let order = order.cut_to(differing);
            let (digits, words) = (order.functions_for::<K>(differing)?, order.words::<K>());
            let by = SortBy::new(&digits, &words);
            (gpu.on::<K>()?.sort_slices)(gpu, &by, bytemuck::cast_slice(keys), to.unsigned())
        },
        cpu => sort_on_cpu(device, order, keys, to))
}

fn sort_on_cpu<K: Key>(device: &Device, order: Order, keys: &[K], to: Outputs<'_, '_, K>) -> Result<()> {
    // One digit needs no room: it goes from the input to the output.
    let n = if order.count() > 1 { keys.len() } else { 0 };
    let mut room = zeroed(device, n)?;
    let narrow = |permutation| zeroed::<u32>(device, if permutation { n } else { 0 });
    let mut index_room = narrow(to.permutation.is_some())?;
    let bytes = |column: &HostColumn<'_>| zeroed::<u8>(device, if n > 0 { column.to.len() } else { 0 });
    let mut rooms = to.columns.iter().map(bytes).collect::<Result<Vec<_>>>()?;

    let mut from = Input { keys, values: Vec::new() };
    let mut rows = Rows { keys: DoubleSlice { data: to.keys, room: &mut room }, values: Vec::new() };
    for (column, room) in to.columns.iter_mut().zip(&mut rooms) {
        from.values.push(Source::Bytes(column.from));
        rows.values.push(Carried::new(column.width, column.to, room));
    }
    if let Some(to) = to.permutation {
        from.values.push(Source::Index);
        rows.values
            .push(Carried::Narrow(DoubleSlice { data: cast_slice_mut(to), room: cast_slice_mut(&mut index_room) }));
    }
    sort_from(order, &from, rows, &mut Scratch::default())
}
