//! Searches at the same time, within tasks, and in pools whose threads are busy: all end, with the same distances.

use multisplit_graph::{Direction, Graph, Sssp, Strategy, generate};
use rayon::prelude::*;
use std::sync::mpsc;

/// Sparse and dense graphs, large enough for several threads each.
fn graphs() -> Vec<Graph<u32>> {
    let rmat = generate::rmat(4000, 60_000, [0.57, 0.19, 0.19, 0.05], 3);
    [rmat, generate::grid(120, 150), generate::star(40_000)]
        .map(|edges| Graph::new(&edges.unwrap().random_weights(0..=1000, 3), Direction::Undirected).unwrap())
        .into()
}

fn distances(graph: &Graph<u32>, source: u32, strategy: Strategy) -> Vec<u32> {
    Sssp::from(source).strategy(strategy).run(graph).unwrap().distances
}

fn pool(threads: usize) -> rayon::ThreadPool {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap()
}

#[test]
fn many_searches_within_tasks() {
    for graph in graphs() {
        let sources: Vec<u32> = (0..12).map(|i| i * 97).collect();
        let expected: Vec<_> = sources.iter().map(|&source| distances(&graph, source, Strategy::Dijkstra)).collect();
        for threads in [1, 2, 3, 8] {
            let search = |&source: &u32| distances(&graph, source, Strategy::DeltaStepping);
            let found: Vec<_> = pool(threads).install(|| sources.par_iter().with_max_len(1).map(search).collect());
            assert!(found == expected, "{threads} threads");
        }
    }
}

#[test]
fn many_threads_share_a_pool() {
    let pool = pool(3);
    for graph in graphs() {
        let expected = distances(&graph, 5, Strategy::Dijkstra);
        std::thread::scope(|scope| {
            for _ in 0..6 {
                scope.spawn(|| {
                    let search = || distances(&graph, 5, Strategy::DeltaStepping);
                    (0..4).for_each(|_| assert!(pool.install(search) == expected));
                });
            }
        });
    }
}

#[test]
fn a_pool_whose_other_threads_are_stuck() {
    let graph = &graphs()[0];
    let expected = distances(graph, 0, Strategy::Dijkstra);
    let pool = pool(4);
    let (search_ends, wait) = mpsc::channel::<()>();
    let wait = std::sync::Mutex::new(wait);
    pool.in_place_scope(|scope| {
        let (begun, all_begun) = mpsc::channel();
        for _ in 0..3 {
            let (begun, wait) = (begun.clone(), &wait);
            scope.spawn(move |_| {
                begun.send(()).unwrap();
                // Nobody sends: this ends when the sender is gone.
                let _ = wait.lock().unwrap().recv();
            });
        }
        (0..3).for_each(|_| all_begun.recv().unwrap());
        let found = pool.install(|| distances(graph, 0, Strategy::DeltaStepping));
        drop(search_ends);
        assert!(found == expected);
    });
}
