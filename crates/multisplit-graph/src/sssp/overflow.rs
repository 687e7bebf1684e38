//! Whether every distance fits.
//!
//! Sums that do not fit count as unreachable, so all distances that are there are right. A vertex that can be reached, but
//! only by paths that are too long, has none; and then an arc leads from a vertex that has a distance to one that has none.

use crate::error::{Error, Result};
use crate::graph::Graph;
use crate::sweep;
use crate::weight::Weight;
use rayon::prelude::*;

pub(super) fn check<W: Weight>(graph: &Graph<W>, distances: &[W]) -> Result<()> {
    // Rounding adds to a sum at most what was added: half a step up takes a weight of half a step at least.
    let longest = 2.0 * f64::from(graph.vertices()) * graph.max_weight().to_f64();
    if longest < W::LIMIT.to_f64() {
        return Ok(());
    }
    let known = |v: u32| distances[v as usize] < W::UNREACHABLE;
    let beyond = |&(from, to, _): &(u32, u32, W)| known(from) && !known(to);
    match sweep::parts(graph).find_map_first(|part| sweep::arcs(graph, part).find(beyond)) {
        Some((_, vertex, _)) => Err(Error::DistanceOverflow { vertex, limit: W::LIMIT.to_string() }),
        None => Ok(()),
    }
}
