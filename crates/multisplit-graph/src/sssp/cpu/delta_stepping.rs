//! Delta-stepping (Meyer, Sanders, 2003), in parallel.
//!
//! Vertices wait in buckets, by their distance: bucket b is for distances from b Δ on, below (b + 1) Δ. The first
//! bucket that is not empty is emptied in rounds. A round takes all its vertices at once, in any order; those that come
//! nearer meanwhile are taken in the next one, until none is left. Then all distances up to its end are final.
//!
//! ```text
//! while a bucket is not empty, the first one:
//!     while it is not empty, take all its vertices; for each, in parallel:
//!         unless it was taken with this distance before, for each of its arcs:
//!             lower the target's distance, if this way is shorter; then put the target into its bucket
//! ```
//!
//! How that is made fast:
//! - Nothing is locked. Distances are lowered by an atomic minimum; each worker has buckets of its own ([`Bins`]), so
//!   that putting a vertex into one is a push; workers draw batches of the round's vertices from one counter, so that
//!   whoever is done takes more.
//! - Nothing is removed. A vertex that came nearer is in several buckets, or twice in one. A second atomic minimum
//!   keeps the distance with which a vertex was taken last, and a vertex that was taken with no greater one is skipped.
//! - A round costs some microseconds before any work is done, and graphs of large diameter have many rounds with few
//!   vertices. So a worker that has few vertices of its own left in the current bucket takes them at once instead of
//!   waiting for the next round, and small rounds are not shared at all.
//! - A vertex with very many arcs is left for the end of the round, when all workers share them.

use super::bins::Bins;
use super::distances::Distances;
use crate::graph::{Graph, Weight};
use crate::sssp::outcome::Search;
use rayon::prelude::*;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// Vertices that a worker draws at once.
const BATCH: usize = 64;

/// Fewer vertices than this are not worth waking anybody for.
const SHARED: usize = 512;

/// A worker that has no more than this left of the current bucket goes on by itself.
const OWN: usize = 1024;

/// A vertex with more arcs shares them among workers, so many at once.
const HUB: usize = 1 << 12;

pub(crate) fn search<W: Weight>(graph: &Graph<W>, source: u32, delta: W) -> Search<W> {
    let n = graph.vertices() as usize;
    let run = Run { graph, delta, distances: Distances::new(n), taken: Distances::new(n) };
    let mut workers: Vec<Worker<W>> = (0..rayon::current_num_threads()).map(|_| Worker::default()).collect();
    run.distances.lower(source, W::default());
    if let Some(worker) = workers.first_mut() {
        worker.bins.push(source, 0);
    }

    let mut iterations = 0;
    while let Some(bucket) = workers.iter().filter_map(|worker| worker.bins.first()).min() {
        let waiting: Vec<Vec<u32>> = workers.iter_mut().map(|worker| worker.bins.take(bucket)).collect();
        let batches: Vec<&[u32]> = waiting.iter().flat_map(|vertices| vertices.chunks(BATCH)).collect();
        let take = |worker: &mut Worker<W>, batch: &&[u32]| worker.take_all(&run, batch);
        share(&mut workers, &batches, SHARED / BATCH, take, |worker| worker.go_on(&run, bucket));

        let hubs: Vec<(W, Range<usize>)> = workers.iter_mut().flat_map(|worker| worker.hubs.drain(..)).collect();
        let relax = |worker: &mut Worker<W>, (distance, arcs): &(W, Range<usize>)| {
            worker.relax(&run, *distance, arcs.clone());
        };
        share(&mut workers, &hubs, 1, relax, |_| ());
        iterations += 1;
    }
    let relaxed = workers.iter().map(|worker| worker.relaxed).sum();
    Search { distances: run.distances.into_vec(), iterations, relaxed }
}

struct Run<'a, W: Weight> {
    graph: &'a Graph<W>,
    delta: W,
    distances: Distances<W>,
    /// The distance with which each vertex was taken last.
    taken: Distances<W>,
}

/// What one thread works with. Any thread may work with it in a round, but only one. Neighbours share no cache line.
#[repr(align(128))]
struct Worker<W> {
    bins: Bins,
    /// Arcs that are left for the end of the round, and the distance where they begin.
    hubs: Vec<(W, Range<usize>)>,
    relaxed: u64,
}

impl<W> Default for Worker<W> {
    fn default() -> Self {
        Self { bins: Bins::default(), hubs: Vec::new(), relaxed: 0 }
    }
}

/// Deals `work` out to the workers, who come to an end one by one. Up to `alone` items are left to the first.
fn share<W: Weight, T: Sync>(
    workers: &mut [Worker<W>],
    work: &[T],
    alone: usize,
    each: impl Fn(&mut Worker<W>, &T) + Sync,
    end: impl Fn(&mut Worker<W>) + Sync,
) {
    let next = AtomicUsize::new(0);
    let draw = |worker: &mut Worker<W>| {
        while let Some(item) = work.get(next.fetch_add(1, Relaxed)) {
            each(worker, item);
        }
        end(worker);
    };
    if work.len() <= alone {
        workers.first_mut().into_iter().for_each(draw);
    } else {
        workers.par_iter_mut().with_max_len(1).for_each(draw);
    }
}

impl<W: Weight> Worker<W> {
    fn take_all(&mut self, run: &Run<'_, W>, vertices: &[u32]) {
        for &v in vertices {
            let distance = run.distances.get(v);
            if run.taken.lower(v, distance) {
                let arcs = run.graph.range(v);
                if arcs.len() <= HUB {
                    self.relax(run, distance, arcs);
                } else {
                    let part = |start: usize| (distance, start..arcs.end.min(start + HUB));
                    self.hubs.extend(arcs.clone().step_by(HUB).map(part));
                }
            }
        }
    }

    #[inline]
    fn relax(&mut self, run: &Run<'_, W>, distance: W, arcs: Range<usize>) {
        self.relaxed += arcs.len() as u64;
        for (to, weight) in run.graph.arcs_in(arcs) {
            let new = distance.plus(weight);
            if run.distances.lower(to, new) {
                self.bins.push(to, new.bucket(run.delta));
            }
        }
    }

    /// Takes the vertices that it has put into the current bucket itself, as long as they are few.
    fn go_on(&mut self, run: &Run<'_, W>, bucket: u32) {
        while (1..=OWN).contains(&self.bins.waiting(bucket)) {
            let vertices = self.bins.take(bucket);
            self.take_all(run, &vertices);
            self.bins.give_back(bucket, vertices);
        }
    }
}
