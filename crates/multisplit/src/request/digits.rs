//! Bucket ids of more bits than one pass tells apart, digit by digit.

use crate::request::policy::ONE_PASS;

/// The digits of bucket ids below m. Stable passes by one digit after the other, the lowest first, are a stable split.
///
/// All are of the same width, so that one kernel serves all passes; there are as few as can be, and none wider than it
/// must be for that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Digits {
    m: u32,
    width: u32,
    /// How many there are.
    pub passes: u32,
}

impl Digits {
    pub fn of(m: u32) -> Self {
        let bits = m.saturating_sub(1).checked_ilog2().map_or(1, |log| log + 1);
        let passes = bits.div_ceil(ONE_PASS.ilog2());
        Self { m, width: bits.div_ceil(passes), passes }
    }

    /// What a digit can be: the number of buckets of a pass.
    pub const fn values(&self) -> u32 {
        1 << self.width
    }

    /// The largest digit.
    pub const fn mask(&self) -> u32 {
        self.values() - 1
    }

    /// The bits below the digit that a pass goes by.
    pub const fn shift(&self, pass: u32) -> u32 {
        pass * self.width
    }

    /// The largest id. Ids out of range are brought down to it.
    pub const fn last(&self) -> u32 {
        self.m.saturating_sub(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::policy::MAX_BUCKETS;

    #[test]
    fn digits_cover_ids_and_no_more() {
        let mut ms: Vec<u32> = (1..2000).collect();
        ms.extend((8..=24).flat_map(|log| [(1 << log) - 1, 1 << log, (1u32 << log) + 1]));
        for m in ms.into_iter().filter(|&m| m <= MAX_BUCKETS) {
            let digits = Digits::of(m);
            assert!(digits.values() <= ONE_PASS, "m = {m}: {digits:?}");
            assert!(u64::from(digits.values()).pow(digits.passes) >= u64::from(m), "m = {m}: {digits:?}");
            assert!(digits.passes == 1 || digits.last() >> digits.shift(digits.passes - 1) > 0, "m = {m}: {digits:?}");
        }
        let shape = |m| (Digits::of(m).passes, Digits::of(m).values());
        assert_eq!(shape(256), (1, 256));
        assert_eq!(shape(257), (2, 32));
        assert_eq!(shape(65_536), (2, 256));
        assert_eq!(shape(65_537), (3, 64));
        assert_eq!(shape(1 << 24), (3, 256));
    }
}
