//! What a reader chooses for a graph: what edges weigh, and which way they are taken.

use crate::unknown_name::UnknownName;
use std::fmt;
use std::str::FromStr;

/// Where the weights of a graph come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Weights {
    /// From the file.
    File,
    /// Every edge weighs 1, whatever the file says.
    Unit,
    /// They are drawn with a seed from [`RANDOM_WEIGHTS`](super::RANDOM_WEIGHTS), whatever the file says, as by
    /// [`EdgeList::random_weights`](crate::EdgeList::random_weights).
    Random,
}

impl Weights {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::File, Self::Unit, Self::Random];
}

impl fmt::Display for Weights {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::File => "file",
            Self::Unit => "unit",
            Self::Random => "random",
        })
    }
}

impl FromStr for Weights {
    type Err = UnknownName;

    fn from_str(name: &str) -> Result<Self, UnknownName> {
        UnknownName::find("source of weights", name, Self::ALL)
    }
}

/// What said which way the edges of a file are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DirectionSource {
    /// The caller of the reader.
    Caller,
    /// The header: the banner of a Matrix Market file, or a comment `# Undirected graph` of an edge list.
    Header,
    /// The format: files of this format are like that.
    Format,
    /// Nothing: a binary graph has arcs, and does not say what edges they were made of.
    Arcs,
}
