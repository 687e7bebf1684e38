//! Ranges of equal width.

use super::in_range;
use super::key::SCALE;
use super::loops::loops;
use super::prelude::*;
use super::{RangeBins, Splitters};
use crate::cpu::Loops;
use crate::error::{Error, Result};
use half::{bf16, f16};
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
    lo: K::Real,
    per_unit: K::Real,
    magic: K::Bits,
    shift: u32,
    last: u32,
    /// Whether [`KeyOps::delta_whole`] finds the bucket. For integers, the ranges divide the whole domain of the key
    /// type, so that one high product does. For floats, the ranges are so wide that `key - lo` may overflow. A
    /// compile-time switch, so that the usual case costs nothing more.
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
        let Reciprocal { lo, per_unit, magic, shift, whole } = K::reciprocal(lo, width, last)?;
        Ok(Self { lo, per_unit, magic, shift, last, whole })
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
            K::delta_whole(key, self.lo, self.per_unit, self.last)
        } else {
            K::delta(key, self.lo, self.per_unit, self.magic, self.shift, self.last)
        }
    }
}

#[cube]
impl<K: DeltaKey> Delta<K> {
    /// The bucket of a key inside some range; any bucket for others.
    pub(super) fn bucket_inside(&self, key: K, inside: bool) -> u32 {
        K::delta_inside(key, inside, self.lo, self.per_unit, self.magic, self.shift, self.last, self.whole)
    }
}

impl<K: DeltaKey> Buckets for Delta<K> {
    fn buckets(&self) -> u32 {
        self.last + 1
    }

    fn loops(&self) -> Loops<'_> {
        K::delta_loops(self)
    }

    in_range!(cheap);
    kernel_fields!(lo, per_unit, magic, shift, last, comptime whole);
}

/// What [`KeyOps::delta`] and [`KeyOps::delta_whole`] subtract, multiply and shift by to divide by a width.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reciprocal<K: Key> {
    lo: K::Real,
    per_unit: K::Real,
    magic: K::Bits,
    shift: u32,
    whole: bool,
}

/// Key types with ranges of equal width: all of them.
pub trait DeltaKey: Key {
    /// The numbers that find the bucket of a key in ranges of this width, the first starting at `lo`.
    #[doc(hidden)]
    fn reciprocal(lo: Self, width: Self::Width, last: u32) -> Result<Reciprocal<Self>>;
    /// The width of m ranges that cover `lo..hi`.
    #[doc(hidden)]
    fn width(lo: Self, hi: Self, m: u32) -> Result<Self::Width>;

    #[doc(hidden)]
    fn delta_loops(f: &Delta<Self>) -> Loops<'_>;
    #[doc(hidden)]
    fn splitters_loops(f: &Splitters<Self>) -> Loops<'_>;
    #[doc(hidden)]
    fn range_bins_loops(f: &RangeBins<Self>) -> Loops<'_>;
}

fn invalid<T>(reason: &str) -> Result<T> {
    Err(Error::InvalidBuckets(reason.into()))
}

macro_rules! int_delta {
    ($word:ident, $wide:ident: $($key:ident)*) => {$(
        impl DeltaKey for $key {
            loops!($key: delta_loops Delta, splitters_loops Splitters, range_bins_loops RangeBins);

            // With l = ceil(log2 width): magic = floor(2^N (2^l - width) / width) + 1, then a shift by min(l, 1) (the
            // low bit here) and one by max(l - 1, 0).
            fn reciprocal(lo: $key, width: $word, _last: u32) -> Result<Reciprocal<$key>> {
                if width == 0 {
                    return invalid("the width of a range must not be 0");
                }
                let l = $word::BITS - (width - 1).leading_zeros();
                let magic = ((((1 as $wide) << l) - width as $wide) << $word::BITS) / width as $wide + 1;
                let shift = l.min(1) | (l.saturating_sub(1) << 1);
                Ok(Reciprocal { lo, per_unit: 0, magic: magic as $word, shift, whole: false })
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
            loops!($key: delta_loops Delta, splitters_loops Splitters, range_bins_loops RangeBins);

            fn reciprocal(lo: $key, width: $key, last: u32) -> Result<Reciprocal<$key>> {
                if !lo.is_finite() {
                    return invalid("ranges must start at a finite number");
                }
                // Also if it is NaN.
                if !(width.is_finite() && width > 0.0) {
                    return invalid("the width of a range must be a positive number");
                }
                // Keys below the end of the ranges whose distance from the start overflows. (Where it does beyond the
                // end, infinity is in the last range too.)
                let overflows = (<$key>::MAX - lo).is_infinite() && last as $key * width > <$key>::MAX / 2.0;
                let per_unit = 1.0 / width;
                // Subnormal numbers are flushed to 0 by some GPUs.
                let whole = overflows || per_unit.is_subnormal();
                let scale = SCALE as $key;
                let (lo, per_unit) = if whole { (lo * scale, 1.0 / (width * scale)) } else { (lo, per_unit) };
                if !per_unit.is_normal() {
                    return invalid("the width of a range must be a positive number whose reciprocal is one too");
                }
                Ok(Reciprocal { lo, per_unit, magic: 0, shift: 0, whole })
            }

            fn width(lo: $key, hi: $key, m: u32) -> Result<$key> {
                // Also if one end is NaN.
                if lo.partial_cmp(&hi) != Some(std::cmp::Ordering::Less) {
                    return invalid("the range is empty");
                }
                let (parts, scale) = (m.max(1) as $key, SCALE as $key);
                if (hi - lo).is_finite() || lo.is_infinite() || hi.is_infinite() {
                    return Ok((hi - lo) / parts);
                }
                // With a single part the width itself is too large, and any will do.
                Ok(((hi * scale - lo * scale) / parts / scale).min(<$key>::MAX))
            }
        }
    )*};
}

macro_rules! half_delta {
    ($($key:ident)*) => {$(
        impl DeltaKey for $key {
            loops!($key: delta_loops Delta, splitters_loops Splitters, range_bins_loops RangeBins);

            fn reciprocal(lo: $key, width: f32, last: u32) -> Result<Reciprocal<$key>> {
                let Reciprocal { lo, per_unit, magic, shift, whole } = f32::reciprocal(Self::real(lo), width, last)?;
                Ok(Reciprocal { lo, per_unit, magic, shift, whole })
            }

            fn width(lo: $key, hi: $key, m: u32) -> Result<f32> {
                <f32 as DeltaKey>::width(Self::real(lo), Self::real(hi), m)
            }
        }
    )*};
}

int_delta!(u32, u64: u8 u16 u32 i8 i16 i32);
int_delta!(u64, u128: u64 i64);
float_delta!(f32 f64);
half_delta!(f16 bf16);
