//! The report of searches: in full for one, a row for each of several.

use super::facts;
use super::found::Found;
use super::options::SearchOptions;
use crate::shared::facts::Facts;
use anyhow::Result;
use multisplit_graph::read::Loaded;
use std::io::Write;

/// A report that grows with every search.
pub struct Report<'a> {
    options: &'a SearchOptions,
    loaded: &'a Loaded,
    is_table: bool,
    searches: usize,
    /// Of each search, for programs.
    facts: Vec<Facts>,
    /// What comes after all searches.
    rest: Vec<(&'static str, String)>,
}

impl<'a> Report<'a> {
    /// A report of so many searches.
    pub fn new(options: &'a SearchOptions, loaded: &'a Loaded, searches: usize) -> Self {
        Self { options, loaded, is_table: searches > 1, searches: 0, facts: Vec::new(), rest: Vec::new() }
    }

    /// Writes what a search has found.
    pub fn search(&mut self, out: &mut dyn Write, found: &Found, targets: &[u32]) -> Result<()> {
        if self.options.json {
            self.facts.push(facts::of_search(self.loaded, targets, found));
            return Ok(());
        }
        if self.searches == 0 {
            self.begin(out, found)?;
        }
        self.searches += 1;
        if self.is_table { self.row(out, found) } else { self.whole(out, found) }
    }

    fn label(&self, v: u32) -> u64 {
        self.loaded.labels.label(v).unwrap_or_default()
    }

    /// Vertices that were reached, in percent.
    fn share(&self, reached: usize) -> f64 {
        100.0 * reached as f64 / f64::from(self.loaded.graph.vertices())
    }

    /// Milliseconds, and millions of arcs per second.
    fn time(&self, found: &Found) -> (f64, f64) {
        let seconds = found.time.as_secs_f64();
        (1e3 * seconds, 1e-6 * self.loaded.graph.arcs() as f64 / seconds)
    }

    /// Says how paths are found, and from where.
    fn begin(&self, out: &mut dyn Write, found: &Found) -> Result<()> {
        let options = self.options;
        let from = if self.is_table { String::new() } else { format!(" from {}", self.label(found.source)) };
        write!(out, "Shortest paths{from} by {}", options.strategy)?;
        if let Some(delta) = &found.delta {
            write!(out, ", delta {delta}")?;
        }
        if options.on_gpu() {
            writeln!(out, ", on {}:", options.device.info())?;
        } else {
            writeln!(out, ", {} threads available:", rayon::current_num_threads())?;
        }
        if self.is_table {
            writeln!(
                out,
                "{:>14} {:>12} {:>7} {:>14} {:>14} {:>11} {:>13} {:>11} {:>8}",
                "source", "reached", "%", "farthest", "at distance", "iterations", "relaxed", "ms", "MTEPS"
            )?;
        }
        Ok(())
    }

    fn whole(&self, out: &mut dyn Write, found: &Found) -> Result<()> {
        let (n, arcs) = (self.loaded.graph.vertices(), self.loaded.graph.arcs());
        let (reached, farthest) = (found.reached(), found.farthest());
        writeln!(out, "  reached      {reached} of {n} vertices ({:.1} %)", self.share(reached))?;
        let distance = found.shown(found.distances[farthest as usize]);
        writeln!(out, "  farthest     {}, at distance {distance}", self.label(farthest))?;
        writeln!(out, "  iterations   {}", found.iterations)?;
        let each = found.relaxed as f64 / arcs.max(1) as f64;
        writeln!(out, "  relaxed      {} arcs, {each:.2} for each of the graph", found.relaxed)?;
        let (ms, mteps) = self.time(found);
        let of_runs = self.of_runs();
        writeln!(out, "  time         {ms:.2} ms{of_runs}: {mteps:.1} million arcs of the graph per second (MTEPS)")?;
        Ok(())
    }

    fn row(&self, out: &mut dyn Write, found: &Found) -> Result<()> {
        let (reached, farthest) = (found.reached(), found.farthest());
        let distance = found.shown(found.distances[farthest as usize]);
        let (source, share, farthest) = (self.label(found.source), self.share(reached), self.label(farthest));
        let (iterations, relaxed, (ms, mteps)) = (found.iterations, found.relaxed, self.time(found));
        writeln!(
            out,
            "{source:>14} {reached:>12} {share:>7.1} {farthest:>14} {distance:>14} {iterations:>11} {relaxed:>13} \
             {ms:>11.2} {mteps:>8.1}"
        )?;
        Ok(())
    }

    /// What times are of.
    fn of_runs(&self) -> String {
        match self.options.runs {
            1 if self.options.on_gpu() => ", with the compilation of kernels; more --runs are without".into(),
            1 => String::new(),
            runs => format!(", the median of {runs} runs"),
        }
    }

    /// Adds a line that comes after all searches, once.
    pub fn add(&mut self, name: &'static str, line: String) {
        if !self.rest.iter().any(|(_, other)| *other == line) {
            self.rest.push((name, line));
        }
    }

    /// Writes what comes after all searches.
    pub fn end(&self, out: &mut dyn Write) -> Result<()> {
        if self.options.json {
            let notes = self.rest.iter().filter(|(name, _)| *name == "note").map(|(_, line)| line.clone()).collect();
            return Ok(facts::of_all(self.options, self.loaded, &self.facts, notes).write(out)?);
        }
        let of_runs = self.of_runs();
        if self.is_table && !of_runs.is_empty() {
            writeln!(out, "  times        are{}", of_runs.trim_start_matches(','))?;
        }
        if self.options.verify {
            writeln!(out, "  verified     no arc is a shorter way, and every distance is that of a path")?;
        }
        for (name, line) in &self.rest {
            writeln!(out, "  {name:<12} {line}")?;
        }
        Ok(())
    }
}
