//! What rows are about: types of keys and values, bucket functions, distributions, peers.

use crate::shared::arguments::display_as_typed;
use clap::ValueEnum;

#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyType {
    U32,
    U64,
}

impl KeyType {
    /// Returns the size of a key.
    pub fn bytes(self) -> u64 {
        match self {
            Self::U32 => 4,
            Self::U64 => 8,
        }
    }
}

#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueType {
    None,
    U32,
    U64,
}

impl ValueType {
    /// Returns its name in a row, which has none for keys only.
    pub fn in_row(self) -> Option<String> {
        (self != Self::None).then(|| self.to_string())
    }
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

#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum PeerKind {
    /// CUB, NVIDIA's library of CUDA primitives.
    Cub,
    /// A crate that sorts on the CPU.
    Rdst,
    /// Another.
    Voracious,
    /// The GAP Benchmark Suite, of which shortest paths are taken.
    Gapbs,
}

#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// For people.
    Table,
    Csv,
    /// One JSON object per line.
    Jsonl,
}

display_as_typed!(KeyType ValueType BucketKind Distribution PeerKind Format);
