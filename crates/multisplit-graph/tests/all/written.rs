//! Graphs that are written as text, and read again.

use crate::common::data;
use multisplit_graph::read::{Format, GraphReader, Labels, Loaded};
use multisplit_graph::write::GraphWriter;
use multisplit_graph::{AnyGraph, Direction, EdgeList, Error, Graph, generate};

fn text(writer: GraphWriter, graph: &AnyGraph, labels: &Labels) -> Result<Vec<u8>, Error> {
    let mut text = Vec::new();
    writer.write(graph, labels, &mut text).map(|()| text)
}

fn read(text: &[u8]) -> Loaded {
    GraphReader::new().read(text).unwrap()
}

/// Graphs of both types of weights, one way and both, with loops, parallel arcs and vertices that have none.
fn graphs() -> Vec<(AnyGraph, Labels)> {
    let mut all = Vec::new();
    for edges in [generate::rmat(90, 400, [0.5, 0.1, 0.1, 0.3], 1), generate::grid(5, 6), generate::path(2)] {
        let edges = edges.unwrap().random_weights(0..=u32::MAX, 5);
        for direction in [Direction::Directed, Direction::Undirected] {
            let graph = Graph::new(&edges, direction).unwrap();
            let labels = Labels::from(1, graph.vertices());
            let reals = graph.map_weights(|weight| f32::from_bits(weight >> 2)).unwrap();
            let whole = graph.map_weights(|weight| (weight % 9) as f32).unwrap();
            all.extend([AnyGraph::U32(graph), AnyGraph::F32(reals), AnyGraph::F32(whole)].map(|g| (g, labels.clone())));
        }
    }
    for name in ["tiny.mtx", "tiny-general.mtx", "tiny-sp.gr", "tiny-snap.txt", "tiny-weighted.txt"] {
        let loaded = GraphReader::new().open(data(name)).unwrap();
        all.push((loaded.graph, loaded.labels));
    }
    all
}

#[test]
fn what_is_written_is_read_back() {
    for (graph, labels) in graphs() {
        for format in [Format::MatrixMarket, Format::Dimacs, Format::Binary] {
            let again = read(&text(GraphWriter::new(format), &graph, &labels).unwrap());
            assert_eq!((again.format, &again.graph), (format, &graph));
            let expected = if format == Format::Binary { labels.clone() } else { Labels::from(1, graph.vertices()) };
            assert_eq!(again.labels, expected);
        }
        for separator in [b' ', b'\t', b','] {
            let writer = GraphWriter::new(Format::EdgeList).separator(separator);
            let again = read(&text(writer, &graph, &labels).unwrap());
            assert_eq!(again.format, Format::EdgeList);
            // The same arcs by name: vertices without an edge are left out.
            assert_eq!(arcs(&again.graph, &again.labels), arcs(&graph, &labels));
            assert_eq!(again.graph.weight_name(), graph.weight_name());
        }
    }
}

/// Arcs as they are called, with the bits of their weights.
fn arcs(graph: &AnyGraph, labels: &Labels) -> Vec<(u64, u64, u32)> {
    let mut all = Vec::new();
    for v in 0..graph.vertices() {
        for arc in graph.offsets()[v as usize] as usize..graph.offsets()[v as usize + 1] as usize {
            let weight = match graph {
                AnyGraph::U32(graph) => graph.weights()[arc],
                AnyGraph::F32(graph) => graph.weights()[arc].to_bits(),
            };
            all.push((labels.label(v).unwrap(), labels.label(graph.targets()[arc]).unwrap(), weight));
        }
    }
    all
}

#[test]
fn each_format_in_full() {
    let edges = EdgeList::weighted(4, vec![[0, 1], [1, 1], [2, 0]], vec![7u32, 8, 9]).unwrap();
    let both = AnyGraph::U32(Graph::new(&edges, Direction::Undirected).unwrap());
    let one = AnyGraph::U32(Graph::new(&edges, Direction::Directed).unwrap());
    let of = |format, graph: &AnyGraph| {
        String::from_utf8(text(GraphWriter::new(format), graph, &Labels::from(10, 4)).unwrap()).unwrap()
    };
    let market = "%%MatrixMarket matrix coordinate integer";
    assert_eq!(of(Format::MatrixMarket, &both), format!("{market} symmetric\n4 4 3\n2 1 7\n3 1 9\n2 2 8\n"));
    assert_eq!(of(Format::MatrixMarket, &one), format!("{market} general\n4 4 3\n1 2 7\n2 2 8\n3 1 9\n"));
    assert_eq!(of(Format::Dimacs, &both), "p sp 4 5\na 1 2 7\na 1 3 9\na 2 1 7\na 2 2 8\na 3 1 9\n");
    assert_eq!(of(Format::Pace, &both), "p tw 4 3\n1 2\n1 3\n2 2\n");
    let list = "# Undirected graph: 4 vertices, 3 edges\n10 11 7\n10 12 9\n11 11 8\n";
    assert_eq!(of(Format::EdgeList, &both), list);
    let list = "# Directed graph: 4 vertices, 3 edges\n10 11 7\n11 11 8\n12 10 9\n";
    assert_eq!(of(Format::EdgeList, &one), list);
    let directed = GraphWriter::new(Format::MatrixMarket).direction(Direction::Directed);
    let again = read(&text(directed, &both, &Labels::from(0, 4)).unwrap());
    assert_eq!((again.graph, again.direction), (both, Some(Direction::Directed)));
}

#[test]
fn what_a_format_does_not_hold_is_refused() {
    let edges = EdgeList::weighted(3, vec![[0, 1]], vec![0.5f32]).unwrap();
    let graph = AnyGraph::F32(Graph::new(&edges, Direction::Directed).unwrap());
    let nothing = AnyGraph::U32(Graph::from_csr(vec![0, 0], vec![], vec![]).unwrap());
    let undirected = "its edges are undirected, but not every arc has one back of the same weight";
    let both = GraphWriter::new(Format::MatrixMarket).direction(Direction::Undirected);
    for (writer, graph, labels, message) in [
        (GraphWriter::new(Format::Pace), &graph, 3, format!("the format pace cannot hold this graph: {undirected}")),
        (both, &graph, 3, format!("the format matrix-market cannot hold this graph: {undirected}")),
        (
            GraphWriter::new(Format::EdgeList),
            &nothing,
            1,
            "the format edge-list cannot hold this graph: an edge list has at least one edge".into(),
        ),
        (
            GraphWriter::new(Format::Dimacs),
            &graph,
            2,
            "the format dimacs cannot hold this graph: there are 2 labels for 3 vertices".into(),
        ),
    ] {
        let error = text(writer, graph, &Labels::from(0, labels)).unwrap_err();
        assert_eq!(error.to_string(), message);
    }
    let empty = text(GraphWriter::new(Format::MatrixMarket), &nothing, &Labels::from(0, 1)).unwrap();
    assert_eq!(read(&empty).graph, AnyGraph::U32(Graph::from_csr(vec![0, 0], vec![], vec![]).unwrap()));
}
