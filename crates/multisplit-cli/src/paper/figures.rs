//! The figures of the paper, of our numbers and of the published ones.

use super::comparison::{Against, Comparison, Line, Quantity};
use super::measured::{is_narrow, method_name};
use super::tables::short;
use crate::bench::harness::row::Row;
use crate::charts::{Axis, Chart, LineChart, Point, Scale, Stroke, number};
use crate::report::content::Content;
use crate::report::figures::shown;
use crate::report::points::{insert, lines, time_point};

/// The number of elements in the paper.
const PAPER_N: f64 = (1 << 25) as f64;
/// Devices of the paper that figures show.
const PUBLISHED: [&str; 2] = ["K40c, ECC on", "GTX 1080"];

/// What a chart shows of a table of rates.
#[derive(Clone, Copy)]
pub enum Shown<'a> {
    /// Milliseconds.
    Times,
    Rates,
    /// How many times as fast a method is as a reference.
    SpeedUps(&'a Against<'a>),
}

/// Draws a group of a table over its columns: ours, and each of two devices of the paper beside it.
pub fn over_columns(of: &Comparison, group: &str, over: &str, what: Shown<'_>, n: u64) -> Content {
    let ours = of.of_group(group).filter(|line| line.ours).map(|line| line.device.as_str()).next();
    let devices = ours.into_iter().map(|device| (device, n as f64)).chain(PUBLISHED.map(|device| (device, PAPER_N)));
    devices.map(|(device, n)| of_device(of, group, over, what, device, n)).collect()
}

fn of_device(of: &Comparison, group: &str, over: &str, what: Shown<'_>, device: &str, n: f64) -> Content {
    let scale = if of.columns.iter().any(|name| name == "256") { Scale::Log2 } else { Scale::Whole };
    let of_line = |line: &Line| {
        let mut points = Vec::new();
        for (column, name) in of.columns.iter().enumerate() {
            if let Some(point) = name.parse().ok().and_then(|x| point(of, line, column, x, what, n)) {
                insert(&mut points, point);
            }
        }
        crate::charts::Line { name: line.method.clone(), stroke: Stroke::Full, points }
    };
    let of_device = of.of_group(group).filter(|line| line.device == device);
    let lines = of_device.map(of_line).filter(|line| !line.points.is_empty()).collect();
    let (what, y) = match what {
        Shown::Times => ("time", Axis { name: "ms".into(), scale: Scale::Log10 }),
        Shown::Rates => ("rate", Axis { name: "1e9 elements per second".into(), scale: Scale::Linear }),
        Shown::SpeedUps(_) => ("speed-up", Axis { name: "times as fast as a radix sort".into(), scale: Scale::Linear }),
    };
    let title =
        format!("{what}, {group}: {}{}", short(device), if PUBLISHED.contains(&device) { " (published)" } else { "" });
    shown(Chart::Lines(LineChart { title, x: Axis { name: over.into(), scale }, y, lines }))
}

fn point(of: &Comparison, line: &Line, column: usize, x: f64, what: Shown<'_>, n: f64) -> Option<Point> {
    let value = line.values.get(column)?.as_ref()?;
    let time = |number: f64| if of.quantity == Quantity::Rate { 1e-6 * n / number } else { number };
    let (y, range) = match what {
        Shown::Times => (time(value.number), value.range.map(|[low, high]| [time(high), time(low)])),
        Shown::Rates => (value.number, value.range),
        Shown::SpeedUps(against) => (of.times(line, column, against)?.0, None),
    };
    let tooltip = if line.ours { value.tooltip.clone() } else { format!("{}: {}", value.tooltip, number(y)) };
    Some(Point { x, y, range, tooltip })
}

/// Draws the times of splits of binomial and of uniform keys, as in figure 8.
pub fn binomial(rows: &[Row], n: u64) -> Content {
    let of_value = |value: Option<&str>| {
        let is_one = |row: &&Row| {
            let dist = row.dist.as_deref();
            row.op == "split"
                && row.n == n
                && row.verified
                && is_narrow(row)
                && row.bucket.as_deref() == Some("delta")
                && row.value.as_deref() == value
                && (dist == Some("binomial") || dist == Some("uniform"))
                && matches!(row.method.as_deref(), Some("auto" | "block-level" | "reduced-bit-sort"))
        };
        let name = |row: &Row| format!("{}, {}", method_name(row), row.dist.as_deref().unwrap_or_default());
        let lines = lines(&mut rows.iter().filter(is_one), &name, &|row| Some(time_point(row.m?.into(), row)));
        shown(Chart::Lines(LineChart {
            title: format!("time by distribution, {}", if value.is_some() { "pairs" } else { "keys" }),
            x: Axis { name: "buckets".into(), scale: Scale::Log2 },
            y: Axis { name: "ms".into(), scale: Scale::Log10 },
            lines,
        }))
    };
    of_value(None) + of_value(Some("u32"))
}
