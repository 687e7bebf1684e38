//! Segments of an input, checked.

use super::policy::MAX_BUCKETS;
use crate::error::{Error, Result};

/// Segments that cover an input: segment s is `offsets[s]..offsets[s + 1]`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Segments<'a> {
    offsets: &'a [usize],
}

impl<'a> Segments<'a> {
    /// Checks offsets for `n` keys and m buckets.
    pub fn new(offsets: &'a [usize], n: usize, m: u32) -> Result<Self> {
        let (Some(&first), Some(&last)) = (offsets.first(), offsets.last()) else { return Err(Error::NoSegments) };
        if (first, last) != (0, n) {
            return Err(Error::SegmentsDoNotCover { first, last, n });
        }
        if let Some(segment) = offsets.windows(2).position(|pair| pair[1] < pair[0]) {
            let (start, end) = (offsets[segment], offsets[segment + 1]);
            return Err(Error::SegmentsDecrease { segment, start, end });
        }
        check_buckets(offsets.len() - 1, m)?;
        Ok(Self { offsets })
    }

    /// How many there are.
    pub fn count(&self) -> u32 {
        (self.offsets.len() - 1) as u32
    }

    /// Keys in all of them.
    #[cfg(feature = "gpu")]
    pub fn keys(&self) -> usize {
        self.offsets.last().copied().unwrap_or(0)
    }

    /// Where they begin, and where the last one ends.
    pub fn offsets(&self) -> &'a [usize] {
        self.offsets
    }

    /// Where each begins, and how long it is.
    #[cfg(feature = "gpu")]
    pub fn iter(&self) -> impl Iterator<Item = (usize, usize)> + use<'a> {
        self.offsets.windows(2).map(|pair| (pair[0], pair[1] - pair[0]))
    }
}

/// Refuses more buckets than one split can have. Returns the number of segments.
pub(crate) fn check_buckets(segments: usize, m: u32) -> Result<u32> {
    let limit = MAX_BUCKETS;
    // Segments without any buckets there are not, so this also bounds their number.
    match u32::try_from(segments) {
        Ok(count) if u64::from(count) * u64::from(m.max(1)) <= u64::from(limit) => Ok(count),
        _ => Err(Error::TooManySegments { segments, m, limit }),
    }
}
