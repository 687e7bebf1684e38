//! Every format: tiny files of the repository, as they are and compressed, and the binary form.

use crate::common::{check, data, real_graphs};
use multisplit_graph::read::{Compression, Format, GraphReader, Labels, Loaded, Progress};
use multisplit_graph::{AnyGraph, Direction, EdgeList, Error, Graph, Sssp, Strategy, Weight};
use std::io::Write;

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

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn xz(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = lzma_rust2::XzWriter::new(Vec::new(), lzma_rust2::XzOptions::with_preset(3)).unwrap();
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
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
fn matrix_market() {
    let real = open("tiny.mtx");
    assert_eq!((real.format, real.graph.vertices(), real.random_weights), (Format::MatrixMarket, 5, false));
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
    assert!(pattern.random_weights && u32_arcs(&pattern).iter().all(|&(_, _, weight)| weight <= 1000));
}

#[test]
fn dimacs_and_pace() {
    let dimacs = open("tiny-sp.gr");
    assert_eq!(dimacs.format, Format::Dimacs);
    assert_eq!(u32_arcs(&dimacs), [(1, 2, 4), (1, 2, 7), (2, 3, 0), (3, 1, 9), (4, 1, 1)]);
    let pace = open("tiny-tw.gr");
    assert_eq!((pace.format, pace.random_weights), (Format::Pace, true));
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
fn compressed_files_are_the_same() {
    assert_eq!(open("tiny-snap.txt.gz"), Loaded { compression: Compression::Gzip, ..open("tiny-snap.txt") });
    assert_eq!(open("tiny-sp.gr.xz"), Loaded { compression: Compression::Xz, ..open("tiny-sp.gr") });
    for (name, format) in FILES {
        let bytes = std::fs::read(data(name)).unwrap();
        let plain = GraphReader::new().read(&bytes[..]).unwrap();
        assert_eq!((plain.format, plain.compression), (format, Compression::None), "{name}");
        let mut binary = Vec::new();
        plain.graph.write(&plain.labels, &mut binary).unwrap();
        for (bytes, format) in [(bytes, format), (binary, Format::Binary)] {
            for (packed, compression) in [(gzip(&bytes), Compression::Gzip), (xz(&bytes), Compression::Xz)] {
                let read = GraphReader::new().read(&packed[..]).unwrap();
                assert_eq!((&read.graph, &read.labels), (&plain.graph, &plain.labels), "{name}");
                assert_eq!((read.format, read.compression), (format, compression), "{name}");
                // Where it is cut off, something is missing.
                for cut in 0..packed.len() {
                    assert!(GraphReader::new().read(&packed[..cut]).is_err(), "{name}, {compression}, {cut} bytes");
                }
            }
        }
    }
}

#[test]
fn damaged_compression_is_said() {
    let text = "1 2\n".repeat(5000);
    for mut packed in [gzip(text.as_bytes()), xz(text.as_bytes())] {
        let half = packed.len() / 2;
        let cut = GraphReader::new().read(&packed[..half]).unwrap_err();
        assert!(matches!(cut, Error::BadCompression { .. }), "{cut}");
        assert!(cut.to_string().contains("is damaged or ends too early"), "{cut}");
        packed[half] ^= 0x55;
        let damaged = GraphReader::new().read(&packed[..]).unwrap_err();
        assert!(matches!(damaged, Error::BadCompression { .. } | Error::MalformedLine { .. }), "{damaged}");
    }
}

#[test]
fn the_name_decides_where_the_content_does_not() {
    let folder = std::path::PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    for (name, message) in [
        ("empty.mtx", "line 1: the file is empty; a Matrix Market file begins with '%%MatrixMarket'"),
        ("empty.gr", "line 1: the file is empty; a dimacs file begins with 'p sp vertices edges'"),
        ("empty.what", "the file is empty; a graph was expected, in one of these formats: binary, matrix-market"),
        (
            "blank.what",
            "the format cannot be told from the content or the name; say which it is: binary, matrix-market",
        ),
    ] {
        std::fs::write(folder.join(name), if name.starts_with("blank") { "\n\n" } else { "" }).unwrap();
        let error = GraphReader::new().open(folder.join(name)).unwrap_err();
        assert!(error.to_string().starts_with(message), "{name}: {error}");
    }
    let missing = GraphReader::new().open(folder.join("is not there")).unwrap_err();
    assert!(matches!(missing, Error::Io { kind: std::io::ErrorKind::NotFound, .. }), "{missing}");
    assert!(missing.to_string().contains("is not there"), "{missing}");
}

#[test]
fn malformed_lines_are_named() {
    let mtx = "%%MatrixMarket matrix coordinate";
    let cases = [
        (format!("{mtx} real general\n2 2 1\n1 2 -1\n"), "line 3: the weight -1 is not a finite number from 0 on"),
        (format!("{mtx} real general\n2 2 1\n1 2 nan\n"), "line 3: the weight nan is not a finite number from 0 on"),
        (format!("{mtx} real general\n2 2 1\n1 2 1e99\n"), "line 3: the weight 1e99 is not a finite number"),
        (format!("{mtx} real general\n2 2 1\n1 2 x\n"), "line 3: the weight must be a number, not 'x'"),
        (format!("{mtx} real general\n2 2 1\n1 2\n"), "line 3: the weight is missing"),
        (format!("{mtx} real general\n2 2 1\n1 2 3 4\n"), "line 3: '4' is one field too many"),
        (format!("{mtx} integer general\n2 2 1\n1 2 1.5\n"), "line 3: the weight 1.5 is no integer"),
        (
            format!("{mtx} integer general\n2 2 1\n1 2 4294967296\n"),
            "line 3: the weight 4294967296 is beyond 4294967295",
        ),
        (format!("{mtx} pattern general\n2 2 1\n1 3\n"), "line 3: vertex 3 is not from 1 to 2, as the header says"),
        (format!("{mtx} pattern general\n2 2 1\n0 1\n"), "line 3: vertex 0 is not from 1 to 2"),
        (format!("{mtx} pattern general\n2 3 1\n1 2\n"), "line 2: the matrix of a graph is square, but this is 2 by 3"),
        (
            format!("{mtx} pattern general\n2 2 1\n1 2\n2 1\n"),
            "line 4: the header announces 1 entries, but here is one more",
        ),
        (
            format!("{mtx} pattern general\n2 2 2\n1 2\n"),
            "the file is truncated: its header announces 2 entries, but it ends after 1 (line 3)",
        ),
        (format!("{mtx} pattern general\n% only\n"), "line 2: the file ends before the size"),
        (format!("{mtx} complex general\n"), "line 1: entries must be pattern, integer or real, not 'complex'"),
        (format!("{mtx} real hermitian\n"), "line 1: the matrix must be general or symmetric, not 'hermitian'"),
        ("%%MatrixMarket matrix array real general\n".into(), "line 1: only 'coordinate' matrices"),
        ("%%MatrixMarket vector coordinate real general\n".into(), "line 1: a Matrix Market file begins with"),
        ("p sp 2 1\na 1 3 5\n".into(), "line 2: vertex 3 is not from 1 to 2, as the header says"),
        ("p sp 2 1\na 1 2 -5\n".into(), "line 2: the weight -5 is not a finite number from 0 on"),
        ("p sp 2 1\na 1 2\n".into(), "line 2: the weight is missing"),
        ("p sp 2 1\nc fine\n\nb 1 2 3\n".into(), "line 4: arcs are 'a u v w', but this begins with 'b'"),
        (
            "p sp 2 2\na 1 2 3\n".into(),
            "the file is truncated: its header announces 2 edges, but it ends after 1 (line 2)",
        ),
        ("p sp 2 0\na 1 2 3\n".into(), "line 2: the header announces 0 edges, but here is one more"),
        ("p sp 2\n".into(), "line 1: the number of edges is missing"),
        ("p sp -2 1\n".into(), "line 1: the number of vertices must be a whole number from 0 on, not '-2'"),
        ("p sp 4294967296 1\n".into(), "4294967296 vertices are too many"),
        ("p tw 3 1\n1 2 3\n".into(), "line 2: '3' is one field too many"),
        ("p tw 3 1\n1 99999999999999999999999\n".into(), "line 2: a vertex is beyond 18446744073709551615"),
        ("1 2\n3\n".into(), "line 2: a vertex is missing"),
        ("1 2\n3 x\u{1}\n".into(), "line 2: a vertex must be a whole number from 0 on, not 'x\\u{1}'"),
        ("# c\n1 2 3\n1 2\n".into(), "line 3: this edge has no weight, but those before it have one"),
        ("1 2\n1 2 3\n".into(), "line 2: this edge has a weight, but those before it have none"),
        ("1 2 3 4\n".into(), "line 1: '4' is one field too many"),
        (format!("1 2\n{}\n", "7".repeat(70_000)), "line 2: it is longer than 65536 bytes"),
        ("hello\n".into(), "the format cannot be told"),
    ];
    for (text, message) in cases {
        for packed in [text.as_bytes().to_vec(), gzip(text.as_bytes()), xz(text.as_bytes())] {
            let error = GraphReader::new().read(&packed[..]).unwrap_err().to_string();
            assert!(error.starts_with(message), "{text}: {error}");
        }
    }
}

#[test]
fn progress_counts_the_bytes_of_the_file() {
    let mut seen: Vec<Progress> = Vec::new();
    let mut note = |progress| seen.push(progress);
    GraphReader::new().progress(&mut note).open(data("tiny-sp.gr.xz")).unwrap();
    let size = std::fs::metadata(data("tiny-sp.gr.xz")).unwrap().len();
    assert_eq!(seen.last(), Some(&Progress { bytes: size, total: Some(size) }));
    assert!(seen.is_sorted_by_key(|progress| progress.bytes));
}

/// Binary graphs of both kinds of weights and of labels.
fn binaries() -> Vec<Vec<u8>> {
    let write = |loaded: Loaded| {
        let mut bytes = Vec::new();
        loaded.graph.write(&loaded.labels, &mut bytes).unwrap();
        bytes
    };
    ["tiny.mtx", "tiny-general.mtx", "tiny-snap.txt"].map(|name| write(open(name))).into()
}

#[test]
fn binary_graphs_come_back() {
    for (name, _) in FILES {
        let loaded = open(name);
        let path = std::path::PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.bin"));
        loaded.graph.save(&loaded.labels, &path).unwrap();
        let again = GraphReader::new().open(&path).unwrap();
        assert_eq!((again.graph, again.labels, again.format), (loaded.graph, loaded.labels, Format::Binary));
    }
    let nothing = AnyGraph::U32(Graph::from_csr(vec![0], vec![], vec![]).unwrap());
    let mut bytes = Vec::new();
    nothing.write(&Labels::from(0, 0), &mut bytes).unwrap();
    assert_eq!(GraphReader::new().read(&bytes[..]).unwrap().graph, nothing);
    assert!(matches!(nothing.write(&Labels::from(0, 1), &mut bytes), Err(Error::InvalidBinary(_))));
    let nowhere = nothing.save(&Labels::from(0, 0), "/nowhere/at/all").unwrap_err();
    assert!(nowhere.to_string().starts_with("/nowhere/at/all: "), "{nowhere}");
}

#[test]
fn binary_graphs_cut_off_anywhere() {
    for bytes in binaries() {
        for end in 0..bytes.len() {
            let error = GraphReader::new().format(Format::Binary).read(&bytes[..end]).unwrap_err();
            let expected = format!("not a usable binary graph: it is truncated: it ends after {end} bytes");
            assert_eq!(error.to_string(), expected);
        }
        let longer = [&bytes[..], b"x"].concat();
        let error = GraphReader::new().read(&longer[..]).unwrap_err().to_string();
        assert!(error.ends_with(&format!("it goes on after its end, at byte {}", bytes.len())), "{error}");
    }
}

#[test]
fn binary_graphs_with_any_bit_changed() {
    for bytes in binaries() {
        for bit in 0..8 * bytes.len() {
            let mut changed = bytes.clone();
            changed[bit / 8] ^= 1 << (bit % 8);
            let error = GraphReader::new().format(Format::Binary).read(&changed[..]).unwrap_err();
            assert!(matches!(error, Error::InvalidBinary(_)), "bit {bit}: {error}");
        }
    }
}

#[test]
fn arrays_that_are_no_graph() {
    let bad = [
        (vec![], vec![], vec![]),
        (vec![0, 1], vec![], vec![]),
        (vec![1, 1], vec![0], vec![1.0]),
        (vec![0, 2, 1, 2], vec![0, 0], vec![1.0, 1.0]),
        (vec![0, 1], vec![1], vec![1.0]),
        (vec![0, 1], vec![0], vec![]),
    ];
    for (offsets, targets, weights) in bad {
        assert!(matches!(Graph::<f32>::from_csr(offsets, targets, weights), Err(Error::InvalidCsr(_))));
    }
    for weight in [-1.0, f32::NAN, f32::INFINITY] {
        let error = Graph::from_csr(vec![0, 1], vec![0], vec![weight]).unwrap_err();
        assert!(matches!(error, Error::InvalidWeight { edge: 0, .. }), "{error}");
        let error = EdgeList::weighted(2, vec![[0, 1]], vec![weight]).unwrap_err();
        assert!(matches!(error, Error::InvalidWeight { edge: 0, .. }), "{error}");
    }
    assert!(matches!(EdgeList::new(2, vec![[0, 1], [0, 2]]), Err(Error::VertexOutOfRange { edge: 1, to: 2, .. })));
    let few = EdgeList::weighted(2, vec![[0, 1]], Vec::<u32>::new());
    assert_eq!(few, Err(Error::LengthMismatch { weights: 0, edges: 1 }));
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
