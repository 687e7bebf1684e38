//! Numbers that keys are compared with: bounds, edges, what is typed and what is shown.

use super::dates;
use super::decimals;
use super::half::{narrow_to_half, widen_half};
use super::key_type::KeyType;
use super::text_hash::hash;
use anyhow::{Context, Result, bail, ensure};

/// The value of a key. Whole numbers may be one beyond the largest key, where a range ends.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub enum Number {
    Whole(i128),
    Real(f64),
}

impl KeyType {
    /// Returns the word, in the order of the keys, of 0.
    fn zero(self) -> i128 {
        match self {
            Self::Signed(_) | Self::Datetime(_) | Self::Timedelta(_) | Self::Decimal(_) => 1 << (self.bits() - 1),
            _ => 0,
        }
    }

    /// Returns the smallest and the largest whole number among the keys.
    fn whole_range(self) -> (i128, i128) {
        if self == Self::Bool {
            return (0, 1);
        }
        (-self.zero(), (1 << self.bits()) - 1 - self.zero())
    }

    /// Converts a word, in the order of the keys.
    pub fn number(self, word: u64) -> Number {
        let bits = || self.order().bits(word);
        match self {
            Self::Float(16) => Number::Real(f32::from_bits(widen_half(bits() as u32)).into()),
            Self::Float(32) => Number::Real(f32::from_bits(bits() as u32).into()),
            Self::Float(_) => Number::Real(f64::from_bits(bits())),
            _ => Number::Whole(i128::from(word) - self.zero()),
        }
    }

    /// Converts a whole number, which may be beyond the keys, to a word in their order.
    pub fn beyond_word(self, number: i128) -> Option<u64> {
        u64::try_from(number + self.zero()).ok()
    }

    /// Returns the bits of the key that is nearest to a number.
    pub fn bits_of_real(self, number: f64) -> u64 {
        match self {
            Self::Float(64) => number.to_bits(),
            Self::Float(32) => (number as f32).to_bits().into(),
            _ => narrow_to_half(number as f32).into(),
        }
    }

    /// Rounds to what keys of this type, or their carriers, can be.
    pub fn round(self, number: f64) -> f64 {
        if self == Self::Float(64) { number } else { f64::from(number as f32) }
    }

    /// Parses a number.
    pub fn parse(self, text: &str) -> Result<Number> {
        let number = self.parse_end(text)?;
        let (_, largest) = self.whole_range();
        ensure!(!matches!(number, Number::Whole(beyond) if beyond > largest), self.unfit(text));
        Ok(number)
    }

    /// Parses the end of a range, which for integers may be one more than the largest key.
    pub fn parse_end(self, text: &str) -> Result<Number> {
        self.expect_order()?;
        if self.is_float() {
            let number: f64 = if self == Self::Float(64) { text.parse().ok() } else { text.parse().ok().map(single) }
                .with_context(|| format!("'{text}' is not a number"))?;
            ensure!(!number.is_nan(), "NaN lies nowhere among the keys; name a number");
            // `parse` makes numbers that are too large infinite.
            let infinite = text.to_ascii_lowercase().contains("inf");
            ensure!(number.is_finite() || infinite, "{text} is too large for {self}");
            return Ok(Number::Real(number));
        }
        let whole = match (self, text) {
            (Self::Bool, "true") => Some(1),
            (Self::Bool, "false") => Some(0),
            (Self::Datetime(units), _) => dates::parse(text, units),
            _ => None,
        };
        let whole: Option<i128> = match self {
            Self::Decimal(places) => decimals::parse(&text.replace('_', ""), places),
            _ => whole.or_else(|| text.replace('_', "").parse().ok()),
        };
        let (smallest, largest) = self.whole_range();
        match whole.filter(|number| (smallest..=largest + 1).contains(number)) {
            Some(number) => Ok(Number::Whole(number)),
            None => bail!(self.unfit(text)),
        }
    }

    fn unfit(self, text: &str) -> String {
        let (smallest, largest) = self.whole_range();
        if let Self::Decimal(places) = self {
            let (smallest, largest) = (decimals::show(smallest, places), decimals::show(largest, places));
            return format!("'{text}' is not a key of type {self}: a decimal from {smallest} to {largest}");
        }
        let or = if matches!(self, Self::Datetime(_)) { ", or a date such as 2024-02-29T12:30" } else { "" };
        format!("'{text}' is not a key of type {self}: a whole number from {smallest} to {largest}{or}")
    }

    /// Returns a range that holds both numbers, and everything between them.
    pub fn range_of(self, smallest: Number, largest: Number) -> (Number, Number) {
        match (smallest, largest) {
            (Number::Whole(_), Number::Whole(largest)) => (smallest, Number::Whole(largest + 1)),
            (Number::Real(low), Number::Real(high)) if low < high => {
                let behind = if self == Self::Float(64) { high.next_up() } else { (high as f32).next_up().into() };
                (smallest, Number::Real(behind))
            }
            // A single number gets a range around it; half a unit would be lost on a large one.
            (Number::Real(only), _) | (_, Number::Real(only)) => {
                let around = (only.abs() / 4.0).max(0.5);
                (Number::Real(self.round(only - around)), Number::Real(self.round(only + around)))
            }
        }
    }

    /// Returns where bin `i` of `bins` in a range begins. Of whole numbers it is the first of which the bin,
    /// floor((key - lower) * bins / span), is i.
    pub fn edge(self, lower: Number, end: Number, bins: u32, i: u32) -> Number {
        match (lower, end) {
            (Number::Whole(lower), Number::Whole(end)) => {
                let bins = i128::from(bins.max(1));
                Number::Whole(lower + (i128::from(i) * (end - lower) + bins - 1) / bins)
            }
            (Number::Real(lower), Number::Real(end)) => {
                // Multiplying first keeps whole numbers whole, unless the product is too large.
                let (span, i, bins) = (end - lower, f64::from(i), f64::from(bins.max(1)));
                let product = span * i;
                let far = if product.is_finite() { product / bins } else { span * (i / bins) };
                Number::Real(self.round(lower + far))
            }
            _ => lower,
        }
    }

    /// Formats a number for people: in scientific notation where plain digits would be many.
    pub fn show(self, number: Number) -> String {
        match number {
            Number::Real(number) => {
                let size = number.abs();
                let plain = size == 0.0 || !size.is_finite() || (1e-4..1e9).contains(&size);
                match (self, plain) {
                    (Self::Float(64), true) => number.to_string(),
                    (Self::Float(64), false) => format!("{number:e}"),
                    (_, true) => (number as f32).to_string(),
                    (_, false) => format!("{:e}", number as f32),
                }
            }
            Number::Whole(number) => self.show_whole(number),
        }
    }

    fn show_whole(self, number: i128) -> String {
        match self {
            _ if self.is_time() && number == i128::from(i64::MIN) => "NaT".into(),
            Self::Datetime(units) => dates::show(number, units),
            Self::Decimal(places) => decimals::show(number, places),
            Self::Bool if number <= 1 => (if number == 0 { "false" } else { "true" }).into(),
            _ => number.to_string(),
        }
    }

    /// Formats a key, given as its bits, so that it can be read again as the same.
    pub fn show_exactly(self, bits: u64) -> String {
        match self.number(self.order().word(bits)) {
            Number::Real(number) if self == Self::Float(64) => format!("{number:?}"),
            Number::Real(number) => format!("{:?}", number as f32),
            Number::Whole(number) => self.show_whole(number),
        }
    }

    /// Parses a key as text files have it, and returns its bits.
    pub fn parse_bits(self, text: &str) -> Option<u64> {
        Some(match self {
            Self::Float(64) => text.parse::<f64>().ok()?.to_bits(),
            Self::Float(32) => text.parse::<f32>().ok()?.to_bits().into(),
            Self::Float(_) => narrow_to_half(text.parse().ok()?).into(),
            Self::Bool => u64::from(match text {
                _ if text.eq_ignore_ascii_case("true") => true,
                _ if text.eq_ignore_ascii_case("false") => false,
                _ => text.parse::<u8>().ok().filter(|&bit| bit <= 1)? == 1,
            }),
            Self::Text => hash(text.as_bytes()),
            _ => {
                let whole = match self {
                    Self::Datetime(_) | Self::Timedelta(_) if text == "NaT" => Some(i64::MIN.into()),
                    Self::Datetime(units) => dates::parse(text, units),
                    _ => None,
                };
                let whole = match self {
                    Self::Decimal(places) => decimals::parse(text, places),
                    _ => whole.or_else(|| text.parse::<i128>().ok()),
                }?;
                let (smallest, largest) = self.whole_range();
                let whole = (smallest..=largest).contains(&whole).then_some(whole)?;
                self.order().bits(self.beyond_word(whole)?)
            }
        })
    }
}

fn single(number: f32) -> f64 {
    number.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    const U8: KeyType = KeyType::Unsigned(8);

    #[test]
    fn numbers_as_typed() {
        let parse = |key_type: KeyType, text| key_type.parse(text).ok();
        assert_eq!(parse(U8, "2_5"), Some(Number::Whole(25)));
        assert_eq!(U8.parse_end("256").ok(), Some(Number::Whole(256)));
        assert_eq!(parse(KeyType::Signed(64), "-9223372036854775808"), Some(Number::Whole(i64::MIN.into())));
        assert_eq!(KeyType::Unsigned(64).parse_end("18446744073709551616").ok(), Some(Number::Whole(1 << 64)));
        assert_eq!(parse(KeyType::Float(32), "-inf"), Some(Number::Real(f64::NEG_INFINITY)));
        assert_eq!(parse(KeyType::Float(32), "0.1"), Some(Number::Real(0.1f32.into())));
        assert_eq!(parse(KeyType::Bool, "true"), Some(Number::Whole(1)));
        for (key_type, bad) in [(U8, "256"), (U8, "-1"), (KeyType::Unsigned(32), "1.5"), (KeyType::Unsigned(32), "")] {
            assert_eq!(parse(key_type, bad), None, "{bad}");
        }
        assert!(U8.parse_end("257").is_err() && KeyType::Text.parse("x").is_err());
        for bad in ["1e39", "nan", "x"] {
            assert_eq!(parse(KeyType::Float(32), bad), None, "{bad}");
        }
        assert!(KeyType::Float(64).parse("1e39").is_ok());
    }

    #[test]
    fn edges_of_bins() {
        let edges = |lower, end, bins| {
            let edge = |i| U8.edge(Number::Whole(lower), Number::Whole(end), bins, i);
            (0..bins).map(edge).collect::<Vec<_>>()
        };
        assert_eq!(edges(0, 256, 4), [0, 64, 128, 192].map(Number::Whole));
        assert_eq!(edges(10, 20, 3), [10, 14, 17].map(Number::Whole));
        assert_eq!(edges(10, 12, 4), [10, 11, 11, 12].map(Number::Whole));
        let real = |key_type: KeyType, end, bins, i| key_type.edge(Number::Real(0.0), Number::Real(end), bins, i);
        assert_eq!(real(KeyType::Float(32), 100.0, 20, 3), Number::Real(15.0));
        assert_eq!(real(KeyType::Float(64), 1e308, 1 << 24, 1 << 23), Number::Real(5e307));
    }
}
