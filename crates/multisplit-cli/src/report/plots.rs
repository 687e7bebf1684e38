//! Plots: rates over the number of buckets and over the size of the input.

use super::content::{Block, Content};
use super::points::rate_point;
use super::rows::{DeviceRows, SplitQuery};
use crate::bench::harness::bandwidth::least_bytes;
use crate::bench::harness::row::Row;
use crate::charts::{Axis, Chart, Line, LineChart, Point, Scale, Stroke};
use crate::shared::arguments::show_count;
use std::collections::BTreeSet;

const LIGHT: &str = "speed of light";

/// Draws rates over the number of buckets, of keys and of pairs, and over the size of the input.
pub fn over_buckets_and_sizes(rows: &DeviceRows) -> Content {
    let title = |of: &str| format!("{} uniform u32 {of}", show_count(rows.main_n));
    let plots = [
        ("keys", title("keys"), "buckets", Scale::Linear, over_buckets(rows, None)),
        ("pairs", title("keys with u32 values"), "buckets", Scale::Linear, over_buckets(rows, Some("u32"))),
        ("sizes", "uniform u32 keys".into(), "keys", Scale::Log10, over_sizes(rows)),
    ];
    let plot = |(name, title, of, scale, lines): (&'static str, String, &str, Scale, Vec<Line>)| {
        let lines: Vec<Line> = lines.into_iter().filter(|line| line.points.len() > 1).collect();
        let x = Axis { name: of.into(), scale: Scale::Log2 };
        let y = Axis { name: "1e9 elements per second".into(), scale };
        let chart = Chart::Lines(LineChart { title, x, y, lines });
        if chart.is_empty() { Content::default() } else { Block::Chart(Some(name), Box::new(chart)).into() }
    };
    plots.into_iter().map(plot).collect()
}

/// Returns our rates, those of every way that peers have, and the speed of light.
fn over_buckets(rows: &DeviceRows, value: Option<&str>) -> Vec<Line> {
    let like = SplitQuery { value, ..rows.base() };
    let buckets = rows.buckets(like);
    let line = |name: &str, row: &dyn Fn(SplitQuery<'_>) -> Option<Point>| Line {
        name: name.into(),
        stroke: Stroke::Full,
        points: buckets.iter().filter_map(|&m| row(SplitQuery { m, ..like })).collect(),
    };
    let x = |case: SplitQuery<'_>| f64::from(case.m);
    let mut lines = vec![line("multisplit", &|case| rate_point(x(case), rows.ours(case)?))];
    let of_peers = buckets.iter().flat_map(|&m| rows.peers(SplitQuery { m, ..like }));
    let ways: BTreeSet<_> = of_peers.map(|row| (row.by.clone(), row.method.clone())).collect();
    for (by, method) in ways {
        let name = format!("{by} {}", method.as_deref().unwrap_or_default());
        let is_way = |row: &&Row| row.by == by && row.method == method;
        lines.push(line(&name, &|case| rate_point(x(case), rows.peers(case).filter(is_way).last()?)));
    }
    let words = least_bytes(1, 4, if value.is_some() { 4 } else { 0 }) as f64 / 4.0;
    let light = rows.other("copy", rows.main_n).and_then(|row| row.rate).map(|copy| copy * 2.0 / words);
    let point = |case: SplitQuery<'_>| Some(Point { x: x(case), y: light?, range: None, tooltip: LIGHT.into() });
    lines.push(Line { stroke: Stroke::Limit, ..line(LIGHT, &point) });
    lines
}

fn over_sizes(rows: &DeviceRows) -> Vec<Line> {
    let base = rows.base();
    let sizes = rows.sizes(base);
    let elsewhere = sizes.iter().filter(|&&n| n != rows.main_n).flat_map(|&n| rows.buckets(SplitQuery { n, ..base }));
    let buckets: BTreeSet<u32> = elsewhere.collect();
    let of_buckets = |m: u32| Line {
        name: format!("m = {m}"),
        stroke: Stroke::Full,
        points: sizes.iter().filter_map(|&n| rate_point(n as f64, rows.ours(SplitQuery { n, m, ..base })?)).collect(),
    };
    buckets.into_iter().map(of_buckets).collect()
}
