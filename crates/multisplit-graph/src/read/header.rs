//! What the header of a text file may announce.

use super::fields::Fields;
use crate::error::{Error, Result};

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
}
