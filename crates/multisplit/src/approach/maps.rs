//! The small steps of a reduced-bit sort besides the sort, on buffers of any device.

use crate::bucket::Buckets;
use crate::buffer::{Buffer, ErasedBuffer};
use crate::column::{Column, ColumnKind};
use crate::device::dispatch;
use crate::error::Result;
#[cfg(feature = "gpu")]
use crate::gpu::{Gather, label as on_gpu};
use crate::key::Key;
use crate::value::Width;
use bytemuck::{Pod, cast_slice, cast_slice_mut};
use rayon::prelude::*;

/// A key and a value, packed. Two words: no device needs 64-bit integers to move them.
pub(super) type Pair = [u32; 2];

/// Elements per thread and step, at least.
const FEW: usize = 1 << 12;

/// Writes every key's bucket, brought into range; and where there are `pairs`, keys with the values of 4 bytes packed.
pub(super) fn label<F: Buckets>(
    f: &F,
    keys: &Buffer<F::Key>,
    labels: &mut Buffer<u32>,
    pairs: Option<(&dyn ErasedBuffer, &mut Buffer<Pair>)>,
) -> Result<()> {
    dispatch!(keys.device(),
    gpu => {
        let (Some(from), Some(to)) = (keys.handle(), labels.handle()) else { return Ok(()) };
        let pairs = pairs.as_ref().and_then(|(values, packed)| values.handle().zip(packed.handle()));
        on_gpu::Labelling { n: keys.len(), keys: from, labels: to, pairs }.launch(gpu, f)
    },
    cpu => {
        let (keys, last) = (keys.as_slice().unwrap_or_default(), f.buckets() - 1);
        let labels = labels.as_mut_slice().unwrap_or_default();
        let each = labels.par_iter_mut().zip(keys).with_min_len(FEW);
        each.for_each(|(label, &key)| *label = f.bucket(key).min(last));
        if let Some((values, packed)) = pairs {
            let (words, values): (&[u32], &[[u8; 4]]) = (cast_slice(keys), cast_slice(values.host()));
            let packed = packed.as_mut_slice().unwrap_or_default().par_iter_mut().zip(words).zip(values);
            packed.with_min_len(FEW).for_each(|((to, &key), value)| *to = [key, u32::from_ne_bytes(*value)]);
        }
        Ok(())
    })
}

/// Takes pairs apart.
pub(super) fn unpack<K: Key>(
    packed: &Buffer<Pair>,
    keys_out: &mut Buffer<K>,
    values_out: &mut dyn ErasedBuffer,
) -> Result<()> {
    let n = packed.len();
    dispatch!(packed.device(),
    gpu => {
        let (Some(packed), Some(keys), Some(values)) = (packed.handle(), keys_out.handle(), values_out.handle()) else {
            return Ok(());
        };
        on_gpu::unpack(gpu, n, packed, keys, values)
    },
    cpu => {
        let keys: &mut [u32] = cast_slice_mut(&mut keys_out.as_mut_slice().unwrap_or_default()[..n]);
        let values: &mut [[u8; 4]] = cast_slice_mut(&mut values_out.host_mut()[..4 * n]);
        let each = keys.par_iter_mut().zip(values).zip(packed.as_slice().unwrap_or_default()).with_min_len(FEW);
        each.for_each(|((key, value), pair)| (*key, *value) = (pair[0], pair[1].to_ne_bytes()));
        Ok(())
    })
}

/// Brings keys into the order of a permutation.
pub(super) fn gather_keys<K: Key>(keys: &Buffer<K>, permutation: &Buffer<u32>, keys_out: &mut Buffer<K>) -> Result<()> {
    let n = keys.len();
    dispatch!(keys.device(),
    gpu => {
        let (Some(from), Some(order), Some(to)) = (keys.handle(), permutation.handle(), keys_out.handle()) else {
            return Ok(());
        };
        on_gpu::gather_keys::<K>(gpu, n, from, order, to)
    },
    cpu => {
        let (from, order) = (keys.as_slice().unwrap_or_default(), permutation.as_slice().unwrap_or_default());
        gather_slice(from, &order[..n], keys_out.as_mut_slice().unwrap_or_default());
        Ok(())
    })
}

/// Brings a value column into the order of a permutation; one of indices is left alone.
pub(super) fn gather_column(n: usize, permutation: &Buffer<u32>, column: &mut Column<'_>) -> Result<()> {
    let ColumnKind::Values { width, from, to } = &mut column.0 else { return Ok(()) };
    dispatch!(permutation.device(),
    gpu => {
        let (Some(from), Some(order), Some(to)) = (from.handle(), permutation.handle(), to.handle()) else {
            return Ok(());
        };
        let (from, permutation, to, rows) = (from.clone(), order.clone(), to.clone(), n as u32);
        let words = if *width == Width::Wide { 2 } else { 1 };
        Gather { from, from_rows: rows, permutation, to, rows, words }.launch(gpu)
    },
    cpu => {
        let order = &permutation.as_slice().unwrap_or_default()[..n];
        match width {
            Width::Narrow => gather_slice::<[u8; 4]>(cast_slice(from.host()), order, cast_slice_mut(to.host_mut())),
            Width::Wide => gather_slice::<[u8; 8]>(cast_slice(from.host()), order, cast_slice_mut(to.host_mut())),
        }
        Ok(())
    })
}

fn gather_slice<T: Pod + Send + Sync>(from: &[T], permutation: &[u32], to: &mut [T]) {
    to.par_iter_mut().zip(permutation).with_min_len(FEW).for_each(|(to, &i)| *to = from[i as usize]);
}
