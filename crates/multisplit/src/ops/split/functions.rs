//! The short forms: one call, one split.

use super::Multisplit;
use super::slices::Split;
use crate::bucket::Buckets;
use crate::device::Device;
use crate::error::{Error, Result};
use crate::memory::buffer::{out_of_memory, zeroed};
use crate::memory::columns::Columns;
use rayon::prelude::*;

/// Splits keys into the buckets that `f` names: stable, so that keys of a bucket keep their order.
///
/// ```
/// use multisplit::{Device, bucket::Delta, split};
/// let result = split(&Device::best(), &[30u32, 5, 20, 11, 2], &Delta::new(0, 10, 4)?)?;
/// assert_eq!(result.keys, [5, 2, 11, 20, 30]);
/// assert_eq!(result.bucket(0), [5, 2]);
/// # Ok::<(), multisplit::Error>(())
/// ```
///
/// # Errors
/// Each of [`Error`]'s, as their descriptions say. The input is never touched.
pub fn split<F: Buckets>(device: &Device, keys: &[F::Key], f: &F) -> Result<Split<F::Key>> {
    Multisplit::by(f).split(device, keys)
}

/// Splits keys that carry values: `&[V]` of any plain 4- or 8-byte type, or a tuple of several such columns.
///
/// ```
/// use multisplit::{Device, bucket::Identity, split_pairs};
/// let result = split_pairs(&Device::best(), &[1u32, 0, 1], &['a', 'b', 'c'].map(u32::from), &Identity::new(2))?;
/// assert_eq!(result.keys, [0, 1, 1]);
/// assert_eq!(result.values, ['b', 'a', 'c'].map(u32::from));
/// # Ok::<(), multisplit::Error>(())
/// ```
///
/// # Errors
/// As [`split`].
pub fn split_pairs<F: Buckets, V: Columns>(
    device: &Device,
    keys: &[F::Key],
    values: V,
    f: &F,
) -> Result<Split<F::Key, V::Output>> {
    Multisplit::by(f).split_with(device, keys, values)
}

/// The permutation alone: which input element each output element comes from, and the bucket offsets.
///
/// ```
/// use multisplit::{Device, argsplit, bucket::Identity, inverse};
/// let (permutation, offsets) = argsplit(&Device::best(), &[2u32, 0, 1, 0], &Identity::new(3))?;
/// assert_eq!(permutation, [1, 3, 2, 0]);
/// assert_eq!(offsets, [0, 2, 3, 4]);
/// assert_eq!(inverse(&permutation)?, [3, 0, 2, 1]); // where each input element went
/// # Ok::<(), multisplit::Error>(())
/// ```
///
/// # Errors
/// As [`split`].
pub fn argsplit<F: Buckets>(device: &Device, keys: &[F::Key], f: &F) -> Result<(Vec<u32>, Vec<usize>)> {
    let split = Multisplit::by(f).with_permutation().split(device, keys)?;
    Ok((split.permutation.unwrap_or_default(), split.offsets))
}

/// Splits keys with rows of any size: an index is split, then the rows are gathered.
///
/// ```
/// use multisplit::{Device, bucket::Identity, split_rows};
/// let rows = ["one", "zero", "uno"];
/// let result = split_rows(&Device::best(), &[1u32, 0, 1], &rows, &Identity::new(2))?;
/// assert_eq!(result.values, ["zero", "one", "uno"]);
/// # Ok::<(), multisplit::Error>(())
/// ```
///
/// # Errors
/// As [`split`].
pub fn split_rows<F: Buckets, T: Clone + Send + Sync>(
    device: &Device,
    keys: &[F::Key],
    rows: &[T],
    f: &F,
) -> Result<Split<F::Key, Vec<T>>> {
    if rows.len() != keys.len() {
        return Err(Error::LengthMismatch { what: "the rows".into(), got: rows.len(), keys: keys.len() });
    }
    let split = Multisplit::by(f).with_permutation().split(device, keys)?;
    let permutation = split.permutation.unwrap_or_default();
    let mut values = Vec::new();
    values.try_reserve_exact(rows.len()).map_err(|error| out_of_memory::<T>(device, rows.len(), error))?;
    permutation.par_iter().map(|&i| rows[i as usize].clone()).collect_into_vec(&mut values);
    Ok(Split { keys: split.keys, values, offsets: split.offsets, permutation: Some(permutation) })
}

/// The inverse of a permutation: where each input element went.
///
/// # Errors
/// [`Error::InvalidPermutation`] if a number is missing.
pub fn inverse(permutation: &[u32]) -> Result<Vec<u32>> {
    let mut inverse = zeroed(&Device::cpu(), permutation.len())?;
    inverse.fill(u32::MAX);
    for (i, &p) in permutation.iter().enumerate() {
        match inverse.get_mut(p as usize) {
            Some(place) if *place == u32::MAX => *place = i as u32,
            Some(_) => return Err(Error::InvalidPermutation(format!("{p} occurs twice"))),
            None => {
                let reason = format!("{p} is not below its length, {}", permutation.len());
                return Err(Error::InvalidPermutation(reason));
            }
        }
    }
    Ok(inverse)
}
