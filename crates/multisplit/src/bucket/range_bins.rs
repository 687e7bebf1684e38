//! Bins between given levels, and nothing outside them.

use super::prelude::*;
use super::splitters::check_ascending;
use super::{DeltaKey, Splitters};
use crate::error::{Error, Result};

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
    first: K::Bits,
    end: K::Bits,
    /// The levels between them.
    inner: Splitters<K>,
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
        Ok(Self { first: K::comparable(first), end: K::comparable(end), inner: Splitters::new(inner)? })
    }
}

#[cube]
impl<K: DeltaKey> BucketFn for RangeBins<K> {
    type Key = K;
    #[inline(always)]
    fn bucket(&self, key: K) -> u32 {
        let word = K::comparable(key);
        let bin = self.inner.bucket(key);
        select(word >= self.first && word < self.end, bin, 0xffff_ffffu32)
    }
}

impl<K: DeltaKey> Buckets for RangeBins<K> {
    fn buckets(&self) -> u32 {
        self.inner.buckets()
    }
    fn is_costly(&self) -> bool {
        self.inner.is_costly()
    }
    kernel_fields!(first, end, inner);
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
