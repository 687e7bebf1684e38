//! Points, lines and bars of rows, each with its spread and a tooltip.

use crate::bench::harness::row::Row;
use crate::charts::{Bar, Line, Point, Series, Stroke, number};
use crate::shared::arguments::show_count;

/// Returns the point of a row in a chart of rates, if it has one.
pub fn rate_point(x: f64, row: &Row) -> Option<Point> {
    let rate = |ms: f64| 1e-6 * row.n as f64 / ms;
    let range = row.quartiles().map(|times| [rate(times.upper), rate(times.lower)]);
    Some(Point { x, y: row.rate?, range, tooltip: tooltip(row) })
}

/// Returns the point of a row in a chart of times.
pub fn time_point(x: f64, row: &Row) -> Point {
    Point { x, y: row.ms, range: row.quartiles().map(|times| [times.lower, times.upper]), tooltip: tooltip(row) }
}

/// Says what a row measured: by whom, how often, and how long it took.
pub fn tooltip(row: &Row) -> String {
    let text = |field: &Option<String>| field.as_deref().map(|text| format!(" {text}")).unwrap_or_default();
    let mut said = format!("{}{}", row.by, text(&row.method));
    if let Some(graph) = &row.graph {
        said += &format!(", {graph}");
    }
    said += &format!(", n = {}", show_count(row.n));
    if let Some(m) = row.m {
        said += &format!(", m = {m}");
    }
    if let Some(rate) = row.rate {
        said += &format!(": {}e9 per second", number(rate));
    }
    said + &format!("; {}", spread(row))
}

/// Formats the time of a row with its quartiles, where they are known.
pub fn spread(row: &Row) -> String {
    let quartiles = row.quartiles().map(|times| format!(" ({} to {})", number(times.lower), number(times.upper)));
    format!("{} ms{}", number(row.ms), quartiles.unwrap_or_default())
}

/// Makes a line of the rows of each name, in the order in which names come. Where a place on the axis occurs twice, the
/// later row counts.
pub fn lines<'a>(
    rows: &mut dyn Iterator<Item = &'a Row>,
    name: &dyn Fn(&Row) -> String,
    point: &dyn Fn(&Row) -> Option<Point>,
) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    for row in rows {
        let (name, Some(point)) = (name(row), point(row)) else { continue };
        let at = lines.iter().position(|line| line.name == name).unwrap_or_else(|| {
            lines.push(Line { name, stroke: Stroke::Full, points: Vec::new() });
            lines.len() - 1
        });
        let points = &mut lines[at].points;
        insert(points, point);
    }
    lines
}

/// Inserts a point where it belongs, from left to right. It replaces one at its place.
pub fn insert(points: &mut Vec<Point>, point: Point) {
    let at = points.iter().position(|other| other.x >= point.x).unwrap_or(points.len());
    match points.get_mut(at) {
        Some(other) if other.x == point.x => *other = point,
        _ => points.insert(at, point),
    }
}

/// Makes bars of rows: those of a series have one colour. Where a bar occurs twice, the later row counts.
pub fn bars<'a>(
    rows: &mut dyn Iterator<Item = &'a Row>,
    group: &dyn Fn(&Row) -> String,
    series: &dyn Fn(&Row) -> String,
    bar: &dyn Fn(&Row) -> Option<Bar>,
) -> (Vec<String>, Vec<Series>) {
    let (mut groups, mut all): (Vec<String>, Vec<Series>) = (Vec::new(), Vec::new());
    for row in rows {
        let (group, name, Some(bar)) = (group(row), series(row), bar(row)) else { continue };
        let g = groups.iter().position(|other| *other == group).unwrap_or_else(|| {
            groups.push(group);
            groups.len() - 1
        });
        let s = all.iter().position(|other| other.name == name).unwrap_or_else(|| {
            all.push(Series { name, bars: Vec::new() });
            all.len() - 1
        });
        let bars = &mut all[s].bars;
        bars.resize(bars.len().max(g + 1), None);
        bars[g] = Some(bar);
    }
    (groups, all)
}

/// Returns the bar of a row in a chart of times.
pub fn time_bar(row: &Row) -> Bar {
    let Point { y, range, tooltip, .. } = time_point(0.0, row);
    Bar { value: y, range, tooltip }
}

/// Returns the bar of a row in a chart of rates, if it has one.
pub fn rate_bar(row: &Row) -> Option<Bar> {
    rate_point(0.0, row).map(|Point { y, range, tooltip, .. }| Bar { value: y, range, tooltip })
}
