//! GAPBS as a peer of `bench sssp`: a stand-in for its folder, which has what the peer takes of it.

use crate::program::{command, failure, refused, text};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::TempDir;

const BENCHMARK_H: &str = "
#include <cstdint>
#include <vector>
typedef int32_t NodeID;
typedef int32_t WeightT;
struct WNode {
    NodeID v;
    WeightT w;
    WNode() {}
    WNode(NodeID v, WeightT w) : v(v), w(w) {}
};
template <class T> using pvector = std::vector<T>;
#include \"graph.h\"
";

const GRAPH_H: &str = "
struct WGraph {
    int64_t nodes;
    WNode** index;
    WGraph(int64_t nodes, WNode** index, WNode*, WNode**, WNode*) : nodes(nodes), index(index) {}
    int64_t num_nodes() const { return nodes; }
    int64_t num_edges_directed() const { return index[nodes] - index[0]; }
};
";

/// The algorithm of Bellman and Ford, and something that follows it.
fn sssp_cc(then: &str) -> String {
    format!(
        "
#include \"benchmark.h\"
#include <cstdlib>
const WeightT kDistInf = INT32_MAX / 2;
pvector<WeightT> DeltaStep(const WGraph& g, NodeID source, WeightT delta, bool logging_enabled = false) {{
    pvector<WeightT> dist(g.num_nodes(), kDistInf);
    dist[source] = 0;
    for (bool changed = true; changed;) {{
        changed = false;
        for (NodeID u = 0; u < g.num_nodes(); ++u)
            for (WNode* arc = g.index[u]; arc < g.index[u + 1]; ++arc)
                if (dist[u] < kDistInf && dist[u] + arc->w < dist[arc->v]) {{
                    dist[arc->v] = dist[u] + arc->w;
                    changed = true;
                }}
    }}
    {then}
    return dist;
}}
int main() {{ return 1; }}
"
    )
}

/// A folder like that of GAPBS, and a cache folder.
struct StandIn(TempDir);

impl StandIn {
    fn new(then: &str) -> Self {
        let folder = TempDir::new().unwrap();
        let sources = folder.path().join("gapbs/src");
        fs::create_dir_all(&sources).unwrap();
        for (name, content) in [("benchmark.h", BENCHMARK_H), ("graph.h", GRAPH_H), ("sssp.cc", &sssp_cc(then))] {
            fs::write(sources.join(name), content).unwrap();
        }
        Self(folder)
    }

    fn folder(&self) -> PathBuf {
        self.0.path().join("gapbs")
    }

    /// A small benchmark that does not know the folder.
    fn bench_alone(&self, arguments: &str) -> Command {
        let mut command = command();
        let peers = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../peers");
        command.args("bench sssp --device cpu --sources 2 --runs 2 --peers gapbs --peers-dir".split(' ')).arg(peers);
        command.args(arguments.split_whitespace()).env("XDG_CACHE_HOME", self.0.path().join("cache"));
        for variable in ["GAPBS", "CXX", "CXXFLAGS"] {
            command.env_remove(variable);
        }
        command
    }

    fn bench(&self, arguments: &str) -> Command {
        let mut command = self.bench_alone(arguments);
        command.arg("--gapbs").arg(self.folder());
        command
    }

    /// The programs that were built.
    fn built(&self) -> Vec<PathBuf> {
        let folders = fs::read_dir(self.0.path().join("cache/multisplit/peers")).into_iter().flatten();
        folders.map(|folder| folder.unwrap().path().join("gapbs-peer")).filter(|program| program.is_file()).collect()
    }
}

/// What a run that succeeds prints, and its notes.
fn output(command: &mut Command) -> (String, String) {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{command:?}: {}", text(&output.stderr));
    (text(&output.stdout), text(&output.stderr))
}

fn rows(jsonl: &str) -> Vec<Value> {
    jsonl.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Whether the default compiler is there, and has OpenMP.
fn can_compile() -> bool {
    let folder = TempDir::new().unwrap();
    let source = folder.path().join("main.cpp");
    fs::write(&source, "#include <omp.h>\nint main() { return omp_get_max_threads() == 0; }\n").unwrap();
    let mut compiler = Command::new("c++");
    compiler.arg("-fopenmp").arg(&source).arg("-o").arg(folder.path().join("main")).stderr(Stdio::null());
    let can = compiler.status().is_ok_and(|status| status.success());
    if !can {
        eprintln!("skipped: no c++ with OpenMP");
    }
    can
}

#[test]
fn rows_stand_beside_ours() {
    if !can_compile() {
        return;
    }
    let stand_in = StandIn::new("");
    let graphs = "rmat:200,999 grid:9,7 --threads 2";
    let (out, said) = output(&mut stand_in.bench(&format!("{graphs} --gapbs-deltas 50,400,50 --format jsonl")));
    let all = rows(&out);
    let (peers, ours): (Vec<&Value>, Vec<&Value>) = all.iter().partition(|row| row["impl"] == "gapbs");
    assert_eq!((peers.len(), ours.len()), (2 * 2, 2 * 2), "{said}");
    for (i, peer) in peers.iter().enumerate() {
        let same = ours[i / 2 * 2];
        for field in ["op", "graph", "n", "m", "key", "value", "device", "date", "commit", "command"] {
            assert_eq!(peer[field], same[field], "{field}");
        }
        assert_eq!((&peer["method"], &peer["verified"]), (&"delta-stepping".into(), &true.into()));
        assert_eq!(peer["delta"], [50.0, 400.0][i % 2]);
        let [ms, low, high, rate, n] =
            ["ms", "ms_low", "ms_high", "rate", "n"].map(|name| peer[name].as_f64().unwrap());
        assert!(0.0 < low && low <= ms && ms <= high && (ms * rate * 1e6 / n - 1.0).abs() < 1e-3, "{peer}");
    }
    assert!(peers[0]["device"].as_str().unwrap().ends_with("2 threads)"), "{}", peers[0]);
    assert_eq!(stand_in.built().len(), 1);

    // As a table, from the cache, with the widths by default and the folder in the environment.
    let before = fs::metadata(&stand_in.built()[0]).unwrap().modified().unwrap();
    let (table, said) = output(stand_in.bench_alone(graphs).env("GAPBS", stand_in.folder()));
    assert_eq!(fs::metadata(&stand_in.built()[0]).unwrap().modified().unwrap(), before);
    assert!(said.contains("gapbs on grid:9,7, ms by delta: "), "{said}");
    let lines: Vec<Vec<&str>> = table.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(lines.iter().filter(|words| words.get(2) == Some(&"gapbs")).count(), 2, "the fastest width: {table}");
    let of_ours = lines.iter().find(|words| words.get(2) == Some(&"delta-stepping")).unwrap();
    let ratio = of_ours.iter().position(|&word| word == "cpu").unwrap() - 1;
    // Two decimals: a busy machine may be so slow that they are zeros.
    assert!(of_ours[ratio].parse::<f64>().is_ok_and(|ratio| ratio >= 0.0) && table.contains("x gapbs"), "{table}");
}

#[test]
fn wrong_distances_are_seen() {
    if !can_compile() {
        return;
    }
    let stand_in = StandIn::new("if (delta == 7) dist[g.num_nodes() - 1] += 1;");
    let (out, said) = output(&mut stand_in.bench("grid:9,7 --gapbs-deltas 7,8 --format jsonl"));
    let verified: Vec<bool> = rows(&out).iter().map(|row| row["verified"].as_bool().unwrap()).collect();
    assert_eq!(verified, [false, true, true, true], "{out}");
    assert!(said.contains("WRONG: delta 7, from ") && said.contains("vertex 62 is at "), "{said}");
    let (table, _) = output(&mut stand_in.bench("grid:9,7 --gapbs-deltas 7 --strategies delta-stepping"));
    assert_eq!(table.matches("WRONG").count(), 1, "{table}");
}

#[test]
fn a_peer_that_fails_is_left_out() {
    if !can_compile() {
        return;
    }
    let without = |stand_in: &StandIn, arguments: &str, reasons: &[&str]| {
        let (out, said) = output(&mut stand_in.bench(&format!("{arguments} --format jsonl")));
        assert!(rows(&out).iter().all(|row| row["impl"] == "multisplit") && !out.is_empty(), "{out}");
        assert!(reasons.iter().all(|&reason| said.contains(reason)), "{said}");
    };
    without(
        &StandIn::new("int a = nothing_of_that_name;"),
        "grid:9,7",
        &["without the peer gapbs: its build failed:\n", "nothing_of_that_name"],
    );
    without(
        &StandIn::new("std::abort();"),
        "grid:9,7",
        &["without the peer gapbs: on grid:9,7: ", "ended with signal"],
    );

    let stand_in = StandIn::new("");
    let file = |name: &str, content: &str| {
        let path = stand_in.0.path().join(name);
        fs::write(&path, content).unwrap();
        path.display().to_string()
    };
    let reals = file("reals.mtx", "%%MatrixMarket matrix coordinate real general\n3 3 2\n1 2 0.5\n2 3 1.5\n");
    without(&stand_in, &reals, &["without the peer gapbs: on reals.mtx: its weights are f32"]);
    let heavy = file("heavy.gr", "p sp 2 2\na 1 2 3000000000\na 2 1 5\n");
    without(&stand_in, &heavy, &["on heavy.gr: it has a weight of 3000000000"]);
    // The other graphs go on.
    let (out, _) = output(&mut stand_in.bench(&format!("{heavy} grid:9,7 --format jsonl")));
    assert_eq!(rows(&out).iter().filter(|row| row["impl"] == "gapbs").count(), 1);
}

#[test]
fn what_is_missing_is_said() {
    let stand_in = StandIn::new("");
    let said = |command: &mut Command| output(command).1;
    let note = said(&mut stand_in.bench_alone("grid:9,7"));
    assert!(note.contains("without the peer gapbs: name its folder") && note.contains("--gapbs FOLDER"), "{note}");
    let note = said(&mut stand_in.bench_alone("grid:9,7 --gapbs is/not/there"));
    assert!(note.contains("there is no folder is/not/there"), "{note}");
    let note = said(stand_in.bench("grid:9,7").env("CXX", "false"));
    assert!(note.contains("'false' does not compile programs with OpenMP") && note.contains("set CXX"), "{note}");
    fs::remove_file(stand_in.folder().join("src/sssp.cc")).unwrap();
    let note = said(&mut stand_in.bench("grid:9,7"));
    assert!(note.contains("has no src/sssp.cc: it should be a clone of https://github.com/sbeamer/gapbs"), "{note}");
    assert!(stand_in.built().is_empty());
}

#[test]
fn wrong_arguments() {
    refused(
        "bench sssp grid:9,7 --device cpu",
        [
            ("--peers cub", "--peers cub: it has no shortest paths; --peers gapbs has"),
            ("--peers gapbs --gapbs-deltas 0", "0 is not in 1..="),
            ("--gapbs somewhere", "--peers"),
            ("--threads 0", "--threads must be at least 1"),
        ],
    );
    let said = failure("bench sort --device cpu --n 1000 --peers gapbs");
    assert!(said.contains("--peers gapbs: it is for shortest paths"), "{said}");
}
