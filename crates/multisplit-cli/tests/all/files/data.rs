//! Keys of every type.

use bytemuck::Pod;
use multisplit::bucket::{DeltaKey, EvenKey};
use std::fmt::Debug;
use test_support::Random;

/// Two numbers that every type of keys has, with many keys below, between and above them.
pub const DELTA_ENDS: (&str, &str) = ("20", "90");

pub trait TestKey: DeltaKey + EvenKey + Debug {
    /// NumPy's name.
    const DTYPE: &'static str;
    /// From random bits.
    fn from_random(bits: u64) -> Self;
    fn parse(text: &str) -> Self;
    /// A number whose order is that of the keys.
    fn order(self) -> u64;
    fn is_finite(self) -> bool;
    fn is_number(self) -> bool;

    /// The smallest and the largest finite key.
    fn extent(keys: &[Self]) -> (Self, Self) {
        let finite = || keys.iter().copied().filter(|key| key.is_finite());
        let smallest = finite().reduce(|a, b| if b < a { b } else { a });
        let largest = finite().reduce(|a, b| if b > a { b } else { a });
        (smallest.unwrap(), largest.unwrap())
    }
}

macro_rules! integers {
    ($($key:ident $dtype:literal)*) => {$(
        impl TestKey for $key {
            const DTYPE: &'static str = $dtype;

            // Half of them small, so that there are equal ones; and the ends of the type.
            fn from_random(bits: u64) -> Self {
                match bits % 64 {
                    0 => $key::MIN,
                    1 => $key::MAX,
                    2..32 => ((bits >> 6) % 120) as $key,
                    _ => (bits >> 6).wrapping_mul(0x9e37_79b9_7f4a_7c15) as $key,
                }
            }

            fn parse(text: &str) -> Self {
                text.parse().unwrap()
            }

            fn order(self) -> u64 {
                (self as i128 - $key::MIN as i128) as u64
            }

            fn is_finite(self) -> bool {
                true
            }

            fn is_number(self) -> bool {
                true
            }
        }
    )*};
}

macro_rules! floats {
    ($($key:ident $bits:ident $dtype:literal)*) => {$(
        impl TestKey for $key {
            const DTYPE: &'static str = $dtype;

            fn from_random(bits: u64) -> Self {
                match bits % 64 {
                    0 => $key::NAN,
                    1 => -$key::NAN,
                    2 => $key::INFINITY,
                    3 => $key::NEG_INFINITY,
                    4 => 0.0,
                    5 => -0.0,
                    6..20 => ((bits >> 6) % 120) as $key,
                    _ => ((bits >> 6) % 100_000) as $key / 256.0 - 190.0,
                }
            }

            fn parse(text: &str) -> Self {
                text.parse().unwrap()
            }

            fn order(self) -> u64 {
                let bits = self.to_bits();
                let sign = 1 << ($bits::BITS - 1);
                u64::from(if bits & sign == 0 { bits | sign } else { !bits })
            }

            fn is_finite(self) -> bool {
                $key::is_finite(self)
            }

            fn is_number(self) -> bool {
                !self.is_nan()
            }
        }
    )*};
}

integers!(i8 "|i1" i16 "<i2" u8 "|u1" u16 "<u2" u32 "<u4" u64 "<u8" i32 "<i4" i64 "<i8");
floats!(f32 u32 "<f4" f64 u64 "<f8");

/// The same every time.
pub fn random_keys<K: TestKey + Pod>(n: usize) -> Vec<K> {
    let mut random = Random::new(1);
    (0..n).map(|_| K::from_random(random.next_u64())).collect()
}
