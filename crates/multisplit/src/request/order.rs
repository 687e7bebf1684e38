//! What to sort by: bits of the key, and the digits that they are cut into.

use crate::request::digits::Digits;
#[cfg(feature = "gpu")]
use crate::{
    bucket::{Digit, key::Key},
    error::Result,
};

/// Bits of a digit by default: as many as one split takes.
const DIGIT_BITS: u32 = 8;

/// What to sort by, validated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Order {
    /// Bits `start..end` of the key.
    pub start: u32,
    pub end: u32,
    /// As asked for, if so.
    pub digit_bits: Option<u32>,
    pub descending: bool,
}

impl Order {
    /// The order of bucket ids below m. Its digits are all of one width, so that what the splits by them leave looks
    /// the same; bits that this adds to ⌈log2 m⌉ are 0 in all ids.
    pub fn of_ids(m: u32) -> Self {
        let digits = Digits::of(m);
        let width = digits.values().ilog2();
        let digit_bits = (digits.passes > 1).then_some(width);
        Self { start: 0, end: width * digits.passes, digit_bits, descending: false }
    }

    /// The most bits of a digit.
    pub fn most_bits(&self) -> u32 {
        self.digit_bits.unwrap_or(DIGIT_BITS)
    }

    /// The same order by other bits.
    pub fn within(self, start: u32, end: u32) -> Self {
        Self { start, end, ..self }
    }

    /// The same order by the bits that differ, and those between them.
    pub fn cut_to(self, differing: u64) -> Self {
        match differing & mask(self.start, self.end) {
            0 => self.within(self.start, self.start),
            bits => self.within(bits.trailing_zeros(), 64 - bits.leading_zeros()),
        }
    }

    /// How many digits there are: none for no bits.
    pub fn count(&self) -> u32 {
        (self.end - self.start).div_ceil(self.most_bits())
    }

    /// Where digit `i` begins. Unless their width was asked for, digits are as equal as can be: one bit less in several
    /// takes less time than several bits less in one.
    #[cfg(any(test, feature = "gpu"))]
    fn boundary(&self, i: u32) -> u32 {
        let bits = self.end - self.start;
        match self.digit_bits {
            Some(width) => self.start + bits.min(i * width),
            // The wider ones come first.
            None => self.start + (bits * i).div_ceil(self.count().max(1)),
        }
    }

    /// The bits of digit `i`, counted from the lowest.
    #[cfg(any(test, feature = "gpu"))]
    pub fn digit(&self, i: u32) -> (u32, u32) {
        (self.boundary(i), self.boundary(i + 1))
    }

    /// The function that names a digit.
    #[cfg(feature = "gpu")]
    pub fn function<K: Key>(&self, (start, end): (u32, u32)) -> Result<Digit<K>> {
        let digit = Digit::new(start..end)?;
        Ok(if self.descending { digit.descending() } else { digit })
    }

    /// The functions to split by on a GPU, from the lowest digit to the highest.
    #[cfg(feature = "gpu")]
    pub fn functions<K: Key>(&self) -> Result<Vec<Digit<K>>> {
        self.functions_for(u64::MAX)
    }

    /// The bits in words of up to 32, from the lowest. None if the width of digits was asked for: then they are what is
    /// sorted by.
    #[cfg(feature = "gpu")]
    pub fn words<K: Key>(&self) -> Vec<Digit<K>> {
        let end = if self.digit_bits.is_none() { self.end } else { self.start };
        let starts = (self.start..end).step_by(u32::BITS as usize);
        let words = starts.map(|start| Digit::word(start, end.min(start + u32::BITS)));
        words.map(|word| if self.descending { word.descending() } else { word }).collect()
    }

    /// Those of digits with any of the bits that differ; one of a single bucket, which copies, if there are none.
    #[cfg(feature = "gpu")]
    pub fn functions_for<K: Key>(&self, differing: u64) -> Result<Vec<Digit<K>>> {
        let digits = (0..self.count()).map(|i| self.digit(i));
        let mut digits: Vec<_> = digits.filter(|&(start, end)| differing & mask(start, end) != 0).collect();
        if digits.is_empty() {
            digits.push((self.start, self.start));
        }
        digits.into_iter().map(|digit| self.function(digit)).collect()
    }
}

/// The bits `start..end`.
pub(crate) fn mask(start: u32, end: u32) -> u64 {
    if start < end { u64::MAX >> (64 - (end - start)) << start } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn digits(start: u32, end: u32, digit_bits: Option<u32>) -> Vec<(u32, u32)> {
        let order = Order { start, end, digit_bits, descending: false };
        (0..order.count()).map(|i| order.digit(i)).collect()
    }

    #[test]
    fn digits_cover_the_bits() {
        assert_eq!(digits(0, 32, None), [(0, 8), (8, 16), (16, 24), (24, 32)]);
        assert_eq!(digits(10, 31, None), [(10, 17), (17, 24), (24, 31)]);
        assert_eq!(digits(0, 20, None), [(0, 7), (7, 14), (14, 20)]);
        assert_eq!(digits(0, 20, Some(8)), [(0, 8), (8, 16), (16, 20)]);
        assert_eq!(digits(3, 3, None), []);
        for end in 0..=64 {
            for start in 0..=end {
                for width in [None, Some(4), Some(5), Some(6), Some(7), Some(8)] {
                    let all = digits(start, end, width);
                    assert!(all.iter().all(|(a, b)| a < b && b - a <= width.unwrap_or(8)), "{all:?}");
                    assert!(all.windows(2).all(|pair| pair[0].1 == pair[1].0), "{all:?}");
                    assert_eq!(all.first().map(|d| d.0), (start < end).then_some(start));
                    assert_eq!(all.last().map(|d| d.1), (start < end).then_some(end));
                    assert_eq!(all.len() as u32, (end - start).div_ceil(width.unwrap_or(8)));
                }
            }
        }
    }
}
