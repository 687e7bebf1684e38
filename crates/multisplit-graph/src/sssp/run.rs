//! The search that users ask for: what is checked before it, and what is made of its distances.

use super::cpu;
#[cfg(feature = "gpu")]
use super::gpu::{DeviceGraph, OnDevice, Pile};
use super::outcome::{self, Paths, Search};
use crate::error::{Error, Result};
use crate::graph::{Graph, Weight};
use crate::strategy::Strategy;
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

impl Sssp {
    /// Paths from this vertex.
    pub fn from(source: u32) -> Self {
        Self { source, strategy: Strategy::default(), delta: None, predecessors: false }
    }

    /// How to find them.
    pub fn strategy(self, strategy: Strategy) -> Self {
        Self { strategy, ..self }
    }

    /// The width of the buckets, for strategies that have some; otherwise it is that of [`auto_delta`], or some times
    /// as wide, as suits the strategy. For integer weights it is rounded, and at least 1.
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
        let delta = self.checked_delta(graph, cpu::wider(graph))?;
        let start = Instant::now();
        let search = match (self.strategy, delta) {
            (Strategy::DeltaStepping, Some(delta)) => cpu::delta_stepping(graph, source, delta),
            (Strategy::BellmanFord, _) => cpu::bellman_ford(graph, source),
            _ => cpu::dijkstra(graph, source),
        };
        outcome::check_overflow(graph, &search.distances)?;
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
        outcome::check_overflow(graph.graph(), &search.distances)?;
        Ok(self.paths(graph.graph(), search, delta, time))
    }

    fn checked_source<W: Weight>(&self, graph: &Graph<W>) -> Result<u32> {
        if self.source < graph.vertices() {
            Ok(self.source)
        } else {
            Err(Error::SourceOutOfRange { from: self.source, vertices: graph.vertices() })
        }
    }

    /// The width of buckets, if the strategy has some: as given, or so many times as wide as [`auto_delta`].
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
        let predecessors = self.predecessors.then(|| outcome::predecessors(graph, &distances, source));
        let tree_time = start.elapsed();
        Paths { source, distances, predecessors, strategy, delta, iterations, relaxed, time, tree_time }
    }
}

/// The width of buckets that suits a graph: `w / k`, or `12 / k` times as much if k is less than 12, where w is the
/// mean weight and k the mean number of arcs of a vertex.
///
/// Narrow buckets take many rounds with little to do in each, wide ones relax arcs again that were relaxed too early.
/// The lightest of k arcs weighs about `w / k`, and so far apart are the distances of neighbours on a shortest path.
/// Graphs of few arcs have large diameters and few vertices at a distance, so that rounds cost more than arcs there.
///
/// At w = 500 and on one thread, the paper's R-MAT graph (k = 12) takes 192 rounds and relaxes 1 % of its arcs twice if
/// buckets are 42 wide; 95 rounds and 10 % for 128; 66 rounds and 28 % for 256. Florida's roads (k = 2.5) take 5245
/// rounds and relax 3 % twice for 950; 4000 rounds and 8 % for 2048; 2861 rounds and 38 % for 8192.
pub fn auto_delta<W: Weight>(graph: &Graph<W>) -> W {
    let k = (graph.arcs() as f64 / f64::from(graph.vertices().max(1))).max(1.0);
    W::near(graph.mean_weight() / k * (12.0 / k).max(1.0))
}
