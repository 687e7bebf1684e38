//! Text formats: by the content of a file, by what the reader is given, and by the name.

use super::{f32_arcs, open, u32_arcs};
use crate::common::data;
use crate::common::files::{file, gzip, write};
use multisplit_graph::read::{DirectionSource, Format, GraphReader, Weights};
use multisplit_graph::{AnyGraph, Direction, Error};

#[test]
fn matrix_market() {
    let real = open("tiny.mtx");
    assert_eq!((real.format, real.graph.vertices(), real.weights), (Format::MatrixMarket, 5, Weights::File));
    let expected = [
        (1, 2, 0.5),
        (1, 3, 2.25),
        (2, 1, 0.5),
        (2, 3, 1.0),
        (3, 1, 2.25),
        (3, 2, 1.0),
        (3, 4, 0.1),
        (4, 3, 0.1),
        (4, 4, 7.0),
    ];
    assert_eq!(f32_arcs(&real), expected);
    let integer = open("tiny-general.mtx");
    assert_eq!(u32_arcs(&integer), [(1, 2, 10), (1, 3, 11), (2, 1, 3), (2, 3, 0), (4, 1, 5)]);
    let pattern = open("tiny-pattern.mtx");
    assert!(pattern.weights == Weights::Random && u32_arcs(&pattern).iter().all(|&(_, _, weight)| weight <= 1000));
}

#[test]
fn dimacs_and_pace() {
    let dimacs = open("tiny-sp.gr");
    assert_eq!(dimacs.format, Format::Dimacs);
    assert_eq!(u32_arcs(&dimacs), [(1, 2, 4), (1, 2, 7), (2, 3, 0), (3, 1, 9), (4, 1, 1)]);
    let pace = open("tiny-tw.gr");
    assert_eq!((pace.format, pace.weights), (Format::Pace, Weights::Random));
    let ends: Vec<_> = u32_arcs(&pace).iter().map(|&(from, to, _)| (from, to)).collect();
    assert_eq!(ends, [(1, 2), (1, 3), (1, 4), (2, 1), (2, 3), (3, 1), (3, 2), (3, 4), (4, 1), (4, 3)]);
    for &(from, to, weight) in &u32_arcs(&pace) {
        assert!(u32_arcs(&pace).contains(&(to, from, weight)), "back as there");
    }
}

#[test]
fn edge_lists() {
    let snap = open("tiny-snap.txt");
    let (a, b, c, d) = (12, 400, 1_000_000_007, 5_000_000_000_000);
    let ends: Vec<_> = u32_arcs(&snap).iter().map(|&(from, to, _)| (from, to)).collect();
    assert_eq!((snap.format, ends), (Format::EdgeList, vec![(a, b), (b, c), (b, d), (c, a)]));
    assert_eq!([a, b, c, d, 13].map(|label| snap.labels.find(label)), [Some(0), Some(1), Some(2), Some(3), None]);
    let weighted = open("tiny-weighted.txt");
    assert_eq!(f32_arcs(&weighted), [(0, 1, 3.0), (0, 2, 7.5), (1, 2, 4.0)]);
    let read = |text: &str| GraphReader::new().read(text.as_bytes()).unwrap();
    assert_eq!(u32_arcs(&read("7,8,1\r\n8 , 9 , 2\r\n\n  9\t7\t3")), [(7, 8, 1), (8, 9, 2), (9, 7, 3)]);
}

#[test]
fn what_the_reader_is_told_counts() {
    let text = "1 2 5\n2 3 6\n";
    let both = GraphReader::new().direction(Direction::Undirected).read(text.as_bytes()).unwrap();
    assert_eq!(u32_arcs(&both), [(1, 2, 5), (2, 1, 5), (2, 3, 6), (3, 2, 6)]);
    let one_way = GraphReader::new().direction(Direction::Directed).open(data("tiny-tw.gr")).unwrap();
    assert_eq!(one_way.graph.arcs(), 5);
    let seeds = [1, 1, 2].map(|seed| GraphReader::new().seed(seed).open(data("tiny-tw.gr")).unwrap());
    assert!(seeds[0] == seeds[1] && seeds[0] != seeds[2]);
    let error = GraphReader::new().format(Format::Dimacs).open(data("tiny-tw.gr")).unwrap_err();
    assert_eq!(error.to_string(), "line 2: a dimacs file begins with 'p sp vertices edges'");
}

#[test]
fn the_name_decides_where_the_content_does_not() {
    for (name, message) in [
        ("empty.mtx", "line 1: the file is empty; a Matrix Market file begins with '%%MatrixMarket'"),
        ("empty.gr", "line 1: the file is empty; a dimacs file begins with 'p sp vertices edges'"),
        ("empty.what", "the file is empty; a graph was expected, in one of these formats: binary, matrix-market"),
        (
            "blank.what",
            "the format cannot be told from the content or the name; say which it is: binary, matrix-market",
        ),
    ] {
        let path = write(name, if name.starts_with("blank") { "\n\n" } else { "" });
        let error = GraphReader::new().open(path).unwrap_err();
        assert!(error.to_string().starts_with(message), "{name}: {error}");
    }
    let missing = GraphReader::new().open(file("is not there")).unwrap_err();
    assert!(matches!(missing, Error::Io { kind: std::io::ErrorKind::NotFound, .. }), "{missing}");
    assert!(missing.to_string().contains("is not there"), "{missing}");
}

/// A file that has lost its header would be another graph, if it were taken for an edge list.
#[test]
fn headers_are_not_optional_where_the_name_promises_one() {
    let rest = "if this is an edge list, name that as its format";
    let market = "the header is missing: a Matrix Market file begins with a line such as '%%MatrixMarket matrix";
    let dimacs = "the header is missing: a dimacs file begins with 'p sp vertices edges'";
    for (name, text, message) in [
        ("headless.mtx", "3 3 2\n1 2 5\n2 3 6\n", format!("line 1: {market}")),
        ("headless-comment.mtx", "% rows\n\n1 2\n2 3\n", format!("line 1: {market}")),
        ("headless.gr", "1 2\n2 3\n", format!("line 1: {dimacs}")),
        ("headless-arcs.gr", "c arcs\na 1 2 5\n", format!("line 2: {dimacs}")),
    ] {
        let path = write(name, text);
        let error = GraphReader::new().open(&path).unwrap_err().to_string();
        assert!(error.starts_with(&message) && error.ends_with(rest), "{name}: {error}");
        let packed = write(&format!("{name}.gz"), gzip(text.as_bytes()));
        assert_eq!(GraphReader::new().open(packed).unwrap_err().to_string(), error);
    }
    let named = GraphReader::new().format(Format::EdgeList).open(file("headless.gr")).unwrap();
    assert_eq!((named.graph.vertices(), named.graph.arcs()), (3, 2));
    // What the content says for certain counts more than a name.
    let other = write("other.mtx", "p sp 2 1\na 1 2 7\n");
    assert_eq!(GraphReader::new().open(other).unwrap().format, Format::Dimacs);
}

#[test]
fn the_direction_and_what_says_it() {
    let of = |loaded: multisplit_graph::read::Loaded| (loaded.direction, loaded.direction_source);
    let (one, both) = (Some(Direction::Directed), Some(Direction::Undirected));
    for (name, expected) in [
        ("tiny.mtx", (both, DirectionSource::Header)),
        ("tiny-general.mtx", (one, DirectionSource::Header)),
        ("tiny-sp.gr", (one, DirectionSource::Format)),
        ("tiny-tw.gr", (both, DirectionSource::Format)),
        ("tiny-snap.txt", (one, DirectionSource::Format)),
    ] {
        assert_eq!(of(open(name)), expected, "{name}");
        let asked = GraphReader::new().direction(Direction::Directed).open(data(name)).unwrap();
        assert_eq!(of(asked), (one, DirectionSource::Caller), "{name}");
    }
    let read = |text: &str| GraphReader::new().read(text.as_bytes()).unwrap();
    let snap = read("# Undirected graph: ../com-x.txt\n# FromNodeId ToNodeId\n1 2 5\n");
    assert_eq!((u32_arcs(&snap), of(snap)), (vec![(1, 2, 5), (2, 1, 5)], (both, DirectionSource::Header)));
    for text in ["# Directed graph (each unordered pair is saved once)\n1 2 5\n", "1 2 5\n# undirected graph\n"] {
        assert_eq!(of(read(text)), (one, DirectionSource::Format), "{text}");
    }
    let mut binary = Vec::new();
    let graph = open("tiny.mtx");
    graph.graph.write(&graph.labels, &mut binary).unwrap();
    assert_eq!(of(GraphReader::new().read(&binary[..]).unwrap()), (None, DirectionSource::Arcs));
    let error = GraphReader::new().direction(Direction::Undirected).read(&binary[..]).unwrap_err();
    assert_eq!(error, Error::NoDirection);
}

#[test]
fn weights_from_where_the_reader_is_told() {
    for name in ["tiny.mtx", "tiny-general.mtx", "tiny-tw.gr", "tiny-snap.txt"] {
        let plain = open(name);
        let mut binary = Vec::new();
        plain.graph.write(&plain.labels, &mut binary).unwrap();
        let has_none = plain.weights == Weights::Random;
        for weights in Weights::ALL {
            let reader = || GraphReader::new().seed(3).weights(weights);
            let again = reader().read(&binary[..]).unwrap();
            assert_eq!(again.weights, weights);
            match reader().open(data(name)) {
                Ok(loaded) => {
                    assert_eq!(loaded.weights, weights);
                    // Drawn by the ends alone, so that it does not matter what they are drawn for.
                    assert_eq!(loaded.graph, again.graph, "{name}, {weights}");
                    let ones = matches!(&loaded.graph, AnyGraph::U32(graph) if graph.weights().iter().all(|&w| w == 1));
                    assert_eq!(ones, weights == Weights::Unit, "{name}");
                }
                Err(error) => assert!(has_none && weights == Weights::File && error == Error::NoWeights, "{error}"),
            }
        }
    }
}
