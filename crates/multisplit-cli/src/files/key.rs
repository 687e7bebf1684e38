//! Keys, as files and command lines have them: what is different for each type is here.

use super::kind::KeyKind;
use anyhow::{Context, Result, bail, ensure};
use multisplit::bucket::prelude::KeyOps;
use multisplit::bucket::{Buckets, DeltaKey, EvenKey, Identity};
use std::fmt::Display;

/// What to do with a bucket function, of whatever type it is.
pub trait With<K> {
    type Output;
    fn with<F: Buckets<Key = K>>(self, f: &F) -> Self::Output;
}

/// Where a range ends: before a key, or beyond the largest that the type has.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum End<K> {
    Before(K),
    Beyond,
}

impl<K: FileKey> End<K> {
    pub fn show(self) -> String {
        match self {
            Self::Before(key) => key.show(),
            Self::Beyond => K::one_beyond(),
        }
    }
}

pub trait FileKey: DeltaKey + EvenKey + Display {
    const KIND: KeyKind;
    /// The largest key.
    const LARGEST: Self;
    /// A distance of one.
    const ONE: <Self as KeyOps>::Width;

    /// A number that was typed.
    fn parse(text: &str) -> Result<Self>;

    /// The end of a range, which for integers may be one more than the largest key.
    fn parse_end(text: &str) -> Result<End<Self>>;

    /// The number after the largest key, in words of the user's.
    fn one_beyond() -> String;

    fn is_finite(self) -> bool;

    /// A range that holds both, and everything between them.
    fn range_of(smallest: Self, largest: Self) -> (Self, End<Self>);

    /// Where bin `i` of `bins` in a range begins.
    fn edge(lower: Self, end: End<Self>, bins: u32, i: u32) -> Self;

    /// As a person reads it.
    fn show(self) -> String;

    /// Goes on with the function that takes a key for its bucket, if the type has one.
    fn with_identity<W: With<Self>>(m: u32, with: W) -> Result<W::Output>;
}

macro_rules! integers {
    ($($key:ident $kind:ident $word:ident)*) => {$(
        impl FileKey for $key {
            const KIND: KeyKind = KeyKind::$kind;
            const LARGEST: Self = $key::MAX;
            const ONE: $word = 1;

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

            fn with_identity<W: With<Self>>(m: u32, with: W) -> Result<W::Output> {
                Ok(with.with(&Identity::new(m)))
            }
        }
    )*};
}

macro_rules! floats {
    ($($key:ident $kind:ident)*) => {$(
        impl FileKey for $key {
            const KIND: KeyKind = KeyKind::$kind;
            const LARGEST: Self = $key::INFINITY;
            const ONE: $key = 1.0;

            fn parse(text: &str) -> Result<Self> {
                let key: $key = text.parse().ok().with_context(|| format!("'{text}' is not a number"))?;
                ensure!(!key.is_nan(), "NaN lies nowhere among the keys; name a number");
                // What is too large becomes infinite without a word.
                let infinite = text.to_ascii_lowercase().contains("inf");
                ensure!(key.is_finite() || infinite, "{text} is too large for {}", Self::KIND);
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
                // One number alone lies in the middle; half a unit would be lost on a large one.
                let around = (smallest.abs() / 4.0).max(0.5);
                (smallest - around, End::Before(smallest + around))
            }

            fn edge(lower: Self, end: End<Self>, bins: u32, i: u32) -> Self {
                match end {
                    End::Before(upper) if i < bins => lower + (upper - lower) * (i as $key / bins as $key),
                    End::Before(upper) => upper,
                    End::Beyond => $key::INFINITY,
                }
            }

            // Short where plain digits would be many.
            fn show(self) -> String {
                let size = self.abs();
                if size == 0.0 || !size.is_finite() || (1e-4..1e9).contains(&size) {
                    self.to_string()
                } else {
                    format!("{self:e}")
                }
            }

            fn with_identity<W: With<Self>>(_m: u32, _with: W) -> Result<W::Output> {
                bail!("--by identity takes keys for numbers of buckets, which {} keys are not; try delta", Self::KIND)
            }
        }
    )*};
}

integers!(u8 U8 u32 u16 U16 u32 u32 U32 u32 u64 U64 u64 i32 I32 u32 i64 I64 u64);
floats!(f32 F32 f64 F64);

fn unfit<K: FileKey>(text: &str, smallest: K, largest: K) -> anyhow::Error {
    anyhow::anyhow!("'{text}' is not a key of type {}: a whole number from {smallest} to {largest}", K::KIND)
}
