//! The table of shortest paths, as in the paper.

use crate::bench::harness::row::Row;
use crate::bench::harness::sinks::Sink;
use crate::bench::harness::table::{ABOUT_IQR, iqr};
use anyhow::Result;
use std::io::Write;

/// Writes a line per row, beside the near-far of the same graph.
pub struct PathTable {
    out: Box<dyn Write>,
    started: bool,
    /// The last row of near-far: its graph and milliseconds.
    near_far: Option<(String, f64)>,
}

impl PathTable {
    pub fn new(out: Box<dyn Write>) -> Self {
        Self { out, started: false, near_far: None }
    }
}

impl Sink for PathTable {
    fn write(&mut self, row: &Row, _: Option<f64>) -> Result<()> {
        if row.op != "sssp" {
            return Ok(());
        }
        if !self.started {
            writeln!(self.out, "{ABOUT_IQR}\n")?;
            let [graph, arcs, strategy] = ["graph", "arcs", "strategy"];
            write!(self.out, "{graph:<24} {arcs:>10} {strategy:<15}")?;
            writeln!(self.out, " {:>10} {:>6} {:>10} {:>10}  device", "ms", "iqr %", "MTEPS", "x near-far")?;
            self.started = true;
        }
        let (graph, method) = (row.graph.clone().unwrap_or_default(), row.method.clone().unwrap_or_default());
        if method == "near-far" {
            self.near_far = Some((graph.clone(), row.ms));
        }
        let near_far = self.near_far.as_ref().filter(|(of, _)| *of == graph);
        let speedup = near_far.map(|(_, ms)| format!("{:.2}", ms / row.ms)).unwrap_or_default();
        let mteps = row.rate.map(|rate| format!("{:.1}", 1e3 * rate)).unwrap_or_default();
        write!(self.out, "{graph:<24} {:>10} {method:<15} {:>10.3} {:>6}", row.n, row.ms, iqr(row.quartiles()))?;
        write!(self.out, " {mteps:>10} {speedup:>10}")?;
        writeln!(self.out, "  {}{}", row.device, if row.verified { "" } else { "  WRONG" })?;
        Ok(self.out.flush()?)
    }
}
