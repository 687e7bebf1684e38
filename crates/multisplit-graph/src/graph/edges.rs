//! Edges one by one, as files and generators give them.

use super::memory;
use super::random::{below, random};
use super::weight::Weight;
use crate::error::{Error, Result};
use crate::parallel;
use std::ops::RangeInclusive;

/// Which way edges can be taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// An edge is one arc, from its first end to its second.
    Directed,
    /// An edge is two arcs of the same weight, there and back. A loop, from a vertex to itself, is one.
    Undirected,
}

/// A list of edges, in any order: what a [`Graph`](crate::Graph) is made of.
///
/// Loops and parallel edges are allowed. Without weights, `W` is `()`.
#[derive(Clone, Debug, PartialEq)]
pub struct EdgeList<W = ()> {
    vertices: u32,
    ends: Vec<[u32; 2]>,
    weights: Vec<W>,
}

impl EdgeList<()> {
    /// Edges without weights. Vertices are numbered from 0.
    ///
    /// # Errors
    /// [`Error::VertexOutOfRange`] if an edge ends outside the graph.
    pub fn new(vertices: u32, ends: Vec<[u32; 2]>) -> Result<Self> {
        check_ends(vertices, &ends)?;
        let weights = vec![(); ends.len()];
        Ok(Self { vertices, ends, weights })
    }

    /// Gives every edge an integer weight from `range`, drawn with a seed. The paper draws from 0 to 1000.
    ///
    /// A weight depends on the seed and the two ends alone, whichever comes first: not on the order of edges, nor on
    /// the number of threads. So a directed graph that has every edge in both directions is the undirected one.
    pub fn random_weights(self, range: RangeInclusive<u32>, seed: u64) -> EdgeList<u32> {
        let weights = parallel::map(&self.ends, draw(range, seed));
        EdgeList { vertices: self.vertices, ends: self.ends, weights }
    }

    /// The same, but an error where there is no memory.
    pub(crate) fn try_random_weights(self, range: RangeInclusive<u32>, seed: u64) -> Result<EdgeList<u32>> {
        let draw = draw(range, seed);
        let weights = memory::fill(self.ends.len(), |i| draw(self.ends[i]))?;
        Ok(EdgeList { vertices: self.vertices, ends: self.ends, weights })
    }
}

impl<W: Weight> EdgeList<W> {
    /// Edges with a weight each. Vertices are numbered from 0.
    ///
    /// # Errors
    /// [`Error::VertexOutOfRange`], [`Error::LengthMismatch`], and [`Error::InvalidWeight`] if a weight is negative,
    /// infinite or not a number.
    pub fn weighted(vertices: u32, ends: Vec<[u32; 2]>, mut weights: Vec<W>) -> Result<Self> {
        if weights.len() != ends.len() {
            return Err(Error::LengthMismatch { weights: weights.len(), edges: ends.len() });
        }
        check_ends(vertices, &ends)?;
        check_weights(&mut weights)?;
        Ok(Self { vertices, ends, weights })
    }
}

impl<W> EdgeList<W> {
    /// The number of vertices.
    pub fn vertices(&self) -> u32 {
        self.vertices
    }

    /// The two ends of every edge.
    pub fn ends(&self) -> &[[u32; 2]] {
        &self.ends
    }

    /// The weight of every edge.
    pub fn weights(&self) -> &[W] {
        &self.weights
    }
}

/// Draws the weight of an edge between two ends.
pub(crate) fn draw(range: RangeInclusive<u32>, seed: u64) -> impl Fn([u32; 2]) -> u32 + Sync {
    let (low, high) = (*range.start(), *range.end());
    let count = u64::from(high.saturating_sub(low)) + 1;
    move |[u, v]| {
        let place = u64::from(u.min(v)) << 32 | u64::from(u.max(v));
        low + below(random(seed, place), count) as u32
    }
}

fn check_ends(vertices: u32, ends: &[[u32; 2]]) -> Result<()> {
    let stray = first(ends, |&[u, v]| u.max(v) >= vertices);
    match stray.and_then(|edge| Some((edge, ends.get(edge)?))) {
        Some((edge, &[from, to])) => Err(Error::VertexOutOfRange { edge: edge as u64, from, to, vertices }),
        None => Ok(()),
    }
}

/// Brings weights into the form that everything else relies on.
pub(crate) fn check_weights<W: Weight>(weights: &mut [W]) -> Result<()> {
    if let Some(edge) = first(weights, |weight| weight.checked().is_none()) {
        return Err(Error::InvalidWeight { edge: edge as u64, weight: weights[edge].to_string() });
    }
    parallel::change(weights, |weight| *weight = weight.checked().unwrap_or_default());
    Ok(())
}

/// The first place of something.
pub(crate) fn first<T: Sync>(all: &[T], is_it: impl Fn(&T) -> bool + Sync) -> Option<usize> {
    parallel::position(all.len(), |i| is_it(&all[i]))
}
