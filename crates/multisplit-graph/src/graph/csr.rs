//! Graphs in compressed sparse rows.

use super::build;
use super::edges::{Direction, EdgeList, check_weights, first};
use super::memory;
use super::weight::Weight;
use crate::error::{Error, Result};
use crate::parallel;
use std::ops::Range;

/// A weighted graph in compressed sparse rows (CSR): for every vertex, the arcs that leave it.
///
/// It has up to 2^32 − 1 vertices and as many arcs. Vertices are numbered from 0. The arcs of vertex `v` have the
/// numbers `offsets[v] .. offsets[v + 1]`, and arc `i` goes to `targets[i]` and weighs `weights[i]`.
///
/// ```
/// use multisplit_graph::{Direction, EdgeList, Graph};
///
/// let edges = EdgeList::weighted(3, vec![[0, 1], [1, 2]], vec![5u32, 7])?;
/// let graph = Graph::new(&edges, Direction::Undirected)?;
/// assert_eq!(graph.arcs(), 4);
/// assert_eq!(graph.arcs_of(1).collect::<Vec<_>>(), [(0, 5), (2, 7)]);
/// # Ok::<(), multisplit_graph::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Graph<W: Weight> {
    offsets: Vec<u32>,
    targets: Vec<u32>,
    weights: Vec<W>,
    summary: Summary<W>,
}

/// What is known of the weights.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Summary<W> {
    sum: f64,
    max: W,
}

impl<W: Weight> Graph<W> {
    /// The graph of a list of edges. The arcs of a vertex are sorted, so the order of the edges does not matter.
    ///
    /// # Errors
    /// [`Error::TooManyArcs`], [`Error::OutOfMemory`].
    pub fn new(edges: &EdgeList<W>, direction: Direction) -> Result<Self> {
        let (offsets, targets, weights) = build::build(edges, direction)?;
        Ok(Self::valid(offsets, targets, weights))
    }

    /// A graph from its three arrays, which are checked. Arcs need not be sorted.
    ///
    /// # Errors
    /// [`Error::InvalidCsr`] if the arrays do not fit together; [`Error::InvalidWeight`].
    pub fn from_csr(offsets: Vec<u32>, targets: Vec<u32>, mut weights: Vec<W>) -> Result<Self> {
        let wrong = |reason: String| Err(Error::InvalidCsr(reason));
        let (arcs, last) = (targets.len(), offsets.last().map(|&last| last as usize));
        if offsets.first() != Some(&0) || last != Some(arcs) || weights.len() != arcs {
            return wrong(format!(
                "the offsets do not go from 0 to {arcs}, the number of arcs, or weights are missing"
            ));
        }
        if let Some(v) = offsets.windows(2).position(|pair| pair[0] > pair[1]) {
            return wrong(format!("the arcs of vertex {v} end before they begin"));
        }
        let vertices = offsets.len() as u64 - 1;
        if u32::try_from(vertices).is_err() {
            return Err(Error::TooManyVertices { vertices });
        }
        if let Some(arc) = first(&targets, |&to| u64::from(to) >= vertices) {
            return wrong(format!("arc {arc} goes to vertex {}, but there are {vertices} vertices", targets[arc]));
        }
        check_weights(&mut weights)?;
        Ok(Self::valid(offsets, targets, weights))
    }

    fn valid(offsets: Vec<u32>, targets: Vec<u32>, weights: Vec<W>) -> Self {
        // Parts of a fixed size, so that rounding does not depend on the number of threads.
        let of_part = |_, part: &[W]| part.iter().fold(Summary::default(), |all, &one| all.and(one.to_f64(), one));
        let parts: Vec<Summary<W>> = parallel::parts_of(1 << 16, &weights, of_part);
        let summary = parts.iter().fold(Summary::default(), |all, part| all.and(part.sum, part.max));
        Self { offsets, targets, weights, summary }
    }

    /// The same graph with other weights.
    ///
    /// # Errors
    /// [`Error::InvalidWeight`] if a new weight is negative, infinite or not a number.
    pub fn map_weights<V: Weight>(&self, new: impl Fn(W) -> V + Sync) -> Result<Graph<V>> {
        let mut weights: Vec<V> = parallel::map(&self.weights, new);
        check_weights(&mut weights)?;
        Ok(Graph::valid(self.offsets.clone(), self.targets.clone(), weights))
    }

    /// The number of vertices.
    pub fn vertices(&self) -> u32 {
        (self.offsets.len() - 1) as u32
    }

    /// The number of arcs. An undirected edge counts twice.
    pub fn arcs(&self) -> usize {
        self.targets.len()
    }

    /// Where the arcs of each vertex begin, and where those of the last one end.
    pub fn offsets(&self) -> &[u32] {
        &self.offsets
    }

    /// Where each arc goes.
    pub fn targets(&self) -> &[u32] {
        &self.targets
    }

    /// What each arc weighs.
    pub fn weights(&self) -> &[W] {
        &self.weights
    }

    /// How many arcs leave a vertex: none, if there is no such vertex.
    pub fn degree(&self, v: u32) -> usize {
        self.range(v).len()
    }

    /// Targets and weights of the arcs that leave a vertex: none, if there is no such vertex.
    pub fn arcs_of(&self, v: u32) -> impl ExactSizeIterator<Item = (u32, W)> {
        self.arcs_in(self.range(v))
    }

    /// The mean weight, or 0 if there are no arcs.
    pub fn mean_weight(&self) -> f64 {
        if self.arcs() == 0 { 0.0 } else { self.summary.sum / self.arcs() as f64 }
    }

    /// The largest weight, or 0 if there are no arcs.
    pub fn max_weight(&self) -> W {
        self.summary.max
    }

    /// The numbers of the arcs of a vertex.
    #[inline(always)]
    pub(crate) fn range(&self, v: u32) -> Range<usize> {
        match self.offsets.get(v as usize..).and_then(<[u32]>::first_chunk::<2>) {
            Some(&[start, end]) => start as usize..end as usize,
            None => 0..0,
        }
    }

    /// Targets and weights of arcs with the numbers `range`, which must be there.
    #[inline(always)]
    pub(crate) fn arcs_in(&self, range: Range<usize>) -> impl ExactSizeIterator<Item = (u32, W)> {
        self.targets[range.clone()].iter().copied().zip(self.weights[range].iter().copied())
    }
}

impl<W: Weight> Summary<W> {
    fn and(self, sum: f64, max: W) -> Self {
        Self { sum: self.sum + sum, max: if max > self.max { max } else { self.max } }
    }
}

/// A graph with weights of either type, as files have them.
#[derive(Clone, Debug, PartialEq)]
pub enum AnyGraph {
    /// Integer weights.
    U32(Graph<u32>),
    /// Real weights.
    F32(Graph<f32>),
}

impl AnyGraph {
    /// The number of vertices.
    pub fn vertices(&self) -> u32 {
        match self {
            Self::U32(graph) => graph.vertices(),
            Self::F32(graph) => graph.vertices(),
        }
    }

    /// The number of arcs. An undirected edge counts twice.
    pub fn arcs(&self) -> usize {
        match self {
            Self::U32(graph) => graph.arcs(),
            Self::F32(graph) => graph.arcs(),
        }
    }

    /// The same arcs with other weights, each by the two ends of its arc.
    pub(crate) fn reweighed(self, weight: &dyn Fn([u32; 2]) -> u32) -> Result<Self> {
        let (offsets, targets) = match self {
            Self::U32(graph) => (graph.offsets, graph.targets),
            Self::F32(graph) => (graph.offsets, graph.targets),
        };
        let mut weights = memory::with_room(targets.len())?;
        for (v, row) in offsets.windows(2).enumerate() {
            for &to in &targets[row[0] as usize..row[1] as usize] {
                weights.push(weight([v as u32, to]));
            }
        }
        Ok(Self::U32(Graph::valid(offsets, targets, weights)))
    }

    /// Where the arcs of each vertex begin, and where those of the last one end.
    pub fn offsets(&self) -> &[u32] {
        match self {
            Self::U32(graph) => graph.offsets(),
            Self::F32(graph) => graph.offsets(),
        }
    }

    /// Where each arc goes.
    pub fn targets(&self) -> &[u32] {
        match self {
            Self::U32(graph) => graph.targets(),
            Self::F32(graph) => graph.targets(),
        }
    }

    /// The type of the weights: `u32` or `f32`.
    pub fn weight_name(&self) -> &'static str {
        match self {
            Self::U32(_) => u32::NAME,
            Self::F32(_) => f32::NAME,
        }
    }
}
