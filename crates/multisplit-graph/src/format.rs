//! The formats and compressions of graph files, by name.

use crate::unknown_name::UnknownName;
use std::fmt;
use std::str::FromStr;

/// A format of graph files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// This crate's own, the fastest to read.
    Binary,
    /// Matrix Market (`.mtx`): coordinates, general or symmetric, of patterns, integers or real numbers.
    MatrixMarket,
    /// The DIMACS shortest-path challenge's (`.gr`): `p sp n m`, then arcs `a u v w`.
    Dimacs,
    /// The PACE challenge's (`.gr`): `p tw n m`, then edges `u v`.
    Pace,
    /// Edges `u v` or `u v w`, as SNAP has them, with any numbers for vertices.
    EdgeList,
}

impl Format {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Binary, Self::MatrixMarket, Self::Dimacs, Self::Pace, Self::EdgeList];

    pub(crate) fn names() -> String {
        Self::ALL.map(|format| format.to_string()).join(", ")
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Binary => "binary",
            Self::MatrixMarket => "matrix-market",
            Self::Dimacs => "dimacs",
            Self::Pace => "pace",
            Self::EdgeList => "edge-list",
        })
    }
}

impl FromStr for Format {
    type Err = UnknownName;

    fn from_str(name: &str) -> Result<Self, UnknownName> {
        UnknownName::find("format", name, Self::ALL)
    }
}

/// How a file is compressed, which its first bytes say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Compression {
    /// Not at all.
    None,
    /// By gzip.
    Gzip,
    /// By xz.
    Xz,
}

impl fmt::Display for Compression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::None => "plain",
            Self::Gzip => "gzip",
            Self::Xz => "xz",
        })
    }
}
