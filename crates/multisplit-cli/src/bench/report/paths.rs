//! The section on shortest paths: a line for each graph, as in the paper's table.

use super::super::row::Row;
use super::markdown::{number, section, strings, table};
use super::rows::DeviceRows;

pub fn paths(rows: &DeviceRows) -> String {
    let all: Vec<&Row> = rows.rows.iter().filter(|row| row.op == "sssp").collect();
    let (mut graphs, mut strategies): (Vec<&str>, Vec<&str>) = (Vec::new(), Vec::new());
    for row in &all {
        let (graph, strategy) = (row.graph.as_deref().unwrap_or("some"), row.method.as_deref().unwrap_or("some"));
        if !graphs.contains(&graph) {
            graphs.push(graph);
        }
        if !strategies.contains(&strategy) {
            strategies.push(strategy);
        }
    }
    // What was measured last.
    let find = |graph: &str, strategy: &str| {
        let of = |row: &&&Row| (row.graph.as_deref(), row.method.as_deref()) == (Some(graph), Some(strategy));
        all.iter().rev().find(of).copied()
    };
    let ours = strategies.contains(&"multisplit");
    let rivals: Vec<&str> = strategies.iter().copied().filter(|&strategy| ours && strategy != "multisplit").collect();
    let line = |graph: &&str| {
        let times = strategies.iter().map(|strategy| find(graph, strategy).map(|row| row.ms));
        let arcs = strategies.iter().find_map(|strategy| find(graph, strategy)).map_or(0, |row| row.n);
        let fastest = times.clone().flatten().min_by(f64::total_cmp);
        let rate = fastest.map(|ms| 1e-6 * arcs as f64 / ms);
        let of_rival = |rival: &&str| {
            let (rival, multisplit) = (find(graph, rival)?, find(graph, "multisplit")?);
            Some(rival.ms / multisplit.ms)
        };
        let ratios = rivals.iter().map(of_rival).map(|ratio| number(ratio, 2));
        let cells = times.map(|ms| number(ms, 2)).chain([number(rate, 2)]).chain(ratios);
        [graph.to_string(), arcs.to_string()].into_iter().chain(cells).collect()
    };
    let lines: Vec<Vec<String>> = graphs.iter().map(line).collect();
    let mut header = strings(&["graph", "arcs"]);
    header.extend(strategies.iter().map(|strategy| format!("{strategy}, ms")));
    header.push("GTEPS of the fastest".into());
    header.extend(rivals.iter().map(|rival| format!("multisplit x {rival}")));
    let about = "The median of several searches from each of several sources. An undirected edge is two arcs.";
    let content = if lines.is_empty() { String::new() } else { table(&header, &lines) };
    section("Shortest paths", about, &content)
}
