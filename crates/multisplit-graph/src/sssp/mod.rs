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
#[cfg(feature = "gpu")]
use crate::gpu::{DeviceGraph, OnDevice, Pile};
use crate::graph::Graph;
use crate::weight::Weight;
use std::time::{Duration, Instant};

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
pub(crate) struct Search<W> {
    pub distances: Vec<W>,
    pub iterations: u64,
    pub relaxed: u64,
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
        if !Strategy::ON_CPU.contains(&self.strategy) {
            return Err(Error::WrongPlace { strategy: self.strategy, place: "the CPU", other: "GPUs" });
        }
        let source = self.checked_source(graph)?;
        let delta = self.checked_delta(graph, 1.0)?;
        let start = Instant::now();
        let search = match (self.strategy, delta) {
            (Strategy::DeltaStepping, Some(delta)) => delta_stepping::search(graph, source, delta),
            (Strategy::BellmanFord, _) => bellman_ford::search(graph, source),
            _ => dijkstra::search(graph, source),
        };
        overflow::check(graph, &search.distances)?;
        let time = start.elapsed();
        Ok(self.paths(graph, search, delta, time))
    }

    /// Finds them on the GPU that the graph is on. The time that it takes is that of the search: distances are copied
    /// back, and seen to fit, after it.
    ///
    /// # Errors
    /// As [`Sssp::run`]; [`Error::WrongPlace`] if the strategy is for the CPU alone, and [`Error::Device`].
    #[cfg(feature = "gpu")]
    pub fn run_on<W: Weight>(&self, graph: &DeviceGraph<'_, W>) -> Result<Paths<W>> {
        let Some(pile) = Pile::of(self.strategy) else {
            return Err(Error::WrongPlace { strategy: self.strategy, place: "a GPU", other: "the CPU" });
        };
        let source = self.checked_source(graph.graph())?;
        let delta = self.checked_delta(graph.graph(), pile.wider())?;
        let job = OnDevice { graph, source, pile, delta: delta.unwrap_or(W::LIMIT) };
        let (search, time) = graph.device().run_kernels(job)??;
        overflow::check(graph.graph(), &search.distances)?;
        Ok(self.paths(graph.graph(), search, delta, time))
    }

    fn checked_source<W: Weight>(&self, graph: &Graph<W>) -> Result<u32> {
        if self.source < graph.vertices() {
            Ok(self.source)
        } else {
            Err(Error::SourceOutOfRange { from: self.source, vertices: graph.vertices() })
        }
    }

    /// The width of buckets, if the strategy has some: as given, or so many times as wide as suits the CPU.
    fn checked_delta<W: Weight>(&self, graph: &Graph<W>, wider: f64) -> Result<Option<W>> {
        let delta = match self.delta {
            Some(delta) if !(delta > 0.0 && delta.is_finite()) => return Err(Error::InvalidDelta(delta.to_string())),
            Some(delta) => W::near(delta),
            None => W::near(wider * auto_delta(graph).to_f64()),
        };
        Ok(self.strategy.has_delta().then_some(delta))
    }

    /// What was found, with its tree if that was asked for.
    fn paths<W: Weight>(&self, graph: &Graph<W>, search: Search<W>, delta: Option<W>, time: Duration) -> Paths<W> {
        let Search { distances, iterations, relaxed } = search;
        let (source, strategy) = (self.source, self.strategy);
        let start = Instant::now();
        let predecessors = self.predecessors.then(|| tree::predecessors(graph, &distances, source));
        let tree_time = start.elapsed();
        Paths { source, distances, predecessors, strategy, delta, iterations, relaxed, time, tree_time }
    }
}
