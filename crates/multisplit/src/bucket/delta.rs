//! Ranges of equal width.

use super::in_range;
use super::prelude::*;
use crate::error::{Error, Result};
use std::ops::Range;

/// The paper's delta buckets: bucket of `key` = `floor((key - lo) / width)`, where keys below `lo` fall into the first
/// bucket and keys beyond the end into the last.
///
/// There is no division in the inner loop. Integers multiply by a precomputed reciprocal, which is exact. Floats
/// multiply by `1 / width`, rounded, so that a key within rounding of a boundary may fall on either side, on every
/// device alike; NaN falls into the last bucket.
///
/// ```
/// use multisplit::{Device, bucket::Delta, split};
/// let result = split(&Device::cpu(), &[25u32, 3, 17, 8, 12], &Delta::new(0, 10, 3)?)?;
/// assert_eq!(result.keys, [3, 8, 17, 12, 25]);
/// # Ok::<(), multisplit::Error>(())
/// ```
#[derive(CubeType, CubeLaunch, Clone, Copy, Debug, PartialEq)]
pub struct Delta<K: DeltaKey> {
    lo: K,
    per_unit: K,
    magic: K::Bits,
    shift: u32,
    last: u32,
    /// Whether the ranges divide the whole domain of the key type: then one high product finds the bucket. A
    /// compile-time switch, since it is most of the cost.
    #[cube(comptime)]
    whole: bool,
}

impl<K: DeltaKey> Delta<K> {
    /// `m` ranges of the given `width`, the first starting at `lo`.
    ///
    /// # Errors
    /// [`Error::InvalidBuckets`] if m is 0, `width` is 0, negative, infinite or NaN, or `lo` is infinite or NaN.
    pub fn new(lo: K, width: K::Width, m: u32) -> Result<Self> {
        let last = last_of(m)?;
        let (per_unit, magic, shift) = K::reciprocal(lo, width)?;
        Ok(Self { lo, per_unit, magic, shift, last, whole: false })
    }

    /// `m` ranges of equal width that cover `range`; for integers the width is rounded up.
    ///
    /// # Errors
    /// As [`Delta::new`]; and if the range is empty.
    pub fn over(range: Range<K>, m: u32) -> Result<Self> {
        last_of(m)?;
        Self::new(range.start, K::width(range.start, range.end, m)?, m)
    }
}

impl<K: DeltaKey> Delta<K> {
    /// One range for all keys: what is left of [`Delta::over`] where a range is too narrow or too wide to divide.
    pub(super) fn single() -> Self {
        let (zero, magic) = (bytemuck::Zeroable::zeroed(), bytemuck::Zeroable::zeroed());
        Self { lo: zero, per_unit: zero, magic, shift: 0, last: 0, whole: false }
    }
}

impl<K: DeltaKey + IntKey> Delta<K> {
    /// `m` equal parts of the key type's whole domain: bucket of a `u32` = `floor(key * m / 2^32)`. The cheapest
    /// bucket function there is.
    ///
    /// # Errors
    /// [`Error::InvalidBuckets`] if m is 0.
    pub fn whole(m: u32) -> Result<Self> {
        let zero = bytemuck::Zeroable::zeroed();
        Ok(Self {
            lo: zero,
            per_unit: zero,
            magic: bytemuck::Zeroable::zeroed(),
            shift: 0,
            last: last_of(m)?,
            whole: true,
        })
    }
}

fn last_of(m: u32) -> Result<u32> {
    m.checked_sub(1).ok_or_else(|| Error::InvalidBuckets("there must be at least one bucket".into()))
}

#[cube]
impl<K: DeltaKey> BucketFn for Delta<K> {
    type Key = K;
    fn bucket(&self, key: K) -> u32 {
        if comptime!(self.whole) {
            K::part(key, self.last + 1)
        } else {
            K::delta(key, self.lo, self.per_unit, self.magic, self.shift, self.last)
        }
    }
}

impl<K: DeltaKey> Buckets for Delta<K> {
    fn buckets(&self) -> u32 {
        self.last + 1
    }
    in_range!();
    kernel_fields!(lo, per_unit, magic, shift, last, comptime whole);
}

/// Key types with ranges of equal width: all of them.
pub trait DeltaKey: Key {
    /// What [`KeyOps::delta`] multiplies and shifts by to divide by `width`.
    #[doc(hidden)]
    fn reciprocal(lo: Self, width: Self::Width) -> Result<(Self, Self::Bits, u32)>;
    /// The width of m ranges that cover `lo..hi`.
    #[doc(hidden)]
    fn width(lo: Self, hi: Self, m: u32) -> Result<Self::Width>;
}

fn invalid<T>(reason: &str) -> Result<T> {
    Err(Error::InvalidBuckets(reason.into()))
}

macro_rules! int_delta {
    ($word:ident, $wide:ident: $($key:ident)*) => {$(
        impl DeltaKey for $key {
            // With l = ceil(log2 width): magic = floor(2^N (2^l - width) / width) + 1, then a shift by min(l, 1) (the
            // low bit here) and one by max(l - 1, 0).
            fn reciprocal(_lo: $key, width: $word) -> Result<($key, $word, u32)> {
                if width == 0 {
                    return invalid("the width of a range must not be 0");
                }
                let l = $word::BITS - (width - 1).leading_zeros();
                let magic = ((((1 as $wide) << l) - width as $wide) << $word::BITS) / width as $wide + 1;
                Ok((0, magic as $word, (l.min(1)) | (l.saturating_sub(1) << 1)))
            }

            fn width(lo: $key, hi: $key, m: u32) -> Result<$word> {
                if hi <= lo {
                    return invalid("the range is empty");
                }
                let span = (Self::ordered(hi) - Self::ordered(lo)) as $wide;
                Ok(span.div_ceil(m.max(1) as $wide) as $word)
            }
        }
    )*};
}

macro_rules! float_delta {
    ($($key:ident)*) => {$(
        impl DeltaKey for $key {
            fn reciprocal(lo: $key, width: $key) -> Result<($key, Self::Bits, u32)> {
                if !lo.is_finite() {
                    return invalid("ranges must start at a finite number");
                }
                // Subnormal numbers are flushed to 0 by some GPUs.
                if !(width.is_finite() && width > 0.0 && (1.0 / width).is_normal()) {
                    return invalid("the width of a range must be a positive number whose reciprocal is one too");
                }
                Ok((1.0 / width, 0, 0))
            }

            fn width(lo: $key, hi: $key, m: u32) -> Result<$key> {
                if lo < hi {
                    Ok((hi - lo) / m.max(1) as $key)
                } else {
                    invalid("the range is empty") // or one end is NaN
                }
            }
        }
    )*};
}

int_delta!(u32, u64: u8 u16 u32 i32);
int_delta!(u64, u128: u64 i64);
float_delta!(f32 f64);
