//! Bins between given levels, and nothing outside them.

use super::prelude::*;
use super::splitters::{LARGE_BUCKETS, check_ascending};
use super::{DeltaKey, Splitters};
use crate::cpu::Loops;
use crate::error::{Error, Result};
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// Bin `i` holds the keys of `levels[i]..levels[i + 1]`. Keys below the first level or not below the last, and NaN,
/// have no bin: a histogram counts them apart, a split reports them. Equal levels leave the bin between them empty;
/// −0 equals +0.
///
/// ```
/// use multisplit::{Device, bucket::RangeBins, histogram};
/// let counts = histogram(&Device::cpu(), &[1u32, 5, 10, 99, 100, 0], &RangeBins::new(&[1, 10, 100])?)?;
/// assert_eq!(counts.bins, [2, 2]);
/// assert_eq!(counts.outside, 2);
/// # Ok::<(), multisplit::Error>(())
/// ```
#[derive(CubeType, CubeLaunch, Clone, Debug)]
pub struct RangeBins<K: DeltaKey> {
    /// The first level, and how far the last is from it, in words of the keys' order.
    first: K::Bits,
    length: K::Bits,
    /// The levels between them.
    inner: Splitters<K>,
    #[cube(comptime)]
    parts: Parts<K>,
}

/// The same bins in parts whose tables may find room in shared memory, with the number of the first bin of each; none
/// if those of all may. Kernels do not depend on it.
#[derive(Clone)]
struct Parts<K: DeltaKey>(Arc<[(u32, RangeBins<K>)]>);

/// Parts from which on it does not pay to read the keys once for each.
const MOST_PARTS: usize = 8;

impl<K: DeltaKey> Parts<K> {
    fn new(levels: &[K]) -> Result<Self> {
        let bins = levels.len() - 1;
        if bins <= LARGE_BUCKETS || bins > MOST_PARTS * LARGE_BUCKETS {
            return Ok(Self(Arc::default()));
        }
        let part = |first: usize| {
            let end = bins.min(first + LARGE_BUCKETS);
            Ok((first as u32, RangeBins::new(&levels[first..=end])?))
        };
        Ok(Self((0..bins).step_by(LARGE_BUCKETS).map(part).collect::<Result<_>>()?))
    }
}

impl<K: DeltaKey> PartialEq for Parts<K> {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl<K: DeltaKey> Eq for Parts<K> {}

impl<K: DeltaKey> Hash for Parts<K> {
    fn hash<H: Hasher>(&self, _: &mut H) {}
}

impl<K: DeltaKey> fmt::Debug for Parts<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0.len())
    }
}

impl<K: DeltaKey> RangeBins<K> {
    /// `levels.len() - 1` bins.
    ///
    /// # Errors
    /// [`Error::InvalidBuckets`] if there are fewer than two levels, if they are not in ascending order or one is NaN.
    pub fn new(levels: &[K]) -> Result<Self> {
        let &[first, ref inner @ .., end] = levels else {
            return Err(Error::InvalidBuckets(format!(
                "{} levels make no bins: there must be at least 2",
                levels.len()
            )));
        };
        check_ascending(levels, "level")?;
        let (inner, parts) = (Splitters::new(inner)?, Parts::new(levels)?);
        let (first, end) = (K::least(first), K::least(end));
        Ok(Self { first, length: K::Bits::minus(end, first), inner, parts })
    }
}

#[cube]
impl<K: DeltaKey> BucketFn for RangeBins<K> {
    type Key = K;
    #[inline(always)]
    fn bucket(&self, key: K) -> u32 {
        let word = K::ordered(key);
        // One comparison: what is below the first level wraps around. NaN is above or below all numbers.
        let inside = K::Bits::minus(word, self.first) < self.length;
        select(inside, self.inner.bucket_inside(key, word, inside), 0xffff_ffffu32)
    }
}

impl<K: DeltaKey> Buckets for RangeBins<K> {
    fn buckets(&self) -> u32 {
        self.inner.buckets()
    }

    fn loops(&self) -> Loops<'_> {
        K::range_bins_loops(self)
    }

    fn is_costly(&self) -> bool {
        self.inner.is_costly()
    }
    fn kernel_parts(&self) -> &[(u32, Self)] {
        &self.parts.0
    }
    kernel_fields!(first, length, inner, comptime parts);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_steps_where_levels_are_even() {
        let even: Vec<u32> = (0..=256).map(|i| i << 16).collect();
        assert_eq!(RangeBins::new(&even).unwrap().inner.steps(), 1);
        assert_eq!(RangeBins::new(&even[..2]).unwrap().inner.steps(), 0);
        let floats: Vec<f32> = (0..=256).map(|i| i as f32 * 0.25).collect();
        assert_eq!(RangeBins::new(&floats).unwrap().inner.steps(), 1);
        let far_apart: Vec<f32> = (-128..=128).map(|i| i as f32 * 2.6e36).collect();
        assert!(RangeBins::new(&far_apart).unwrap().inner.steps() <= 2);
        // All in one cell, by their values or by their range.
        assert_eq!(RangeBins::new(&[vec![0u32; 256], vec![u32::MAX]].concat()).unwrap().inner.steps(), 8);
        let extremes = [&[f32::NEG_INFINITY][..], &[0.0; 255], &[f32::INFINITY]].concat();
        assert_eq!(RangeBins::new(&extremes).unwrap().inner.steps(), 8);
    }
}
