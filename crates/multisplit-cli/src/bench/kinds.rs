//! What a row can be about: types, bucket functions, distributions.

use clap::ValueEnum;
use std::fmt;

#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyKind {
    U32,
    U64,
}

impl KeyKind {
    pub fn bytes(self) -> u64 {
        match self {
            Self::U32 => 4,
            Self::U64 => 8,
        }
    }
}

#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueKind {
    None,
    U32,
    U64,
}

#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum BucketKind {
    /// Equal ranges of the key type's whole domain.
    Delta,
    /// The key is its bucket.
    Identity,
    /// Ranges of unequal width, found by binary search.
    Splitters,
}

/// Key types that histograms are timed with.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum SampleKind {
    U32,
    U64,
    /// From 0 up to 1024, as in the paper.
    F32,
}

#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum BinKind {
    /// Of equal width.
    Even,
    /// Between levels of unequal distance.
    Range,
}

/// How keys are distributed over the buckets, after the paper's section on it.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum Distribution {
    /// Uniform over the range of keys.
    Uniform,
    /// The bucket is drawn from B(m - 1, 0.5).
    Binomial,
    /// A quarter of the keys is uniform over the range, the rest lies in one bucket.
    AlphaUniform,
    /// All in one bucket.
    OneBucket,
    /// Uniform, in ascending order.
    Sorted,
    /// Bucket b is drawn with a probability proportional to 1 / (b + 1).
    Zipf,
}

/// How long segments are.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lengths {
    /// All the same, but for rounding.
    Equal,
    /// Segment s is proportional to 1 / (s + 1): a few long ones, and many short or empty.
    Zipf,
}

impl Lengths {
    /// Where segments of `n` keys begin, and where the last ends.
    pub fn bounds(self, n: usize, segments: usize) -> Vec<usize> {
        let weight = |s: usize| match self {
            Self::Equal => 1.0,
            Self::Zipf => 1.0 / (s + 1) as f64,
        };
        let total: f64 = (0..segments).map(weight).sum();
        let mut sum = 0.0;
        let mut bounds = vec![0];
        for s in 0..segments {
            sum += weight(s);
            bounds.push(((n as f64 * sum / total) as usize).min(n));
        }
        bounds[segments] = n;
        bounds
    }
}

#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum PeerKind {
    /// CUB, NVIDIA's library of CUDA primitives.
    Cub,
    /// A crate that sorts on the CPU.
    Rdst,
    /// Another.
    Voracious,
}

#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// For people.
    Table,
    Csv,
    /// One JSON object per line.
    Jsonl,
}

/// Each is written as it is typed.
macro_rules! named {
    ($($kind:ident)*) => {$(
        impl fmt::Display for $kind {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let value = self.to_possible_value();
                f.pad(value.as_ref().map_or("", |value| value.get_name()))
            }
        }
    )*};
}

named!(KeyKind ValueKind BucketKind SampleKind BinKind Distribution Lengths PeerKind Format);
