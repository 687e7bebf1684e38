//! Graphs from files.
//!
//! A file is read once, from its beginning to its end: decompressed (`source.rs`) if it is compressed, line by line
//! (`lines.rs`) if it is text; and every format has a file of its own here. What is wrong with a line is said with its
//! number.
//!
//! # Limits
//!
//! Files need not be trusted. Reading takes memory in proportion to what was read, after decompression: up to 100 bytes
//! for an edge of text, and its length for a binary graph. Where there is no memory, that is an
//! [`Error::OutOfMemory`]. What a header announces takes none by itself:
//! - A text file announces up to 2^24 vertices, or 16 for each edge if that is more, and up to 2^32 − 1 edges; all of
//!   its edges are read before the graph is made. So vertices without edges take up to 64 MiB, or 64 bytes for each
//!   edge. An edge list has the vertices of its edges alone, and no such limit.
//! - A binary graph has the length that its header announces. Where that is not known in advance, as in a compressed
//!   file, arrays grow with what was read.
//! - A line has up to 65,536 bytes. An xz file may ask for 1 GiB to be decompressed.
//!
//! ```no_run
//! use multisplit_graph::read::GraphReader;
//!
//! let mut show = |progress: multisplit_graph::read::Progress| eprint!("\r{} bytes", progress.bytes);
//! let loaded = GraphReader::new().progress(&mut show).open("road.gr.xz")?;
//! println!("{} vertices, {} arcs", loaded.graph.vertices(), loaded.graph.arcs());
//! # Ok::<(), multisplit_graph::Error>(())
//! ```

mod column;
mod edge_list;
mod fields;
mod format;
mod gr;
mod header;
mod labels;
mod lines;
mod market;
mod source;

pub use format::Format;
pub use labels::Labels;
pub use source::{Compression, Progress};

pub(crate) use source::Source;

use crate::binary;
use crate::edges::{Direction, EdgeList};
use crate::error::{Error, Result};
use crate::graph::{AnyGraph, Graph};
use column::Column;
use lines::Lines;
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// The weights that edges without any get, from and to: those of the paper.
pub const RANDOM_WEIGHTS: std::ops::RangeInclusive<u32> = 0..=1000;

/// Reads graphs from files, with options.
#[derive(Default)]
pub struct GraphReader<'a> {
    format: Option<Format>,
    direction: Option<Direction>,
    seed: u64,
    progress: Option<&'a mut dyn FnMut(Progress)>,
}

/// A graph from a file.
#[derive(Clone, Debug, PartialEq)]
pub struct Loaded {
    /// The graph. Weights are `u32` if all are integers, and `f32` otherwise.
    pub graph: AnyGraph,
    /// What the file calls the vertices.
    pub labels: Labels,
    /// How the file was written.
    pub format: Format,
    /// How it was compressed.
    pub compression: Compression,
    /// Whether the weights were drawn, because the file has none.
    pub random_weights: bool,
}

/// What a text file says.
struct Text {
    vertices: u32,
    ends: Vec<[u32; 2]>,
    weights: Column,
    direction: Direction,
    labels: Labels,
}

impl<'a> GraphReader<'a> {
    /// A reader that finds out everything by itself.
    pub fn new() -> Self {
        Self::default()
    }

    /// The format, if it is not to be told from the content and the name.
    pub fn format(self, format: Format) -> Self {
        Self { format: Some(format), ..self }
    }

    /// Whether edges can be taken both ways, if it is not to be what the format says: DIMACS files are directed, PACE
    /// files undirected, Matrix Market files undirected if they are symmetric, edge lists directed. A binary graph
    /// stays as it is.
    pub fn direction(self, direction: Direction) -> Self {
        Self { direction: Some(direction), ..self }
    }

    /// The seed of the weights that a file without any gets, as [`EdgeList::random_weights`] draws them from
    /// [`RANDOM_WEIGHTS`].
    pub fn seed(self, seed: u64) -> Self {
        Self { seed, ..self }
    }

    /// Is called with the bytes read so far, every now and then.
    pub fn progress(self, progress: &'a mut dyn FnMut(Progress)) -> Self {
        Self { progress: Some(progress), ..self }
    }

    /// Reads a file.
    ///
    /// # Errors
    /// [`Error::Io`], [`Error::BadCompression`], [`Error::UnknownFormat`], [`Error::EmptyFile`];
    /// [`Error::MalformedLine`] and [`Error::Truncated`] for text; [`Error::InvalidBinary`] for binary graphs;
    /// [`Error::TooManyVertices`] and [`Error::TooManyArcs`]; [`Error::OutOfMemory`].
    pub fn open(self, path: impl AsRef<Path>) -> Result<Loaded> {
        let path = path.as_ref();
        let file = File::open(path).map_err(|error| Error::io(path.display(), &error))?;
        let total = file.metadata().ok().filter(std::fs::Metadata::is_file).map(|metadata| metadata.len());
        self.load(Box::new(file), total, Some(path))
    }

    /// Reads from anything, such as standard input.
    ///
    /// # Errors
    /// As [`GraphReader::open`].
    pub fn read(self, from: impl Read + 'a) -> Result<Loaded> {
        self.load(Box::new(from), None, None)
    }

    fn load(self, from: Box<dyn Read + 'a>, total: Option<u64>, path: Option<&Path>) -> Result<Loaded> {
        let what = path.map_or("the input".into(), |path| path.display().to_string());
        let source = Source::new(from, what, total, self.progress)?;
        let format = match self.format {
            Some(format) => format,
            None => {
                let unknown = if source.head().is_empty() { Error::EmptyFile } else { Error::UnknownFormat };
                format::detect(source.head(), path).ok_or(unknown)?
            }
        };
        let compression = source.compression();
        if format == Format::Binary {
            let (graph, labels) = binary::read(source)?;
            return Ok(Loaded { graph, labels, format, compression, random_weights: false });
        }
        let lines = Lines::new(source)?;
        let text = match format {
            Format::MatrixMarket => market::read(lines)?,
            Format::EdgeList => edge_list::read(lines)?,
            _ => gr::read(lines, format)?,
        };
        let random_weights = matches!(text.weights, Column::None);
        let (graph, labels) = text.into_graph(self.direction, self.seed)?;
        Ok(Loaded { graph, labels, format, compression, random_weights })
    }
}

impl Text {
    fn into_graph(self, direction: Option<Direction>, seed: u64) -> Result<(AnyGraph, Labels)> {
        let Self { vertices, ends, weights, .. } = self;
        let direction = direction.unwrap_or(self.direction);
        let graph = match weights {
            Column::None => {
                let edges = EdgeList::new(vertices, ends)?.try_random_weights(RANDOM_WEIGHTS, seed)?;
                AnyGraph::U32(Graph::new(&edges, direction)?)
            }
            Column::U32(weights) => {
                AnyGraph::U32(Graph::new(&EdgeList::weighted(vertices, ends, weights)?, direction)?)
            }
            Column::F32(weights) => {
                AnyGraph::F32(Graph::new(&EdgeList::weighted(vertices, ends, weights)?, direction)?)
            }
        };
        Ok((graph, self.labels))
    }
}
