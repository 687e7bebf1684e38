//! Everything that can go wrong.

use crate::format::{Compression, Format};
use crate::strategy::Strategy;
use std::io;

/// The result of a fallible call of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What was wrong, and what to do about it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A file cannot be read or written.
    #[error("{what}: {reason}")]
    Io {
        /// The file, or what stands for it.
        what: String,
        /// The kind of failure, for those who handle some kinds apart.
        kind: io::ErrorKind,
        /// What the system said.
        reason: String,
    },

    /// A compressed file that is damaged or cut off.
    #[error("the {compression} data is damaged or ends too early: {reason}; get the file again")]
    BadCompression {
        /// How the file is compressed.
        compression: Compression,
        /// What the decoder said.
        reason: String,
    },

    /// The content is of no known format.
    #[error("the format cannot be told from the content or the name; say which it is: {}", Format::names())]
    UnknownFormat,

    /// A file of another kind.
    #[error("this is {what}, which is not read as a graph; {instead}")]
    NoGraph {
        /// What it is.
        what: &'static str,
        /// What to do about it.
        instead: &'static str,
    },

    /// There is no content, and no name that tells a format.
    #[error("the file is empty; a graph was expected, in one of these formats: {}", Format::names())]
    EmptyFile,

    /// A line that does not belong into a file of this format.
    #[error("line {line}: {reason}")]
    MalformedLine {
        /// The line, counted from 1 in the decompressed text.
        line: u64,
        /// What is wrong with it.
        reason: String,
    },

    /// A text file whose name says its format, but that begins with an edge.
    #[error("line {line}: the header is missing: {expected}; if this is an edge list, name that as its format")]
    MissingHeader {
        /// The first line that is not a comment.
        line: u64,
        /// How such a file begins.
        expected: String,
    },

    /// A text file that ends too early.
    #[error("the file is truncated: its header announces {expected} {what}, but it ends after {got} (line {line})")]
    Truncated {
        /// What was counted.
        what: &'static str,
        /// How many the header announces.
        expected: u64,
        /// How many there are.
        got: u64,
        /// The last line.
        line: u64,
    },

    /// A binary graph that cannot be used.
    #[error("not a usable binary graph: {0}")]
    InvalidBinary(String),

    /// Weights of a file that has none.
    #[error("the file has no weights; take unit weights or random ones")]
    NoWeights,

    /// A direction for a file of arcs.
    #[error(
        "a binary graph has arcs, which are taken as they are: directed or undirected is for files of edges; make the \
         binary graph anew from such a file"
    )]
    NoDirection,

    /// A graph that a format has no way to write.
    #[error("the format {format} cannot hold this graph: {reason}")]
    CannotWrite {
        /// The format.
        format: Format,
        /// What it does not hold.
        reason: String,
    },

    /// There is no memory for a graph.
    #[error("there is no memory for {bytes} bytes more; free some, or take a smaller graph")]
    OutOfMemory {
        /// Bytes asked for, beyond those in use.
        bytes: u64,
    },

    /// Arrays that do not make a graph.
    #[error("the arrays are not a graph: {0}")]
    InvalidCsr(String),

    /// More vertices than have a 32-bit number.
    #[error("{vertices} vertices are too many: a graph has up to 4294967295 (2^32 - 1)")]
    TooManyVertices {
        /// Vertices asked for.
        vertices: u64,
    },

    /// More arcs than have a 32-bit number.
    #[error("{arcs} arcs are too many: a graph has up to 4294967295 (2^32 - 1), and an undirected edge is two")]
    TooManyArcs {
        /// Arcs asked for.
        arcs: u64,
    },

    /// An edge that ends outside the graph.
    #[error("edge {edge} goes from {from} to {to}, but the graph has {vertices} vertices, numbered from 0")]
    VertexOutOfRange {
        /// The edge, counted from 0.
        edge: u64,
        /// Where it begins.
        from: u32,
        /// Where it ends.
        to: u32,
        /// The number of vertices.
        vertices: u32,
    },

    /// As many weights as edges are needed.
    #[error("there are {weights} weights for {edges} edges; every edge needs one")]
    LengthMismatch {
        /// Weights given.
        weights: usize,
        /// Edges given.
        edges: usize,
    },

    /// A weight that shortest paths cannot have.
    #[error("edge {edge} has the weight {weight}, but weights must be finite numbers from 0 on")]
    InvalidWeight {
        /// The edge, counted from 0.
        edge: u64,
        /// Its weight.
        weight: String,
    },

    /// A generator was given unusable parameters.
    #[error("invalid generator: {0}")]
    InvalidGenerator(String),

    /// There is no such vertex to start from.
    #[error("the source {from} is not in the graph, which has {vertices} vertices, numbered from 0")]
    SourceOutOfRange {
        /// The vertex asked for.
        from: u32,
        /// The number of vertices.
        vertices: u32,
    },

    /// The width of the buckets cannot be used.
    #[error("delta cannot be {0}: it must be a finite number above 0")]
    InvalidDelta(String),

    /// A strategy that runs on GPUs alone, or on the CPU alone.
    #[error("{strategy} does not run on {place}; it does on {other}")]
    WrongPlace {
        /// The strategy asked for.
        strategy: Strategy,
        /// Where it was asked for.
        place: &'static str,
        /// Where it runs.
        other: &'static str,
    },

    /// A graph that kernels cannot count.
    #[error("{vertices} vertices and {arcs} arcs are too many for a GPU: fewer than 2^31 of each; search on the CPU")]
    TooLargeForDevice {
        /// Vertices of the graph.
        vertices: u32,
        /// Arcs of the graph.
        arcs: usize,
    },

    /// A device that failed, or cannot do it.
    #[cfg(feature = "gpu")]
    #[error(transparent)]
    Device(#[from] multisplit::Error),

    /// A shortest path is longer than distances can say.
    #[error("the distance of vertex {vertex} is beyond {limit}, the largest that fits; scale the weights down")]
    DistanceOverflow {
        /// A vertex that can be reached, but has no distance: its number, or its label where that is known.
        vertex: u64,
        /// The largest distance.
        limit: String,
    },

    /// Paths that are not the shortest ones, or not paths.
    #[error("not shortest paths: {0}")]
    NotShortest(String),
}

impl Error {
    /// An error of the system, about `what`.
    pub(crate) fn io(what: impl ToString, error: &io::Error) -> Self {
        Self::Io { what: what.to_string(), kind: error.kind(), reason: error.to_string() }
    }

    pub(crate) fn line(line: u64, reason: impl Into<String>) -> Self {
        Self::MalformedLine { line, reason: reason.into() }
    }
}
