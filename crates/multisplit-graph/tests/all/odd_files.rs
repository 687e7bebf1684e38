//! Files that are odd, but tell what they mean; and files that say nothing, or too much.

use crate::common::files::{checksum, write};
use multisplit_graph::read::{Format, GraphReader, Labels, Loaded};
use multisplit_graph::{AnyGraph, Error, Graph};
use std::io::Write;

fn read(text: &str) -> Loaded {
    GraphReader::new().read(text.as_bytes()).unwrap()
}

fn error(text: &str) -> String {
    // A graph may be too long to show.
    GraphReader::new().read(text.as_bytes()).map(drop).unwrap_err().to_string()
}

fn integers(loaded: &Loaded) -> &[u32] {
    let AnyGraph::U32(graph) = &loaded.graph else { panic!("weights should be integers") };
    graph.weights()
}

fn reals(loaded: &Loaded) -> &[f32] {
    let AnyGraph::F32(graph) = &loaded.graph else { panic!("weights should be real numbers") };
    graph.weights()
}

/// Writes the checksums of a binary graph anew.
fn seal(bytes: &mut [u8]) {
    for end in [48, bytes.len() - 8] {
        let sum = checksum(&bytes[..end]);
        bytes[end..end + 8].copy_from_slice(&sum);
    }
}

#[test]
fn integers_may_have_a_sign() {
    // 16777217 is no f32.
    let weights = [16_777_217, 5, 0, 0, 7];
    let list = "1 2 16777217\n2 3 +5\n3 4 -0\n4 5 +0\n5 6 007\n";
    assert_eq!(integers(&read(list)), weights);
    let dimacs = "p sp 6 5\na 1 2 16777217\na 2 3 +5\na 3 4 -0\na 4 5 +0\na 5 6 007\n";
    assert_eq!(integers(&read(dimacs)), weights);
    let market = "%%MatrixMarket matrix coordinate integer general\n\
                  6 6 5\n1 2 16777217\n2 3 +5\n3 4 -0\n4 5 +0\n5 6 007\n";
    assert_eq!(integers(&read(market)), weights);
    assert_eq!(reals(&read("1 2 +5\n2 3 -0.0\n3 4 +1.5\n")), [5.0, 0.0, 1.5]);
    for bad in ["+", "-", "++5", "+-5", "-+0", "5+", "0x5"] {
        assert_eq!(error(&format!("1 2 {bad}\n")), format!("line 1: the weight must be a number, not '{bad}'"));
    }
    assert_eq!(error("1 2 3\n1 2 -5\n"), "line 2: the weight -5 is not a finite number from 0 on");
}

#[test]
fn integers_that_do_not_fit_are_not_rounded() {
    for big in ["4294967296", "+4294967296", "18446744073709551616", "99999999999999999999999999"] {
        let (list, dimacs) = (format!("1 2 7\n2 3 {big}\n"), format!("p sp 3 2\na 1 2 7\na 2 3 {big}\n"));
        let reason = format!("the weight {big} is beyond 4294967295, the largest");
        assert_eq!(error(&list), format!("line 2: {reason}"));
        assert_eq!(error(&dimacs), format!("line 3: {reason}"));
    }
    // Where the file says that weights are real numbers, they are, however they are written.
    let market = "%%MatrixMarket matrix coordinate real general\n3 3 2\n1 2 5000000000\n2 3 99999999999999999999999\n";
    assert_eq!(reals(&read(market)), [5e9, 1e23]);
}

#[test]
fn numbers_of_vertices_end_at_2_to_64() {
    let last = read("0 18446744073709551615\n");
    assert_eq!([0, 1, 2].map(|v| last.labels.label(v)), [Some(0), Some(u64::MAX), None]);
    for big in ["18446744073709551616", "18446744073709551617", "36893488147419103233", "99999999999999999999999"] {
        let reason = format!("a vertex is beyond 18446744073709551615, the largest number: '{big}'");
        assert_eq!(error(&format!("1 2\n{big} 1\n")), format!("line 2: {reason}"));
        assert_eq!(error(&format!("# c\n1 2\n1 {big}\n")), format!("line 3: {reason}"));
        assert_eq!(error(&format!("p tw 3 1\n1 {big}\n")), format!("line 2: {reason}"));
        assert!(error(&format!("p sp {big} 1\n")).starts_with("line 1: the number of vertices is beyond"));
        assert!(error(&format!("p sp 1 {big}\n")).starts_with("line 1: the number of edges is beyond"));
    }
}

#[test]
fn labels_beyond_2_to_64_are_not_written() {
    let graph = AnyGraph::U32(Graph::from_csr(vec![0; 4], vec![], vec![]).unwrap());
    let mut bytes = Vec::new();
    graph.write(&Labels::from(u64::MAX - 2, 3), &mut bytes).unwrap();
    let labels = GraphReader::new().read(&bytes[..]).unwrap().labels;
    assert_eq!((labels.label(2), labels.find(u64::MAX)), (Some(u64::MAX), Some(2)));
    let beyond = "not a usable binary graph: its labels go beyond 18446744073709551615, the largest";
    let error = graph.write(&Labels::from(u64::MAX - 1, 3), Vec::new()).unwrap_err();
    assert_eq!(error.to_string(), beyond);
    // What other programs write may have them.
    bytes[40..48].copy_from_slice(&(u64::MAX - 1).to_le_bytes());
    seal(&mut bytes);
    let error = GraphReader::new().read(&bytes[..]).unwrap_err();
    assert_eq!(error.to_string(), beyond);
}

#[test]
fn nothing_is_no_graph() {
    let list = "an edge list has a line 'u v' or 'u v w' for each edge";
    let as_list =
        |text: &str| GraphReader::new().format(Format::EdgeList).read(text.as_bytes()).unwrap_err().to_string();
    assert_eq!(as_list(""), format!("line 1: the file is empty; {list}"));
    assert_eq!(as_list("\n \n\n"), format!("line 3: the file has no edges; {list}"));
    for junk in ["% \u{1}\u{2}junk", "# nothing\n", "%junk\n% more\n", "#\n\n"] {
        let line = junk.lines().count();
        assert_eq!(error(junk), format!("line {line}: the file has no edges; {list}"), "{junk}");
    }
    let formats = "binary, matrix-market, dimacs, pace, edge-list";
    assert_eq!(error(""), format!("the file is empty; a graph was expected, in one of these formats: {formats}"));
    for format in Format::ALL {
        assert!(GraphReader::new().format(format).read(&b""[..]).is_err(), "{format}");
        assert!(GraphReader::new().format(format).read(&b"\n\n"[..]).is_err(), "{format}");
    }
    for (name, expected) in [
        ("nothing.txt", "line 1: the file is empty; an edge list has a line"),
        ("nothing.csv", "line 1: the file is empty; an edge list has a line"),
        ("nothing.mtx", "line 1: the file is empty; a Matrix Market file begins with '%%MatrixMarket'"),
        ("nothing.gr", "line 1: the file is empty; a dimacs file begins with 'p sp vertices edges'"),
        ("nothing.bin", "the file is empty; a graph was expected"),
    ] {
        let error = GraphReader::new().open(write(name, "")).unwrap_err().to_string();
        assert!(error.starts_with(expected), "{name}: {error}");
    }
    // What says that it is empty is.
    for text in ["p sp 0 0\n", "p tw 0 0\n", "%%MatrixMarket matrix coordinate real general\n0 0 0\n"] {
        assert_eq!(read(text).graph.vertices(), 0);
    }
}

#[test]
fn files_of_other_kinds_are_named() {
    let unpack = "which is not read as a graph; unpack it, or pack it by gzip or xz";
    let list = "which is not read as a graph; a graph is a list of edges; write one line 'u v' or 'u v w' for each";
    for (start, what, instead) in [
        (&b"BZh91AY&SY"[..], "packed by bzip2", unpack),
        (b"\x28\xb5\x2f\xfd\x04", "packed by zstd", unpack),
        (b"\x04\x22\x4d\x18", "packed by lz4", unpack),
        (b"PK\x03\x04\x14\0", "a zip archive", unpack),
        (b"7z\xbc\xaf\x27\x1c", "a 7z archive", unpack),
        (b"\x93NUMPY\x01\0", "a NumPy file", list),
        (b"PAR1", "a Parquet file", list),
        (b"ARROW1\0\0", "an Arrow file", list),
        (b"\x89HDF\r\n\x1a\n", "an HDF5 file", list),
    ] {
        for reader in [GraphReader::new(), GraphReader::new().format(Format::EdgeList)] {
            assert_eq!(reader.read(start).unwrap_err().to_string(), format!("this is {what}, {instead}"));
        }
    }
}

#[test]
fn a_line_has_a_longest_length() {
    let line = |length: usize| "1 2".to_owned() + &" ".repeat(length - 3);
    for end in ["", "\n", "\n3 4\n"] {
        assert!(GraphReader::new().read((line(65_536) + end).as_bytes()).is_ok());
        assert_eq!(error(&(line(65_537) + end)), "line 1: it is longer than 65536 bytes: this is no text");
    }
}

#[test]
fn binary_graphs_have_the_length_that_they_announce() {
    let mut bytes = Vec::new();
    let list = read("1 20 5\n20 300 6\n");
    list.graph.write(&list.labels, &mut bytes).unwrap();
    let open = |bytes: &[u8]| GraphReader::new().open(write("announced.bin", bytes));
    assert_eq!(open(&bytes).unwrap().graph, list.graph);
    let end = bytes.len();
    let mut longer = [&bytes[..], b"xx"].concat();
    let error = open(&longer).unwrap_err().to_string();
    assert!(error.ends_with(&format!("it goes on after its end, at byte {end}")), "{error}");
    longer.truncate(end - 1);
    let error = open(&longer).unwrap_err().to_string();
    let announced = |bytes: u64| format!("it is truncated: its header announces {bytes} bytes, but it ends after");
    assert!(error.contains(&announced(end as u64)), "{error}");
    // Vertices, and arcs, that are not there: named before anything is read.
    let m = u64::from(u32::MAX);
    for (at, count, expected) in [(16, m, 64 + 4 * (m + 1) + 8 * 2 + 8 * m), (24, m, 64 + 4 * 4 + 8 * m + 8 * 3)] {
        let mut claims = bytes.clone();
        claims[at..at + 8].copy_from_slice(&count.to_le_bytes());
        seal(&mut claims);
        let error = open(&claims).unwrap_err().to_string();
        assert!(error.contains(&announced(expected)), "{error}");
    }
    // More than there can be.
    for (at, message) in [(16, "4294967296 vertices are too many"), (24, "4294967296 arcs are too many")] {
        let mut claims = bytes.clone();
        claims[at..at + 8].copy_from_slice(&(1u64 << 32).to_le_bytes());
        seal(&mut claims);
        let error = open(&claims).unwrap_err().to_string();
        assert!(error.starts_with(message), "{error}");
    }
}

#[test]
fn headers_announce_no_more_than_edges_account_for() {
    let most = 1u32 << 24;
    for text in [format!("p sp {most} 0\n"), format!("p tw {most} 1\n1 {most}\n")] {
        assert_eq!(read(&text).graph.vertices(), most);
    }
    let more = most + 1;
    let reason =
        format!("{more} vertices are too many for 0 edges: a header may announce 16777216, or 16 for each edge");
    assert!(error(&format!("p sp {more} 0\n")).starts_with(&format!("line 1: {reason}")));
    // 16 for each edge suffice; but these edges are not there.
    let (vertices, edges) = (u32::MAX, (1 << 28) - 1);
    let few = format!("p tw {vertices} {edges}\n1 2\n");
    assert!(error(&few).starts_with("line 1: 4294967295 vertices are too many for 268435455 edges"), "{}", error(&few));
    let enough = format!("p tw {vertices} {}\n1 2\n", edges + 1);
    assert!(
        error(&enough).starts_with("the file is truncated: its header announces 268435456 edges, but it ends after 1")
    );
    // Edges that have no number.
    assert!(error("p sp 2 4294967296\na 1 2 3\n").starts_with("4294967296 arcs are too many"));
    let market = "%%MatrixMarket matrix coordinate real general\n2 2 99999999999\n1 2 3\n";
    assert!(error(market).starts_with("99999999999 arcs are too many"));
}

#[test]
fn memory_that_xz_asks_for_is_no_damage() {
    let options = lzma_rust2::XzOptions::with_preset(0);
    let mut encoder = lzma_rust2::XzWriter::new(Vec::new(), options).unwrap();
    encoder.write_all(b"1 2\n").unwrap();
    let mut packed = encoder.finish().unwrap();
    // The header of the first block: its size, flags, the filter, the size of its options, and the dictionary.
    let (start, end) = (12, 12 + 4 * usize::from(packed[12]));
    assert_eq!(packed[start + 2..start + 4], [0x21, 1]);
    packed[start + 4] = 40; // 4 GiB
    let crc = packed[start..end].iter().fold(!0u32, |crc, &byte| {
        (0..8).fold(crc ^ u32::from(byte), |crc, _| crc >> 1 ^ if crc & 1 == 1 { 0xedb8_8320 } else { 0 })
    });
    packed[end..end + 4].copy_from_slice(&(!crc).to_le_bytes());
    let error = GraphReader::new().read(&packed[..]).unwrap_err();
    assert!(matches!(error, Error::Io { kind: std::io::ErrorKind::OutOfMemory, .. }), "{error}");
    assert!(error.to_string().ends_with("takes more memory than there is, or more than 1024 MiB"), "{error}");
}
