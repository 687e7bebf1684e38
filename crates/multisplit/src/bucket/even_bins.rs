//! Bins of equal width between two bounds, and nothing outside them.

use super::key::SCALE;
use super::loops::loops;
use super::prelude::*;
use crate::cpu::Loops;
use crate::error::{Error, Result};
use half::{bf16, f16};
use std::ops::Range;

/// Bin of `key` = `floor((key - lower) * bins / (upper - lower))` for keys of `lower..upper`. Other keys, and NaN,
/// have no bin: a histogram counts them apart, a split reports them.
///
/// There is no division in the inner loop. Integers multiply by a precomputed fraction, which is exact, also where
/// bins do not divide the range evenly. Floats multiply by `bins / (upper - lower)`, rounded, so that a key within
/// rounding of a boundary may fall on either side of it, on every device alike. (A device that takes subnormal
/// numbers for 0 does so here too.)
///
/// ```
/// use multisplit::{Device, bucket::EvenBins, histogram};
/// let counts = histogram(&Device::cpu(), &[0.0f32, 0.3, 0.9, 1.0, -0.1, f32::NAN], &EvenBins::new(0.0..1.0, 2)?)?;
/// assert_eq!(counts.bins, [2, 1]);
/// assert_eq!(counts.outside, 3);
/// # Ok::<(), multisplit::Error>(())
/// ```
#[derive(CubeType, CubeLaunch, Clone, Copy, Debug, PartialEq)]
pub struct EvenBins<K: EvenKey> {
    lower: K::Real,
    upper: K::Real,
    scale: K::Real,
    shift: u32,
    high: K::Bits,
    low: K::Bits,
    last: u32,
    /// Whether [`KeyOps::even_short`] finds the bin. For integers, the whole part of the fraction is enough to be
    /// exact. For floats, `key - lower` cannot overflow. A compile-time switch: it saves integers two products of
    /// three.
    #[cube(comptime)]
    short: bool,
}

impl<K: EvenKey> EvenBins<K> {
    /// `bins` bins of equal width that cover `range`.
    ///
    /// # Errors
    /// [`Error::InvalidBuckets`] if there are no bins or more than 2^24, if the range is empty, or if an end is
    /// infinite or NaN.
    pub fn new(range: Range<K>, bins: u32) -> Result<Self> {
        let Range { start: lower, end: upper } = range;
        let Some(last) = bins.checked_sub(1) else {
            return Err(Error::InvalidBuckets("there must be at least one bin".into()));
        };
        if bins > MOST {
            return Err(Error::InvalidBuckets(format!("{bins} bins are too many: at most {MOST} (2^24)")));
        }
        // Also if one of them is NaN.
        if lower.partial_cmp(&upper) != Some(std::cmp::Ordering::Less) {
            return Err(Error::InvalidBuckets("the lower bound must be below the upper bound".into()));
        }
        let Fraction { scale, shift, high, low, short } = K::fraction(lower, upper, bins)?;
        Ok(Self { lower: K::real(lower), upper: K::real(upper), scale, shift, high, low, last, short })
    }
}

/// More would not fit the fractions of integers.
const MOST: u32 = 1 << 24;

#[cube]
impl<K: EvenKey> BucketFn for EvenBins<K> {
    type Key = K;
    fn bucket(&self, key: K) -> u32 {
        let inside = K::inside(key, self.lower, self.upper);
        if comptime!(self.short) {
            let bin = K::even_short(key, inside, self.lower, self.scale, self.shift, self.high, self.last);
            select(inside, bin, 0xffff_ffffu32)
        } else {
            let bin = K::even(key, inside, self.lower, self.scale, self.shift, self.high, self.low, self.last);
            select(inside, bin, 0xffff_ffffu32)
        }
    }
}

impl<K: EvenKey> Buckets for EvenBins<K> {
    fn buckets(&self) -> u32 {
        self.last + 1
    }

    fn loops(&self) -> Loops<'_> {
        K::even_bins_loops(self)
    }

    kernel_fields!(lower, upper, scale, shift, high, low, last, comptime short);
}

/// What [`KeyOps::even`] multiplies by.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fraction<K: Key> {
    scale: K::Real,
    shift: u32,
    high: K::Bits,
    low: K::Bits,
    short: bool,
}

/// Key types with even bins: all of them.
pub trait EvenKey: Key {
    /// `bins / (upper - lower)`, as kernels use it. The bounds are in order, and there are 1 to 2^24 bins.
    #[doc(hidden)]
    fn fraction(lower: Self, upper: Self, bins: u32) -> Result<Fraction<Self>>;

    #[doc(hidden)]
    fn even_bins_loops(f: &EvenBins<Self>) -> Loops<'_>;
}

macro_rules! int_even {
    ($word:ident, $wide:ident: $($key:ident)*) => {$(
        impl EvenKey for $key {
            loops!($key: even_bins_loops EvenBins);

            // With words of w bits: distances x of up to span - 1 are shifted up, so that span has its highest bit at
            // the top and the products are as precise as they can be. Then floor(x * f / 2^2w) with
            // f = ceil(bins * 2^2w / span) is exact: f is too large by less than 1, which adds less than
            // x / 2^2w <= 1 / span, and the true quotient is a multiple of 1 / span. f = high * 2^w + low.
            //
            // With high alone, rounded up, the excess r / span adds x * r / span / 2^w, which is still less than
            // 1 / span if x * r < 2^w: for short ranges, and where bins * 2^w / span is a whole number.
            fn fraction(lower: $key, upper: $key, bins: u32) -> Result<Fraction<$key>> {
                const BITS: u32 = $word::BITS;
                let largest = Self::ordered(upper) - Self::ordered(lower) - 1;
                let shift = largest.leading_zeros().min(BITS - 1);
                let span = (largest as $wide + 1) << shift;
                let whole = (bins as $wide) << BITS;
                let (high, rest) = (whole / span, whole % span);
                let excess = if rest == 0 { 0 } else { span - rest };
                let short = (largest as $wide) * excess < 1 << BITS;
                let fraction = if short {
                    (high + (rest > 0) as $wide, 0)
                } else {
                    (high, (rest << BITS).div_ceil(span))
                };
                Ok(Fraction { scale: 0, shift, high: fraction.0 as $word, low: fraction.1 as $word, short })
            }
        }
    )*};
}

macro_rules! float_even {
    ($($key:ident)*) => {$(
        impl EvenKey for $key {
            loops!($key: even_bins_loops EvenBins);

            fn fraction(lower: $key, upper: $key, bins: u32) -> Result<Fraction<$key>> {
                if !(lower.is_finite() && upper.is_finite()) {
                    return Err(Error::InvalidBuckets("the bounds must be finite numbers".into()));
                }
                let scale = bins as $key / (upper - lower);
                // Where the distance of the bounds overflows, the scale is 0. Some GPUs flush subnormal numbers to 0.
                let short = scale.is_normal() || scale.is_infinite();
                let factor = SCALE as $key;
                let scale = if short { scale } else { bins as $key / (upper * factor - lower * factor) };
                if !scale.is_normal() {
                    let reason = "the bounds are too close together for this number of bins";
                    return Err(Error::InvalidBuckets(reason.into()));
                }
                Ok(Fraction { scale, shift: 0, high: 0, low: 0, short })
            }
        }
    )*};
}

macro_rules! half_even {
    ($($key:ident)*) => {$(
        impl EvenKey for $key {
            loops!($key: even_bins_loops EvenBins);

            fn fraction(lower: $key, upper: $key, bins: u32) -> Result<Fraction<$key>> {
                let Fraction { scale, shift, high, low, short } =
                    f32::fraction(Self::real(lower), Self::real(upper), bins)?;
                Ok(Fraction { scale, shift, high, low, short })
            }
        }
    )*};
}

int_even!(u32, u64: u8 u16 u32 i8 i16 i32);
int_even!(u64, u128: u64 i64);
float_even!(f32 f64);
half_even!(f16 bf16);

#[cfg(test)]
mod tests {
    use super::*;

    /// Against the definition, in integers wide enough; near every boundary that is looked at.
    #[test]
    fn integers_are_exact() {
        let spans = [1, 2, 3, 5, 7, 255, 256, 257, 1000, 65_535, 65_536, 65_537, 1 << 24, (1 << 31) - 1, 1 << 31];
        let more = [(1u32 << 31) + 1, 4_000_000_007, u32::MAX - 1, u32::MAX];
        for span in spans.into_iter().chain(more) {
            for bins in [1, 2, 3, 7, 10, 31, 100, 256, 1000, 4096, 65_536, 65_537, 9_999_991, MOST] {
                let lower = u32::MAX - span;
                let f = EvenBins::new(lower..u32::MAX, bins).unwrap();
                let (lower_wide, span_wide) = (u64::from(lower) << 31, (u64::from(span) << 31) | 5);
                let wide = EvenBins::new(lower_wide..lower_wide + span_wide, bins).unwrap();
                for near in 0..40u64 {
                    // The first key of a bin, and its neighbours.
                    let bin = near * u64::from(bins) / 39;
                    let start = (bin * u64::from(span)).div_ceil(u64::from(bins));
                    for x in [start.wrapping_sub(1), start, start + 1] {
                        let expected =
                            if x < u64::from(span) { x * u64::from(bins) / u64::from(span) } else { 1 << 32 };
                        let got = if x > u64::from(span) { 1 << 32 } else { u64::from(f.bucket(lower + x as u32)) };
                        let out = expected >= u64::from(bins);
                        assert!(got == expected || out && got >= u64::from(bins), "{x} of {span}, {bins} bins: {got}");
                    }
                    let start = (u128::from(bin) * u128::from(span_wide)).div_ceil(u128::from(bins)) as u64;
                    for x in [start.saturating_sub(1), start, start + 1].into_iter().filter(|&x| x < span_wide) {
                        let expected = u128::from(x) * u128::from(bins) / u128::from(span_wide);
                        assert_eq!(
                            u128::from(wide.bucket(lower_wide + x)),
                            expected,
                            "{x} of {span_wide}, {bins} bins"
                        );
                    }
                }
            }
        }
    }
}
