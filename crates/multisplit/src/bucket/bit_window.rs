//! A window of the key's bits: one digit of a radix sort.

use super::in_range;
use super::prelude::*;
use crate::cpu::Loops;
use crate::error::{Error, Result};
use std::marker::PhantomData;
use std::ops::Range;

/// Bucket of `key` = the bits `range` of the key, counted from the least significant.
///
/// Signed and floating-point keys are first mapped to unsigned numbers in their own order (floats in the IEEE 754 total
/// order), so that successive windows sort.
///
/// ```
/// use multisplit::{Device, bucket::BitWindow, split};
/// let result = split(&Device::cpu(), &[0x21u32, 0x10, 0x22, 0x11], &BitWindow::new(4..6)?)?;
/// assert_eq!(result.keys, [0x10, 0x11, 0x21, 0x22]);
/// # Ok::<(), multisplit::Error>(())
/// ```
#[derive(CubeType, CubeLaunch, Clone, Copy, Debug, PartialEq, Eq)]
pub struct BitWindow<K: Key> {
    shift: u32,
    mask: u32,
    #[cube(comptime)]
    key: PhantomData<K>,
}

impl<K: Key> BitWindow<K> {
    /// The bits `range.start..range.end` of the key; an empty range is one bucket.
    ///
    /// # Errors
    /// [`Error::InvalidBuckets`] if the range is reversed, longer than 24 bits or beyond the key's width.
    pub fn new(range: Range<u32>) -> Result<Self> {
        let width = 8 * size_of::<K>() as u32;
        let Range { start, end } = range;
        if start > end || end > width {
            let reason = format!("bits {start}..{end} do not lie within the {width} bits of {}", K::NAME);
            return Err(Error::InvalidBuckets(reason));
        }
        if end - start > 24 {
            let reason = format!("bits {start}..{end} make 2^{} buckets; at most 24 bits are possible", end - start);
            return Err(Error::InvalidBuckets(reason));
        }
        Ok(Self::of(start, end))
    }

    /// A window of up to 32 bits of the key.
    pub(super) fn of(start: u32, end: u32) -> Self {
        // An empty window at the very top would shift by the whole width, which machines disagree about.
        let shift = if start == end { 0 } else { start };
        let mask = u32::MAX.checked_shr(u32::BITS - (end - start)).unwrap_or(0);
        Self { shift, mask, key: PhantomData }
    }

    /// All bits that a number of it may have.
    pub(super) fn mask(&self) -> u32 {
        self.mask
    }
}

#[cube]
impl<K: Key> BucketFn for BitWindow<K> {
    type Key = K;
    fn bucket(&self, key: K) -> u32 {
        K::Bits::window(K::ordered(key), self.shift, self.mask)
    }
}

impl<K: Key> Buckets for BitWindow<K> {
    fn buckets(&self) -> u32 {
        self.mask + 1
    }

    fn loops(&self) -> Loops<'_> {
        K::bit_window_loops(self)
    }

    in_range!(cheap);
    kernel_fields!(shift, mask, comptime key);
}
