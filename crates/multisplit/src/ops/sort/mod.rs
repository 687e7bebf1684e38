//! Radix sort: one stable split after the other, by the digits of the key.
//!
//! This is the paper's section 6.1. A GPU splits by the lowest digit first, from one buffer to another and back,
//! without waiting in between; the CPU has a way of its own ([`crate::cpu`]). Both give the one stable order there
//! is.

mod enqueue;
pub(crate) mod functions;
mod slices;

pub use enqueue::DoubleColumn;
pub use functions::{argsort, sort, sort_pairs};
pub use slices::Sorted;

use crate::bucket::key::Key;
use crate::cpu::sort::differing_bits;
use crate::device::dispatch;
use crate::error::{Error, Result};
use crate::memory::slice::BufferSlice;
use crate::request::order::Order;
use std::ops::Range;

/// A stable sort, configured. The calls on slices are here; [`enqueue`](Sort::enqueue) and
/// [`enqueue_double`](Sort::enqueue_double) work between device buffers.
///
/// The order is that of the keys' bits. Floats are in the IEEE 754 total order, that of [`f32::total_cmp`]:
///
/// > −NaN, −∞, negative numbers, −0, +0, positive numbers, +∞, +NaN
///
/// so that −0 comes before +0 instead of being equal to it, and a NaN comes first or last by its sign; NaNs are ordered
/// among themselves by their bits. Nothing is changed or lost: the result has the same bits as the input.
///
/// ```
/// use multisplit::{Device, Sort};
/// let sorted = Sort::new().descending().with_permutation().sort(&Device::best(), &[0.0f32, f32::NAN, 2.5, -0.0])?;
/// assert!(sorted.keys[0].is_nan());
/// assert_eq!(sorted.permutation, Some(vec![1, 2, 0, 3])); // NaN, 2.5, +0, −0
/// # Ok::<(), multisplit::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sort {
    descending: bool,
    /// The bits to sort by; all of the key by default.
    bits: Option<(u32, u32)>,
    digit_bits: Option<u32>,
    permutation: bool,
}

impl Sort {
    /// An ascending sort by the whole key.
    pub fn new() -> Self {
        Self::default()
    }

    /// The largest key first. Equal keys still keep their order.
    #[must_use]
    pub fn descending(mut self) -> Self {
        self.descending = true;
        self
    }

    /// Sorts by the bits `range` alone, counted from the least significant of the key as an unsigned number in its
    /// order (see [`BitWindow`](crate::bucket::BitWindow)). Keys that agree in them keep their order; with an empty
    /// range all do.
    #[must_use]
    pub fn bits(mut self, range: Range<u32>) -> Self {
        self.bits = Some((range.start, range.end));
        self
    }

    /// Splits by so many bits at a time, 4 to 8, instead of as many as are best. For tuning; the result stays the same.
    #[must_use]
    pub fn digit_bits(mut self, bits: u32) -> Self {
        self.digit_bits = Some(bits);
        self
    }

    /// Asks the calls on slices for the permutation too.
    #[must_use]
    pub fn with_permutation(mut self) -> Self {
        self.permutation = true;
        self
    }

    /// The same sort of these keys by fewer bits: those at either end in which no two keys differ are left out. Takes a
    /// look at all keys, and waits for it.
    ///
    /// The calls on slices do that by themselves, and so does the CPU. [`Sort::enqueue`] on a GPU waits for nothing,
    /// and so cannot know; this is for keys of which much is the same, such as 64-bit ids below 2^40.
    ///
    /// ```
    /// use multisplit::{Device, Sort};
    /// let device = Device::best();
    /// let ids = device.upload(&[0x0500u64, 0x0300, 0x0400])?;
    /// assert_eq!(Sort::new().trimmed(&ids)?, Sort::new().bits(8..11));
    /// # Ok::<(), multisplit::Error>(())
    /// ```
    ///
    /// # Errors
    /// What is wrong with the sort itself, and what can go wrong on a device.
    pub fn trimmed<'a, K: Key>(&self, keys: impl Into<BufferSlice<'a, K>>) -> Result<Self> {
        let keys = keys.into();
        let order = self.order::<K>(keys.len())?;
        let bits = dispatch!(keys.device(),
            gpu => gpu.differing_bits::<K>(&keys.region().reads(gpu)?, keys.len())?,
            cpu => differing_bits(order, keys.as_slice().unwrap_or_default()));
        let Order { start, end, .. } = order.cut_to(bits);
        Ok(self.bits(start..end))
    }

    /// The order of keys of this type, if there is one.
    pub(crate) fn order<K: Key>(&self, n: usize) -> Result<Order> {
        let width = 8 * size_of::<K>() as u32;
        let (start, end) = self.bits.unwrap_or((0, width));
        if start > end {
            return Err(Error::InvalidSort(format!("bits {start}..{end} end before they begin")));
        }
        if end > width {
            let reason = format!("bits {start}..{end} do not lie within the {width} bits of {}", K::NAME);
            return Err(Error::InvalidSort(reason));
        }
        if let Some(bits) = self.digit_bits.filter(|bits| !(4..=8).contains(bits)) {
            return Err(Error::InvalidSort(format!("digits of {bits} bits are out of range: 4 to 8")));
        }
        if u32::try_from(n).is_err() {
            return Err(Error::TooManyKeys { n });
        }
        Ok(Order { start, end, digit_bits: self.digit_bits, descending: self.descending })
    }
}
