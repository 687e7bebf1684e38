use super::*;
use tempfile::tempdir;

const FIXTURE: &str = include_str!("fixture.jsonl");

#[test]
fn every_section_has_its_rows() {
    let folder = tempdir().unwrap();
    let text = document(parse(FIXTURE).unwrap(), &folder.path().join("performance.md")).unwrap();
    for line in [
        "## cuda:0 (A device)",
        "21 rows, each equal to the reference; 1 more were wrong and are left out; driver 1.2; date 2020-01-02; \
         commit abc.",
        "multisplit bench split --n 2^22",
        "| 2^22 | 400.0 | 3200 | 800.0 | 3200 | 266.7 | 160.0 |",
        "| buckets | auto | of light | direct | auto / best of ours | best peer | its rate | times as fast |",
        // The partition is faster, but not stable.
        "| 2 | 200.0 | 0.750 | 180.0 | 1.00 | cub onesweep | 100.0 | 2.00 |",
        "**u32 keys with u32 values**",
        "| 2 | 5.0 | 1.0 | 15.0 | 21.0 |",
        "| zipf | 1.05 |",
        "| 3 | 190.0 | 4 | 195.0 | 0.97 |",
        "| 2 | 2400 | 2640 | 1.10 |",
        "| 4 | 195.0 | 156.0 | 0.80 |",
        "| 2^10 | 0.0500 |",
        "| 2^23 | 202.0 |",
        "| 2^10 | 30.0 (1.50) |",
        "![performance-keys.svg](performance-keys.svg)",
    ] {
        assert!(text.contains(line), "'{line}' is not in\n{text}");
    }
    // Neither what is wrong nor what has no rows.
    for line in ["999", "block-level", "binomial", "identity", "performance-pairs.svg"] {
        assert!(!text.contains(line), "'{line}' is in\n{text}");
    }
    let plot = fs::read_to_string(folder.path().join("performance-keys.svg")).unwrap();
    assert!(plot.starts_with("<svg") && plot.contains("cub onesweep") && plot.contains("speed of light"));
}

#[test]
fn what_was_written_by_hand_stays() {
    let folder = tempdir().unwrap();
    let (rows, out) = (folder.path().join("rows.jsonl"), folder.path().join("docs/performance.md"));
    fs::write(&rows, FIXTURE).unwrap();
    let arguments = ReportArguments { files: vec![rows], output: out.clone() };
    run(&arguments).unwrap();
    let fresh = fs::read_to_string(&out).unwrap();
    fs::write(&out, format!("Before.\n{fresh}After.\n").replace("| 200.0 |", "| 1.0 |")).unwrap();
    run(&arguments).unwrap();
    assert_eq!(fs::read_to_string(&out).unwrap(), format!("Before.\n{fresh}After.\n"));

    fs::write(&out, "All by hand.").unwrap();
    assert!(run(&arguments).unwrap_err().to_string().contains("has no place for tables"));
    assert_eq!(fs::read_to_string(&out).unwrap(), "All by hand.");
}

#[test]
fn histograms_have_a_section() {
    let row = |by: &str, bucket: &str, ms: f64| {
        let rate = 4.0 / ms;
        format!(
            r#"{{"op":"histogram","impl":"{by}","method":"auto","bucket":"{bucket}","dist":"uniform","graph":null,"device":"a","n":4194304,"m":256,"key":"f32","value":null,"ms":{ms},"rate":{rate},"verified":true,"fraction":0.5}}"#
        )
    };
    let rows = [row("multisplit", "even", 0.01), row("cub", "even", 0.02), row("multisplit", "range", 0.04)].join("\n");
    let folder = tempdir().unwrap();
    let text = document(parse(&rows).unwrap(), &folder.path().join("performance.md")).unwrap();
    for line in ["### Histograms", "**2^22 uniform f32 keys**", "| 256 | 400.0 | 0.500 | 2.00 | 100.0 | 0.500 | – |"]
    {
        assert!(text.contains(line), "'{line}' is not in\n{text}");
    }
}

#[test]
fn sorts_partitions_and_many_buckets_have_sections() {
    let row = |op: &str, by: &str, method: &str, m: &str, value: &str, ms: f64| {
        let rate = 4.194304 / ms;
        let bucket = if op == "sort" { "null" } else { "\"delta\"" };
        format!(
            r#"{{"op":"{op}","impl":"{by}","method":"{method}","bucket":{bucket},"dist":"uniform","graph":null,"device":"a","n":4194304,"m":{m},"key":"u32","value":{value},"ms":{ms},"rate":{rate},"verified":true,"fraction":null}}"#
        )
    };
    let rows = [
        row("sort", "multisplit", "auto", "null", "null", 0.08),
        row("sort", "multisplit", "auto", "null", "null", 0.04),
        row("sort", "cub", "radix-sort", "null", "null", 0.08),
        row("sort", "multisplit", "4-bit digits", "null", "\"u32\"", 0.1),
        row("split", "multisplit", "auto", "2", "null", 0.02),
        row("split", "multisplit", "auto", "4096", "null", 0.04),
        row("split", "multisplit", "reduced-bit-sort", "4096", "null", 0.08),
        row("split", "cub", "reduced-bit-sort", "4096", "null", 0.06),
        row("partition", "multisplit", "auto", "2", "null", 0.02),
        row("partition", "cub", "partition", "2", "null", 0.03),
        row("partition", "multisplit", "auto", "3", "\"u32\"", 0.05),
        row("select", "multisplit", "auto", "2", "null", 0.02),
        row("select", "cub", "select", "2", "null", 0.01),
    ];
    let folder = tempdir().unwrap();
    let text = document(parse(&rows.join("\n")).unwrap(), &folder.path().join("performance.md")).unwrap();
    for line in [
        "### Sorts",
        "| u32 keys | auto | 104.9 | cub radix-sort | 52.43 | 2.00 |",
        "| u32 keys with u32 values | 4-bit digits | 41.94 | – | – | – |",
        "### More than 256 buckets",
        "| buckets | auto | of light | our reduced-bit-sort | best peer | its rate | times as fast |",
        "| 2^12 | 104.9 | – | 52.43 | cub reduced-bit-sort | 69.91 | 1.50 |",
        "### Partitions and selections",
        "| two-way partition | u32 keys | 209.7 | cub partition | 139.8 | 1.50 |",
        "| three-way partition | u32 keys with u32 values | 83.89 | – | – | – |",
        "| selection | u32 keys | 209.7 | cub select | 419.4 | 0.50 |",
    ] {
        assert!(text.contains(line), "'{line}' is not in\n{text}");
    }
    // A case that was measured again has one line; many buckets are no part of the other tables.
    assert_eq!(text.matches("| u32 keys | auto |").count(), 1, "{text}");
    assert!(!text.contains("| 4096 |"), "{text}");
}

#[test]
fn segments_and_paths_have_sections() {
    let segments = |count: u64, m: u32, ms: f64| {
        let rate = 4.194304 / ms;
        format!(
            r#"{{"op":"segments","impl":"multisplit","method":"auto","bucket":"delta","dist":"zipf","segments":{count},"device":"a","n":4194304,"m":{m},"key":"u32","value":null,"ms":{ms},"rate":{rate},"verified":true}}"#
        )
    };
    let paths = |device: &str, strategy: &str, ms: f64| {
        format!(
            r#"{{"op":"sssp","impl":"multisplit","method":"{strategy}","graph":"grid","device":"{device}","n":3000000,"ms":{ms},"verified":true}}"#
        )
    };
    let peer = |ms: f64| paths("cpu", "delta-stepping", ms).replace("multisplit", "gapbs");
    let rows = [
        segments(1, 8, 0.04),
        segments(1, 64, 0.08),
        segments(4096, 8, 0.02),
        paths("a", "near-far", 9.0),
        paths("a", "near-far", 3.0),
        paths("a", "multisplit", 1.5),
        peer(10.0),
        peer(12.0),
        paths("cpu", "delta-stepping", 6.0),
        paths("cpu", "dijkstra", 30.0),
    ];
    let folder = tempdir().unwrap();
    let text = document(parse(&rows.join("\n")).unwrap(), &folder.path().join("performance.md")).unwrap();
    for line in [
        "### Segments",
        "**2^22 u32 keys, segments of zipf length**",
        "| segments | mean length | m = 8 | m = 64 |",
        "| 1 | 2^22 | 104.9 | 52.43 |",
        "| 2^12 | 2^10 | 209.7 | – |",
        "### Shortest paths",
        "| graph | arcs | near-far, ms | multisplit, ms | GTEPS of the fastest | multisplit x near-far |",
        "| grid | 3000000 | 3.00 | 1.50 | 2.00 | 2.00 |",
        "## cpu",
        "| graph | arcs | gapbs, ms | delta-stepping, ms | dijkstra, ms | GTEPS of the fastest |",
        "| grid | 3000000 | 10.00 | 6.00 | 30.00 | 0.50 |",
    ] {
        assert!(text.contains(line), "'{line}' is not in\n{text}");
    }
}

#[test]
fn rows_that_are_none() {
    assert!(format!("{:#}", parse("{\"op\":\"split\"}").unwrap_err()).contains("line 1"));
    assert!(format!("{:#}", parse("\n\nnothing").unwrap_err()).contains("line 3"));
    assert!(parse("{\"op\":\"something\",\"n\":null}").unwrap().is_empty());
}
