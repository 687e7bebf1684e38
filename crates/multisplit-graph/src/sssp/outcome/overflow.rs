//! Whether every distance fits.
//!
//! Sums that do not fit count as unreachable, so every distance below that is right. A vertex that can be reached only
//! by paths that are too long has no distance; and then an arc leads to it, or to another such vertex, from a vertex
//! that has one.

use crate::error::{Error, Result};
use crate::graph::{Graph, Weight, sweep};
use crate::parallel;

/// Distances that are worth a task.
const PART: usize = 1 << 16;

pub(crate) fn check<W: Weight>(graph: &Graph<W>, distances: &[W]) -> Result<()> {
    // If the longest arc after the farthest vertex fits, all do.
    let of_part = |_, part: &[W]| {
        part.iter().map(|distance| distance.to_ordered()).filter(|&ordered| ordered < W::UNREACHABLE.to_ordered()).max()
    };
    let farthest = parallel::parts_of(PART, distances, of_part).into_iter().flatten().max();
    let farthest = farthest.map_or(W::default(), W::from_ordered);
    if farthest.plus(graph.max_weight()) < W::UNREACHABLE {
        return Ok(());
    }
    let known = |v: u32| distances[v as usize] < W::UNREACHABLE;
    let beyond = |&(from, to, _): &(u32, u32, W)| known(from) && !known(to);
    match sweep::find(graph, beyond) {
        Some((_, vertex, _)) => Err(Error::DistanceOverflow { vertex: u64::from(vertex), limit: W::LIMIT.to_string() }),
        None => Ok(()),
    }
}
