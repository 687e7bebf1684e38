//! How to find shortest paths.

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
}

impl Strategy {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Dijkstra, Self::DeltaStepping, Self::BellmanFord];
}

impl fmt::Display for Strategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Dijkstra => "dijkstra",
            Self::DeltaStepping => "delta-stepping",
            Self::BellmanFord => "bellman-ford",
        })
    }
}

impl FromStr for Strategy {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let names = Self::ALL.map(|strategy| strategy.to_string()).join(", ");
        let found = Self::ALL.into_iter().find(|strategy| strategy.to_string() == name);
        found.ok_or_else(|| format!("there is no strategy '{name}': {names}"))
    }
}
