//! The sections of the other operations.

use super::content::{Block, Content, number, rate, section, strings, table};
use super::figures;
use super::rows::DeviceRows;
use super::subjects::{AGAINST, against, elements, groups, heading, latest};
use crate::bench::harness::row::Row;
use crate::shared::arguments::show_count;
use std::collections::BTreeSet;

/// Partitions and selections: a table for each size and distribution.
pub fn partitions(rows: &DeviceRows) -> Content {
    let is_one = |row: &&Row| matches!(row.op.as_str(), "partition" | "select") && row.by == "multisplit";
    let of_group = |group| {
        let line = |row: &Row| {
            let what = match (row.op.as_str(), row.m) {
                ("select", _) => "selection",
                (_, Some(3)) => "three-way partition",
                _ => "two-way partition",
            };
            [what.into(), elements(row), rate(row.rate)].into_iter().chain(against(rows, row)).collect()
        };
        let lines: Vec<Vec<String>> = latest(&group).into_iter().map(line).collect();
        let header = [strings(&["what", "elements", "rate"]), strings(&AGAINST)].concat();
        heading(&group) + table(&header, &lines)
    };
    let about = "1e9 elements per second. Ours are stable; CUB's partitions are not, its selection is.";
    let content: Content = groups(rows.rows.iter().filter(is_one)).into_iter().map(of_group).collect();
    section("Partitions and selections", about, content)
}

/// Segments: a table for each size, distribution of lengths and elements.
pub fn segments(rows: &DeviceRows) -> Content {
    let all: Vec<&Row> = rows.rows.iter().filter(|row| row.op == "segments").collect();
    let kinds: BTreeSet<String> = all.iter().map(|row| elements(row)).collect();
    let mut content = Content::default();
    for kind in kinds {
        for group in groups(all.iter().copied().filter(|row| elements(row) == kind)) {
            let group = latest(&group);
            let Some(first) = group.first() else { continue };
            let ms: BTreeSet<u32> = group.iter().filter_map(|row| row.m).collect();
            let counts: BTreeSet<u64> = group.iter().filter_map(|row| row.segments).collect();
            let line = |&count: &u64| {
                let of = |&m: &u32| group.iter().find(|row| (row.m, row.segments) == (Some(m), Some(count)));
                let rates = ms.iter().map(|m| rate(of(m).and_then(|row| row.rate)));
                [show_count(count), show_count(first.n / count)].into_iter().chain(rates).collect()
            };
            let lines: Vec<Vec<String>> = counts.iter().map(line).collect();
            let header = strings(&["segments", "mean length"]).into_iter();
            let header: Vec<String> = header.chain(ms.iter().map(|m| format!("m = {m}"))).collect();
            let lengths = first.dist.as_deref().unwrap_or("some");
            let label = format!("{} {kind}, segments of {lengths} length", show_count(first.n));
            content = content + Block::Label(label).into() + table(&header, &lines);
        }
    }
    section("Segments", "1e9 elements per second, all segments in one call; uniform keys, delta buckets.", content)
}

/// Sorts: a table for each size and distribution.
pub fn sorts(rows: &DeviceRows) -> Content {
    let ours = rows.rows.iter().filter(|row| row.op == "sort" && row.by == "multisplit");
    let of_group = |group| {
        let line = |row: &Row| {
            let method = row.method.clone().unwrap_or_default();
            [elements(row), method, rate(row.rate)].into_iter().chain(against(rows, row)).collect()
        };
        let lines: Vec<Vec<String>> = latest(&group).into_iter().map(line).collect();
        let header = [strings(&["elements", "digits", "rate"]), strings(&AGAINST)].concat();
        heading(&group) + table(&header, &lines)
    };
    let about = "1e9 elements per second, sorted by the whole key. There is no speed of light: how often elements must \
                 move depends on the digits.";
    section("Sorts", about, groups(ours).into_iter().map(of_group).collect::<Content>() + figures::sorts(rows))
}

/// Histograms: a table for each size, key type and distribution.
pub fn histograms(rows: &DeviceRows) -> Content {
    let ours: Vec<&Row> = rows.rows.iter().filter(|row| row.op == "histogram" && row.by == "multisplit").collect();
    let mut subjects: Vec<(u64, &Option<String>, &Option<String>)> = Vec::new();
    for row in &ours {
        let subject = (row.n, &row.key, &row.dist);
        if !subjects.contains(&subject) {
            subjects.push(subject);
        }
    }
    let of_subject = |&(n, key, dist): &(u64, &Option<String>, &Option<String>)| {
        let of = |row: &&&Row| (row.n, &row.key, &row.dist) == (n, key, dist);
        let bins: BTreeSet<u32> = ours.iter().filter(of).filter_map(|row| row.m).collect();
        let line = |m: &u32| {
            let cells = ["even", "range"].iter().flat_map(|&kind| {
                // Where a case occurs twice, the later row counts.
                let is_it = |row: &&&Row| of(row) && row.m == Some(*m) && row.bucket.as_deref() == Some(kind);
                let row = ours.iter().rev().find(is_it);
                let times = row.and_then(|row| Some(row.best_peer(&rows.rows)?.ms / row.ms));
                [rate(row.and_then(|row| row.rate)), number(row.and_then(|row| row.fraction), 3), number(times, 2)]
            });
            std::iter::once(m.to_string()).chain(cells).collect()
        };
        let header = ["bins", "even", "of light", "times the peer", "range", "of light", "times the peer"];
        let [key, dist] = [key, dist].map(|field| field.as_deref().unwrap_or("some"));
        let lines: Vec<Vec<String>> = bins.iter().map(line).collect();
        let label = format!("{} {dist} {key} keys", show_count(n));
        Content::from(Block::Label(label)) + table(&strings(&header), &lines)
    };
    let about = "1e9 keys per second. The speed of light is that of a plain read of the keys.";
    section("Histograms", about, subjects.iter().map(of_subject).collect::<Content>() + figures::histograms(rows))
}

/// Shortest paths: a line for each graph, as in the paper.
pub fn paths(rows: &DeviceRows) -> Content {
    let all: Vec<&Row> = rows.rows.iter().filter(|row| row.op == "sssp").collect();
    let (mut graphs, mut strategies): (Vec<&str>, Vec<&str>) = (Vec::new(), Vec::new());
    // A peer is a strategy of its own.
    fn name(row: &Row) -> Option<&str> {
        if row.by == "multisplit" { row.method.as_deref() } else { Some(&row.by) }
    }
    for row in &all {
        let (graph, strategy) = (row.graph.as_deref().unwrap_or("some"), name(row).unwrap_or("some"));
        if !graphs.contains(&graph) {
            graphs.push(graph);
        }
        if !strategies.contains(&strategy) {
            strategies.push(strategy);
        }
    }
    // What was measured last; of a peer, which has a row for each width of buckets, the fastest.
    let find = |graph: &str, strategy: &str| {
        let of = |row: &&Row| (row.graph.as_deref(), name(row)) == (Some(graph), Some(strategy));
        let found = || all.iter().copied().filter(of);
        let last = found().next_back()?;
        if last.by == "multisplit" { Some(last) } else { found().min_by(|a, b| a.ms.total_cmp(&b.ms)) }
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
    let chart = figures::paths("shortest paths", &rows.rows);
    section("Shortest paths", about, table(&header, &lines) + chart)
}
