//! How wide buckets should be.

use crate::graph::Graph;
use crate::weight::Weight;

/// The width of buckets that suits a graph: `w / k` times `12 / k`, but at least times 1/4, where w is the mean weight and k the
/// mean number of arcs of a vertex.
///
/// Narrow buckets take many rounds with little to do in each, wide ones relax arcs again that were relaxed too early. The
/// lightest of k arcs weighs about `w / k`, and that is how far apart the distances of neighbours are. Graphs of few arcs have
/// large diameters and few vertices at the same distance, so their buckets should be wider than that; those of many have
/// small ones, and more to lose. The numbers are from measurements: road networks (k = 2.5) were fastest from 600 to 1300 for
/// w = 500, the paper's R-MAT graph (k = 12) from 20 to 40.
pub fn auto_delta<W: Weight>(graph: &Graph<W>) -> W {
    let k = (graph.arcs() as f64 / f64::from(graph.vertices().max(1))).max(1.0);
    W::near(graph.mean_weight() / k * (12.0 / k).max(0.25))
}
