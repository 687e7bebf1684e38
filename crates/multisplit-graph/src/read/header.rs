//! What the header of a text file announces, and the edges that must follow it.

use super::fields::{Fields, Number};
use super::lines::Lines;
use super::text::Column;
use crate::error::{Error, Result};
use crate::graph::memory::push;

/// Vertices that a header may announce, however few edges there are. Their offsets take 64 MiB.
const FREE: u64 = 1 << 24;

/// Vertices that it may announce for each edge. Their offsets take as much memory as the edge, while it is sorted.
const FOR_AN_EDGE: u64 = 16;

/// How many vertices and edges there are.
#[derive(Clone, Copy)]
pub(super) struct Header {
    pub(super) vertices: u32,
    pub(super) edges: u64,
}

impl Header {
    /// Checks what `fields` announced. So a graph takes no more memory than its edges account for, or 64 MiB: it is
    /// made when all edges that were announced are there.
    pub(super) fn new(fields: &Fields<'_>, vertices: u32, edges: u64) -> Result<Self> {
        if u32::try_from(edges).is_err() {
            return Err(Error::TooManyArcs { arcs: edges });
        }
        if u64::from(vertices) > FREE.max(edges * FOR_AN_EDGE) {
            return Err(fields.error(format!(
                "{vertices} vertices are too many for {edges} edges: a header may announce {FREE}, or {FOR_AN_EDGE} \
                 for each edge; correct it, or write an edge list, which has the vertices of its edges alone"
            )));
        }
        Ok(Self { vertices, edges })
    }
    /// Reads the edges, one line each, and adds their weights to `weights`. `what` is the name that the format has for
    /// an edge, in the plural, and `edge` reads the fields of one.
    pub(super) fn edges(
        self,
        lines: &mut Lines<'_>,
        comments: &[u8],
        what: &'static str,
        weights: &mut Column,
        edge: impl Fn(&mut Fields<'_>) -> Result<([u32; 2], Option<Number>)>,
    ) -> Result<Vec<[u32; 2]>> {
        let expected = self.edges;
        let mut ends = Vec::new();
        while let Some(mut fields) = lines.next(comments)? {
            let (edge, weight) = edge(&mut fields)?;
            push(&mut ends, edge)?;
            weight.map_or(Ok(()), |weight| weights.push(weight))?;
            fields.end()?;
            if ends.len() as u64 > expected {
                return Err(fields.error(format!("the header announces {expected} {what}, but here is one more")));
            }
        }
        let got = ends.len() as u64;
        if got < expected {
            return Err(Error::Truncated { what, expected, got, line: lines.number() });
        }
        Ok(ends)
    }
}
