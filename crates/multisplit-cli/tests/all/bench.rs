//! The benchmarks, as a user runs them: on the CPU, small.

use crate::program::{failure, file, gpu, refused, success, success_and_notes};
use serde_json::Value;

fn rows(jsonl: &str) -> Vec<Value> {
    jsonl.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn jsonl_keeps_the_contract() {
    let out = success(
        "bench split --device cpu --n 5000,2^12 --buckets 2,100 --keys u32,u64 --values none,u32,u64 --bucket \
         delta,identity,splitters --dist uniform,binomial,alpha-uniform,one-bucket,sorted,zipf --runs 1 --format jsonl",
    );
    let rows = rows(&out);
    let splits: Vec<&Value> = rows.iter().filter(|row| row["op"] == "split").collect();
    assert_eq!(splits.len(), 2 * 2 * 2 * 3 * 3 * 6);
    assert_eq!(rows.len(), splits.len() + 2 * 2, "a copy and a read for each n");
    let fields = [
        "op",
        "impl",
        "method",
        "bucket",
        "dist",
        "segments",
        "graph",
        "delta",
        "device",
        "n",
        "m",
        "key",
        "value",
        "ms",
        "rate",
        "verified",
        "fraction",
        "ms_low",
        "ms_high",
        "stages",
        "stages_low",
        "stages_high",
        "latency_ms",
        "latency_ms_low",
        "latency_ms_high",
        "launch_ms",
        "launch_ms_low",
        "launch_ms_high",
        "driver",
        "commit",
        "date",
        "command",
    ];
    for row in &rows {
        let row = row.as_object().unwrap();
        assert!(fields.iter().all(|&field| row.contains_key(field)) && row.len() == fields.len(), "{row:?}");
        assert_eq!((&row["verified"], &row["impl"], &row["graph"]), (&true.into(), &"multisplit".into(), &Value::Null));
        let (ms, rate, n) = (row["ms"].as_f64().unwrap(), row["rate"].as_f64().unwrap(), row["n"].as_f64().unwrap());
        assert!((ms * rate * 1e6 / n - 1.0).abs() < 1e-3, "{row:?}");
        assert_eq!((&row["ms_low"], &row["ms_high"]), (&row["ms"], &row["ms"]), "one run has no spread: {row:?}");
    }
    for row in splits {
        assert!(row["fraction"].as_f64().unwrap() > 0.0);
        assert!(row["value"].is_null() || row["value"] == "u32" || row["value"] == "u64");
    }
}

/// Every median has its quartiles beside it, in rows and in tables.
#[test]
fn medians_have_a_spread() {
    let times = |row: &Value, name: &str| {
        let [low, middle, high] = ["_low", "", "_high"].map(|quartile| row[format!("{name}{quartile}")].as_f64());
        assert!(low.is_some() && low <= middle && middle <= high, "{name}: {row}");
        low < high
    };
    let mut spread = 0;
    for bench in [
        "split --buckets 2,8",
        "histogram --bins 256",
        "sort --keys u32",
        "partition",
        "segments --segments 3",
        "sssp grid:20,20",
    ] {
        let size = if bench.starts_with("sssp") { "" } else { "--n 20000" };
        let out = success(&format!("bench {bench} {size} --device cpu --runs 7 --format jsonl"));
        spread += rows(&out).iter().filter(|row| times(row, "ms")).count();
        let out = success(&format!("bench {bench} {size} --device cpu --runs 7"));
        let about = "iqr: the interquartile range of the runs, in % of the median";
        assert!(out.contains(about) && out.lines().any(|line| line.contains("     ms  iqr %")), "{out}");
    }
    assert!(spread > 0, "times that are all the same");
    let Some(name) = gpu() else { return };
    let out = success(&format!("bench split --device {name} --n 3000 --buckets 8 --stages --runs 3 --format jsonl"));
    for row in rows(&out).iter().filter(|row| row["op"] == "split") {
        for name in ["ms", "latency_ms", "launch_ms"] {
            times(row, name);
        }
        for stage in ["prescan", "scan", "postscan"] {
            let [low, middle, high] = ["stages_low", "stages", "stages_high"].map(|of| row[of][stage].as_f64());
            assert!(low.is_some() && low <= middle && middle <= high, "{stage}: {row}");
        }
    }
}

#[test]
fn histograms() {
    let (out, said) = success_and_notes(
        "bench histogram --device cpu --n 5000,2^12 --bins 1,2,100,5000 --keys u32,u64,f32 --bucket even,range --dist \
         uniform,one-bucket,sorted,zipf,alpha-uniform --runs 1 --peers --format jsonl",
    );
    assert!(said.contains("without the peer cub"), "{said}");
    let rows = rows(&out);
    let histograms: Vec<&Value> = rows.iter().filter(|row| row["op"] == "histogram").collect();
    assert_eq!(histograms.len(), 2 * 4 * 3 * 2 * 5);
    assert_eq!(rows.len(), histograms.len() + 2 * 2, "a copy and a read for each n");
    for row in histograms {
        assert_eq!((&row["verified"], &row["impl"], &row["value"]), (&true.into(), &"multisplit".into(), &Value::Null));
        assert!(row["bucket"] == "even" || row["bucket"] == "range", "{row}");
        assert!(row["fraction"].as_f64().unwrap() > 0.0 && row["rate"].as_f64().unwrap() > 0.0, "{row}");
    }
    let out = success("bench histogram --device cpu --n 1000 --bins 256,65536 --dist uniform --runs 1");
    assert!(out.contains("light") && out.lines().filter(|line| line.starts_with("histogram ")).count() == 8, "{out}");
    let cases = [
        ("--bins 0", "--bins 0 is out of range"),
        ("--bins 16777217", "is out of range: 1 to 16777216"),
        ("--n 0", "leaves nothing to measure"),
        ("--n 2^32", "is too many"),
        ("--runs 0", "--runs must be at least 1"),
        ("--keys u8", "possible values: u32, u64, f32"),
        ("--bucket delta", "possible values: even, range"),
        ("--bins 257 --dist binomial", "--dist binomial takes up to 256 bins"),
    ];
    refused("bench histogram --device cpu", cases);
}

#[test]
fn sorts() {
    let (out, said) = success_and_notes(
        "bench sort --device cpu --n 5000,2^12 --keys u32,u64 --values none,u32,u64 --dist uniform,one-bucket,sorted \
         --runs 1 --peers cub,rdst,voracious --format jsonl",
    );
    assert!(said.contains("without the peer cub"), "{said}");
    let rows = rows(&out);
    let by = |name: &str| rows.iter().filter(|row| row["op"] == "sort" && row["impl"] == name).count();
    let of_a_crate = if cfg!(feature = "cpu-peers") { 2 * 2 * 3 } else { 0 };
    assert_eq!((by("multisplit"), by("rdst"), by("voracious")), (2 * 2 * 3 * 3, of_a_crate, of_a_crate));
    assert_eq!(said.contains("without the peer rdst: build the program with `--features cpu-peers`"), of_a_crate == 0);
    for row in &rows {
        assert_eq!((&row["verified"], &row["m"], &row["bucket"]), (&true.into(), &Value::Null, &Value::Null), "{row}");
    }
    let out = success("bench sort --device cpu --n 1000 --keys u32 --digit-bits 4,8 --runs 1");
    assert_eq!(out.lines().filter(|line| line.starts_with("sort ")).count(), 4, "{out}");
    let cases = [
        ("--n 0", "leaves nothing to measure"),
        ("--n 2^32", "is too many"),
        ("--digit-bits 3", "--digit-bits 3 is out of range: 4 to 8"),
        ("--keys f32", "possible values: u32, u64"),
    ];
    refused("bench sort --device cpu", cases);
}

#[test]
fn many_buckets() {
    let (out, said) = success_and_notes(
        "bench large-m --device cpu --n 5000,2^12 --buckets 300,2^12 --keys u32,u64 --values none,u32,u64 --bucket \
         delta,identity,splitters --dist uniform,one-bucket --approach reduced-bit-sort,recursive-scan-split --runs 1 \
         --peers --format jsonl",
    );
    assert!(said.contains("without the peer cub"), "{said}");
    let rows = rows(&out);
    let splits: Vec<&Value> = rows.iter().filter(|row| row["op"] == "split").collect();
    for method in ["auto", "reduced-bit-sort", "recursive-scan-split"] {
        let count = splits.iter().filter(|row| row["method"] == method).count();
        assert_eq!(count, 2 * 2 * 2 * 3 * 3 * 2, "{method}");
    }
    assert_eq!(rows.len(), 3 * (2 * 2 * 2 * 3 * 3 * 2) + 2 * 2, "a copy and a read for each n");
    for row in splits {
        assert_eq!((&row["verified"], &row["impl"]), (&true.into(), &"multisplit".into()), "{row}");
        assert!(row["fraction"].as_f64().unwrap() > 0.0 && row["m"].as_u64().unwrap() > 256, "{row}");
    }
    // The lists that are there unless others are given.
    let out = success("bench large-m --device cpu --n 2000 --runs 1 --format jsonl");
    let rows: Vec<Value> = out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let m: std::collections::BTreeSet<u64> = rows.iter().filter_map(|row| row["m"].as_u64()).collect();
    assert_eq!(m.into_iter().collect::<Vec<_>>(), [512, 1024, 4096, 16_384, 65_536, 1 << 20]);
    assert_eq!(rows.iter().filter(|row| row["method"] == "reduced-bit-sort").count(), 6 * 2);
    let cases = [
        ("--buckets 2^25", "--buckets 33554432 is out of range"),
        ("--buckets 2^40", "buckets are too many"),
        ("--n 0", "leaves nothing to measure"),
        ("--approach bitonic", "there is no approach 'bitonic'"),
        ("--dist binomial", "--dist binomial takes up to 256 buckets"),
    ];
    refused("bench large-m --device cpu", cases);
}

#[test]
fn partitions() {
    let (out, said) = success_and_notes(
        "bench partition --device cpu --n 5000,2^12 --keys u32,u64 --values none,u32,u64 --dist \
         uniform,one-bucket,sorted,zipf --runs 1 --peers --format jsonl",
    );
    assert!(said.contains("without the peer cub"), "{said}");
    let rows = rows(&out);
    let count = |op: &str, m: u64| rows.iter().filter(|row| row["op"] == op && row["m"] == m).count();
    let each = 2 * 2 * 3 * 4;
    assert_eq!((count("partition", 2), count("partition", 3), count("select", 2)), (each, each, each));
    assert_eq!(rows.len(), 3 * each + 2 * 2, "a copy and a read for each n");
    for row in rows.iter().filter(|row| row["op"] == "partition" || row["op"] == "select") {
        assert_eq!((&row["verified"], &row["fraction"]), (&true.into(), &Value::Null), "{row}");
        assert_eq!((&row["method"], &row["bucket"]), (&"auto".into(), &"delta".into()), "{row}");
    }
    let cases = [
        ("--parts 4", "--parts 4 is out of range: 2 or 3"),
        ("--parts 1", "--parts 1 is out of range: 2 or 3"),
        ("--n 0", "leaves nothing to measure"),
        ("--n 2^32", "is too many"),
        ("--keys f32", "possible values: u32, u64"),
    ];
    refused("bench partition --device cpu", cases);
}

#[test]
fn segments() {
    let out = success(
        "bench segments --device cpu --n 5000 --segments 1,40,2^13 --buckets 3,300 --values none,u32,u64 --runs 1 \
         --format jsonl",
    );
    let rows = rows(&out);
    let of_segments: Vec<&Value> = rows.iter().filter(|row| row["op"] == "segments").collect();
    assert_eq!((of_segments.len(), rows.len()), (3 * 2 * 2 * 3, 3 * 2 * 2 * 3 + 2));
    for row in of_segments {
        assert_eq!((&row["verified"], &row["fraction"]), (&true.into(), &Value::Null), "{row}");
        assert!(["equal", "zipf"].contains(&row["dist"].as_str().unwrap()), "{row}");
    }
    let cases = [
        ("--segments 0", "leaves nothing to measure"),
        ("--segments 2^20 --buckets 17", "are too many"),
        ("--n 0", "leaves nothing to measure"),
        ("--buckets 0", "at least 1"),
        ("--lengths long", "possible values: equal, zipf"),
    ];
    refused("bench segments --device cpu", cases);
}

/// The other approaches beside methods, where there are few buckets.
#[test]
fn approaches() {
    let out = success(
        "bench split --device cpu --n 3000 --buckets 2,5 --approach reduced-bit-sort,reduced-bit-sort-by-index,\
         iterated-scan-split,recursive-scan-split --runs 1 --format jsonl",
    );
    let rows = rows(&out);
    for method in
        ["auto", "reduced-bit-sort", "reduced-bit-sort-by-index", "iterated-scan-split", "recursive-scan-split"]
    {
        assert_eq!(rows.iter().filter(|row| row["method"] == method && row["verified"] == true).count(), 4, "{method}");
    }
}

#[test]
fn a_report_of_everything() {
    let (rows, report) = (file("all.jsonl"), file("all.md"));
    let mut all = String::new();
    for bench in [
        "large-m --n 2^12 --buckets 512",
        "partition --n 2^12",
        "segments --n 2^12 --segments 1,9",
        "sort --n 2^12 --keys u32",
        "sssp grid:20,20 --strategies delta-stepping,dijkstra --sources 1",
    ] {
        all += &success(&format!("bench {bench} --device cpu --runs 1 --format jsonl"));
    }
    std::fs::write(&rows, all).unwrap();
    success(&format!("bench report {} --output {}", rows.display(), report.display()));
    let text = std::fs::read_to_string(&report).unwrap();
    for heading in ["More than 256 buckets", "Partitions and selections", "Segments", "Sorts", "Shortest paths"] {
        assert!(text.contains(&format!("### {heading}\n")), "{heading}: {text}");
    }
}

#[test]
fn a_table_goes_with_a_file() {
    let path = file("rows.csv");
    let out = success(&format!(
        "bench split --device cpu --n 1000 --buckets 3 --runs 1 --format csv --output {}",
        path.display()
    ));
    assert!(out.contains("light") && out.lines().filter(|line| line.starts_with("split ")).count() == 2, "{out}");
    let csv = std::fs::read_to_string(path).unwrap();
    assert!(
        csv.starts_with("op,impl,method,bucket,dist,segments,graph,device,n,m,key,value,ms,rate,verified,fraction,")
    );
    assert_eq!(csv.lines().filter(|line| line.starts_with("split,multisplit,auto,delta,uniform,,")).count(), 2);
}

#[test]
fn a_report_of_what_was_measured() {
    let (rows, report) = (file("rows.jsonl"), file("report.md"));
    let lists = "--n 2^12,2^14 --buckets 2,3,4 --dist uniform,zipf --bucket delta,splitters --runs 1";
    success(&format!("bench split --device cpu {lists} --format jsonl --output {}", rows.display()));
    success(&format!("bench report {} --output {}", rows.display(), report.display()));
    let text = std::fs::read_to_string(&report).unwrap();
    for heading in ["Rates", "Distributions", "Odd numbers of buckets", "Bucket functions", "Sizes"] {
        assert!(text.contains(&format!("### {heading}\n")), "{heading}: {text}");
    }
    assert!(text.contains("multisplit --no-kernel-cache bench split --device cpu"), "{text}");
    for plot in ["report-keys.svg", "report-pairs.svg", "report-sizes.svg"] {
        assert!(std::fs::read_to_string(file(plot)).unwrap().starts_with("<svg"), "{plot}");
    }
}

#[test]
fn a_peer_that_cannot_run_is_left_out() {
    let (out, said) =
        success_and_notes("bench split --device cpu --n 1000 --buckets 2 --runs 1 --peers --format jsonl");
    assert!(said.contains("without the peer cub: it runs on CUDA devices only"), "{said}");
    assert_eq!(rows(&out).len(), 4);
}

#[test]
fn what_cannot_be_measured_is_said() {
    let cases = [
        ("--buckets 0", "--buckets 0 is out of range"),
        ("--n 0", "leaves nothing to measure"),
        ("--n 2^32", "is too many"),
        ("--n many", "is not a number"),
        ("--runs 0", "--runs must be at least 1"),
        ("--keys f32", "possible values: u32, u64"),
        ("--dist normal", "possible values: uniform, binomial"),
        ("--method fast", "there is no method 'fast'"),
        ("--peers thrust", "possible values: cub"),
        ("--device none:0", "there is no device 'none:0'"),
        ("--output /no/such/folder/rows", "/no/such/folder/rows"),
    ];
    refused("bench split", cases);
    assert!(failure("bench report no-such-file.jsonl").contains("no-such-file.jsonl"));
}

#[test]
fn shortest_paths_are_rows() {
    let out = success(
        "bench sssp rmat:2000,8000 grid:20,30 --device cpu --sources 2 --runs 2 --format jsonl --strategies \
         near-far,delta-stepping,bellman-ford,dijkstra",
    );
    let rows = rows(&out);
    let methods: Vec<&Value> = rows.iter().map(|row| &row["method"]).collect();
    assert_eq!(methods, ["delta-stepping", "bellman-ford", "dijkstra"].repeat(2), "near-far needs a GPU");
    for row in &rows {
        assert_eq!((&row["op"], &row["impl"], &row["verified"]), (&"sssp".into(), &"multisplit".into(), &true.into()));
        assert!(row["ms"].as_f64().unwrap() > 0.0 && row["rate"].as_f64().unwrap() > 0.0, "{row}");
    }
    assert_eq!((&rows[3]["graph"], &rows[3]["n"]), (&"grid:20,30".into(), &2300.into()));
    let out = success("bench sssp grid:9,9 --device cpu --sources 1 --runs 1");
    assert!(out.contains("MTEPS") && out.contains("dijkstra") && !out.contains("WRONG"), "{out}");
    refused("bench sssp", [("rmat:5 --device cpu", "rmat takes two numbers")]);
}
