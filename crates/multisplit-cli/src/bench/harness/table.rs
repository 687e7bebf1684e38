//! The table of most operations, for people.

use super::options::Options;
use super::row::Row;
use super::sinks::Sink;
use crate::shared::arguments::show_count;
use anyhow::Result;
use std::io::Write;

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
        writeln!(out)?;
        write!(out, "{:<9} {:<10} {:<16} {:<9} {:<13}", "op", "by", "method", "bucket", "dist")?;
        write!(out, " {:>10} {:>7} {:<3} {:<4}", "n", "m", "key", "val")?;
        write!(out, " {:>10} {:>8} {:>5}", "ms", "rate", "light")?;
        if *peers {
            write!(out, " {:>6}", "x peer")?;
        }
        if *stages {
            write!(out, " {:>9} {:>9} {:>9}", "prescan", "scan", "postscan")?;
        }
        Ok(writeln!(out, " {:>9}", "one call")?)
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
        write!(out, " {:>10.5} {:>8} {:>5}", row.ms, number(row.rate, 2), number(row.fraction, 3))?;
        if *peers {
            write!(out, " {:>6}", number(ratio, 2))?;
        }
        if *stages {
            for stage in [row.stages.map(|s| s.prescan), row.stages.map(|s| s.scan), row.stages.map(|s| s.postscan)] {
                write!(out, " {:>9}", number(stage, 5))?;
            }
        }
        write!(out, " {:>9}", number(row.latency_ms, 5))?;
        writeln!(out, "{}", if row.verified { "" } else { "  WRONG" })?;
        Ok(out.flush()?)
    }
}
