//! Lines that do not belong into a file of their format.

use crate::common::files::{gzip, xz};
use multisplit_graph::read::GraphReader;

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
