//! Times every strategy, on a graph from a file or on the R-MAT graph of the paper.
//!
//! `cargo run --release --example strategies -p multisplit-graph [FILE]`

use multisplit_graph::read::GraphReader;
use multisplit_graph::{AnyGraph, Direction, Graph, Result, Sssp, Strategy, Weight, generate};

fn main() -> Result<()> {
    let graph = match std::env::args().nth(1) {
        Some(path) => GraphReader::new().seed(1).open(path)?.graph,
        None => {
            let edges = generate::rmat(800_000, 4_800_000, [0.5, 0.1, 0.1, 0.3], 1)?.random_weights(0..=1000, 1);
            AnyGraph::U32(Graph::new(&edges, Direction::Undirected)?)
        }
    };
    println!("{} vertices, {} arcs, {} weights", graph.vertices(), graph.arcs(), graph.weight_name());
    match &graph {
        AnyGraph::U32(graph) => compare(graph),
        AnyGraph::F32(graph) => compare(graph),
    }
}

fn compare<W: Weight>(graph: &Graph<W>) -> Result<()> {
    // Where most arcs are: such a vertex is hardly ever cut off from the rest.
    let source = (0..graph.vertices()).max_by_key(|&v| graph.degree(v)).unwrap_or_default();
    let expected = Sssp::from(source).strategy(Strategy::Dijkstra).run(graph)?.distances;
    for strategy in Strategy::ON_CPU {
        let mut runs = (0..5)
            .map(|_| Sssp::from(source).strategy(strategy).predecessors().run(graph))
            .collect::<Result<Vec<_>>>()?;
        runs.sort_by_key(|paths| paths.time);
        let paths = &runs[runs.len() / 2];
        paths.verify(graph)?;
        assert!(paths.distances == expected, "{strategy} differs from Dijkstra");
        println!(
            "{strategy:<14} {:>9.2} ms {:>8.1} MTEPS {:>8} iterations {:>6.2} times all arcs, predecessors {:.1} ms",
            1e3 * paths.time.as_secs_f64(),
            1e-6 * paths.teps(graph),
            paths.iterations,
            paths.relaxed as f64 / graph.arcs() as f64,
            1e3 * paths.tree_time.as_secs_f64()
        );
    }
    Ok(())
}
