//! The reader: which format a file has, and who reads it.

use super::binary;
use super::choice::{DirectionSource, Weights};
use super::detect::detect;
use super::labels::Labels;
use super::lines::Lines;
use super::source::{Progress, Source};
use super::text::RANDOM_WEIGHTS;
use super::{edge_list, gr, market};
use crate::error::{Error, Result};
use crate::format::{Compression, Format};
use crate::graph::{AnyGraph, Direction, draw};
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// Reads graphs from files, with options.
#[derive(Default)]
pub struct GraphReader<'a> {
    format: Option<Format>,
    direction: Option<Direction>,
    weights: Option<Weights>,
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
    /// Where the weights are from.
    pub weights: Weights,
    /// Which way edges were taken, if that is known.
    pub direction: Option<Direction>,
    /// What said which way.
    pub direction_source: DirectionSource,
}

impl<'a> GraphReader<'a> {
    /// A reader that finds out everything by itself.
    pub fn new() -> Self {
        Self::default()
    }

    /// The format, if it is not to be detected from the content and the name.
    pub fn format(self, format: Format) -> Self {
        Self { format: Some(format), ..self }
    }

    /// Whether edges can be taken both ways, if it is not to be what the format says: DIMACS files are directed, PACE
    /// files undirected, Matrix Market files undirected if they are symmetric, edge lists directed unless a comment
    /// before their first edge has the words "undirected graph". A binary graph has arcs, and takes no direction.
    pub fn direction(self, direction: Direction) -> Self {
        Self { direction: Some(direction), ..self }
    }

    /// Where weights come from, if they are not to be those of the file, or random ones where it has none.
    pub fn weights(self, weights: Weights) -> Self {
        Self { weights: Some(weights), ..self }
    }

    /// The seed of random weights.
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
    /// [`Error::Io`], [`Error::BadCompression`], [`Error::NoGraph`], [`Error::UnknownFormat`], [`Error::EmptyFile`];
    /// [`Error::MalformedLine`] and [`Error::Truncated`] for text; [`Error::InvalidBinary`] for binary graphs;
    /// [`Error::TooManyVertices`] and [`Error::TooManyArcs`]; [`Error::OutOfMemory`]; [`Error::NoWeights`] and
    /// [`Error::NoDirection`] if what was asked for is not there.
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
                detect(source.head(), path).ok_or(unknown)?
            }
        };
        let compression = source.compression();
        if format == Format::Binary {
            if self.direction.is_some() {
                return Err(Error::NoDirection);
            }
            let (graph, labels) = binary::read(source)?;
            let weights = self.weights.unwrap_or(Weights::File);
            let graph = match weights {
                Weights::File => graph,
                Weights::Unit => graph.reweighed(&|_| 1)?,
                Weights::Random => graph.reweighed(&draw(RANDOM_WEIGHTS, self.seed))?,
            };
            let direction_source = DirectionSource::Arcs;
            return Ok(Loaded { graph, labels, format, compression, weights, direction: None, direction_source });
        }
        let lines = Lines::new(source)?;
        let text = match format {
            Format::MatrixMarket => market::read(lines)?,
            Format::EdgeList => edge_list::read(lines)?,
            _ => gr::read(lines, format)?,
        };
        let (direction, direction_source) = match self.direction {
            Some(direction) => (direction, DirectionSource::Caller),
            None => (text.direction, text.direction_source),
        };
        let (graph, labels, weights) = text.into_graph(direction, self.weights, self.seed)?;
        Ok(Loaded { graph, labels, format, compression, weights, direction: Some(direction), direction_source })
    }
}
