//! Properties, on random graphs of random shape.

use crate::common::check;
use multisplit_graph::read::{Format, GraphReader, Labels};
use multisplit_graph::write::GraphWriter;
use multisplit_graph::{AnyGraph, Direction, EdgeList, Graph};
use proptest::prelude::*;

fn configuration() -> ProptestConfig {
    // Failures are printed; they need not be kept in a file.
    ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() }
}

/// Vertices, and edges among them.
fn edges() -> impl Strategy<Value = (u32, Vec<[u32; 2]>)> {
    (1u32..60).prop_flat_map(|n| (Just(n), prop::collection::vec([0..n, 0..n], 0..200)))
}

fn direction(undirected: bool) -> Direction {
    if undirected { Direction::Undirected } else { Direction::Directed }
}

proptest! {
    #![proptest_config(configuration())]

    #[test]
    fn all_strategies_agree((n, ends) in edges(), most in 0u32..2000, seed: u64, undirected: bool) {
        let edges = EdgeList::new(n, ends).unwrap().random_weights(0..=most, seed);
        let graph = Graph::new(&edges, direction(undirected)).unwrap();
        check(&graph, seed as u32 % n);
    }

    #[test]
    fn all_strategies_agree_on_real_weights((n, ends) in edges(), weights in prop::collection::vec(0f32..1e6, 200), undirected: bool) {
        let weights = weights[..ends.len()].to_vec();
        let graph = Graph::new(&EdgeList::weighted(n, ends, weights).unwrap(), direction(undirected)).unwrap();
        check(&graph, n - 1);
    }

    #[test]
    fn the_order_of_edges_does_not_matter((n, mut ends) in edges(), seed: u64, undirected: bool) {
        let graph = |ends: &[[u32; 2]]| {
            let edges = EdgeList::new(n, ends.to_vec()).unwrap().random_weights(0..=50, seed);
            Graph::new(&edges, direction(undirected)).unwrap()
        };
        let forward = graph(&ends);
        ends.reverse();
        prop_assert_eq!(forward, graph(&ends));
    }

    #[test]
    fn text_and_binary_come_back((n, ends) in edges(), seed: u64) {
        let edges = EdgeList::new(n, ends.clone()).unwrap().random_weights(0..=u32::MAX, seed);
        let graph = AnyGraph::U32(Graph::new(&edges, Direction::Directed).unwrap());
        let mut text = format!("p sp {n} {}\n", ends.len());
        for ([u, v], weight) in ends.iter().zip(edges.weights()) {
            text += &format!("a {} {} {weight}\n", u + 1, v + 1);
        }
        let read = GraphReader::new().read(text.as_bytes()).unwrap();
        prop_assert_eq!(&read.graph, &graph);
        let mut binary = Vec::new();
        graph.write(&Labels::from(1, n), &mut binary).unwrap();
        let again = GraphReader::new().read(&binary[..]).unwrap();
        prop_assert_eq!((again.graph, again.labels), (read.graph, read.labels));
    }

    #[test]
    fn written_graphs_come_back((n, ends) in edges(), bits in prop::collection::vec(0..0x7f80_0000u32, 200), undirected: bool) {
        prop_assume!(!ends.is_empty());
        let bits = bits[..ends.len()].to_vec();
        let reals = bits.iter().map(|&bits| f32::from_bits(bits)).collect();
        let integers = EdgeList::weighted(n, ends.clone(), bits).unwrap();
        let reals = EdgeList::weighted(n, ends, reals).unwrap();
        let direction = direction(undirected);
        for graph in [
            AnyGraph::U32(Graph::new(&integers, direction).unwrap()),
            AnyGraph::F32(Graph::new(&reals, direction).unwrap()),
        ] {
            for format in [Format::MatrixMarket, Format::Dimacs, Format::Binary] {
                for writer in [GraphWriter::new(format), GraphWriter::new(format).direction(direction)] {
                    let mut text = Vec::new();
                    writer.write(&graph, &Labels::from(1, n), &mut text).unwrap();
                    let again = GraphReader::new().read(&text[..]).unwrap();
                    prop_assert_eq!((&again.graph, again.labels), (&graph, Labels::from(1, n)));
                }
            }
        }
    }

    #[test]
    fn rubbish_is_never_more_than_an_error(bytes in prop::collection::vec(any::<u8>(), 0..300), text in "[pacsptw0-9 .\n#%-]{0,200}") {
        let _ = GraphReader::new().read(&bytes[..]);
        let _ = GraphReader::new().read(text.as_bytes());
        for format in Format::ALL {
            let _ = GraphReader::new().format(format).read(&bytes[..]);
        }
    }
}
