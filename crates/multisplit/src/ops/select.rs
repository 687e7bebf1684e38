//! Partitions and selections: splits into two or three, as calls of their own.
//!
//! What says where a key belongs is a bucket function of two (or three) buckets. Bucket 0 comes first; to a
//! selection, it is what is kept.

use super::split::Multisplit;
use super::split::slices::Split;
use crate::bucket::Buckets;
use crate::device::Device;
use crate::error::{Error, Result};
use crate::memory::column::Column;
use crate::memory::columns::Columns;
use crate::memory::offsets::Offsets;
use crate::memory::slice::BufferSlice;
use crate::memory::slice_mut::BufferSliceMut;
use crate::ops::workspace::Workspace;

/// Parts keys in two, stably: those of bucket 0, then those of bucket 1. `f` is any bucket function of two buckets;
/// where the second part begins is `offsets[1]`.
///
/// ```
/// use multisplit::{Device, bucket::Splitters, partition};
/// let below_ten = Splitters::new(&[10u32])?; // bucket 0: below 10; bucket 1: the others
/// let parts = partition(&Device::best(), &[12u32, 3, 10, 7], &below_ten)?;
/// assert_eq!(parts.keys, [3, 7, 12, 10]);
/// assert_eq!(parts.offsets[1], 2);
/// assert_eq!((parts.bucket(0), parts.bucket(1)), (&[3, 7][..], &[12, 10][..]));
/// # Ok::<(), multisplit::Error>(())
/// ```
///
/// With values or the permutation, and between device buffers, it is a split like any other: [`Multisplit`].
///
/// # Errors
/// [`Error::WrongNumberOfBuckets`] if there are not two; else as [`split`](crate::split()).
pub fn partition<F: Buckets>(device: &Device, keys: &[F::Key], f: &F) -> Result<Split<F::Key>> {
    Multisplit::by(f).split_into(check_buckets("a partition", f, 2)?, device, keys, ())
}

/// Parts keys in three, stably: those of bucket 0, of bucket 1 and of bucket 2.
///
/// ```
/// use multisplit::{Device, bucket::Splitters, partition3};
/// let f = Splitters::new(&[10u32, 11])?; // below 10, equal to it, above it
/// let parts = partition3(&Device::best(), &[12u32, 3, 10, 7, 10], &f)?;
/// assert_eq!(parts.keys, [3, 7, 10, 10, 12]);
/// assert_eq!(parts.offsets, [0, 2, 4, 5]);
/// # Ok::<(), multisplit::Error>(())
/// ```
///
/// # Errors
/// [`Error::WrongNumberOfBuckets`] if there are not three; else as [`split`](crate::split()).
pub fn partition3<F: Buckets>(device: &Device, keys: &[F::Key], f: &F) -> Result<Split<F::Key>> {
    Multisplit::by(f).split_into(check_buckets("a three-way partition", f, 3)?, device, keys, ())
}

/// Keeps the keys of bucket 0, in their order, and leaves out those of bucket 1. `f` is any bucket function of two
/// buckets.
///
/// ```
/// use multisplit::bucket::prelude::*;
/// use multisplit::{Device, select};
///
/// #[bucket_function(buckets = 2)]
/// fn even(key: u32) -> u32 {
///     key % 2 // 0: it is even, and kept
/// }
///
/// assert_eq!(select(&Device::cpu(), &[4, 7, 2, 9], &Even)?, [4, 2]);
/// # Ok::<(), multisplit::Error>(())
/// ```
///
/// # Errors
/// [`Error::WrongNumberOfBuckets`] if there are not two; else as [`split`](crate::split()).
pub fn select<F: Buckets>(device: &Device, keys: &[F::Key], f: &F) -> Result<Vec<F::Key>> {
    Multisplit::by(f).select_with(device, keys, ()).map(|selected| selected.keys)
}

/// Keeps the keys of bucket 0 and the values that they carry, as [`select`] does.
///
/// # Errors
/// As [`select`].
pub fn select_pairs<F: Buckets, V: Columns>(
    device: &Device,
    keys: &[F::Key],
    values: V,
    f: &F,
) -> Result<Selected<F::Key, V::Output>> {
    Multisplit::by(f).select_with(device, keys, values)
}

/// Keys that were selected, with their values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selected<K, V = ()> {
    /// The keys, in input order.
    pub keys: Vec<K>,
    /// The values, each still with its key.
    pub values: V,
    /// If asked for ([`Multisplit::with_permutation`]): where each was in the input.
    pub indices: Option<Vec<u32>>,
}

impl<F: Buckets> Multisplit<'_, F> {
    /// Keeps the keys of bucket 0 and their values, in their order, and leaves out those of bucket 1. Values are
    /// `&[V]`, a tuple of up to eight such, or `()` for none; [`with_permutation`](Multisplit::with_permutation) asks
    /// for the indices too.
    ///
    /// ```
    /// use multisplit::{Device, Multisplit, bucket::Splitters};
    /// let below_ten = Splitters::new(&[10u32])?;
    /// let by = Multisplit::by(&below_ten).with_permutation();
    /// let selected = by.select_with(&Device::best(), &[12, 3, 10, 7], &[0.5f32, 1.5, 2.5, 3.5])?;
    /// assert_eq!((selected.keys, selected.values), (vec![3, 7], vec![1.5, 3.5]));
    /// assert_eq!(selected.indices, Some(vec![1, 3]));
    /// # Ok::<(), multisplit::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::WrongNumberOfBuckets`] if there are not two buckets; else as [`Multisplit::split_with`].
    pub fn select_with<V: Columns>(
        &self,
        device: &Device,
        keys: &[F::Key],
        values: V,
    ) -> Result<Selected<F::Key, V::Output>> {
        let m = check_buckets("a selection", self.f, 2)?;
        let Split { mut keys, mut values, offsets, permutation: mut indices } =
            self.split_into(m, device, keys, values)?;
        let count = offsets.get(1).copied().unwrap_or(0);
        keys.truncate(count);
        V::truncate(&mut values, count);
        if let Some(indices) = &mut indices {
            indices.truncate(count);
        }
        Ok(Selected { keys, values, indices })
    }

    /// Selects between device buffers, as [`enqueue`](Multisplit::enqueue) splits: on a GPU nothing is waited for.
    /// The outputs are as long as the inputs; what is selected comes first, and what lies behind it is unspecified.
    /// How much it is [`Offsets::selected`] tells, when you choose to wait.
    ///
    /// ```
    /// use multisplit::{Column, Device, Multisplit, bucket::Splitters};
    /// let device = Device::best();
    /// let below_ten = Splitters::new(&[10u32])?;
    /// let by = Multisplit::by(&below_ten);
    /// let keys = device.upload(&[12u32, 3, 10, 7])?;
    /// let (mut keys_out, mut indices) = (device.alloc(4)?, device.alloc(4)?);
    /// let mut offsets = by.offsets(&device)?;
    /// let mut workspace = by.workspace(&device, 4, 1)?;
    ///
    /// let columns = &mut [Column::permutation(&mut indices)];
    /// by.enqueue_select(&keys, &mut keys_out, columns, &mut offsets, &mut workspace)?;
    /// let count = offsets.selected()?;
    /// assert_eq!(keys_out.download()?[..count], [3, 7]);
    /// assert_eq!(indices.download()?[..count], [1, 3]);
    /// # Ok::<(), multisplit::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::WrongNumberOfBuckets`] if there are not two buckets; else as [`Multisplit::enqueue`].
    pub fn enqueue_select<'a, 'b>(
        &self,
        keys: impl Into<BufferSlice<'a, F::Key>>,
        keys_out: impl Into<BufferSliceMut<'b, F::Key>>,
        columns: &mut [Column<'_>],
        offsets: &mut Offsets,
        workspace: &mut Workspace,
    ) -> Result<()> {
        let m = check_buckets("a selection", self.f, 2)?;
        self.enqueue_into(m, true, keys.into(), keys_out.into(), columns, offsets, workspace)
    }
}

/// The number of buckets, which must be so many.
fn check_buckets<F: Buckets>(call: &'static str, f: &F, needed: u32) -> Result<u32> {
    let m = f.buckets();
    if m == needed { Ok(m) } else { Err(Error::WrongNumberOfBuckets { call, m, needed }) }
}
