//! How to find shortest paths.

use crate::unknown_name::UnknownName;
use std::fmt;
use std::str::FromStr;

/// The strategies. All find the same distances, bit by bit; they differ in speed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Strategy {
    /// Vertices one by one, nearest first, from a binary heap. Sequential: what the others are compared with.
    Dijkstra,
    /// Vertices bucket by bucket, where a bucket is a range of distances; those of a bucket in parallel.
    #[default]
    DeltaStepping,
    /// All vertices whose distance has changed, in parallel, again and again.
    BellmanFord,
    /// Vertices up to a distance in parallel, again and again. All farther ones wait in the far pile, which is scanned
    /// when no near vertex is left (Davidson et al.). On GPUs.
    NearFar,
    /// Near-far, with a far pile that a radix sort divides into ten ranges of distances (Davidson et al.). On GPUs.
    Bucketing,
    /// The same with a multisplit instead of the sort, as in the paper. On GPUs.
    SplitBucketing,
    /// Vertices wait in many ranges of distances, into which every step splits what it finds as it writes it. A step
    /// takes as many ranges as make enough work, so that steps are few where vertices are few. On GPUs.
    Multisplit,
}

impl Strategy {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::Dijkstra,
        Self::DeltaStepping,
        Self::BellmanFord,
        Self::NearFar,
        Self::Bucketing,
        Self::SplitBucketing,
        Self::Multisplit,
    ];

    /// Those that the CPU has.
    pub const ON_CPU: [Self; 3] = [Self::Dijkstra, Self::DeltaStepping, Self::BellmanFord];

    /// Those that GPUs have.
    pub const ON_GPU: [Self; 5] =
        [Self::BellmanFord, Self::NearFar, Self::Bucketing, Self::SplitBucketing, Self::Multisplit];

    /// Whether vertices wait in ranges of distances, so that it has a delta.
    pub fn has_delta(self) -> bool {
        !matches!(self, Self::Dijkstra | Self::BellmanFord)
    }
}

impl fmt::Display for Strategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Dijkstra => "dijkstra",
            Self::DeltaStepping => "delta-stepping",
            Self::BellmanFord => "bellman-ford",
            Self::NearFar => "near-far",
            Self::Bucketing => "bucketing",
            Self::SplitBucketing => "split-bucketing",
            Self::Multisplit => "multisplit",
        })
    }
}

impl FromStr for Strategy {
    type Err = UnknownName;

    fn from_str(name: &str) -> Result<Self, UnknownName> {
        UnknownName::find("strategy", name, Self::ALL)
    }
}
