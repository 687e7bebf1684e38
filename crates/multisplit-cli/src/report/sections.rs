//! The sections of a report. One without rows is left out.

use super::comparisons::{distributions, functions, odd_buckets, sizes, small_inputs, wide_keys};
use super::content::{Block, Content, number, rate, section, strings, table};
use super::figures::by;
use super::large_m::large_m;
use super::operations::{histograms, partitions, paths, segments, sorts};
use super::rows::{DeviceRows, SplitQuery};
use super::subjects::per_shape;
use super::{figures, plots};
use crate::bench::harness::row::Row;
use crate::shared::arguments::show_count;
use std::collections::BTreeSet;

const METHODS: [&str; 4] = ["auto", "direct", "warp-level", "block-level"];

/// Formats everything about one device.
pub fn device(rows: &DeviceRows) -> Content {
    Content::from(Block::Heading(rows.name.clone()))
        + provenance(rows)
        + not_measured(rows)
        + limits(rows)
        + plots::over_buckets_and_sizes(rows)
        + rates(rows)
        + stages(rows)
        + distributions(rows)
        + odd_buckets(rows)
        + wide_keys(rows)
        + functions(rows)
        + sizes(rows)
        + small_inputs(rows)
        + large_m(rows)
        + partitions(rows)
        + segments(rows)
        + sorts(rows)
        + histograms(rows)
        + paths(rows)
        + commands(rows)
}

/// A field that a row may have.
type Field = fn(&Row) -> &Option<String>;

/// Returns what a field says, each once.
fn distinct(rows: &DeviceRows, field: Field) -> Vec<String> {
    rows.rows.iter().filter_map(|row| field(row).clone()).collect::<BTreeSet<_>>().into_iter().collect()
}

/// Says when and of what rows were measured.
pub fn provenance(rows: &DeviceRows) -> Content {
    let mut text = format!("{} rows, each equal to the reference", rows.rows.len());
    if rows.wrong > 0 {
        text += &format!("; {} more were wrong and are left out", rows.wrong);
    }
    let facts: [(&str, Field); 3] =
        [("driver", |row| &row.driver), ("date", |row| &row.date), ("commit", |row| &row.commit)];
    for (name, field) in facts {
        let values = distinct(rows, field);
        if !values.is_empty() {
            text += &format!("; {name} {}", values.join(", "));
        }
    }
    Block::Paragraph(text + ".").into()
}

/// Lists what was not measured, and why.
pub fn not_measured(rows: &DeviceRows) -> Content {
    let line = |row: &Row| vec![by(row), row.note.clone().unwrap_or_default()];
    let mut lines: Vec<Vec<String>> = Vec::new();
    for line in rows.absent.iter().map(line) {
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    section("Not measured", "What could not run here.", table(&strings(&["what", "why"]), &lines))
}

/// Formats the commands that measured the rows. They come last: most readers do not run them.
pub fn commands(rows: &DeviceRows) -> Content {
    let commands = distinct(rows, |row| &row.command);
    if commands.is_empty() {
        return Content::default();
    }
    section("Commands", "What was run for these rows.", Block::Commands(commands).into())
}

fn limits(rows: &DeviceRows) -> Content {
    let sizes: BTreeSet<u64> = rows.rows.iter().filter(|row| row.op == "copy").map(|row| row.n).collect();
    let lines = sizes.into_iter().map(|n| {
        let of = |op| rows.other(op, n).and_then(|row| row.rate);
        let light = |words: f64| of("copy").map(|copy| copy * 2.0 / words);
        let (copy, read) = (of("copy"), of("read"));
        let cells = [copy, copy.map(|x| 8.0 * x), read, read.map(|x| 4.0 * x), light(3.0), light(5.0)];
        std::iter::once(show_count(n)).chain(cells.map(rate)).collect()
    });
    let header = ["n", "copy", "GB/s moved", "read", "GB/s", "light: keys", "light: pairs"];
    let about = "In 1e9 words of 4 bytes per second, unless said otherwise. The speed of light is what a split must \
                 move at least (keys read twice and written once, values read and written once) at the speed of the \
                 copy.";
    section("What the memory allows", about, table(&strings(&header), &lines.collect::<Vec<_>>()))
}

fn rates(rows: &DeviceRows) -> Content {
    let content = per_shape(|(key, value)| {
        let like = SplitQuery { key, value, ..rows.base() };
        let buckets = rows.buckets(like);
        let has_rows = |method| method != like.method && !rows.buckets(SplitQuery { method, ..like }).is_empty();
        let others: Vec<&str> = METHODS.into_iter().filter(|method| has_rows(method)).collect();
        let peers = buckets.iter().any(|&m| rows.peers(SplitQuery { m, ..like }).next().is_some());
        let mut header = strings(&["buckets", like.method, "of light"]);
        if !others.is_empty() {
            header.extend(others.iter().map(ToString::to_string));
            header.push(format!("{} / best of ours", like.method));
        }
        if peers {
            header.extend(strings(&["best peer", "its rate", "times as fast"]));
        }
        let lines = buckets.into_iter().filter_map(|m| rate_line(rows, SplitQuery { m, ..like }, &others, peers));
        table(&header, &lines.collect::<Vec<_>>())
    });
    let about = format!(
        "{} uniform keys, delta buckets; 1e9 elements per second. Peers are held against only where they are stable.",
        show_count(rows.main_n)
    );
    section("Rates", &about, content)
}

/// Formats one number of buckets: our rate, those of our other methods, and that of the best peer.
fn rate_line(rows: &DeviceRows, case: SplitQuery<'_>, others: &[&str], peers: bool) -> Option<Vec<String>> {
    let ours = rows.ours(case)?;
    let mut line = vec![case.m.to_string(), rate(ours.rate), number(ours.fraction, 3)];
    if !others.is_empty() {
        let rates: Vec<Option<f64>> = others.iter().map(|&method| rows.rate(SplitQuery { method, ..case })).collect();
        let best = rates.iter().flatten().copied().reduce(f64::max);
        line.extend(rates.into_iter().map(rate));
        line.push(number(ours.rate.zip(best).map(|(rate, best)| rate / best.max(rate)), 2));
    }
    if peers {
        let best = ours.best_peer(&rows.rows);
        line.push(best.map_or("–".into(), |row| format!("{} {}", row.by, row.method.as_deref().unwrap_or_default())));
        line.push(rate(best.and_then(|row| row.rate)));
        line.push(number(best.map(|best| best.ms / ours.ms), 2));
    }
    Some(line)
}

fn stages(rows: &DeviceRows) -> Content {
    let content = per_shape(|(key, value)| {
        let like = SplitQuery { key, value, ..rows.base() };
        let line = |m| {
            let row = rows.ours(SplitQuery { m, ..like })?;
            let stages = row.stages?;
            let times = [stages.prescan, stages.scan, stages.postscan, row.ms].map(|ms| number(Some(1e3 * ms), 1));
            Some(std::iter::once(format!("{m}")).chain(times).collect())
        };
        let lines: Vec<Vec<String>> = rows.buckets(like).into_iter().filter_map(line).collect();
        table(&strings(&["buckets", "prescan", "scan", "postscan", "all"]), &lines)
    });
    let about = format!("Microseconds, {} uniform keys, delta buckets.", show_count(rows.main_n));
    let charts = figures::stages(rows, None) + figures::stages(rows, Some("u32"));
    section("Stages", &about, content + charts)
}
