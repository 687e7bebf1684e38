//! The report of searches: in full for one, a row for each of several.

use super::options::SearchOptions;
use anyhow::Result;
use multisplit_graph::read::Loaded;
use multisplit_graph::{Graph, Paths, Weight};
use std::io::Write;

/// A report that grows with every search.
pub struct Report<'a> {
    options: &'a SearchOptions,
    loaded: &'a Loaded,
    is_table: bool,
    searches: usize,
    /// What comes after all searches.
    rest: Vec<(&'static str, String)>,
}

/// What a search has found.
struct Found {
    source: u64,
    reached: usize,
    share: f64,
    farthest: u64,
    distance: String,
    iterations: u64,
    relaxed: u64,
    ms: f64,
    mteps: f64,
}

impl<'a> Report<'a> {
    /// A report of so many searches.
    pub fn new(options: &'a SearchOptions, loaded: &'a Loaded, searches: usize) -> Self {
        Self { options, loaded, is_table: searches > 1, searches: 0, rest: Vec::new() }
    }

    /// Writes what a search has found.
    pub fn search<W: Weight>(&mut self, out: &mut dyn Write, graph: &Graph<W>, paths: &Paths<W>) -> Result<()> {
        let found = self.found(graph, paths);
        if self.searches == 0 {
            let delta = paths.delta.map(|delta| delta.to_string());
            self.begin(out, &found, delta)?;
        }
        self.searches += 1;
        if self.is_table { row(out, &found) } else { self.whole(out, &found) }
    }

    fn found<W: Weight>(&self, graph: &Graph<W>, paths: &Paths<W>) -> Found {
        let label = |v: u32| self.loaded.labels.label(v).unwrap_or_default();
        let known = (0..graph.vertices()).filter_map(|v| Some((v, paths.distance(v)?)));
        let (farthest, distance) =
            known.reduce(|far, one| if one.1 > far.1 { one } else { far }).unwrap_or((paths.source, W::default()));
        let reached = paths.reached();
        Found {
            source: label(paths.source),
            reached,
            share: 100.0 * reached as f64 / f64::from(graph.vertices()),
            farthest: label(farthest),
            distance: distance.to_string(),
            iterations: paths.iterations,
            relaxed: paths.relaxed,
            ms: 1e3 * paths.time.as_secs_f64(),
            mteps: 1e-6 * paths.teps(graph),
        }
    }

    /// Says how paths are found, and from where.
    fn begin(&self, out: &mut dyn Write, found: &Found, delta: Option<String>) -> Result<()> {
        let options = self.options;
        let from = if self.is_table { String::new() } else { format!(" from {}", found.source) };
        write!(out, "Shortest paths{from} by {}", options.strategy)?;
        if let Some(delta) = delta {
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
        writeln!(out, "  reached      {} of {n} vertices ({:.1} %)", found.reached, found.share)?;
        writeln!(out, "  farthest     {}, at distance {}", found.farthest, found.distance)?;
        writeln!(out, "  iterations   {}", found.iterations)?;
        let each = found.relaxed as f64 / arcs.max(1) as f64;
        writeln!(out, "  relaxed      {} arcs, {each:.2} for each of the graph", found.relaxed)?;
        let (ms, mteps) = (found.ms, found.mteps);
        let of_runs = self.of_runs();
        writeln!(out, "  time         {ms:.2} ms{of_runs}: {mteps:.1} million arcs of the graph per second (MTEPS)")?;
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

fn row(out: &mut dyn Write, found: &Found) -> Result<()> {
    let Found { source, reached, share, farthest, distance, iterations, relaxed, ms, mteps } = found;
    writeln!(
        out,
        "{source:>14} {reached:>12} {share:>7.1} {farthest:>14} {distance:>14} {iterations:>11} {relaxed:>13} \
         {ms:>11.2} {mteps:>8.1}"
    )?;
    Ok(())
}
