//! Plots: rates over the number of buckets and over the size of the input.

use super::rows::{DeviceRows, SplitQuery};
use crate::bench::harness::bandwidth::least_bytes;
use crate::shared::arguments::show_count;
use anyhow::{Result, anyhow};
use plotters::prelude::*;
use std::collections::BTreeSet;
use std::path::Path;

/// A line of points over powers of two.
struct Line {
    name: String,
    points: Vec<(f64, f64)>,
}

/// The labels of a plot.
struct PlotLabels {
    title: String,
    axis: &'static str,
    at: fn(f64) -> String,
    legend: SeriesLabelPosition,
}

/// Distinct without colour vision too; the first is ours.
const COLORS: [RGBColor; 6] = [
    RGBColor(0, 90, 180),
    RGBColor(230, 120, 0),
    RGBColor(0, 150, 110),
    RGBColor(200, 60, 120),
    RGBColor(110, 80, 170),
    RGBColor(150, 120, 0),
];
const LIGHT: &str = "speed of light";

/// Draws what there are rows for into `{stem}-….svg`, and returns the names of the files.
pub fn draw(rows: &DeviceRows, stem: &Path) -> Result<Vec<String>> {
    let mut files = Vec::new();
    let mut add = |what: &str, labels: PlotLabels, lines: Vec<Line>| -> Result<()> {
        let lines: Vec<Line> = lines.into_iter().filter(|line| line.points.len() > 1).collect();
        if !lines.is_empty() {
            let name = format!("{}-{what}.svg", stem.file_name().unwrap_or_default().to_string_lossy());
            let svg = chart(&labels, &lines)?;
            std::fs::write(stem.with_file_name(&name), svg)?;
            files.push(name);
        }
        Ok(())
    };
    let buckets = |of: &str| PlotLabels {
        title: format!("{} uniform u32 {of}", show_count(rows.main_n)),
        axis: "buckets",
        at: |x| format!("{:.0}", x.exp2()),
        legend: SeriesLabelPosition::LowerLeft,
    };
    let sizes = PlotLabels {
        title: "uniform u32 keys".into(),
        axis: "keys",
        at: |x| format!("2^{x:.0}"),
        legend: SeriesLabelPosition::UpperLeft,
    };
    add("keys", buckets("keys"), over_buckets(rows, None))?;
    add("pairs", buckets("keys with u32 values"), over_buckets(rows, Some("u32")))?;
    add("sizes", sizes, over_sizes(rows))?;
    Ok(files)
}

/// Returns our rates, those of every way that peers have, and the speed of light.
fn over_buckets(rows: &DeviceRows, value: Option<&str>) -> Vec<Line> {
    let like = SplitQuery { value, ..rows.base() };
    let buckets = rows.buckets(like);
    let line = |name: &str, rate: &dyn Fn(SplitQuery<'_>) -> Option<f64>| Line {
        name: name.into(),
        points: buckets.iter().filter_map(|&m| Some((f64::from(m).log2(), rate(SplitQuery { m, ..like })?))).collect(),
    };
    let mut lines = vec![line("multisplit", &|case| rows.rate(case))];
    let of_peers = buckets.iter().flat_map(|&m| rows.peers(SplitQuery { m, ..like }));
    let ways: BTreeSet<_> = of_peers.map(|row| (row.by.clone(), row.method.clone())).collect();
    for (by, method) in ways {
        let rate =
            |case: SplitQuery<'_>| rows.peers(case).filter(|row| row.by == by && row.method == method).last()?.rate;
        lines.push(line(&format!("{by} {}", method.clone().unwrap_or_default()), &rate));
    }
    let words = least_bytes(1, 4, if value.is_some() { 4 } else { 0 }) as f64 / 4.0;
    let light = rows.other("copy", rows.main_n).and_then(|row| row.rate).map(|copy| copy * 2.0 / words);
    lines.push(line(LIGHT, &|_| light));
    lines
}

fn over_sizes(rows: &DeviceRows) -> Vec<Line> {
    let base = rows.base();
    let sizes = rows.sizes(base);
    let elsewhere = sizes.iter().filter(|&&n| n != rows.main_n).flat_map(|&n| rows.buckets(SplitQuery { n, ..base }));
    let buckets: BTreeSet<u32> = elsewhere.collect();
    let of_buckets = |m: u32| Line {
        name: format!("m = {m}"),
        points: sizes
            .iter()
            .filter_map(|&n| Some(((n as f64).log2(), rows.rate(SplitQuery { n, m, ..base })?)))
            .collect(),
    };
    buckets.into_iter().map(of_buckets).collect()
}

fn chart(labels: &PlotLabels, lines: &[Line]) -> Result<String> {
    let mut svg = String::new();
    let area = SVGBackend::with_string(&mut svg, (760, 420)).into_drawing_area();
    plot(&area, labels, lines).map_err(|error| anyhow!("a plot cannot be drawn: {error}"))?;
    drop(area);
    Ok(svg)
}

type Area<'a> = DrawingArea<SVGBackend<'a>, plotters::coord::Shift>;
type Failure<'a> = DrawingAreaErrorKind<<SVGBackend<'a> as DrawingBackend>::ErrorType>;

fn plot<'a>(area: &Area<'a>, labels: &PlotLabels, lines: &[Line]) -> Result<(), Failure<'a>> {
    let points = || lines.iter().flat_map(|line| line.points.iter().copied());
    let (left, right) = points().fold((f64::MAX, f64::MIN), |(lo, hi), (x, _)| (lo.min(x), hi.max(x)));
    let top = points().fold(0.0, |top: f64, (_, y)| top.max(y));
    area.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(area)
        .caption(&labels.title, ("sans-serif", 18))
        .margin(12)
        .margin_right(28)
        .x_label_area_size(40)
        .y_label_area_size(56)
        .build_cartesian_2d(left..right.max(left + 1.0), 0.0..(top * 1.08).max(1e-9))?;
    chart
        .configure_mesh()
        .disable_x_mesh()
        .max_light_lines(0)
        .x_labels((right - left).round() as usize + 1)
        .x_label_formatter(&|&x| (labels.at)(x))
        .x_desc(labels.axis)
        .y_desc("1e9 elements per second")
        .draw()?;
    for (i, line) in lines.iter().enumerate() {
        let color = if line.name == LIGHT { RGBColor(120, 120, 120) } else { COLORS[i % COLORS.len()] };
        let style = color.stroke_width(2);
        let points = line.points.iter().copied();
        let drawn = if line.name == LIGHT {
            chart.draw_series(DashedLineSeries::new(points, 8, 6, style))?
        } else {
            chart.draw_series(LineSeries::new(points, style).point_size(3))?
        };
        drawn.label(&line.name).legend(move |(x, y)| PathElement::new([(x, y), (x + 16, y)], style));
    }
    chart
        .configure_series_labels()
        .position(labels.legend.clone())
        .background_style(WHITE.mix(0.8))
        .border_style(BLACK.mix(0.2))
        .draw()?;
    area.present()
}
