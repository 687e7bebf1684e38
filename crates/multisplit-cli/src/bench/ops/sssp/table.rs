//! The table of shortest paths, as in the paper.

use crate::bench::harness::row::Row;
use crate::bench::harness::sinks::Sink;
use crate::bench::harness::table::{ABOUT_IQR, iqr};
use anyhow::Result;
use std::io::Write;

/// Writes a line per row, beside the near-far and the peer of the same graph.
pub struct PathTable {
    out: Box<dyn Write>,
    with_peer: bool,
    started: bool,
    near_far: Rival,
    peer: Rival,
}

/// What later rows are compared with: its graph and milliseconds.
#[derive(Default)]
struct Rival(Option<(String, f64)>);

impl PathTable {
    pub fn new(with_peer: bool, out: Box<dyn Write>) -> Self {
        Self { out, with_peer, started: false, near_far: Rival::default(), peer: Rival::default() }
    }

    fn header(&mut self) -> Result<()> {
        let Self { out, with_peer, .. } = self;
        writeln!(out, "{ABOUT_IQR}")?;
        if *with_peer {
            writeln!(
                out,
                "x gapbs: times as fast as GAPBS, at the best of the widths of its buckets that were timed."
            )?;
        }
        write!(out, "\n{:<24} {:>10} {:<15} {:>9}", "graph", "arcs", "strategy", "delta")?;
        write!(out, " {:>10} {:>6} {:>10} {:>10}", "ms", "iqr %", "MTEPS", "x near-far")?;
        if *with_peer {
            write!(out, " {:>8}", "x gapbs")?;
        }
        Ok(writeln!(out, "  device")?)
    }
}

impl Sink for PathTable {
    fn write(&mut self, row: &Row, _: Option<f64>) -> Result<()> {
        if row.op != "sssp" {
            return Ok(());
        }
        if !self.started {
            self.header()?;
            self.started = true;
        }
        let ours = row.by == "multisplit";
        let graph = row.graph.as_deref().unwrap_or_default();
        let strategy = if ours { row.method.as_deref().unwrap_or_default() } else { &row.by };
        if strategy == "near-far" {
            self.near_far.set(graph, row.ms);
        } else if !ours && row.verified {
            self.peer.improve(graph, row.ms);
        }
        let delta = row.delta.map(|delta| delta.to_string()).unwrap_or_default();
        let mteps = row.rate.map(|rate| format!("{:.1}", 1e3 * rate)).unwrap_or_default();
        let Self { out, near_far, peer, .. } = self;
        write!(out, "{graph:<24} {:>10} {strategy:<15} {delta:>9} {:>10.3}", row.n, row.ms)?;
        write!(out, " {:>6} {mteps:>10} {:>10}", iqr(row.quartiles()), near_far.speedup(graph, row.ms))?;
        if self.with_peer {
            let speedup = if ours { peer.speedup(graph, row.ms) } else { String::new() };
            write!(out, " {speedup:>8}")?;
        }
        writeln!(out, "  {}{}", row.device, if row.verified { "" } else { "  WRONG" })?;
        Ok(out.flush()?)
    }
}

impl Rival {
    fn set(&mut self, graph: &str, ms: f64) {
        self.0 = Some((graph.into(), ms));
    }

    /// Sets it, unless it is faster than that on the same graph.
    fn improve(&mut self, graph: &str, ms: f64) {
        if !self.on(graph).is_some_and(|known| known <= ms) {
            self.set(graph, ms);
        }
    }

    fn on(&self, graph: &str) -> Option<f64> {
        self.0.as_ref().filter(|(of, _)| of == graph).map(|&(_, ms)| ms)
    }

    /// How many times as fast as it a time on the same graph is.
    fn speedup(&self, graph: &str, ms: f64) -> String {
        self.on(graph).map(|rival| format!("{:.2}", rival / ms)).unwrap_or_default()
    }
}
