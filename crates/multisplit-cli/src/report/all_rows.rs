//! The table of all rows, with everything that a row says.

use super::content::{Block, Content, number, rate, strings, table};
use crate::bench::harness::batch::ABSENT;
use crate::bench::harness::row::Row;
use crate::charts;
use crate::shared::arguments::show_count;
use crate::shared::timing::Quartiles;

/// Lists rows, folded.
pub fn all_rows(rows: &[Row]) -> Content {
    let lines: Vec<Vec<String>> = rows.iter().filter(|row| row.op != ABSENT).map(line).collect();
    if lines.is_empty() {
        return Content::default();
    }
    let header = "op by method case n m key value ms quartiles iqr% rate light one-call commit date driver";
    let header: Vec<&str> = header.split(' ').collect();
    Block::Folded(format!("All {} rows, each with its quartiles", lines.len()), table(&strings(&header), &lines)).into()
}

fn line(row: &Row) -> Vec<String> {
    let text = |field: &Option<String>| field.clone().unwrap_or_default();
    let case = [&row.graph, &row.bucket, &row.dist].into_iter().flatten().cloned();
    let segments = row.segments.map(|segments| format!("{} segments", show_count(segments)));
    let quartiles = |times: Quartiles| format!("{} to {}", charts::number(times.lower), charts::number(times.upper));
    vec![
        row.op.clone(),
        row.by.clone(),
        text(&row.method),
        case.chain(segments).collect::<Vec<_>>().join(", "),
        show_count(row.n),
        row.m.map(|m| m.to_string()).unwrap_or_default(),
        text(&row.key),
        text(&row.value),
        charts::number(row.ms),
        row.quartiles().map(quartiles).unwrap_or_default(),
        number(row.quartiles().and_then(Quartiles::range_percent), 1),
        rate(row.rate),
        number(row.fraction, 3),
        row.latency_quartiles().map(|times| format!("{} ms", charts::number(times.median))).unwrap_or_default(),
        text(&row.commit),
        text(&row.date),
        text(&row.driver),
    ]
}
