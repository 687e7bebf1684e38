//! Which of our rows are numbers of which table.

use super::comparison::{Comparison, Line, Quantity, Value};
use super::experiments::RMAT;
use crate::bench::harness::row::{Row, Stages};
use crate::report::points::tooltip;

/// A number of ours, and where it stands.
struct Entry {
    group: String,
    method: String,
    column: String,
    value: Value,
}

/// Adds our numbers to a table. `n` is the size of the experiments.
pub fn add(table: &mut Comparison, rows: &[Row], n: u64) {
    for row in rows.iter().filter(|row| row.verified) {
        for entry in entries(table.number, row, n) {
            put(table, &row.device, entry);
        }
    }
}

/// Puts a number into the line of its method. Columns that the paper does not have come last.
fn put(table: &mut Comparison, device: &str, entry: Entry) {
    let Entry { group, method, column, value } = entry;
    let at = table.columns.iter().position(|name| *name == column).unwrap_or_else(|| {
        table.columns.push(column);
        table.columns.len() - 1
    });
    let is_it = |line: &Line| line.ours && line.device == device && line.group == group && line.method == method;
    let line = table.lines.iter().position(is_it).unwrap_or_else(|| {
        table.lines.push(Line { device: device.into(), ours: true, group, method, values: Vec::new() });
        table.lines.len() - 1
    });
    let values = &mut table.lines[line].values;
    values.resize(values.len().max(at + 1), None);
    values[at] = Some(value);
}

/// Returns what a row says in a table.
fn entries(table: u32, row: &Row, n: u64) -> Vec<Entry> {
    let is = |op: &str, bucket: &str, dist: &str| {
        let texts = [&row.bucket, &row.dist].map(Option::as_deref);
        row.op == op && texts == [Some(bucket), Some(dist)] && row.n == n && is_narrow(row)
    };
    let elements = || if row.value.is_some() { "pairs" } else { "keys" }.to_string();
    let m = || row.m.unwrap_or(0).to_string();
    let entry = |quantity, group: String, column: String| {
        vec![Entry { group, method: method_name(row), column, value: value(row, quantity) }]
    };
    let is_scan_split = row.method.as_deref() == Some("iterated-scan-split");
    match table {
        3 if is_sort(row, n) && row.method.as_deref().is_none_or(|method| !method.ends_with("digits")) => {
            entry(Quantity::Rate, String::new(), elements())
        }
        3 if is_scan_split && row.m == Some(2) => entry(Quantity::Rate, String::new(), elements()),
        4 if is("split", "delta", "uniform") && matches!(row.m, Some(2 | 8 | 32)) && !is_scan_split => {
            stages(row, &elements(), &m())
        }
        5 if is("split", "delta", "uniform") && !is_scan_split => entry(Quantity::Rate, elements(), m()),
        6 if row.m == Some(256) && !is_scan_split => {
            let dists = [("uniform", "uniform"), ("alpha-uniform", "0.25-uniform"), ("binomial", "binomial")];
            let dist = dists.iter().find(|(dist, _)| is("split", "delta", dist));
            dist.map_or_else(Vec::new, |(_, column)| entry(Quantity::Rate, elements(), column.to_string()))
        }
        7 if is("split", "identity", "uniform") => entry(Quantity::Rate, elements(), m()),
        8 if is_sort(row, n) => {
            let method = row.method.as_deref().unwrap_or_default();
            let bits = method.strip_suffix("-bit digits").unwrap_or("chosen").to_string();
            let mut entries = entry(Quantity::Rate, elements(), bits);
            if row.by == "multisplit" {
                entries.iter_mut().for_each(|entry| entry.method = "sort by multisplits".into());
            }
            entries
        }
        10 if row.op == "sssp" => entry(Quantity::Time, String::new(), graph_name(row)),
        11 if is("histogram", "even", "uniform") || is("histogram", "range", "uniform") => {
            entry(Quantity::Rate, row.bucket.clone().unwrap_or_default(), m())
        }
        _ => Vec::new(),
    }
}

fn is_sort(row: &Row, n: u64) -> bool {
    row.op == "sort" && row.n == n && is_narrow(row) && row.dist.as_deref() == Some("uniform")
}

/// Returns whether keys and values are those of the paper: of 4 bytes.
pub fn is_narrow(row: &Row) -> bool {
    matches!(row.key.as_deref(), Some("u32" | "f32")) && matches!(row.value.as_deref(), None | Some("u32"))
}

/// The stages of a row and their sum, where they were measured; of other ways the sum alone.
fn stages(row: &Row, group: &str, column: &str) -> Vec<Entry> {
    let entry = |stage: &str, value: Value| Entry {
        group: group.into(),
        method: format!("{} {stage}", method_name(row)),
        column: column.into(),
        value,
    };
    let quartiles = row.stage_quartiles();
    let stage = |i: usize, name: &str, number: f64| {
        let times = quartiles.map(|stages| stages[i]);
        let range = times.map(|times| [times.lower, times.upper]);
        let tooltip = times.map(|times| format!("{} to {} ms", times.lower, times.upper)).unwrap_or_default();
        entry(name, Value { number, range, tooltip })
    };
    let stages = row.stages.into_iter().flat_map(|Stages { prescan, scan, postscan }| {
        [stage(0, "pre-scan", prescan), stage(1, "scan", scan), stage(2, "post-scan", postscan)]
    });
    stages.chain([entry("total", value(row, Quantity::Time))]).collect()
}

/// Names who did it and how, in the words of the paper.
pub fn method_name(row: &Row) -> String {
    let method = row.method.as_deref().unwrap_or_default();
    match (row.by.as_str(), method) {
        ("multisplit", "auto") if row.op == "sort" => "sort by multisplits".into(),
        ("multisplit", "auto") if row.op == "histogram" => "histogram".into(),
        ("multisplit", "auto") => "multisplit (auto)".into(),
        ("multisplit", "direct") => "direct (DMS)".into(),
        ("multisplit", "warp-level") => "warp-level (WMS)".into(),
        ("multisplit", "block-level") => "block-level (BMS)".into(),
        ("multisplit", "reduced-bit-sort") => "reduced-bit sort (RB-sort)".into(),
        ("multisplit", "iterated-scan-split") => "scan-based split".into(),
        ("multisplit", "near-far") => "Near-Far".into(),
        ("multisplit", "bucketing") => "Bucketing".into(),
        ("multisplit", "split-bucketing") => "Multisplit-SSSP".into(),
        ("multisplit", "multisplit") => "multisplit, many buckets".into(),
        ("multisplit", method) => method.into(),
        ("cub", method) => format!("CUB {}", method.replace("radix-sort", "radix sort").replace("-sort", " sort")),
        (by, method) => format!("{by} {method}").trim_end().into(),
    }
}

/// Names a graph as the paper does, if it is one of the paper's.
fn graph_name(row: &Row) -> String {
    let name = row.graph.clone().unwrap_or_default();
    if name == RMAT {
        return "rmat".into();
    }
    let plain = |name: &str| name.to_lowercase().replace('_', "-");
    let papers = ["cit-Patents", "flickr", "belgium_osm"];
    let stem = name.split('.').next().unwrap_or_default();
    papers.iter().find(|paper| plain(paper) == plain(stem)).map_or(name.clone(), |paper| paper.to_string())
}

fn value(row: &Row, quantity: Quantity) -> Value {
    let times = row.quartiles();
    let (number, range) = match quantity {
        Quantity::Time => (row.ms, times.map(|times| [times.lower, times.upper])),
        Quantity::Rate => {
            let rate = |ms: f64| 1e-6 * row.n as f64 / ms;
            (row.rate.unwrap_or_else(|| rate(row.ms)), times.map(|times| [rate(times.upper), rate(times.lower)]))
        }
    };
    Value { number, range, tooltip: tooltip(row) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paper::published;

    #[test]
    fn rows_find_their_tables() {
        let split = |method: &str, dist: &str, m| Row {
            op: "split".into(),
            by: "multisplit".into(),
            method: Some(method.into()),
            bucket: Some("delta".into()),
            dist: Some(dist.into()),
            device: "here".into(),
            n: 1000,
            m: Some(m),
            key: Some("u32".into()),
            ms: 0.5,
            rate: Some(2e-3),
            verified: true,
            ..Row::default()
        };
        let cub = Row { by: "cub".into(), method: Some("reduced-bit-sort".into()), ..split("", "uniform", 256) };
        let wrong = Row { verified: false, ..split("direct", "uniform", 2) };
        let wide = Row { key: Some("u64".into()), ..split("warp-level", "uniform", 2) };
        let stages = Some(Stages { prescan: 0.1, scan: 0.2, postscan: 0.3 });
        let staged = Row { stages, ..split("block-level", "uniform", 2) };
        let other_size = Row { n: 999, ..split("warp-level", "uniform", 2) };
        let graph =
            |name: &str| Row { op: "sssp".into(), graph: Some(name.into()), bucket: None, ..split("near-far", "", 0) };
        let rows = [
            split("auto", "uniform", 8),
            split("auto", "uniform", 256),
            split("auto", "binomial", 256),
            cub,
            wrong,
            wide,
            staged,
            other_size,
            graph("cit-patents.mtx.gz"),
            graph("mine.gr"),
        ];
        let mut tables = published::tables().unwrap();
        tables.iter_mut().for_each(|table| add(table, &rows, 1000));
        let ours = |number: u32| -> Vec<(String, Vec<String>)> {
            let table = tables.iter().find(|table| table.number == number).unwrap();
            let columns = |line: &Line| {
                let there = table.columns.iter().zip(&line.values).filter(|(_, value)| value.is_some());
                there.map(|(column, _)| column.clone()).collect()
            };
            let lines = table.lines.iter().filter(|line| line.ours);
            lines.map(|line| (line.method.clone(), columns(line))).collect()
        };
        let line = |method: &str, columns: &[&str]| {
            (method.to_string(), columns.iter().map(ToString::to_string).collect::<Vec<_>>())
        };
        assert_eq!(
            ours(5),
            [
                line("multisplit (auto)", &["8", "256"]),
                line("CUB reduced-bit sort", &["256"]),
                line("block-level (BMS)", &["2"])
            ]
        );
        assert_eq!(
            ours(6),
            [line("multisplit (auto)", &["uniform", "binomial"]), line("CUB reduced-bit sort", &["uniform"])]
        );
        let staged =
            ["pre-scan", "scan", "post-scan", "total"].map(|s| line(&format!("block-level (BMS) {s}"), &["2"]));
        assert_eq!(ours(4)[0], line("multisplit (auto) total", &["8"]));
        assert_eq!(ours(4)[1..], staged);
        assert_eq!(ours(10), [line("Near-Far", &["cit-Patents", "mine.gr"])]);
        assert!(ours(3).is_empty() && ours(7).is_empty() && ours(8).is_empty() && ours(11).is_empty());
    }
}
