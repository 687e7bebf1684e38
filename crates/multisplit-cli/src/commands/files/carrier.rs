//! The types that the library gets keys as.

use super::key_type::KeyType;
use super::number::Number;
use super::thresholds::word_of;
use anyhow::{Context, Result};
use bytemuck::Pod;
use multisplit::bucket::prelude::KeyOps;
use multisplit::bucket::{DeltaKey, EvenKey};

/// A type that keys are carried as where their value counts: whole numbers as words in their order, floats as
/// themselves. The library is called with few types, because each takes kernels of its own.
pub trait Carrier: DeltaKey + EvenKey + Pod {
    /// A distance of one.
    const ONE: <Self as KeyOps>::Width;

    /// Converts a number, if the carrier has it.
    fn of(number: Number, key_type: KeyType) -> Option<Self>;

    /// Converts a word in the order of the keys.
    fn from_word(word: u64, key_type: KeyType) -> Self;

    /// Converts the number of a key, or of the first or the last for those beyond.
    fn nearest(number: Number, key_type: KeyType) -> Self {
        Self::of(number, key_type).unwrap_or_else(|| Self::from_word(word_of(number, key_type), key_type))
    }

    /// Converts numbers of keys.
    fn all(numbers: &[Number], key_type: KeyType) -> Result<Vec<Self>> {
        let convert = |&number: &Number| {
            Self::of(number, key_type)
                .with_context(|| format!("{} is no key of type {key_type}", key_type.show(number)))
        };
        numbers.iter().map(convert).collect()
    }
}

macro_rules! whole {
    ($($key:ident)*) => {$(
        impl Carrier for $key {
            const ONE: $key = 1;

            // Types of fewer bits have numbers beyond their keys.
            fn of(number: Number, key_type: KeyType) -> Option<$key> {
                match number {
                    Number::Whole(number) => key_type.beyond_word(number)?.try_into().ok(),
                    Number::Real(_) => None,
                }
            }

            fn from_word(word: u64, _key_type: KeyType) -> $key {
                word as $key
            }
        }
    )*};
}

macro_rules! real {
    ($($key:ident)*) => {$(
        impl Carrier for $key {
            const ONE: $key = 1.0;

            fn of(number: Number, _key_type: KeyType) -> Option<$key> {
                match number {
                    Number::Real(number) => Some(number as $key),
                    Number::Whole(_) => None,
                }
            }

            fn from_word(word: u64, key_type: KeyType) -> $key {
                match key_type.number(word) {
                    Number::Real(number) => number as $key,
                    Number::Whole(_) => 0.0,
                }
            }
        }
    )*};
}

whole!(u32 u64);
real!(f32 f64);
