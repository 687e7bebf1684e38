//! Bellman-Ford, in parallel: every vertex whose distance has changed is taken, all at once, until none changes.
//!
//! Nothing orders the vertices by distance, so a vertex is taken once for every better path that turns up. Weights are
//! not negative, so it ends by itself.

use super::distances::Distances;
use crate::graph::{Graph, Weight};
use crate::parallel;
use crate::sssp::outcome::Search;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering::AcqRel};

/// Vertices that are worth a task.
const BATCH: usize = 64;

/// A vertex with more arcs shares them with other threads.
const HUB: usize = 1 << 12;

pub(crate) fn search<W: Weight>(graph: &Graph<W>, source: u32) -> Search<W> {
    let n = graph.vertices() as usize;
    let run = Run { graph, distances: Distances::new(n), waiting: parallel::fill(n, |_| AtomicBool::new(false)) };
    run.distances.lower(source, W::default());
    let mut changed = vec![source];
    let (mut iterations, mut relaxed) = (0, 0);
    while !changed.is_empty() {
        let parts: Vec<Found> = if changed.len() < BATCH {
            vec![run.take_all(&changed)]
        } else {
            parallel::parts_of(BATCH, &changed, |_, batch| run.take_all(batch))
        };
        iterations += 1;
        relaxed += parts.iter().map(|found| found.relaxed).sum::<u64>();
        changed = parts.into_iter().flat_map(|found| found.changed).collect();
    }
    Search { distances: run.distances.into_vec(), iterations, relaxed }
}

/// What a task found.
#[derive(Default)]
struct Found {
    changed: Vec<u32>,
    relaxed: u64,
}

struct Run<'a, W: Weight> {
    graph: &'a Graph<W>,
    distances: Distances<W>,
    /// Whether a vertex is among those that will be taken, so that it is there once.
    waiting: Vec<AtomicBool>,
}

impl<W: Weight> Run<'_, W> {
    fn take_all(&self, batch: &[u32]) -> Found {
        let mut found = Found::default();
        for &v in batch {
            // It no longer waits before its distance is read: whoever lowers it later puts it in again. Acquire and
            // release order the two, together with those in `relax`.
            self.waiting[v as usize].swap(false, AcqRel);
            let (distance, arcs) = (self.distances.get(v), self.graph.range(v));
            found.relaxed += arcs.len() as u64;
            if arcs.len() <= HUB {
                self.relax(distance, arcs, &mut found.changed);
            } else {
                let parts = parallel::collect(arcs.len().div_ceil(HUB), |part| {
                    let (start, mut changed) = (arcs.start + part * HUB, Vec::new());
                    self.relax(distance, start..arcs.end.min(start + HUB), &mut changed);
                    changed
                });
                found.changed.append(&mut parts.concat());
            }
        }
        found
    }

    fn relax(&self, distance: W, arcs: Range<usize>, changed: &mut Vec<u32>) {
        for (to, weight) in self.graph.arcs_in(arcs) {
            if self.distances.lower(to, distance.plus(weight)) && !self.waiting[to as usize].swap(true, AcqRel) {
                changed.push(to);
            }
        }
    }
}
