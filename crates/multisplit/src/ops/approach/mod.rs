//! Other ways to the same result: the approaches that the paper (section 3) compares multisplit with.
//!
//! [`Way`] names them. Each gives what [`split`](crate::split()) gives, bit for bit, on every device; use them to
//! compare, or where one fits better. On slices:
//!
//! ```
//! use multisplit::approach::{Approach, Way};
//! use multisplit::{Device, bucket::Delta, split_pairs};
//! let (device, f) = (Device::best(), Delta::new(0, 10, 4)?);
//! let (keys, values) = ([30u32, 5, 20, 11, 2], [0.5f32, 1.5, 2.5, 3.5, 4.5]);
//! let expected = split_pairs(&device, &keys, &values, &f)?;
//! for way in Way::ALL {
//!     assert_eq!(Approach::by(&f, way).split_with(&device, &keys, &values)?, expected);
//! }
//! # Ok::<(), multisplit::Error>(())
//! ```
//!
//! Between device buffers, [`Approach::enqueue`]. Rows larger than 8 bytes: ask for the permutation, and
//! [`gather`](crate::gather()) them.

mod enqueue;
mod scan_split;
mod slices;

use super::split::Multisplit;
use crate::bucket::Buckets;
use crate::device::Device;
use crate::error::Result;
use crate::memory::offsets::Offsets;
use crate::unknown_name::UnknownName;
use std::fmt;
use std::str::FromStr;

/// An approach of the paper's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Way {
    /// The bucket ids of all keys are computed and sorted, by the ⌈log2 m⌉ bits that they have. Keys of 4
    /// or 8 bytes travel along; a key and a value of 4 bytes each are packed into 8 bytes, and unpacked afterwards.
    /// Whatever else there is goes the next way.
    ReducedBitSort,
    /// Ids are sorted with the index of their element, and keys and values are gathered afterwards.
    ReducedBitSortByIndex,
    /// A binary split parts one bucket after the other from those that are left: m − 1 rounds, each a device-wide
    /// scan of flags and a scatter. What is done is not touched again.
    IteratedScanSplit,
    /// Binary splits part groups of buckets in halves: ⌈log2 m⌉ rounds, each a device-wide scan of flags and a
    /// scatter of all elements. One round serves all groups.
    RecursiveScanSplit,
}

impl Way {
    /// All of them.
    pub const ALL: [Self; 4] =
        [Self::ReducedBitSort, Self::ReducedBitSortByIndex, Self::IteratedScanSplit, Self::RecursiveScanSplit];
}

impl fmt::Display for Way {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::ReducedBitSort => "reduced-bit-sort",
            Self::ReducedBitSortByIndex => "reduced-bit-sort-by-index",
            Self::IteratedScanSplit => "iterated-scan-split",
            Self::RecursiveScanSplit => "recursive-scan-split",
        })
    }
}

impl FromStr for Way {
    type Err = UnknownName;

    fn from_str(name: &str) -> Result<Self, UnknownName> {
        UnknownName::find("approach", name, Self::ALL)
    }
}

/// A split by the function `f`, another way. The calls on slices are here; [`enqueue`](Approach::enqueue) works between
/// device buffers.
#[derive(Debug)]
pub struct Approach<'f, F> {
    f: &'f F,
    way: Way,
    permutation: bool,
}

impl<F> Clone for Approach<'_, F> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<F> Copy for Approach<'_, F> {}

impl<'f, F: Buckets> Approach<'f, F> {
    /// A split by `f`, this way.
    pub fn by(f: &'f F, way: Way) -> Self {
        Self { f, way, permutation: false }
    }

    /// Asks the calls on slices for the permutation too.
    #[must_use]
    pub fn with_permutation(mut self) -> Self {
        self.permutation = true;
        self
    }

    /// Room for the offsets of a split on `device`, as of [`Multisplit::offsets`].
    ///
    /// # Errors
    /// As [`Multisplit::offsets`].
    pub fn offsets(&self, device: &Device) -> Result<Offsets> {
        Multisplit::by(self.f).offsets(device)
    }
}
