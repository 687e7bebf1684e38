//! How wide buckets should be.

use crate::graph::Graph;
use crate::weight::Weight;

/// The width of buckets that suits a graph: `w / k`, or `12 / k` times as much if k is less than 12, where w is the
/// mean weight and k the mean number of arcs of a vertex.
///
/// Narrow buckets take many rounds with little to do in each, wide ones relax arcs again that were relaxed too early.
/// The lightest of k arcs weighs about `w / k`, and so far apart are the distances of neighbours on a shortest path.
/// Graphs of few arcs have large diameters and few vertices at a distance, so that rounds cost more than arcs there.
///
/// At w = 500, the paper's R-MAT graph (k = 12) takes 100 rounds and relaxes 1 % of its arcs twice if buckets are 40
/// wide; 41 rounds and 11 % for 160; 29 rounds and 49 % for 320. Florida's roads (k = 2.5) take 2186 rounds and hardly
/// an arc twice for 320; 762 rounds and 3 % for 1280; 612 rounds and 17 % for 5000.
pub fn auto_delta<W: Weight>(graph: &Graph<W>) -> W {
    let k = (graph.arcs() as f64 / f64::from(graph.vertices().max(1))).max(1.0);
    W::near(graph.mean_weight() / k * (12.0 / k).max(1.0))
}
