//! The lines of each format.

use crate::graph::AnyGraph;
use crate::read::Labels;
use std::io::{self, Write};

/// Bytes that are written at once.
const BLOCK: usize = 1 << 16;

pub(super) struct Text<'a> {
    pub(super) graph: &'a AnyGraph,
    pub(super) labels: &'a Labels,
    pub(super) to: &'a mut dyn Write,
    /// Whether an arc and the one back are one edge.
    pub(super) is_undirected: bool,
    /// Lines that follow the header.
    pub(super) edges: usize,
    /// What is not written yet.
    pub(super) line: Vec<u8>,
}

/// Writes the weight of an edge.
type WriteWeight<'a> = &'a dyn Fn(&mut Vec<u8>) -> io::Result<()>;

/// Writes an edge, given its two ends and what writes the weight.
type WriteEdge<'a> = &'a dyn Fn(&mut Vec<u8>, u64, u64, WriteWeight<'_>) -> io::Result<()>;

/// The number of edges, if an arc and the one back are one.
pub(super) fn edges(graph: &AnyGraph) -> usize {
    let of_row = |v: usize| row(graph, v).filter(|&arc| graph.targets()[arc] as usize >= v).count();
    (0..graph.vertices() as usize).map(of_row).sum()
}

fn row(graph: &AnyGraph, v: usize) -> std::ops::Range<usize> {
    graph.offsets()[v] as usize..graph.offsets()[v + 1] as usize
}

impl Text<'_> {
    pub(super) fn matrix_market(mut self) -> io::Result<()> {
        let entries = if matches!(self.graph, AnyGraph::U32(_)) { "integer" } else { "real" };
        let symmetry = if self.is_undirected { "symmetric" } else { "general" };
        let n = self.graph.vertices();
        writeln!(self.line, "%%MatrixMarket matrix coordinate {entries} {symmetry}\n{n} {n} {}", self.edges)?;
        let is_undirected = self.is_undirected;
        self.each(&|line, from, to, weight| {
            // Entries of a symmetric matrix lie below its diagonal.
            let (row, column) = if is_undirected { (to, from) } else { (from, to) };
            write!(line, "{} {} ", row + 1, column + 1)?;
            weight(line)
        })
    }

    pub(super) fn dimacs(mut self) -> io::Result<()> {
        writeln!(self.line, "p sp {} {}", self.graph.vertices(), self.edges)?;
        self.each(&|line, from, to, weight| {
            write!(line, "a {} {} ", from + 1, to + 1)?;
            weight(line)
        })
    }

    pub(super) fn pace(mut self) -> io::Result<()> {
        writeln!(self.line, "p tw {} {}", self.graph.vertices(), self.edges)?;
        self.each(&|line, from, to, _| write!(line, "{} {}", from + 1, to + 1))
    }

    pub(super) fn edge_list(mut self, separator: u8) -> io::Result<()> {
        let direction = if self.is_undirected { "Undirected" } else { "Directed" };
        writeln!(self.line, "# {direction} graph: {} vertices, {} edges", self.graph.vertices(), self.edges)?;
        let labels = self.labels;
        self.each(&|line, from, to, weight| {
            for v in [from, to] {
                write!(line, "{}", labels.label(v as u32).unwrap_or_default())?;
                line.push(separator);
            }
            weight(line)
        })
    }

    /// Writes a line for each edge.
    fn each(self, edge: WriteEdge<'_>) -> io::Result<()> {
        let Self { graph, to: sink, is_undirected, mut line, .. } = self;
        for from in 0..graph.vertices() as usize {
            for arc in row(graph, from) {
                let to = graph.targets()[arc];
                if is_undirected && (to as usize) < from {
                    continue;
                }
                edge(&mut line, from as u64, u64::from(to), &|line| match graph {
                    AnyGraph::U32(graph) => write!(line, "{}", graph.weights()[arc]),
                    // With a point or an exponent, so that it is read as a real number.
                    AnyGraph::F32(graph) => write!(line, "{:?}", graph.weights()[arc]),
                })?;
                line.push(b'\n');
                if line.len() >= BLOCK {
                    sink.write_all(&line)?;
                    line.clear();
                }
            }
        }
        sink.write_all(&line)?;
        sink.flush()
    }
}
