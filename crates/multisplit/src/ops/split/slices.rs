//! The calls on slices.

use super::Multisplit;
use crate::bucket::Buckets;
use crate::cpu;
use crate::device::{Device, dispatch};
use crate::error::{Result, check_out_of_range};
use crate::memory::buffer::zeroed;
use crate::memory::columns::Columns;
use crate::request::outputs::{Moved, Outputs, moved};
use std::ops::Range;

/// Keys that were split, their values, and where the buckets are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Split<K, V = ()> {
    /// The keys, bucket by bucket; within a bucket in input order.
    pub keys: Vec<K>,
    /// The values, each still with its key.
    pub values: V,
    /// Bucket b is `offsets[b]..offsets[b + 1]`: m + 1 numbers, the first 0 and the last n.
    pub offsets: Vec<usize>,
    /// If asked for ([`Multisplit::with_permutation`]): `permutation[i]` is the index in the input of output element i.
    pub permutation: Option<Vec<u32>>,
}

impl<K, V> Split<K, V> {
    /// The number of buckets, m.
    pub fn buckets(&self) -> usize {
        self.offsets.len().saturating_sub(1)
    }

    /// Where bucket `b` lies in the output. A bucket beyond the last is empty.
    pub fn range(&self, b: usize) -> Range<usize> {
        let start = self.offsets.get(b).copied().unwrap_or(self.keys.len());
        start..self.offsets.get(b.saturating_add(1)).copied().unwrap_or(start)
    }

    /// The keys of bucket `b`. A bucket beyond the last is empty.
    pub fn bucket(&self, b: usize) -> &[K] {
        self.keys.get(self.range(b)).unwrap_or_default()
    }
}

impl<F: Buckets> Multisplit<'_, F> {
    /// Splits keys.
    ///
    /// # Errors
    /// Each of [`Error`](crate::Error)'s, as their descriptions say. The input is never touched.
    pub fn split(&self, device: &Device, keys: &[F::Key]) -> Result<Split<F::Key>> {
        self.split_with(device, keys, ())
    }

    /// Splits keys with one or more value columns: `&[V]`, or a tuple of up to eight such.
    ///
    /// # Errors
    /// Each of [`Error`](crate::Error)'s, as their descriptions say. The input is never touched.
    pub fn split_with<V: Columns>(
        &self,
        device: &Device,
        keys: &[F::Key],
        values: V,
    ) -> Result<Split<F::Key, V::Output>> {
        self.split_into(self.f.buckets(), device, keys, values)
    }

    /// The same into m buckets, whatever the function says by now.
    pub(crate) fn split_into<V: Columns>(
        &self,
        m: u32,
        device: &Device,
        keys: &[F::Key],
        values: V,
    ) -> Result<Split<F::Key, V::Output>> {
        self.check_into(m, keys.len())?;
        let mut offsets = Vec::new();
        let Moved { keys, values, permutation } = moved(device, keys.len(), values, self.permutation, &mut |to| {
            offsets = self.split_to(m, device, keys, to)?;
            Ok(())
        })?;
        Ok(Split { keys, values, offsets, permutation })
    }

    fn split_to(&self, m: u32, device: &Device, keys: &[F::Key], to: Outputs<'_, '_, F::Key>) -> Result<Vec<usize>> {
        dispatch!(device,
            gpu => {
                let (request, keys) = (self.request(m), bytemuck::cast_slice(keys));
                (gpu.on::<F::Key>()?.split_slices)(gpu, &request, keys, to.unsigned())
            },
            cpu => self.split_on_cpu(device, m, keys, to))
    }

    fn split_on_cpu(
        &self,
        device: &Device,
        m: u32,
        keys: &[F::Key],
        to: Outputs<'_, '_, F::Key>,
    ) -> Result<Vec<usize>> {
        let mut columns = cpu::Column::all(keys, to);
        let mut offsets = zeroed(device, m as usize + 1)?;
        let mut scratch = cpu::Scratch::default();
        let (keys, f) = (cpu::Keys::of(keys), self.f.loops());
        let out_of_range = cpu::split_any(device, keys, &mut columns, m, &f, &mut offsets, &mut scratch)?;
        check_out_of_range(out_of_range, m)?;
        Ok(offsets)
    }
}
