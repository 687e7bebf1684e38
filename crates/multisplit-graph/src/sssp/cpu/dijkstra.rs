//! Dijkstra's algorithm: the oracle.

use crate::graph::{Graph, Weight};
use crate::sssp::outcome::Search;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

pub(crate) fn search<W: Weight>(graph: &Graph<W>, source: u32) -> Search<W> {
    let mut distances = vec![W::UNREACHABLE; graph.vertices() as usize];
    let (mut iterations, mut relaxed) = (0, 0);
    // Distance and vertex in one number: the nearest first. A vertex that comes nearer is put in again, and what it
    // left behind is passed over.
    let mut heap = BinaryHeap::new();
    let entry = |distance: W, v: u32| Reverse(u64::from(distance.to_ordered()) << 32 | u64::from(v));

    distances[source as usize] = W::default();
    heap.push(entry(W::default(), source));
    while let Some(Reverse(nearest)) = heap.pop() {
        let (distance, v) = (W::from_ordered((nearest >> 32) as u32), nearest as u32);
        if distance > distances[v as usize] {
            continue;
        }
        iterations += 1;
        for (to, weight) in graph.arcs_of(v) {
            relaxed += 1;
            let new = distance.plus(weight);
            if new < distances[to as usize] {
                distances[to as usize] = new;
                heap.push(entry(new, to));
            }
        }
    }
    Search { distances, iterations, relaxed }
}
