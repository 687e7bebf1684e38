//! Graphs without chance.

use crate::error::{Error, Result};
use crate::graph::EdgeList;
use crate::parallel;
use rayon::prelude::*;

/// A grid: every vertex is joined to its right and to its lower neighbour. Vertex `x + y * width` is at column x and
/// row y.
///
/// # Errors
/// [`Error::TooManyVertices`].
pub fn grid(width: u32, height: u32) -> Result<EdgeList> {
    let count = u64::from(width) * u64::from(height);
    let vertices = u32::try_from(count).map_err(|_| Error::TooManyVertices { vertices: count })?;
    let neighbours = |v: u32| {
        let right = (v % width + 1 < width).then(|| [v, v + 1]);
        let below = (v / width + 1 < height).then(|| [v, v + width]);
        right.into_iter().chain(below)
    };
    EdgeList::new(vertices, (0..vertices).into_par_iter().flat_map_iter(neighbours).collect())
}

/// A star: vertex 0 is joined to all others.
///
/// # Errors
/// None so far.
pub fn star(vertices: u32) -> Result<EdgeList> {
    let edges = vertices.saturating_sub(1) as usize;
    EdgeList::new(vertices, parallel::fill(edges, |i| [0, i as u32 + 1]))
}

/// A path: every vertex is joined to the next.
///
/// # Errors
/// None so far.
pub fn path(vertices: u32) -> Result<EdgeList> {
    let edges = vertices.saturating_sub(1) as usize;
    EdgeList::new(vertices, parallel::fill(edges, |i| [i as u32, i as u32 + 1]))
}

/// A clique: every two vertices are joined.
///
/// # Errors
/// [`Error::TooManyArcs`].
pub fn clique(vertices: u32) -> Result<EdgeList> {
    let arcs = u64::from(vertices) * u64::from(vertices.saturating_sub(1)) / 2;
    if u32::try_from(arcs).is_err() {
        return Err(Error::TooManyArcs { arcs });
    }
    let greater = |u: u32| (u + 1..vertices).map(move |v| [u, v]);
    EdgeList::new(vertices, (0..vertices).into_par_iter().flat_map_iter(greater).collect())
}
