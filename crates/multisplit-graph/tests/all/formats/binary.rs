//! The binary format, whole and damaged.

use super::{FILES, open};
use crate::common::files::file;
use multisplit_graph::read::{Format, GraphReader, Labels, Loaded};
use multisplit_graph::{AnyGraph, Error, Graph};

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
        let path = file(&format!("{name}.bin"));
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
