//! Every format: tiny files of the repository, as they are and compressed, and the binary form.

mod binary;
mod compressed;
mod malformed;
mod text;

use crate::common::{check, data, real_graphs};
use multisplit_graph::read::{Format, GraphReader, Labels, Loaded, Progress};
use multisplit_graph::{AnyGraph, Graph, Sssp, Strategy, Weight};

/// Arcs as the file calls their ends.
fn arcs<W: Weight>(graph: &Graph<W>, labels: &Labels) -> Vec<(u64, u64, W)> {
    let label = |v| labels.label(v).unwrap();
    let of = |v| graph.arcs_of(v).map(move |(to, weight)| (label(v), label(to), weight));
    (0..graph.vertices()).flat_map(of).collect()
}

fn u32_arcs(loaded: &Loaded) -> Vec<(u64, u64, u32)> {
    let AnyGraph::U32(graph) = &loaded.graph else { panic!("weights should be integers") };
    arcs(graph, &loaded.labels)
}

fn f32_arcs(loaded: &Loaded) -> Vec<(u64, u64, f32)> {
    let AnyGraph::F32(graph) = &loaded.graph else { panic!("weights should be real numbers") };
    arcs(graph, &loaded.labels)
}

fn open(name: &str) -> Loaded {
    GraphReader::new().open(data(name)).unwrap()
}

const FILES: [(&str, Format); 7] = [
    ("tiny.mtx", Format::MatrixMarket),
    ("tiny-general.mtx", Format::MatrixMarket),
    ("tiny-pattern.mtx", Format::MatrixMarket),
    ("tiny-sp.gr", Format::Dimacs),
    ("tiny-tw.gr", Format::Pace),
    ("tiny-snap.txt", Format::EdgeList),
    ("tiny-weighted.txt", Format::EdgeList),
];

#[test]
fn progress_counts_the_bytes_of_the_file() {
    let mut seen: Vec<Progress> = Vec::new();
    let mut note = |progress| seen.push(progress);
    GraphReader::new().progress(&mut note).open(data("tiny-sp.gr.xz")).unwrap();
    let size = std::fs::metadata(data("tiny-sp.gr.xz")).unwrap().len();
    assert_eq!(seen.last(), Some(&Progress { bytes: size, total: Some(size) }));
    assert!(seen.is_sorted_by_key(|progress| progress.bytes));
}

#[test]
fn tiny_files_have_shortest_paths() {
    for (name, _) in FILES {
        match open(name).graph {
            AnyGraph::U32(graph) => drop(check(&graph, 0)),
            AnyGraph::F32(graph) => drop(check(&graph, 0)),
        }
    }
    let loaded = open("tiny.mtx");
    let AnyGraph::F32(graph) = &loaded.graph else { panic!() };
    let paths = check(graph, loaded.labels.find(1).unwrap());
    assert_eq!(paths.distances, [0.0, 0.5, 1.5, 1.6, f32::INFINITY]);
}

#[test]
fn real_graphs_where_they_are() {
    let Some(folder) = real_graphs() else {
        println!("left out: no folder of real graphs; MULTISPLIT_GRAPHS can name one");
        return;
    };
    for (name, vertices, arcs) in [
        ("rome99.gr", 3353, 8870),
        ("road-ny.gr.xz", 264_346, 730_100),
        ("road-fla.gr.xz", 1_070_376, 2_687_902),
        ("email-enron.txt.gz", 36_692, 367_662),
    ] {
        if !folder.join(name).exists() {
            println!("left out: {name} is not there");
            continue;
        }
        let loaded = GraphReader::new().open(folder.join(name)).unwrap();
        assert_eq!((loaded.graph.vertices(), loaded.graph.arcs()), (vertices, arcs), "{name}");
        let AnyGraph::U32(graph) = &loaded.graph else { panic!("{name}") };
        let expected = Sssp::from(0).strategy(Strategy::Dijkstra).run(graph).unwrap().distances;
        for strategy in Strategy::ON_CPU {
            let paths = Sssp::from(0).strategy(strategy).predecessors().run(graph).unwrap();
            assert_eq!(paths.distances, expected, "{name}, {strategy}");
            paths.verify(graph).unwrap();
        }
    }
}
