//! The key types: what differs between them.

use super::key::{End, FileKey};
use super::key_type::FileKeyType;
use anyhow::{Context, Result, bail, ensure};
use multisplit::bucket::Delta;
use multisplit::bucket::prelude::KeyOps;

macro_rules! integers {
    ($($key:ident $variant:ident $word:ident)*) => {$(
        impl FileKey for $key {
            const TYPE: FileKeyType = FileKeyType::$variant;
            type Word = $word;
            type Carrier = $word;
            const LARGEST: Self = $key::MAX;
            const ONE: $word = 1;

            fn to_word(self) -> $word {
                Self::ordered(self)
            }

            fn from_word(word: $word) -> Self {
                (word ^ Self::ordered(0)) as $key
            }

            fn carry(self) -> $word {
                self.to_word()
            }

            fn carried(carrier: $word) -> Self {
                Self::from_word(carrier)
            }

            fn carry_end(end: End<Self>) -> Option<$word> {
                match end {
                    End::Before(key) => Some(key.carry()),
                    End::Beyond => $key::MAX.carry().checked_add(1),
                }
            }

            fn parse(text: &str) -> Result<Self> {
                match Self::parse_end(text)? {
                    End::Before(key) => Ok(key),
                    End::Beyond => Err(unfit::<$key>(text, $key::MIN, $key::MAX)),
                }
            }

            fn parse_end(text: &str) -> Result<End<Self>> {
                let number: Option<i128> = text.replace('_', "").parse().ok();
                let key = number.and_then(|number| match $key::try_from(number) {
                    Ok(key) => Some(End::Before(key)),
                    Err(_) => (number == $key::MAX as i128 + 1).then_some(End::Beyond),
                });
                key.ok_or_else(|| unfit::<$key>(text, $key::MIN, $key::MAX))
            }

            fn one_beyond() -> String {
                ($key::MAX as i128 + 1).to_string()
            }

            fn is_finite(self) -> bool {
                true
            }

            fn range_of(smallest: Self, largest: Self) -> (Self, End<Self>) {
                (smallest, largest.checked_add(1).map_or(End::Beyond, End::Before))
            }

            // The first key of which the bin, floor((key - lower) * bins / span), is i.
            fn edge(lower: Self, end: End<Self>, bins: u32, i: u32) -> Self {
                let end = match end {
                    End::Before(key) => key as i128,
                    End::Beyond => $key::MAX as i128 + 1,
                };
                let (span, bins) = (end - lower as i128, i128::from(bins.max(1)));
                let edge = lower as i128 + (i128::from(i) * span + bins - 1) / bins;
                edge.clamp($key::MIN as i128, $key::MAX as i128) as $key
            }

            fn show(self) -> String {
                self.to_string()
            }

            fn identity(smallest: Self, largest: Self, m: u32) -> Result<Delta<$word>> {
                let last = m - 1;
                ensure!(
                    smallest as i128 >= 0 && largest as i128 <= i128::from(last),
                    "the keys are from {smallest} to {largest}, but the buckets of --by identity from 0 to {last}"
                );
                Ok(Delta::new((0 as $key).carry(), 1, m)?)
            }
        }
    )*};
}

macro_rules! floats {
    ($($key:ident $variant:ident $word:ident)*) => {$(
        impl FileKey for $key {
            const TYPE: FileKeyType = FileKeyType::$variant;
            type Word = $word;
            type Carrier = $key;
            const LARGEST: Self = $key::INFINITY;
            const ONE: $key = 1.0;

            fn to_word(self) -> $word {
                Self::ordered(self)
            }

            // Words of negative numbers have all bits flipped, others the highest.
            fn from_word(word: $word) -> Self {
                let sign = 1 << ($word::BITS - 1);
                $key::from_bits(if word & sign == 0 { !word } else { word ^ sign })
            }

            fn carry(self) -> $key {
                self
            }

            fn carried(carrier: $key) -> Self {
                carrier
            }

            fn carry_end(end: End<Self>) -> Option<$key> {
                match end {
                    End::Before(key) => Some(key),
                    End::Beyond => None,
                }
            }

            fn parse(text: &str) -> Result<Self> {
                let key: $key = text.parse().ok().with_context(|| format!("'{text}' is not a number"))?;
                ensure!(!key.is_nan(), "NaN lies nowhere among the keys; name a number");
                // `parse` makes numbers that are too large infinite.
                let infinite = text.to_ascii_lowercase().contains("inf");
                ensure!(key.is_finite() || infinite, "{text} is too large for {}", Self::TYPE);
                Ok(key)
            }

            fn parse_end(text: &str) -> Result<End<Self>> {
                Self::parse(text).map(End::Before)
            }

            fn one_beyond() -> String {
                $key::INFINITY.to_string()
            }

            fn is_finite(self) -> bool {
                $key::is_finite(self)
            }

            fn range_of(smallest: Self, largest: Self) -> (Self, End<Self>) {
                if smallest < largest {
                    return (smallest, End::Before(largest.next_up()));
                }
                // A single number gets a range around it; half a unit would be lost on a large one.
                let around = (smallest.abs() / 4.0).max(0.5);
                (smallest - around, End::Before(smallest + around))
            }

            fn edge(lower: Self, end: End<Self>, bins: u32, i: u32) -> Self {
                let End::Before(upper) = end else { return $key::INFINITY };
                let (lower, span) = (f64::from(lower), f64::from(upper) - f64::from(lower));
                // Multiplying first keeps whole numbers whole, unless the product is too large.
                let (product, bins) = (span * f64::from(i), f64::from(bins.max(1)));
                let far = if product.is_finite() { product / bins } else { span * (f64::from(i) / bins) };
                (lower + far) as $key
            }

            // In scientific notation where plain digits would be many.
            fn show(self) -> String {
                let size = self.abs();
                if size == 0.0 || !size.is_finite() || (1e-4..1e9).contains(&size) {
                    self.to_string()
                } else {
                    format!("{self:e}")
                }
            }

            fn identity(_smallest: Self, _largest: Self, _m: u32) -> Result<Delta<$key>> {
                bail!("--by identity takes keys for numbers of buckets, which {} keys are not; try delta", Self::TYPE)
            }
        }
    )*};
}

integers!(u8 U8 u32 u16 U16 u32 u32 U32 u32 u64 U64 u64 i32 I32 u32 i64 I64 u64);
floats!(f32 F32 u32 f64 F64 u64);

fn unfit<K: FileKey>(text: &str, smallest: K, largest: K) -> anyhow::Error {
    anyhow::anyhow!("'{text}' is not a key of type {}: a whole number from {smallest} to {largest}", K::TYPE)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn there_and_back<K: FileKey>(keys: &[K]) {
        for &key in keys {
            let (a, b) = (K::from_word(key.to_word()), K::carried(key.carry()));
            assert_eq!(bytemuck::bytes_of(&a), bytemuck::bytes_of(&key), "{key}");
            assert_eq!(bytemuck::bytes_of(&b), bytemuck::bytes_of(&key), "{key}");
        }
        assert!(keys.is_sorted_by(|a, b| a.to_word() < b.to_word()), "{}", K::TYPE);
    }

    #[test]
    fn words_are_in_order_and_keep_every_bit() {
        there_and_back(&[0u8, 1, 127, 128, 255]);
        there_and_back(&[0u16, 1, 32_767, 32_768, 65_535]);
        there_and_back(&[0u32, 1, 1 << 31, u32::MAX]);
        there_and_back(&[0u64, 1, 1 << 63, u64::MAX]);
        there_and_back(&[i32::MIN, -1, 0, 1, i32::MAX]);
        there_and_back(&[i64::MIN, -1, 0, 1, i64::MAX]);
        there_and_back(&[-f32::NAN, -f32::INFINITY, -1.5, -0.0, 0.0, 1e-45, 1.5, f32::INFINITY, f32::NAN]);
        there_and_back(&[-f64::NAN, -f64::INFINITY, -1.5, -0.0, 0.0, 5e-324, 1.5, f64::INFINITY, f64::NAN]);
    }

    #[test]
    fn numbers_as_typed() {
        assert_eq!(u8::parse("2_5").ok(), Some(25));
        assert_eq!(u8::parse_end("256").ok(), Some(End::Beyond));
        assert_eq!(i64::parse("-9223372036854775808").ok(), Some(i64::MIN));
        assert_eq!(u64::parse_end("18446744073709551616").ok(), Some(End::Beyond));
        assert_eq!(f32::parse("-inf").ok(), Some(f32::NEG_INFINITY));
        assert!(u8::parse("256").is_err() && u8::parse_end("257").is_err() && u8::parse("-1").is_err());
        assert!(u32::parse("1.5").is_err() && u32::parse("").is_err());
        assert!(f32::parse("1e39").is_err() && f32::parse("nan").is_err() && f32::parse("x").is_err());
        assert!(f64::parse("1e39").is_ok());
    }

    #[test]
    fn edges_of_bins() {
        let edges = |lower, end, bins| (0..bins).map(|i| u8::edge(lower, end, bins, i)).collect::<Vec<_>>();
        assert_eq!(edges(0, End::Beyond, 4), [0, 64, 128, 192]);
        assert_eq!(edges(10, End::Before(20), 3), [10, 14, 17]);
        assert_eq!(edges(10, End::Before(12), 4), [10, 11, 11, 12]);
        assert_eq!(i64::edge(i64::MIN, End::Beyond, 2, 1), 0);
        assert_eq!(f32::edge(0.0, End::Before(1.0), 4, 1), 0.25);
        assert_eq!(f32::edge(0.0, End::Before(100.0), 20, 3), 15.0);
        assert_eq!(f64::edge(0.0, End::Before(1e308), 1 << 24, 1 << 23), 5e307);
    }
}
