//! What tests share.
#![allow(dead_code)] // Every test file uses a part of it.

pub mod files;
#[cfg(feature = "gpu")]
pub mod gpu;

use multisplit_graph::{Direction, EdgeList, Graph, Paths, Sssp, Strategy, Weight, generate};
use std::path::PathBuf;

pub const DIRECTIONS: [Direction; 2] = [Direction::Directed, Direction::Undirected];

/// A file of the repository.
pub fn data(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name)
}

/// The folder of real graphs, if there is one.
pub fn real_graphs() -> Option<PathBuf> {
    let folder = match std::env::var_os("MULTISPLIT_GRAPHS") {
        Some(folder) => PathBuf::from(folder),
        None => PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/graphs"),
    };
    folder.is_dir().then_some(folder)
}

/// Finds paths by every strategy, with several widths of buckets, and proves that they are shortest and all the same.
pub fn check<W: Weight>(graph: &Graph<W>, source: u32) -> Paths<W> {
    let oracle = Sssp::from(source).strategy(Strategy::Dijkstra).predecessors().run(graph).unwrap();
    let mut ways = vec![Sssp::from(source), Sssp::from(source).strategy(Strategy::BellmanFord)];
    ways.extend([0.001, 1.0, 37.5, 1e4, 1e30].map(|delta| Sssp::from(source).delta(delta)));
    rules(graph, &oracle);
    for way in ways {
        let paths = way.predecessors().run(graph).unwrap();
        assert_eq!(paths.distances, oracle.distances, "{way:?}");
        assert_eq!(paths.predecessors, oracle.predecessors, "{way:?}");
        paths.verify(graph).unwrap();
    }
    oracle
}

/// The triangle rule and the predecessor rule, on every arc and vertex, as plainly as can be.
pub fn rules<W: Weight>(graph: &Graph<W>, paths: &Paths<W>) {
    let distance = |v: u32| paths.distances[v as usize];
    assert_eq!(distance(paths.source), W::default());
    for u in 0..graph.vertices() {
        for (v, weight) in graph.arcs_of(u) {
            assert!(distance(v) <= distance(u).plus(weight), "from {u} to {v}");
        }
    }
    for v in 0..graph.vertices() {
        let Some(path) = paths.to(v) else {
            assert_eq!(distance(v), W::UNREACHABLE);
            continue;
        };
        assert_eq!((path[0], path[path.len() - 1]), (paths.source, v));
        let mut sum = W::default();
        for step in path.windows(2) {
            let arcs = graph.arcs_of(step[0]).filter(|&(to, _)| to == step[1]);
            let lightest = arcs.map(|(_, weight)| weight).min_by(|a, b| a.partial_cmp(b).unwrap());
            sum = sum.plus(lightest.expect("an arc of the graph"));
        }
        assert_eq!(sum, distance(v), "the path to {v}");
    }
    paths.verify(graph).unwrap();
}

/// Graphs of every generator, small and a little larger.
pub fn all_edges() -> Vec<(String, EdgeList)> {
    let mut all = Vec::new();
    let mut add = |name: String, edges: multisplit_graph::Result<EdgeList>| all.push((name, edges.unwrap()));
    for n in [1, 2, 3, 10, 300] {
        add(format!("star of {n}"), generate::star(n));
        add(format!("path of {n}"), generate::path(n));
        add(format!("clique of {n}"), generate::clique(n.min(60)));
        for edges in [0, 1, u64::from(n), 8 * u64::from(n)] {
            add(format!("R-MAT {n}, {edges}"), generate::rmat(n, edges, [0.5, 0.1, 0.1, 0.3], edges));
            add(format!("Erdős–Rényi {n}, {edges}"), generate::erdos_renyi(n, edges, edges));
        }
    }
    for (width, height) in [(1, 1), (1, 50), (7, 9), (40, 30)] {
        add(format!("grid of {width} by {height}"), generate::grid(width, height));
    }
    add("larger R-MAT".into(), generate::rmat(5000, 60_000, [0.57, 0.19, 0.19, 0.05], 3));
    add("larger star".into(), generate::star(20_000));
    add("larger path".into(), generate::path(1000));
    all
}
