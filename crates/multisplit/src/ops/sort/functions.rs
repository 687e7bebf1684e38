//! The short forms: one call, one sort.

use super::{Sort, Sorted};
use crate::bucket::key::Key;
use crate::device::Device;
use crate::error::Result;
use crate::memory::columns::Columns;

/// Sorts keys, in ascending order. Floats are in the IEEE 754 total order (see [`Sort`]).
///
/// ```
/// use multisplit::{Device, sort};
/// assert_eq!(sort(&Device::best(), &[3, -1, 2])?, [-1, 2, 3]);
/// # Ok::<(), multisplit::Error>(())
/// ```
///
/// # Errors
/// As [`Sort::sort`].
pub fn sort<K: Key>(device: &Device, keys: &[K]) -> Result<Vec<K>> {
    Ok(Sort::new().sort(device, keys)?.keys)
}

/// Sorts keys that carry values: `&[V]` of any plain 4- or 8-byte type, or a tuple of several such columns. Values of
/// equal keys keep their order.
///
/// ```
/// use multisplit::{Device, sort_pairs};
/// let sorted = sort_pairs(&Device::best(), &[2.5f32, 0.5, 2.5], &[0u64, 1, 2])?;
/// assert_eq!(sorted.keys, [0.5, 2.5, 2.5]);
/// assert_eq!(sorted.values, [1, 0, 2]);
/// # Ok::<(), multisplit::Error>(())
/// ```
///
/// # Errors
/// As [`Sort::sort_with`].
pub fn sort_pairs<K: Key, V: Columns>(device: &Device, keys: &[K], values: V) -> Result<Sorted<K, V::Output>> {
    Sort::new().sort_with(device, keys, values)
}

/// The permutation alone: which input element comes first, second, and so on.
///
/// ```
/// use multisplit::{Device, argsort};
/// assert_eq!(argsort(&Device::best(), &[30u32, 10, 20, 10])?, [1, 3, 2, 0]);
/// # Ok::<(), multisplit::Error>(())
/// ```
///
/// # Errors
/// As [`Sort::sort`].
pub fn argsort<K: Key>(device: &Device, keys: &[K]) -> Result<Vec<u32>> {
    Ok(Sort::new().with_permutation().sort(device, keys)?.permutation.unwrap_or_default())
}
