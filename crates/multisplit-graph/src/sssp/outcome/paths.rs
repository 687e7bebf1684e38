//! The shortest paths that a search has found.

use crate::graph::{Graph, Weight};
use crate::strategy::Strategy;
use std::time::Duration;

/// The predecessor of vertices that have none: the source, and those that cannot be reached.
pub const NO_PREDECESSOR: u32 = u32::MAX;

/// What a strategy finds.
pub(crate) struct Search<W> {
    pub distances: Vec<W>,
    pub iterations: u64,
    pub relaxed: u64,
}

/// Shortest paths from a source, made by [`Sssp::run`](crate::Sssp::run).
#[derive(Clone, Debug, PartialEq)]
pub struct Paths<W: Weight> {
    /// Where they begin.
    pub source: u32,
    /// The distance of every vertex; [`Weight::UNREACHABLE`] where no path leads.
    pub distances: Vec<W>,
    /// The vertex before each on a shortest path, or [`NO_PREDECESSOR`]; if they were asked for. They form a tree, and
    /// follow from the distances alone: of several, it is the least number among those that are nearer to the source;
    /// where all are equally far (arcs of weight 0), the fewest arcs from one that is nearer.
    pub predecessors: Option<Vec<u32>>,
    /// How they were found.
    pub strategy: Strategy,
    /// The width of the buckets, if there were some.
    pub delta: Option<W>,
    /// Rounds of the strategy: vertices taken from the heap, for Dijkstra; for delta-stepping on the CPU, where threads
    /// have rounds of their own, those of the thread that had the most.
    pub iterations: u64,
    /// Arcs that were relaxed, each counted as often as it was.
    pub relaxed: u64,
    /// How long finding the distances took.
    pub time: Duration,
    /// How long finding the predecessors took after that.
    pub tree_time: Duration,
}

impl<W: Weight> Paths<W> {
    /// The distance of a vertex, if a path leads there.
    pub fn distance(&self, v: u32) -> Option<W> {
        self.distances.get(v as usize).copied().filter(|&distance| distance < W::UNREACHABLE)
    }

    /// How many vertices can be reached, the source included.
    pub fn reached(&self) -> usize {
        self.distances.iter().filter(|&&distance| distance < W::UNREACHABLE).count()
    }

    /// The vertices on the shortest path to `v`, both ends included, if a path leads there and predecessors were asked
    /// for.
    pub fn to(&self, v: u32) -> Option<Vec<u32>> {
        let predecessors = self.predecessors.as_ref()?;
        self.distance(v)?;
        let mut path = vec![v];
        let mut at = v;
        // No path of a tree is longer than there are vertices; what is not a tree is given up.
        while at != self.source && path.len() <= predecessors.len() {
            at = *predecessors.get(at as usize)?;
            path.push(at);
        }
        path.reverse();
        (at == self.source).then_some(path)
    }

    /// Arcs of the graph by seconds of the search: TEPS as in the paper, where an undirected edge counts twice.
    pub fn teps(&self, graph: &Graph<W>) -> f64 {
        graph.arcs() as f64 / self.time.as_secs_f64()
    }
}
