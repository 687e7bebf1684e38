//! What is wrong is said, with the exit code of its kind.

use super::{SQUARE, folder, refused};

const MARKET: &str = "%%MatrixMarket matrix coordinate";

#[test]
fn files_that_are_no_graph() {
    let folder = folder(
        "files",
        &[
            ("headless.mtx", "3 3 2\n1 2 5\n2 3 6\n"),
            ("comment.mtx", "% made by hand\n1 2 5\n2 3 6\n"),
            ("headless.gr", "1 2\n2 3\n"),
            ("arcs.gr", "a 1 2 5\n"),
            ("sizeless.mtx", &format!("{MARKET} real general\n% only\n")),
            ("short.mtx", &format!("{MARKET} integer general\n3 3 3\n1 2 5\n")),
            ("long.mtx", &format!("{MARKET} integer general\n3 3 1\n1 2 5\n2 3 5\n")),
            ("entries.mtx", &format!("{MARKET} integer general\n3 3 1152921504606846976\n1 2 5\n")),
            ("rows.mtx", &format!("{MARKET} integer general\n1152921504606846976 1152921504606846976 1\n1 2 5\n")),
            ("vertices.mtx", &format!("{MARKET} integer general\n4000000000 4000000000 1\n1 2 5\n")),
            ("zero.mtx", &format!("{MARKET} integer general\n3 3 1\n0 2 5\n")),
            ("outside.mtx", &format!("{MARKET} integer general\n3 3 1\n1 4 5\n")),
            ("arcs2.gr", "p sp 3 1152921504606846976\na 1 2 5\n"),
            ("many.gr", "p sp 3 4000000000\na 1 2 5\n"),
            ("zero.gr", "p sp 3 1\na 0 2 5\n"),
            ("negative.gr", "p sp 3 1\na 1 2 -5\n"),
            ("cut.bin", "\u{1}"),
            ("words.what", "hello there\n"),
            ("nothing.txt", ""),
            ("half.txt", "1 2\n3\n"),
            ("road.gr.bz2", "BZh91AY&SY"),
            ("road.mtx", "PK\u{3}\u{4}"),
        ],
    );
    // A binary graph that announces 2^32 - 1 vertices.
    let mut claims = b"\x89MSGRPH\n".to_vec();
    claims.extend([1u32, 0].iter().flat_map(|word| word.to_le_bytes()));
    claims.extend([u64::from(u32::MAX), 0, 0, 1].iter().flat_map(|long| long.to_le_bytes()));
    claims.extend([0; 8]);
    folder.raw("claims.bin", &claims);
    let market = "the header is missing: a Matrix Market file begins with a line such as '%%MatrixMarket matrix \
                  coordinate real general', and one of the numbers of rows, columns and entries; if this is an edge \
                  list, name that as its format (--input-format edge-list)";
    let dimacs = "the header is missing: a dimacs file begins with 'p sp vertices edges'; if this is an edge list, \
                  name that as its format (--input-format edge-list)";
    for (name, message) in [
        ("missing.gr", "@missing.gr: No such file"),
        ("", "@: Is a directory"),
        ("headless.mtx", &format!("@headless.mtx: line 1: {market}")),
        ("comment.mtx", &format!("@comment.mtx: line 1: {market}")),
        ("headless.gr", &format!("@headless.gr: line 1: {dimacs}")),
        ("arcs.gr", &format!("@arcs.gr: line 1: {dimacs}")),
        ("sizeless.mtx", "@sizeless.mtx: line 2: the file ends before the size of the matrix"),
        ("short.mtx", "the file is truncated: its header announces 3 entries, but it ends after 1 (line 3)"),
        ("long.mtx", "line 4: the header announces 1 entries, but here is one more"),
        ("entries.mtx", "@entries.mtx: 1152921504606846976 arcs are too many"),
        ("rows.mtx", "@rows.mtx: 1152921504606846976 vertices are too many"),
        ("vertices.mtx", "line 2: 4000000000 vertices are too many for 1 edges"),
        ("zero.mtx", "line 3: vertex 0 is not from 1 to 3, as the header says"),
        ("outside.mtx", "line 3: vertex 4 is not from 1 to 3, as the header says"),
        ("arcs2.gr", "@arcs2.gr: 1152921504606846976 arcs are too many"),
        ("many.gr", "the file is truncated: its header announces 4000000000 edges, but it ends after 1 (line 2)"),
        ("zero.gr", "line 2: vertex 0 is not from 1 to 3"),
        ("negative.gr", "line 2: the weight -5 is not a finite number from 0 on"),
        ("claims.bin", "@claims.bin: not a usable binary graph: its header is damaged"),
        ("words.what", "the format cannot be told from the content or the name; say which it is: binary"),
        ("nothing.txt", "@nothing.txt: line 1: the file is empty; an edge list has a line"),
        ("half.txt", "@half.txt: line 2: a vertex is missing"),
        (
            "road.gr.bz2",
            "@road.gr.bz2: this is packed by bzip2, which is not read as a graph; unpack it, or pack it by",
        ),
        ("road.mtx", "@road.mtx: this is a zip archive, which is not read as a graph; unpack it"),
    ] {
        for command in ["sssp", "graph info"] {
            refused(&folder, &format!("{command} @{name}"), 1, message);
        }
    }
    refused(&folder, "graph convert @short.mtx --output @out.bin", 1, "the file is truncated");
    refused(&folder, "graph export @short.mtx --output @out.gr", 1, "the file is truncated");
}

/// A header that claims more than there is takes no memory: this much is there for the whole program.
#[cfg(target_os = "linux")]
#[test]
fn headers_that_lie_take_no_memory() {
    let huge = [
        ("entries.mtx", format!("{MARKET} integer general\n16000000 16000000 4294967295\n1 2 5\n")),
        ("arcs.gr", "p sp 16000000 4294967295\na 1 2 5\n".into()),
    ];
    let folder = folder("lies", &huge.each_ref().map(|(name, text)| (*name, text.as_str())));
    for (name, _) in &huge {
        let program = env!("CARGO_BIN_EXE_multisplit");
        let limited = "ulimit -v 1000000 && exec \"$0\" graph info \"$1\" --threads 1";
        let path = folder.say(&format!("@{name}"));
        let output = std::process::Command::new("sh").args(["-c", limited, program, &path]).output().unwrap();
        let said = crate::program::text(&output.stderr);
        assert!(said.contains("the file is truncated: its header announces 4294967295"), "{said}");
        assert_eq!(output.status.code(), Some(1));
    }
}

#[test]
fn vertices_are_called_as_the_file_calls_them() {
    let far = "4294967295";
    let folder = folder(
        "names",
        &[
            ("in.gr", SQUARE),
            ("in.mtx", &format!("{MARKET} integer general\n3 3 1\n1 2 5\n")),
            ("list.txt", "50 70 1\n70 90 2\n"),
            ("far.gr", &format!("p sp 3 2\na 1 2 {far}\na 2 3 1\n")),
            ("far.txt", &format!("700 800 {far}\n")),
            ("empty.gr", "p sp 0 0\n"),
        ],
    );
    for (arguments, message) in [
        ("sssp @in.gr --source 0", "--source 0 is not in the graph, whose vertices are from 1 to 4"),
        ("sssp @in.gr --source 5", "--source 5 is not in the graph, whose vertices are from 1 to 4"),
        ("sssp @in.gr --source 1,2,5", "--source 5 is not in the graph"),
        ("sssp @in.mtx --source 0", "--source 0 is not in the graph, whose vertices are from 1 to 3"),
        ("sssp @in.gr --target 0", "--target 0 is not in the graph, whose vertices are from 1 to 4"),
        ("sssp @list.txt --source 60", "--source 60 is not in the graph, whose vertices are from 50 to 90, but not 60"),
        ("sssp @list.txt --target 50,60", "--target 60 is not in the graph, whose vertices are from 50 to 90"),
        ("graph info @list.txt --source 60", "--source 60 is not in the graph"),
        (
            "sssp @far.gr",
            "the distance of vertex 2 is beyond 4294967294, the largest that fits; scale the weights down",
        ),
        ("sssp @far.txt", "the distance of vertex 800 is beyond"),
        ("sssp @empty.gr", "the graph has no vertices"),
    ] {
        refused(&folder, arguments, 1, message);
    }
}

#[test]
fn command_lines_that_make_no_sense() {
    let folder = folder("usage", &[("in.gr", SQUARE), ("none.txt", "1 2\n"), ("list.txt", "1 2 5\n")]);
    crate::program::success(&folder.say("graph convert @in.gr @in.bin"));
    for (code, arguments, message) in [
        (2, "sssp @in.gr --source 1,x", "invalid value 'x' for '--source <VERTEX>'"),
        (2, "sssp @in.gr --source -1", "unexpected argument '-1'"),
        (2, "sssp @in.gr --source 1,2,1", "--source 1 is named twice"),
        (2, "sssp @in.gr --target 2 --target 2", "--target 2 is named twice"),
        (2, "sssp @in.gr --path", "--target <VERTEX>"),
        (2, "sssp @in.gr --runs 0", "--runs must be at least 1"),
        (2, "sssp @in.gr --delta -0.5", "unexpected argument '-0'"),
        (2, "sssp @in.gr --delta nan", "--delta NaN must be a finite number above 0"),
        (2, "sssp @in.gr --delta 5 --strategy dijkstra", "--delta is for"),
        (2, "sssp @in.gr --strategy near-far --device cpu", "--strategy near-far does not run on cpu"),
        (2, "sssp @in.gr --threads 0", "--threads must be at least 1"),
        (2, "graph info @in.gr --threads 0", "--threads must be at least 1"),
        (2, "graph generate path -n 9 --threads 4097 --output @out.bin", "--threads 4097 are too many: at most 4096"),
        (2, "sssp @in.gr --threads many", "invalid value 'many' for '--threads <THREADS>'"),
        (2, "sssp @in.gr --format xml", "invalid value 'xml' for '--format <FORMAT>'"),
        (2, "sssp @in.gr --directed --undirected", "cannot be used with"),
        (2, "sssp @in.gr --weights some", "there is no source of weights 'some': file, unit, random"),
        (
            2,
            "sssp @in.gr --input-format xml",
            "there is no format 'xml': binary, matrix-market, dimacs, pace, edge-list",
        ),
        (
            1,
            "sssp @none.txt --weights file",
            "@none.txt: the file has no weights; take unit weights or random ones (--weights",
        ),
        (1, "graph export @none.txt --weights file --output @out.gr", "the file has no weights"),
        (1, "sssp @in.bin --undirected", "@in.bin: a binary graph has arcs, which are taken as they are"),
        (1, "sssp @list.txt --input-format matrix-market", "line 1: the header is missing"),
        (2, "graph export @in.gr", "--output <FILE>"),
        (2, "graph export @in.gr --output @out", "@out: the name does not say the format; add --format edge-list"),
        (2, "graph export @in.gr --output @out.mtx.gz", "outputs are not compressed"),
        (
            1,
            "graph export @in.gr --output @out.gr --format pace",
            "the format pace cannot hold this graph: its edges are",
        ),
        (2, "graph convert @in.gr", "<OUTPUT>"),
        (2, "graph convert @in.gr @a --output @b", "cannot be used with"),
        (2, "graph convert @in.gr --output @out.bin.gz", "outputs are not compressed"),
        (2, "graph convert @in.gr @out.mtx", "is the name of a file of the format matrix-market, but convert writes"),
        (
            2,
            "graph generate star -n 5 --min-weight 3 --max-weight 2 -o @out.bin",
            "--min-weight 3 is more than --max-weight 2",
        ),
        (2, "graph generate star -n 5 --output @out.gr.xz", "outputs are not compressed"),
        (1, "graph generate path -n 1 --output @out.txt", "the format edge-list cannot hold this graph"),
    ] {
        refused(&folder, arguments, code, message);
    }
}
