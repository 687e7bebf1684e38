//! All arcs of a graph, in parallel, in parts of the same size however uneven the degrees are.

use super::csr::Graph;
use super::weight::Weight;
use crate::parallel;

/// Arcs of one part.
const PART: usize = 1 << 13;

/// The first arc, by its number, that satisfies a condition.
pub(crate) fn find<W: Weight>(
    graph: &Graph<W>,
    is_it: impl Fn(&(u32, u32, W)) -> bool + Sync,
) -> Option<(u32, u32, W)> {
    parallel::find(parts(graph), |part| arcs(graph, part).find(&is_it))
}

/// The number of parts.
pub(crate) fn parts<W: Weight>(graph: &Graph<W>) -> usize {
    graph.arcs().div_ceil(PART)
}

/// The arcs of a part: where from, where to, and what they weigh.
pub(crate) fn arcs<W: Weight>(graph: &Graph<W>, part: usize) -> impl Iterator<Item = (u32, u32, W)> {
    let part = part * PART..graph.arcs().min((part + 1) * PART);
    let offsets = graph.offsets();
    // The vertex whose arcs are under way, and where they end.
    let mut from = offsets.partition_point(|&offset| offset as usize <= part.start).saturating_sub(1);
    let (first, targets, weights) = (part.start, graph.targets(), graph.weights());
    targets[part.clone()].iter().zip(&weights[part]).enumerate().map(move |(i, (&to, &weight))| {
        while offsets[from + 1] as usize <= first + i {
            from += 1;
        }
        (from as u32, to, weight)
    })
}
