//! Graphs in other formats, and back.

use super::{SQUARE, done, folder, said_in};
use crate::files::folder::Folder;

/// Every arc of a file, as `sssp` sees them: the binary form, which has nothing else but the names of vertices.
fn binary(folder: &Folder, name: &str, options: &str) -> Vec<u8> {
    done(folder, &format!("graph convert @{name} @same.bin {options}"));
    folder.read("same.bin")
}

#[test]
fn what_is_exported_is_read_back() {
    let market = "%%MatrixMarket matrix coordinate";
    let folder = folder(
        "trips",
        &[
            ("one.gr", SQUARE),
            ("both.gr", "p tw 5 4\n1 2\n2 3\n3 1\n3 3\n"),
            ("real.mtx", &format!("{market} real symmetric\n4 4 4\n2 1 0.1\n3 2 1e-30\n3 3 7\n4 1 16777216\n")),
            ("whole.mtx", &format!("{market} real general\n3 3 3\n1 2 5\n2 3 6\n2 3 6\n")),
            ("list.txt", "1 2 5\n2 3 4294967295\n3 1 0\n3 3 7\n"),
        ],
    );
    for name in ["one.gr", "both.gr", "real.mtx", "whole.mtx", "list.txt"] {
        for options in ["", "--weights unit", "--weights random --seed 9", "--undirected", "--directed"] {
            let expected = binary(&folder, name, options);
            // Vertices of the same numbers in all formats, so that only those without edges can be lost.
            let formats =
                if name == "both.gr" { &["mtx", "gr", "bin"][..] } else { &["mtx", "gr", "bin", "txt", "csv"] };
            for format in formats {
                done(&folder, &format!("graph export @{name} --output @out.{format} {options}"));
                let again = binary(&folder, &format!("out.{format}"), "");
                assert_eq!(again, expected, "{name}, {options}, {format}");
            }
        }
    }
}

#[test]
fn what_a_format_does_not_have_is_said() {
    let folder = folder(
        "notes",
        &[
            ("named.txt", "12 400\n400 7\n"),
            ("alone.gr", "p sp 5 1\na 1 3 7\n"),
            ("real.txt", "1 2 0.5\n"),
            ("both.gr", "p tw 3 2\n1 2\n2 3\n"),
        ],
    );
    let (out, _) = done(&folder, "graph export @named.txt --weights unit --output @out.mtx --labels @names.txt");
    assert_eq!(said_in(&folder, "out.mtx"), "%%MatrixMarket matrix coordinate integer general\n3 3 2\n2 3 1\n3 1 1\n");
    assert_eq!(said_in(&folder, "names.txt"), "1 7\n2 12\n3 400\n");
    assert!(out.contains("u32 weights up to 1, all of them 1") && out.contains("in the format matrix-market"), "{out}");
    let note = "note         vertices are numbered from 1 to 3 there, in the order of their names";
    assert!(out.contains(note) && !out.contains("--labels FILE"), "{out}");
    let (out, _) = done(&folder, "graph export @named.txt --output @out.gr");
    assert!(out.contains(&format!("{note}; --labels FILE writes which is which")), "{out}");
    let (out, _) = done(&folder, "graph export @alone.gr --output @out.tsv");
    assert!(out.contains("note         an edge list has no vertices without edges: 3 left out"), "{out}");
    assert_eq!(said_in(&folder, "out.tsv"), "# Directed graph: 5 vertices, 1 edges\n1\t3\t7\n");
    let (out, _) = done(&folder, "graph export @real.txt --output @out.gr");
    assert!(out.contains("note         weights are not integers, which programs other than this one"), "{out}");
    let (out, _) = done(&folder, "graph export @both.gr --output @out.gr --format pace");
    assert!(out.contains("note         a PACE file has no weights: they are left out"), "{out}");
    assert_eq!(said_in(&folder, "out.gr"), "p tw 3 2\n1 2\n2 3\n");
    let (out, _) = done(&folder, "graph generate grid --width 2 --height 2 --max-weight 0 --output @grid.mtx");
    assert!(out.contains("4 vertices, 8 arcs") && out.contains("in the format matrix-market"), "{out}");
    assert!(!out.contains("\n  note"), "there are no other names: {out}");
    let grid = "%%MatrixMarket matrix coordinate integer symmetric\n4 4 4\n2 1 0\n3 1 0\n4 2 0\n4 3 0\n";
    assert_eq!(said_in(&folder, "grid.mtx"), grid);
}
