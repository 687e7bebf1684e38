//! Graphs to text files, of the formats that [`read`](crate::read) reads. [`AnyGraph::write`] has the binary form.
//!
//! What is written is read back as the same graph, weights included: real numbers have as many digits as they need.
//! A Matrix Market or DIMACS file numbers vertices from 1 on, whatever they were called; an edge list has their labels,
//! but only those of vertices that have an edge. A PACE file has no weights.
//!
//! ```
//! use multisplit_graph::read::{Format, GraphReader};
//! use multisplit_graph::write::GraphWriter;
//!
//! let loaded = GraphReader::new().read(&b"7 9 2\n9 30 5\n"[..])?;
//! let mut text = Vec::new();
//! GraphWriter::new(Format::Dimacs).write(&loaded.graph, &loaded.labels, &mut text)?;
//! assert_eq!(text, b"p sp 3 2\na 1 2 2\na 2 3 5\n");
//! # Ok::<(), multisplit_graph::Error>(())
//! ```

mod text;

use crate::error::{Error, Result};
use crate::format::Format;
use crate::graph::{AnyGraph, Direction};
use crate::read::Labels;
use std::io::Write;
use text::Text;

/// Writes graphs as text, with options.
#[derive(Clone, Copy, Debug)]
pub struct GraphWriter {
    format: Format,
    direction: Option<Direction>,
    separator: u8,
}

impl GraphWriter {
    /// A writer of a format.
    pub fn new(format: Format) -> Self {
        Self { format, direction: None, separator: b' ' }
    }

    /// Whether arcs are written one by one, or every arc and the one back as one edge. By default it is the latter if
    /// every arc has one back. A DIMACS file has arcs in any case, a PACE file edges.
    pub fn direction(self, direction: Direction) -> Self {
        Self { direction: Some(direction), ..self }
    }

    /// What is between the fields of an edge list: a space, if it is not said.
    pub fn separator(self, separator: u8) -> Self {
        Self { separator, ..self }
    }

    /// Writes a graph and its labels.
    ///
    /// # Errors
    /// [`Error::Io`]; [`Error::CannotWrite`] for an edge list without edges, undirected edges of arcs that have none
    /// back, or labels of another graph.
    pub fn write(self, graph: &AnyGraph, labels: &Labels, to: &mut dyn Write) -> Result<()> {
        if self.format == Format::Binary {
            return graph.write(labels, to);
        }
        if labels.vertices != graph.vertices() {
            let reason = format!("there are {} labels for {} vertices", labels.vertices, graph.vertices());
            return self.cannot(reason);
        }
        let is_undirected = self.is_undirected(graph)?;
        let edges = if is_undirected { text::edges(graph) } else { graph.arcs() };
        if self.format == Format::EdgeList && edges == 0 {
            return self.cannot("an edge list has at least one edge");
        }
        let text = Text { graph, labels, to, is_undirected, edges, line: Vec::new() };
        let written = match self.format {
            Format::MatrixMarket => text.matrix_market(),
            Format::Dimacs => text.dimacs(),
            Format::Pace => text.pace(),
            _ => text.edge_list(self.separator),
        };
        written.map_err(|error| Error::io("the graph", &error))
    }

    /// Whether every arc and the one back are written as one edge.
    fn is_undirected(self, graph: &AnyGraph) -> Result<bool> {
        match (self.format, self.direction) {
            (Format::Dimacs, _) => Ok(false),
            (Format::Pace, _) | (_, Some(Direction::Undirected)) => match graph.is_symmetric()? {
                true => Ok(true),
                false => self.cannot("its edges are undirected, but not every arc has one back of the same weight"),
            },
            (_, Some(Direction::Directed)) => Ok(false),
            (_, None) => graph.is_symmetric(),
        }
    }

    fn cannot<T>(self, reason: impl Into<String>) -> Result<T> {
        Err(Error::CannotWrite { format: self.format, reason: reason.into() })
    }
}
