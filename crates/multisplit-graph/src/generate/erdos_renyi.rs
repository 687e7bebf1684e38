//! Erdős–Rényi graphs.

use crate::edges::EdgeList;
use crate::error::{Error, Result};
use crate::random::{Stream, below};
use rayon::prelude::*;

/// A graph of `edges` edges whose ends are drawn uniformly, each apart from all others.
///
/// So loops and parallel edges are possible, and rare where the graph is sparse.
///
/// # Errors
/// [`Error::InvalidGenerator`] if there are edges, but no vertices; [`Error::TooManyArcs`].
pub fn erdos_renyi(vertices: u32, edges: u64, seed: u64) -> Result<EdgeList> {
    if vertices == 0 && edges > 0 {
        return Err(Error::InvalidGenerator("edges need at least one vertex".into()));
    }
    let edges = u32::try_from(edges).map_err(|_| Error::TooManyArcs { arcs: edges })?;
    let draw = |edge: u32| {
        let mut random = Stream::new(seed, u64::from(edge));
        [(); 2].map(|()| below(random.next(), u64::from(vertices)) as u32)
    };
    EdgeList::new(vertices, (0..edges).into_par_iter().map(draw).collect())
}
