//! Delta-stepping (Meyer, Sanders, 2003), in parallel and without rounds that all wait for.
//!
//! Vertices wait in buckets, by their distance: bucket b is for distances from b Δ on, below (b + 1) Δ. Those of the
//! first bucket are taken in any order; taking one is to lower the distances of its arcs' targets, and to put each
//! target that comes nearer into its bucket. Every worker has buckets of its own ([`Bins`](super::bins::Bins)):
//!
//! ```text
//! while there is work:
//!     if it has vertices in the bucket where it is, take them
//!     otherwise, help others that have some in an earlier bucket than its next one
//!     otherwise, wait until nobody is far behind, and go to its next one
//! ```
//!
//! How that is made fast:
//! - Threads do not meet. A round of all threads costs some microseconds, and graphs of large diameter need thousands
//!   of rounds with little to do in each. Here a worker goes from bucket to bucket by itself, at most a bucket or two
//!   ahead of others, and what one has too much of waits on its [`Shelf`](super::shelf::Shelf), where others take it.
//!   If somebody has nothing to do, workers share what little they have, too.
//! - Distances are lowered by an atomic minimum, and nothing is removed from buckets: an entry carries the distance
//!   that its vertex had, and does not count if the vertex has come nearer since. So every distance that a vertex ever
//!   had is taken once at most.
//! - Arcs are looked at in batches, so that memory is waited for many times at once (see `Worker::take_batch`).
//! - A vertex with very many arcs shares them.

use super::distances::Distances;
use super::team::Team;
use super::worker::{Counts, Run, Worker};
use crate::graph::{Graph, Weight};
use crate::sssp::outcome::Search;
use rayon::Scope;
use std::sync::{Mutex, PoisonError};

/// Arcs of the graph that are worth a worker.
const ARCS_PER_WORKER: usize = 1 << 13;

/// How many times as wide as [`auto_delta`](crate::auto_delta) buckets are: once, or `sqrt(12 / k)` times if a vertex
/// has k arcs in the mean, and k is less than 12.
///
/// Going to another bucket costs a worker a look at all others. Of 16 workers, simulated, Florida's roads (k = 2.5)
/// take 3.7 ms with buckets of 1024 or 2048 and 3.9 with 4096, if that look and stealing are cheap; 7.4, 6.5 and 6.5 if
/// they take 1 and 3 us. The mails of Enron (k = 10) take 0.35 ms with 16, 32 or 64; 0.73, 0.59 and 0.55 then.
pub(crate) fn wider<W: Weight>(graph: &Graph<W>) -> f64 {
    let k = graph.arcs() as f64 / f64::from(graph.vertices().max(1));
    (12.0 / k.max(1.0)).max(1.0).sqrt()
}

pub(crate) fn search<W: Weight>(graph: &Graph<W>, source: u32, delta: W) -> Search<W> {
    let workers = rayon::current_num_threads().min(graph.arcs() / ARCS_PER_WORKER);
    search_with(graph, source, delta, workers.max(1))
}

/// A search by at least one worker. There may be more workers than threads.
fn search_with<W: Weight>(graph: &Graph<W>, source: u32, delta: W, workers: usize) -> Search<W> {
    let distances = Distances::new(graph.vertices() as usize);
    let run = Run { graph, delta, distances, team: Team::new(workers) };
    run.distances.lower(source, W::default());
    let counts = Mutex::new(Counts::default());
    rayon::scope(|scope| {
        start_others(scope, &run, &counts, 0);
        add(&counts, Worker::with_source(&run, 0, source).work());
    });
    let Counts { rounds, relaxed } = counts.into_inner().unwrap_or_else(PoisonError::into_inner);
    Search { distances: run.distances.into_vec(), iterations: rounds, relaxed }
}

/// Starts two workers, which start two each. Waking a thread takes microseconds, so one does not wake all.
fn start_others<'s, W: Weight>(scope: &Scope<'s>, run: &'s Run<'_, W>, counts: &'s Mutex<Counts>, id: usize) {
    for next in (2 * id + 1..=2 * id + 2).take_while(|&next| next < run.team.workers()) {
        scope.spawn(move |scope| {
            if !run.team.is_done() {
                start_others(scope, run, counts, next);
                add(counts, Worker::new(run, next).work());
            }
        });
    }
}

/// Arcs of all workers, and rounds of the one that had the most.
fn add(all: &Mutex<Counts>, one: Counts) {
    let mut all = all.lock().unwrap_or_else(PoisonError::into_inner);
    *all = Counts { rounds: all.rounds.max(one.rounds), relaxed: all.relaxed + one.relaxed };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate;
    use crate::graph::{Direction, EdgeList};
    use crate::sssp::cpu::dijkstra;

    fn check<W: Weight>(graph: &Graph<W>, deltas: &[f64]) {
        let expected = dijkstra(graph, 0);
        for workers in [1, 2, 3, 16, 50] {
            for &delta in deltas {
                let found = search_with(graph, 0, W::near(delta), workers);
                assert!(found.distances == expected.distances, "{workers} workers, buckets of {delta}");
                assert!(found.relaxed >= expected.relaxed, "{} of {} arcs", found.relaxed, expected.relaxed);
            }
        }
    }

    fn graph(edges: EdgeList, heaviest: u32) -> Graph<u32> {
        Graph::new(&edges.random_weights(0..=heaviest, 3), Direction::Undirected).unwrap()
    }

    #[test]
    fn any_number_of_workers_on_small_graphs() {
        for edges in [generate::path(1), generate::path(2), generate::grid(9, 7), generate::clique(30)] {
            let graph = graph(edges.unwrap(), 100);
            check(&graph, &[0.5, 7.0, 1e3, 1e9]);
            check(&graph.map_weights(|weight| weight as f32 / 7.0).unwrap(), &[1e-30, 0.5, 7.0, 1e30]);
        }
    }

    #[test]
    fn any_number_of_workers_on_larger_graphs() {
        let rmat = generate::rmat(3000, 60_000, [0.57, 0.19, 0.19, 0.05], 3);
        for edges in [rmat, generate::grid(90, 110), generate::star(30_000), generate::path(5000)] {
            let edges = edges.unwrap();
            check(&graph(edges.clone(), 1000), &[1.0, 50.0, 2000.0, 1e9]);
            check(&graph(edges, 0), &[1.0]);
        }
    }

    #[test]
    fn weights_that_hardly_fit() {
        // Buckets are as far apart as can be, and most sums do not fit.
        let graph = graph(generate::grid(30, 30).unwrap(), u32::MAX);
        check(&graph, &[1.0, 1e3, 1e9, 4e9]);
        let real = graph.map_weights(|weight| weight as f32 * 5e28).unwrap();
        check(&real, &[1e-3, 1e20, 1e37]);
    }

    #[test]
    fn many_distances_for_each_vertex() {
        // Vertex i is reached over all before it, by ever shorter ways: each arc is heavier than the way around.
        let ends = (0..200u32).flat_map(|u| (u + 1..200).map(move |v| [u, v])).collect::<Vec<_>>();
        let weights = ends.iter().map(|&[u, v]| (v - u) * (v - u)).collect();
        let graph = Graph::new(&EdgeList::weighted(200, ends, weights).unwrap(), Direction::Directed).unwrap();
        check(&graph, &[1.0, 10.0, 1e3, 1e6]);
    }
}
