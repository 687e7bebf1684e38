//! The short forms: one call, one histogram.

use super::{Counts, Histogram};
use crate::bucket::{Buckets, DeltaKey, EvenBins, EvenKey, RangeBins};
use crate::device::Device;
use crate::error::Result;
use std::ops::Range;

/// Counts how many keys fall into each bucket that `f` names: any bucket function, with up to 2^24 buckets.
///
/// ```
/// use multisplit::{Device, bucket::Hash, histogram};
/// let counts = histogram(&Device::best(), &[1u64, 2, 3, 4, 5], &Hash::new(1000, 0))?;
/// assert_eq!(counts.bins.iter().sum::<u64>(), 5);
/// # Ok::<(), multisplit::Error>(())
/// ```
///
/// # Errors
/// As [`Histogram::count`].
pub fn histogram<F: Buckets>(device: &Device, keys: &[F::Key], f: &F) -> Result<Counts> {
    Histogram::by(f).count(device, keys)
}

/// Counts keys in `bins` bins of equal width that cover `range` ([`EvenBins`]). Keys outside the range, and NaN, are
/// counted apart.
///
/// ```
/// use multisplit::{Device, histogram_even};
/// let counts = histogram_even(&Device::best(), &[3, -1, 9, 10, 5], 0..10, 2)?;
/// assert_eq!(counts.bins, [1, 2]);
/// assert_eq!(counts.outside, 2);
/// # Ok::<(), multisplit::Error>(())
/// ```
///
/// # Errors
/// As [`EvenBins::new`] and [`Histogram::count`].
pub fn histogram_even<K: EvenKey>(device: &Device, keys: &[K], range: Range<K>, bins: u32) -> Result<Counts> {
    histogram(device, keys, &EvenBins::new(range, bins)?)
}

/// Counts keys in the bins between `levels` ([`RangeBins`]), one less than there are levels: bin i holds the keys of
/// `levels[i]..levels[i + 1]`. Keys below the first level or not below the last, and NaN, are counted apart.
///
/// ```
/// use multisplit::{Device, histogram_range};
/// let counts = histogram_range(&Device::best(), &[0.5f32, 1.0, 7.0, 1e9, f32::NAN], &[0.0, 1.0, 10.0])?;
/// assert_eq!(counts.bins, [1, 2]);
/// assert_eq!(counts.outside, 2);
/// # Ok::<(), multisplit::Error>(())
/// ```
///
/// # Errors
/// As [`RangeBins::new`] and [`Histogram::count`].
pub fn histogram_range<K: DeltaKey>(device: &Device, keys: &[K], levels: &[K]) -> Result<Counts> {
    histogram(device, keys, &RangeBins::new(levels)?)
}
