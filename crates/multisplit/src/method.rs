//! Which way to split, and the stages of that way.

use crate::unknown_name::UnknownName;
use std::fmt;
use std::str::FromStr;

/// The paper's methods. All give the same result, bit for bit; they differ in speed.
///
/// They are ways of using a GPU: the CPU has one way of its own and takes any.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Method {
    /// The fastest for the number of buckets, the sizes of keys and values, and the device.
    #[default]
    Auto,
    /// Every key goes straight to its place. Up to as many buckets as a plane (warp) has lanes; good for very few.
    Direct,
    /// Each plane (warp) reorders a tile before writing. Up to as many buckets as a plane has lanes.
    WarpLevel,
    /// Each cube (block) reorders a large tile before writing. Up to 256 buckets at once; more take several passes.
    BlockLevel,
}

impl Method {
    /// The three methods of the paper, without `Auto`.
    pub const ALL: [Self; 3] = [Self::Direct, Self::WarpLevel, Self::BlockLevel];
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Auto => "auto",
            Self::Direct => "direct",
            Self::WarpLevel => "warp-level",
            Self::BlockLevel => "block-level",
        })
    }
}

impl FromStr for Method {
    type Err = UnknownName;

    fn from_str(name: &str) -> Result<Self, UnknownName> {
        UnknownName::find("method", name, [Self::Auto].into_iter().chain(Self::ALL))
    }
}

/// The stages of a split on a GPU, in order. For measuring: see
/// [`Multisplit::through`](crate::Multisplit::through).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Stage {
    /// Each chunk of the input counts its keys per bucket.
    Prescan,
    /// The counts become places.
    Scan,
    /// The elements move to their places.
    #[default]
    Postscan,
}
