//! What a graph is like.

use super::{SQUARE, done, folder};

/// That a report has these lines.
fn expect(out: &str, lines: &[(&str, &str)]) {
    for (name, text) in lines {
        let line = format!("\n  {name:<12} {text}\n");
        assert!(out.contains(&line), "{out}\nwithout: {line}");
    }
}

#[test]
fn graphs_are_described() {
    let folder = folder(
        "info",
        &[
            ("one.gr", "p sp 7 6\na 1 2 7\na 1 2 9\na 2 3 0\na 3 3 2\na 5 6 1\na 6 1 4\n"),
            ("both.mtx", "%%MatrixMarket matrix coordinate real symmetric\n5 5 4\n2 1 0.5\n3 1 2.25\n3 2 1\n4 4 7\n"),
            ("none.txt", "12 400\n400 5000000000000\n"),
            ("empty.gr", "p sp 0 0\n"),
        ],
    );
    let (out, _) = done(&folder, "graph info @one.gr");
    assert!(out.starts_with(&folder.say("@one.gr (dimacs): 7 vertices, 6 arcs; u32 weights up to 9\n")), "{out}");
    expect(
        &out,
        &[
            ("edges", "directed, as DIMACS files are; --undirected takes them both ways"),
            ("symmetric", "no"),
            ("vertices", "7, called 1 to 7"),
            ("arcs", "6; loops: 1, parallel to another: 1"),
            ("degrees out", "0 to 2, median 1, mean 0.86"),
            ("degrees in", "0 to 2, median 1, mean 0.86"),
            ("isolated", "2 of the vertices have no arcs"),
            ("weights", "u32, from 0 to 9, mean 3.83"),
            ("components", "3, arcs taken both ways; the largest has 5 vertices (71.4 %), 1 among them"),
            ("reachable", "3 of 7 vertices from 1 (42.9 %)"),
        ],
    );
    let (out, _) = done(&folder, "graph info @one.gr --source 5 --weights unit");
    expect(&out, &[("reachable", "5 of 7 vertices from 5 (71.4 %)"), ("weights", "u32, from 1 to 1, mean 1.00")]);
    let (out, _) = done(&folder, "graph info @both.mtx");
    expect(
        &out,
        &[
            ("edges", "undirected, as its header says (symmetric); --directed takes them one way"),
            ("symmetric", "yes: every arc has one back of the same weight"),
            ("arcs", "7; loops: 1, parallel to another: 0"),
            ("degrees", "0 to 2, median 2, mean 1.40"),
            ("isolated", "1 of the vertices have no arcs"),
            ("weights", "f32, from 0.5 to 7, mean 2.07"),
            ("components", "3, arcs taken both ways; the largest has 3 vertices (60.0 %), 1 among them"),
        ],
    );
    let (out, _) = done(&folder, "graph info @none.txt --seed 4");
    assert!(out.contains("drawn with seed 4"), "{out}");
    expect(&out, &[("vertices", "3, called 12 to 5000000000000, with gaps")]);
    let (out, _) = done(&folder, "graph info @empty.gr");
    expect(&out, &[("vertices", "0"), ("symmetric", "yes: every arc has one back of the same weight")]);
}

/// Which way edges are taken, and what said so.
#[test]
fn the_direction_is_said() {
    let market = "%%MatrixMarket matrix coordinate pattern";
    let folder = folder(
        "direction",
        &[
            ("general.mtx", &format!("{market} general\n2 2 1\n1 2\n")),
            ("symmetric.mtx", &format!("{market} symmetric\n2 2 1\n2 1\n")),
            ("sp.gr", SQUARE),
            ("tw.gr", "p tw 2 1\n1 2\n"),
            ("list.txt", "1 2\n"),
            ("snap.txt", "# Undirected graph: ../com-x.ungraph.txt\n# FromNodeId ToNodeId\n1 2\n"),
        ],
    );
    done(&folder, "graph convert @sp.gr @sp.bin");
    for (arguments, arcs, expected) in [
        ("@general.mtx", 1, "directed, as its header says (general); --undirected takes them both ways"),
        ("@symmetric.mtx", 2, "undirected, as its header says (symmetric); --directed takes them one way"),
        ("@sp.gr", 4, "directed, as DIMACS files are; --undirected takes them both ways"),
        ("@tw.gr", 2, "undirected, as PACE files are; --directed takes them one way"),
        ("@list.txt", 1, "directed, as edge lists are; --undirected takes them both ways"),
        ("@snap.txt", 2, "undirected, as its first comment says; --directed takes them one way"),
        ("@list.txt --undirected", 2, "undirected, as --undirected says"),
        ("@snap.txt --directed", 1, "directed, as --directed says"),
        ("@sp.bin", 4, "arcs, as the binary file has them: it does not say whether they were edges to take both ways"),
    ] {
        for command in ["graph info", "sssp"] {
            let (out, _) = done(&folder, &format!("{command} {arguments}"));
            expect(&out, &[("edges", expected)]);
            assert!(out.contains(&format!(" vertices, {arcs} arcs; ")), "{arguments}: {out}");
        }
    }
}
