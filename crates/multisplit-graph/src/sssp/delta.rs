//! How wide buckets should be.

use crate::graph::Graph;
use crate::weight::Weight;

/// Mean weights of a mean vertex's arcs in a bucket.
const WIDTH: f64 = 4.0;

/// The width of buckets that suits a graph: the mean weight, by the mean degree, times four.
///
/// Narrow buckets take many rounds with little to do in each, wide ones relax arcs again that were relaxed too early. A
/// vertex of degree k has its first arc at about the mean weight by k, and that is how far a step in the right order goes.
pub fn auto_delta<W: Weight>(graph: &Graph<W>) -> W {
    let degree = graph.arcs() as f64 / f64::from(graph.vertices().max(1));
    W::near(WIDTH * graph.mean_weight() / degree.max(1.0))
}
