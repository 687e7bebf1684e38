//! Predecessors, from distances alone.
//!
//! An arc is tight if the distance of its target is that of its origin plus its weight. A tight arc leads to every
//! vertex but the source. Following tight arcs back leads nearer to the source, as long as they are steep: their ends
//! are not equally far. Flat arcs, of weight 0 or so light that rounding swallows them, can form cycles. So:
//!
//! 1. Where there is a steep arc, the predecessor is the least vertex that has one.
//! 2. Flat arcs serve only vertices that have no steep one: a breadth-first search goes from vertices that have a
//!    predecessor to those that have none, the least vertex first. So the result is a tree.

use super::paths::NO_PREDECESSOR;
use crate::graph::{Graph, Weight, sweep};
use crate::parallel;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

pub(crate) fn predecessors<W: Weight>(graph: &Graph<W>, distances: &[W], source: u32) -> Vec<u32> {
    let least = parallel::fill(distances.len(), |_| AtomicU32::new(NO_PREDECESSOR));
    let is_flat = |&(from, to, weight): &(u32, u32, W)| {
        let (near, far) = (distances[from as usize], distances[to as usize]);
        if near.plus(weight) != far || near >= W::UNREACHABLE {
            return false;
        }
        if near < far && from < least[to as usize].load(Relaxed) {
            least[to as usize].fetch_min(from, Relaxed);
        }
        near == far && from != to
    };
    let of_part = |part: usize| -> Vec<[u32; 2]> {
        sweep::arcs(graph, part).filter(is_flat).map(|(from, to, _)| [from, to]).collect()
    };
    let mut flat = parallel::collect(sweep::parts(graph), of_part).concat();
    let mut predecessors: Vec<u32> = least.into_iter().map(AtomicU32::into_inner).collect();
    flat.retain(|&[_, to]| to != source && predecessors[to as usize] == NO_PREDECESSOR);
    follow_flat(&flat, &mut predecessors, source);
    predecessors
}

/// Step 2, by breadth-first search. The arcs are sorted by origin.
fn follow_flat(flat: &[[u32; 2]], predecessors: &mut [u32], source: u32) {
    let mut front: Vec<u32> = flat.iter().map(|&[from, _]| from).collect();
    front.dedup();
    front.retain(|&v| v == source || predecessors[v as usize] != NO_PREDECESSOR);
    while !front.is_empty() {
        let mut next = Vec::new();
        for &v in &front {
            let start = flat.partition_point(|&[from, _]| from < v);
            for &[_, to] in flat[start..].iter().take_while(|&&[from, _]| from == v) {
                if predecessors[to as usize] == NO_PREDECESSOR {
                    predecessors[to as usize] = v;
                    next.push(to);
                }
            }
        }
        next.sort_unstable();
        front = next;
    }
}
