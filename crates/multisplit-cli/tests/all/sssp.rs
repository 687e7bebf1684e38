//! Graphs and shortest paths, as a user has them.

use crate::program::{command, failure, file, gpu, refused, success, text};
use std::path::Path;

fn write(name: &str, text: &str) -> String {
    std::fs::write(file(name), text).unwrap();
    file(name).display().to_string()
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap()
}

#[test]
fn distances_as_text() {
    let graph = write("tiny.gr", "p sp 4 4\na 1 2 7\na 2 3 0\na 1 3 9\na 4 1 1\n");
    let (distances, predecessors) = (file("tiny.txt"), file("tiny-before.txt"));
    for strategy in ["dijkstra", "delta-stepping", "bellman-ford"] {
        let files = format!("--output {} --predecessors {}", distances.display(), predecessors.display());
        let out = success(&format!("sssp {graph} --source 1 --strategy {strategy} {files} --verify --runs 3"));
        assert!(out.contains("4 vertices, 4 arcs; u32 weights up to 9"), "{out}");
        assert!(out.contains(&format!("Shortest paths from 1 by {strategy}")), "{out}");
        assert!(
            out.contains("reached      3 of 4 vertices (75.0 %)") && out.contains("farthest     2, at distance 7"),
            "{out}"
        );
        assert!(out.contains("the median of 3 runs") && out.contains("verified"), "{out}");
        assert_eq!(read(&distances), "1 0\n2 7\n3 7\n4 inf\n");
        assert_eq!(read(&predecessors), "1 -\n2 1\n3 2\n4 -\n");
    }
}

#[test]
fn distances_as_arrays() {
    let graph = write("arrays.txt", "# vertices 5 and 70\n5 70 1.5\n");
    let path = file("distances.npy");
    success(&format!("sssp {graph} --source 5 --format npy --output {}", path.display()));
    let npy = std::fs::read(&path).unwrap();
    assert_eq!(npy.len(), 128 + 8);
    assert!(npy.starts_with(b"\x93NUMPY\x01\x00\x76\x00{'descr': '<f4', 'fortran_order': False, 'shape': (2, ), }"));
    assert_eq!((npy[127], &npy[128..]), (b'\n', &[0, 0, 0, 0, 0, 0, 0xc0, 0x3f][..]));
    let path = file("distances.bin");
    success(&format!("sssp {graph} --source 70 --format binary --output {}", path.display()));
    assert_eq!(std::fs::read(&path).unwrap(), [0, 0, 0x80, 0x7f, 0, 0, 0, 0]);
}

#[test]
fn graphs_made_and_converted() {
    let path = file("grid.bin");
    let out = success(&format!("graph generate grid --width 20 --height 30 --seed 3 --output {}", path.display()));
    assert!(out.contains("600 vertices, 2300 arcs") && out.contains("in the binary form"), "{out}");
    let out = success(&format!("sssp {} --verify --delta 100", path.display()));
    assert!(out.contains("(binary)") && out.contains("reached      600 of 600") && out.contains("delta 100"), "{out}");
    for kind in ["rmat -n 100 -m 2^9", "erdos-renyi -n 50 -m 99", "star -n 9", "path -n 9", "clique -n 9"] {
        success(&format!("graph generate {kind} --directed --max-weight 5 --output {}", file("made.bin").display()));
        success(&format!("sssp {} --verify", file("made.bin").display()));
    }
    let (list, converted) = (write("list.txt", "100 7\n7 300\n"), file("list.bin"));
    let out = success(&format!("graph convert {list} {} --undirected --seed 5", converted.display()));
    assert!(out.contains("(edge-list): 3 vertices, 4 arcs; u32 weights up to") && out.contains("seed 5"), "{out}");
    let distances = file("list-distances.txt");
    success(&format!("sssp {} --source 300 --output {}", converted.display(), distances.display()));
    let labels: Vec<String> = read(&distances).lines().map(|line| line.split(' ').next().unwrap().into()).collect();
    assert_eq!(labels, ["7", "100", "300"], "labels are kept");
}

#[test]
fn what_is_wrong_is_said() {
    let graph = write("good.gr", "p sp 2 1\na 1 2 7\n");
    let bad = write("bad.gr", "p sp 2 1\na 1 5 7\n");
    let empty = write("empty.gr", "p sp 0 0\n");
    let cases = [
        (format!("sssp {graph} --source 3"), "--source 3 is not in the graph, whose vertices are from 1 to 2"),
        (
            format!("sssp {graph} --strategy best"),
            "there is no strategy 'best': dijkstra, delta-stepping, bellman-ford",
        ),
        (format!("sssp {graph} --delta 0"), "--delta 0 must be a finite number above 0"),
        (format!("sssp {graph} --delta 5 --strategy dijkstra"), "--delta is for delta-stepping"),
        (format!("sssp {graph} --strategy near-far --device cpu"), "--strategy near-far does not run on cpu"),
        (format!("sssp {graph} --device nothing"), "--device nothing: "),
        (format!("sssp {graph} --runs 0"), "--runs must be at least 1"),
        (format!("sssp {bad}"), "bad.gr: line 2: vertex 5 is not from 1 to 2, as the header says"),
        (format!("sssp {empty}"), "the graph has no vertices"),
        ("sssp is/not/there.gr".into(), "is/not/there.gr: No such file"),
        (format!("sssp {graph} --output /nowhere/at/all"), "/nowhere/at/all: No such file"),
    ];
    refused("", cases);
}

/// On a software GPU, where there is one.
#[test]
fn on_a_gpu() {
    let Some(name) = &gpu() else { return };
    let (graph, distances) = (write("gpu.gr", "p sp 4 4\na 1 2 7\na 2 3 0\na 1 3 9\na 4 1 1\n"), file("gpu.txt"));
    for strategy in ["near-far", "bucketing", "split-bucketing", "multisplit", "bellman-ford"] {
        let out = success(&format!(
            "sssp {graph} --strategy {strategy} --device {name} --verify --output {}",
            distances.display()
        ));
        assert!(out.contains(&format!("by {strategy}")) && out.contains(&format!("on {name}")), "{out}");
        assert_eq!(read(&distances), "1 0\n2 7\n3 7\n4 inf\n");
    }
    let said = failure(&format!("sssp {graph} --strategy dijkstra --device {name}"));
    assert!(said.contains("--strategy dijkstra does not run on"), "{said}");
}

/// Threads are counted before anything else runs, the cache of kernels included.
#[test]
fn threads_are_as_many_as_asked_for() {
    let edges = file("threads.txt");
    std::fs::write(&edges, "0 1\n1 2\n").unwrap();
    let mut search = command();
    search.arg("sssp").arg(&edges).args("--threads 3 --device cpu --strategy delta-stepping".split(' '));
    let output = search.env("XDG_CACHE_HOME", file("threads-cache")).output().unwrap();
    let (out, said) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success() && out.contains("3 threads available"), "{out}{said}");
}
