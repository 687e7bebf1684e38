//! Shortest paths from one vertex to all others.
//!
//! One call, followed: [`Sssp::run`] checks what was asked for, a strategy finds the distances ([`dijkstra`],
//! [`delta_stepping`], [`bellman_ford`]), `overflow` sees whether all of them fit, and `tree` finds the predecessors.
//! Distances are the same for all strategies, bit by bit, and predecessors follow from distances alone; so a
//! strategy does nothing but find distances.

mod bellman_ford;
mod bins;
mod delta;
mod delta_stepping;
mod dijkstra;
mod distances;
mod overflow;
mod paths;
mod strategy;
mod tree;
mod verify;

pub use delta::auto_delta;
pub use paths::{NO_PREDECESSOR, Paths};
pub use strategy::Strategy;

use crate::error::{Error, Result};
use crate::graph::Graph;
use crate::weight::Weight;
use std::time::Instant;

/// Shortest paths from one vertex, with options.
///
/// ```
/// use multisplit_graph::{Direction, EdgeList, Graph, Sssp, Strategy};
///
/// let edges = EdgeList::weighted(4, vec![[0, 1], [1, 2], [0, 2]], vec![0.5f32, 1.0, 2.0])?;
/// let graph = Graph::new(&edges, Direction::Directed)?;
/// let paths = Sssp::from(0).strategy(Strategy::Dijkstra).predecessors().run(&graph)?;
/// assert_eq!(paths.distances, [0.0, 0.5, 1.5, f32::INFINITY]);
/// assert_eq!(paths.to(2), Some(vec![0, 1, 2]));
/// assert_eq!(paths.to(3), None);
/// # Ok::<(), multisplit_graph::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sssp {
    source: u32,
    strategy: Strategy,
    delta: Option<f64>,
    predecessors: bool,
}

/// What a strategy finds.
struct Search<W> {
    distances: Vec<W>,
    iterations: u64,
    relaxed: u64,
}

impl Sssp {
    /// Paths from this vertex.
    pub fn from(source: u32) -> Self {
        Self { source, strategy: Strategy::default(), delta: None, predecessors: false }
    }

    /// How to find them.
    pub fn strategy(self, strategy: Strategy) -> Self {
        Self { strategy, ..self }
    }

    /// The width of the buckets, for strategies that have some; otherwise [`auto_delta`] chooses it. For integer
    /// weights it is rounded, and at least 1.
    pub fn delta(self, delta: f64) -> Self {
        Self { delta: Some(delta), ..self }
    }

    /// Find the predecessors too, not only the distances.
    pub fn predecessors(self) -> Self {
        Self { predecessors: true, ..self }
    }

    /// Finds them, on the CPU, with the threads of the current rayon pool.
    ///
    /// # Errors
    /// [`Error::SourceOutOfRange`], [`Error::InvalidDelta`], and [`Error::DistanceOverflow`] if a vertex is too far
    /// away for its distance to fit.
    pub fn run<W: Weight>(&self, graph: &Graph<W>) -> Result<Paths<W>> {
        let source = self.source;
        if source >= graph.vertices() {
            return Err(Error::SourceOutOfRange { from: source, vertices: graph.vertices() });
        }
        let given = match self.delta {
            Some(delta) if !(delta > 0.0 && delta.is_finite()) => return Err(Error::InvalidDelta(delta.to_string())),
            given => given.map(W::near),
        };
        let delta = (self.strategy == Strategy::DeltaStepping).then(|| given.unwrap_or_else(|| auto_delta(graph)));

        let start = Instant::now();
        let Search { distances, iterations, relaxed } = match (self.strategy, delta) {
            (Strategy::DeltaStepping, Some(delta)) => delta_stepping::search(graph, source, delta),
            (Strategy::BellmanFord, _) => bellman_ford::search(graph, source),
            _ => dijkstra::search(graph, source),
        };
        overflow::check(graph, &distances)?;
        let time = start.elapsed();

        let start = Instant::now();
        let predecessors = self.predecessors.then(|| tree::predecessors(graph, &distances, source));
        let tree_time = start.elapsed();
        let strategy = self.strategy;
        Ok(Paths { source, distances, predecessors, strategy, delta, iterations, relaxed, time, tree_time })
    }
}
