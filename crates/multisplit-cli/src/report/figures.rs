//! Charts that pages have and Markdown has not.

use super::content::{Content, chart};
use super::points::{bars, lines, rate_bar, rate_point, time_bar};
use super::rows::{DeviceRows, SplitQuery};
use super::subjects::elements;
use crate::bench::harness::row::Row;
use crate::charts::{Axis, Bar, BarChart, Chart, LineChart, Scale, Series};
use crate::shared::arguments::show_count;
use std::collections::BTreeSet;

const RATE: &str = "1e9 elements per second";

/// Names who measured a row, and how.
pub fn by(row: &Row) -> String {
    [Some(row.by.as_str()), row.method.as_deref()].into_iter().flatten().collect::<Vec<_>>().join(" ")
}

/// Draws the times of the stages on top of each other.
pub fn stages(rows: &DeviceRows, value: Option<&'static str>) -> Content {
    let like = SplitQuery { value, ..rows.base() };
    let measured = rows.buckets(like).into_iter().filter_map(|m| rows.ours(SplitQuery { m, ..like })).collect();
    let title = format!("stages: {} {}", show_count(rows.main_n), if value.is_some() { "pairs" } else { "keys" });
    stage_bars(title, "buckets", measured, &|row| row.m.unwrap_or(0).to_string())
}

/// Draws the stages of rows on top of each other, a bar for each row.
pub fn stage_bars(title: String, groups_are: &str, rows: Vec<&Row>, group: &dyn Fn(&Row) -> String) -> Content {
    let rows: Vec<&Row> = rows.into_iter().filter(|row| row.stages.is_some()).collect();
    let bar = |stage: usize, row: &Row| {
        let stages = row.stages?;
        let value = [stages.prescan, stages.scan, stages.postscan][stage].max(0.0);
        let spread =
            row.stage_quartiles().map(|stages| format!(" ({} to {})", stages[stage].lower, stages[stage].upper));
        Some(Bar { value, range: None, tooltip: format!("{}: {value} ms{}", by(row), spread.unwrap_or_default()) })
    };
    let series = ["prescan", "scan", "postscan"]
        .iter()
        .enumerate()
        .map(|(i, name)| Series { name: name.to_string(), bars: rows.iter().map(|row| bar(i, row)).collect() });
    shown(Chart::Bars(BarChart {
        title,
        groups_are: groups_are.into(),
        groups: rows.iter().map(|row| group(row)).collect(),
        y: Axis { name: "ms".into(), scale: Scale::Linear },
        stacked: true,
        series: series.collect(),
    }))
}

/// Draws the rates of histograms over the number of bins, a chart for each size and key type.
pub fn histograms(rows: &DeviceRows) -> Content {
    let is_one = |row: &&Row| row.op == "histogram" && row.dist.as_deref() == Some("uniform");
    let subject = |row: &Row| (row.n, row.key.clone().unwrap_or_default());
    let subjects: BTreeSet<_> = rows.rows.iter().filter(is_one).map(subject).collect();
    let of_subject = |of: &(u64, String)| {
        let name = |row: &Row| format!("{} {}", row.by, row.bucket.as_deref().unwrap_or_default());
        let mut rows = rows.rows.iter().filter(is_one).filter(|row| subject(row) == *of);
        let lines = lines(&mut rows, &name, &|row| rate_point(row.m?.into(), row));
        rates(format!("histograms of {} uniform {} keys", show_count(of.0), of.1), "bins", lines)
    };
    subjects.iter().map(of_subject).collect()
}

/// Draws lines of rates over powers of two.
pub fn rates(title: String, over: &str, lines: Vec<crate::charts::Line>) -> Content {
    let x = Axis { name: over.into(), scale: Scale::Log2 };
    let y = Axis { name: RATE.into(), scale: Scale::Linear };
    shown(Chart::Lines(LineChart { title, x, y, lines }))
}

/// Draws the rates of sorts, a chart for each size.
pub fn sorts(rows: &DeviceRows) -> Content {
    let is_one = |row: &&Row| row.op == "sort" && row.dist.as_deref() == Some("uniform");
    let sizes: BTreeSet<u64> = rows.rows.iter().filter(is_one).map(|row| row.n).collect();
    let of_size = |&n: &u64| {
        let (groups, series) =
            bars(&mut rows.rows.iter().filter(is_one).filter(|row| row.n == n), &elements, &by, &rate_bar);
        shown(Chart::Bars(BarChart {
            title: format!("sorts of {} elements", show_count(n)),
            groups_are: String::new(),
            groups,
            y: Axis { name: RATE.into(), scale: Scale::Linear },
            stacked: false,
            series,
        }))
    };
    sizes.iter().map(of_size).collect()
}

/// Draws the times of searches.
pub fn paths(title: &str, rows: &[Row]) -> Content {
    let graph = |row: &Row| row.graph.clone().unwrap_or_default();
    let strategy =
        |row: &Row| if row.by == "multisplit" { row.method.clone().unwrap_or_default() } else { row.by.clone() };
    let (groups, series) =
        bars(&mut rows.iter().filter(|row| row.op == "sssp" && row.verified), &graph, &strategy, &|row| {
            Some(time_bar(row))
        });
    shown(Chart::Bars(BarChart {
        title: title.into(),
        groups_are: "graph".into(),
        groups,
        y: Axis { name: "ms".into(), scale: Scale::Log10 },
        stacked: false,
        series,
    }))
}

/// Returns a chart, if there is something to see.
pub fn shown(of: Chart) -> Content {
    if of.is_empty() { Content::default() } else { chart(of) }
}
