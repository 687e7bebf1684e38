//! What an edge can weigh.

use bytemuck::Pod;
use std::fmt::{Debug, Display};

/// A type of weights, and of the distances that they add up to: `u32` or `f32`.
///
/// Distances are the sums along a path, from the source on, and every algorithm finds the least of them over all paths.
/// - `u32`: sums are exact. One that does not fit counts as unreachable while paths are sought, and whether that kept a
///   vertex from being reached is checked in the end.
/// - `f32`: every sum is rounded to the nearest number. Rounded sums of numbers from 0 on are monotone: from a lesser
///   distance comes no greater one, and no sum is less than what was added to. That is all that the algorithms rely on,
///   so the least distances are well defined, and the same bit by bit whatever the order in which edges are relaxed.
pub trait Weight: Pod + PartialOrd + Debug + Display + Default + Send + Sync + sealed::Sealed {
    /// Its name in files and messages.
    const NAME: &'static str;

    /// The distance of a vertex that no path leads to. It is greater than all others.
    const UNREACHABLE: Self;

    /// The largest distance of a vertex that a path leads to.
    const LIMIT: Self;

    /// The weight if it is a finite number from 0 on.
    fn checked(self) -> Option<Self>;

    /// The distance after an arc of weight `weight`: [`Self::UNREACHABLE`] if it does not fit.
    fn plus(self, weight: Self) -> Self;

    /// Order-preserving bits: an integer that orders like the distance.
    fn to_ordered(self) -> u32;

    /// The distance of such an integer.
    fn from_ordered(ordered: u32) -> Self;

    /// The bucket of a distance, if buckets are `delta` wide. It never decreases with the distance.
    fn bucket(self, delta: Self) -> u32;

    /// As a number to calculate with.
    fn to_f64(self) -> f64;

    /// The weight that is nearest to `value`, and above 0.
    fn near(value: f64) -> Self;
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for u32 {}
    impl Sealed for f32 {}
}

impl Weight for u32 {
    const NAME: &'static str = "u32";
    const UNREACHABLE: Self = u32::MAX;
    const LIMIT: Self = u32::MAX - 1;

    fn checked(self) -> Option<Self> {
        Some(self)
    }

    #[inline(always)]
    fn plus(self, weight: Self) -> Self {
        self.saturating_add(weight)
    }

    #[inline(always)]
    fn to_ordered(self) -> u32 {
        self
    }

    #[inline(always)]
    fn from_ordered(ordered: u32) -> Self {
        ordered
    }

    #[inline(always)]
    fn bucket(self, delta: Self) -> u32 {
        self.checked_div(delta).unwrap_or(0)
    }

    fn to_f64(self) -> f64 {
        f64::from(self)
    }

    fn near(value: f64) -> Self {
        (value.round() as u32).max(1)
    }
}

impl Weight for f32 {
    const NAME: &'static str = "f32";
    const UNREACHABLE: Self = f32::INFINITY;
    const LIMIT: Self = f32::MAX;

    fn checked(self) -> Option<Self> {
        // Adding 0 makes 0 of -0, which would not order like the number that it is.
        (self.is_finite() && self >= 0.0).then_some(self + 0.0)
    }

    #[inline(always)]
    fn plus(self, weight: Self) -> Self {
        self + weight
    }

    #[inline(always)]
    fn to_ordered(self) -> u32 {
        self.to_bits()
    }

    #[inline(always)]
    fn from_ordered(ordered: u32) -> Self {
        Self::from_bits(ordered)
    }

    #[inline(always)]
    fn bucket(self, delta: Self) -> u32 {
        (self / delta) as u32
    }

    fn to_f64(self) -> f64 {
        f64::from(self)
    }

    fn near(value: f64) -> Self {
        (value as f32).clamp(f32::MIN_POSITIVE, f32::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_never_wrap() {
        assert_eq!(5u32.plus(7), 12);
        assert_eq!((u32::MAX - 3).plus(7), u32::UNREACHABLE);
        assert_eq!(f32::MAX.plus(f32::MAX), f32::UNREACHABLE);
        // The least that a sum can be is what was added to.
        assert_eq!(1e10f32.plus(1.0), 1e10);
    }

    #[test]
    fn only_finite_numbers_from_0_on() {
        for bad in [f32::NAN, f32::INFINITY, -1.0, -f32::MIN_POSITIVE] {
            assert_eq!(bad.checked(), None, "{bad}");
        }
        assert_eq!((-0.0f32).checked().map(f32::to_bits), Some(0));
        assert_eq!(f32::MAX.checked(), Some(f32::MAX));
    }

    #[test]
    fn ordered_numbers_order() {
        let distances = [0.0, f32::MIN_POSITIVE, 1.0, 1.5, f32::MAX, f32::INFINITY];
        assert!(distances.windows(2).all(|pair| pair[0].to_ordered() < pair[1].to_ordered()));
        assert!(distances.iter().all(|&d| f32::from_ordered(d.to_ordered()) == d));
    }

    #[test]
    fn buckets_never_decrease() {
        assert_eq!([0u32, 9, 10, 99].map(|d| d.bucket(10)), [0, 0, 1, 9]);
        assert_eq!([0.0f32, 0.4, 0.5, 1e30, f32::INFINITY].map(|d| d.bucket(0.5)), [0, 0, 1, u32::MAX, u32::MAX]);
    }
}
