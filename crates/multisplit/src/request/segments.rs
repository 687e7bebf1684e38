//! Segments of an input, checked.

use super::policy::MAX_BUCKETS;
use crate::error::{Error, Result};

/// Segments that cover an input: segment s is `offsets[s]..offsets[s + 1]`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Segments<'a> {
    offsets: &'a [usize],
    /// Whether all are of the same length.
    #[cfg_attr(not(feature = "gpu"), allow(dead_code))]
    equal: bool,
}

impl<'a> Segments<'a> {
    /// Checks offsets for `n` keys and m buckets.
    pub fn new(offsets: &'a [usize], n: usize, m: u32) -> Result<Self> {
        let (Some(&first), Some(&last)) = (offsets.first(), offsets.last()) else { return Err(Error::NoSegments) };
        if (first, last) != (0, n) {
            return Err(Error::SegmentsDoNotCover { first, last, n });
        }
        let Glance { ascends, equal } = Glance::at(offsets);
        if !ascends && let Some(segment) = offsets.windows(2).position(|pair| pair[1] < pair[0]) {
            let (start, end) = (offsets[segment], offsets[segment + 1]);
            return Err(Error::SegmentsDecrease { segment, start, end });
        }
        check_buckets(offsets.len() - 1, m)?;
        Ok(Self { offsets, equal })
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

    /// The length of all of them, if that is the same and there are any.
    #[cfg(feature = "gpu")]
    pub fn equal_length(&self) -> Option<usize> {
        self.offsets.get(1).copied().filter(|_| self.equal)
    }

    /// Where each begins, and how long it is.
    #[cfg(feature = "gpu")]
    pub fn iter(&self) -> impl Iterator<Item = (usize, usize)> + use<'a> {
        self.offsets.windows(2).map(|pair| (pair[0], pair[1] - pair[0]))
    }
}

/// What can be seen of offsets at a glance. There may be very many, so this is one loop, and such that it becomes
/// vector instructions; one that may end early does not.
struct Glance {
    /// Whether they surely ascend.
    ascends: bool,
    /// Whether they do so by the same number each time.
    equal: bool,
}

impl Glance {
    /// Looks at offsets of which there is at least one.
    fn at(offsets: &[usize]) -> Self {
        let length = offsets.get(1).map_or(0, |&second| second.wrapping_sub(offsets[0]));
        let (mut bits, mut differing) = (offsets[0], 0);
        for pair in offsets.windows(2) {
            let difference = pair[1].wrapping_sub(pair[0]);
            bits |= pair[1] | difference;
            differing |= difference ^ length;
        }
        // A difference between numbers without the highest bit has that bit if it is negative.
        Self { ascends: bits <= usize::MAX >> 1, equal: differing == 0 }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_glance_tells() {
        let glance = |offsets: &[usize]| {
            let Glance { ascends, equal } = Glance::at(offsets);
            (ascends, equal)
        };
        assert_eq!(glance(&[0]), (true, true));
        assert_eq!(glance(&[0, 7]), (true, true));
        assert_eq!(glance(&[0, 7, 14, 21]), (true, true));
        assert_eq!(glance(&[0, 7, 14, 20]), (true, false));
        assert_eq!(glance(&[0, 0, 0]), (true, true));
        assert_eq!(glance(&[0, 7, 6, 20]), (false, false));
        // Not sure, and so looked at again.
        assert!(!Glance::at(&[0, usize::MAX]).ascends);
    }

    #[test]
    fn offsets_that_descend_are_named() {
        let refused = |offsets: &[usize]| Segments::new(offsets, 9, 1).map(|_| ()).unwrap_err();
        assert_eq!(refused(&[0, 5, 4, 9]), Error::SegmentsDecrease { segment: 1, start: 5, end: 4 });
        let (start, end) = (usize::MAX, 9);
        assert_eq!(refused(&[0, usize::MAX, 9]), Error::SegmentsDecrease { segment: 1, start, end });
        assert!(Segments::new(&[0, 0, 4, 4, 9, 9], 9, 1).is_ok());
    }
}
