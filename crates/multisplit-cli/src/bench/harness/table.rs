//! The table of most operations, for people.

use super::options::Options;
use super::row::Row;
use super::sinks::Sink;
use crate::shared::arguments::show_count;
use crate::shared::timing::Quartiles;
use anyhow::Result;
use std::io::Write;

/// Says what the column of [`iqr`] is.
pub const ABOUT_IQR: &str = "Times are medians; iqr: the interquartile range of the runs, in % of the median.";

/// Formats the spread of times: the interquartile range in percent of the median, or nothing where it is not known.
pub fn iqr(times: Option<Quartiles>) -> String {
    times.and_then(Quartiles::range_percent).map(|percent| format!("{percent:.1}")).unwrap_or_default()
}

/// Writes a line per row. Columns that were not asked for are left out.
pub struct Table {
    out: Box<dyn Write>,
    stages: bool,
    peers: bool,
    started: bool,
}

impl Table {
    /// Creates a table, with the times of `stages` if they are measured.
    pub fn new(options: &Options, stages: bool, out: Box<dyn Write>) -> Self {
        Self { out, stages: stages && options.on_gpu(), peers: !options.peers.is_empty(), started: false }
    }

    fn header(&mut self, row: &Row) -> Result<()> {
        let Self { out, stages, peers, .. } = self;
        writeln!(out, "On {}. Rates in 1e9 elements per second; light: the fraction of what the", row.device)?;
        writeln!(
            out,
            "memory allows, by a plain copy (of histograms: a plain read) in this run; one call: waited for, on GPUs, \
             small n."
        )?;
        writeln!(out, "{ABOUT_IQR}")?;
        writeln!(out)?;
        write!(out, "{:<9} {:<10} {:<16} {:<9} {:<13}", "op", "by", "method", "bucket", "dist")?;
        write!(out, " {:>10} {:>7} {:<3} {:<4}", "n", "m", "key", "val")?;
        write!(out, " {:>10} {:>6} {:>8} {:>5}", "ms", "iqr %", "rate", "light")?;
        if *peers {
            write!(out, " {:>6}", "x peer")?;
        }
        if *stages {
            for stage in ["prescan", "scan", "postscan"] {
                write!(out, " {stage:>9} {:>6}", "iqr %")?;
            }
        }
        Ok(writeln!(out, " {:>9} {:>6}", "one call", "iqr %")?)
    }
}

impl Sink for Table {
    fn write(&mut self, row: &Row, ratio: Option<f64>) -> Result<()> {
        if !self.started {
            self.header(row)?;
            self.started = true;
        }
        let Self { out, stages, peers, .. } = self;
        let text = |field: &Option<String>| field.clone().unwrap_or_default();
        let number = |x: Option<f64>, decimals: usize| x.map(|x| format!("{x:.decimals$}")).unwrap_or_default();
        let method =
            row.segments.map_or_else(|| text(&row.method), |segments| format!("{} of them", show_count(segments)));
        write!(out, "{:<9} {:<10} {method:<16} {:<9}", row.op, row.by, text(&row.bucket))?;
        let m = row.m.map(|m| m.to_string()).unwrap_or_default();
        write!(
            out,
            " {:<13} {:>10} {m:>7} {:<3} {:<4}",
            text(&row.dist),
            show_count(row.n),
            text(&row.key),
            text(&row.value)
        )?;
        write!(out, " {:>10.5} {:>6}", row.ms, iqr(row.quartiles()))?;
        write!(out, " {:>8} {:>5}", number(row.rate, 2), number(row.fraction, 3))?;
        if *peers {
            write!(out, " {:>6}", number(ratio, 2))?;
        }
        if *stages {
            let stages = row.stage_quartiles();
            for stage in 0..3 {
                let times = stages.map(|stages| stages[stage]);
                write!(out, " {:>9} {:>6}", number(times.map(|times| times.median), 5), iqr(times))?;
            }
        }
        write!(out, " {:>9} {:>6}", number(row.latency_ms, 5), iqr(row.latency_quartiles()))?;
        writeln!(out, "{}", if row.verified { "" } else { "  WRONG" })?;
        Ok(out.flush()?)
    }
}
