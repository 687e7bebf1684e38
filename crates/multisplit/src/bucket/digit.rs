//! A digit of a sort: a window of bits, upwards or downwards.

use super::prelude::*;
use super::{BitWindow, in_range};
use crate::cpu::Loops;
use crate::error::Result;
use std::ops::Range;

/// Bucket of `key` = a [`BitWindow`] of it, counted up or down. [`Sort`](crate::Sort) splits by one after the other.
///
/// Downwards the number is flipped, not the buckets: keys with the same digit keep their order either way.
///
/// ```
/// use multisplit::{Device, bucket::Digit, split};
/// let down = Digit::new(4..8)?.descending();
/// assert_eq!(split(&Device::cpu(), &[0x21u32, 0x10, 0x22, 0x11], &down)?.keys, [0x21, 0x22, 0x10, 0x11]);
/// # Ok::<(), multisplit::Error>(())
/// ```
#[derive(CubeType, CubeLaunch, Clone, Copy, Debug, PartialEq, Eq)]
pub struct Digit<K: Key> {
    window: BitWindow<K>,
    /// What a digit is combined with: nothing, or all its bits. A field, so that both orders are one kernel.
    flip: u32,
}

impl<K: Key> Digit<K> {
    /// The bits `range` of the key, upwards.
    ///
    /// # Errors
    /// As [`BitWindow::new`].
    pub fn new(range: Range<u32>) -> Result<Self> {
        Ok(Self { window: BitWindow::new(range)?, flip: 0 })
    }

    /// The largest digit first.
    #[must_use]
    pub fn descending(mut self) -> Self {
        self.flip = self.window.mask();
        self
    }

    /// Up to 32 bits of the key: too many to split by at once.
    #[cfg(feature = "gpu")]
    pub(crate) fn word(start: u32, end: u32) -> Self {
        Self { window: BitWindow::of(start, end), flip: 0 }
    }
}

#[cube]
impl<K: Key> BucketFn for Digit<K> {
    type Key = K;
    fn bucket(&self, key: K) -> u32 {
        self.window.bucket(key) ^ self.flip
    }
}

impl<K: Key> Buckets for Digit<K> {
    fn buckets(&self) -> u32 {
        self.window.buckets()
    }

    fn loops(&self) -> Loops<'_> {
        K::digit_loops(self)
    }

    in_range!(cheap);
    kernel_fields!(window, flip);
}
