//! `multisplit sssp`: finds shortest paths ([`options`], [`found`]), writes them ([`output`]) and reports them
//! ([`report`], with [`notes`] on searches that reach little and the [`targets`] that were asked for).

mod facts;
mod found;
mod notes;
pub mod options;
mod output;
mod report;
mod targets;

use crate::shared::graph_file::{self, named};
use crate::shared::output_files::{commit, report_to, shown};
use crate::shared::placed_graph::PlacedGraph;
use crate::shared::progress;
use anyhow::Result;
use found::Found;
use indicatif::{ProgressBar, ProgressStyle};
use multisplit_graph::read::Loaded;
use multisplit_graph::{AnyGraph, Graph, Paths, Weight};
use notes::Notes;
use options::{SearchOptions, SsspArguments};
use output::ResultFiles;
use report::Report;
use std::io::Write;
use std::time::Duration;

/// Runs `multisplit sssp`.
pub fn run(raw: &SsspArguments) -> Result<()> {
    let options = &SearchOptions::new(raw)?;
    let loaded = graph_file::load(&options.graph)?;
    let mut out = report_to(options.outputs());
    if !options.json {
        writeln!(out, "{}", graph_file::describe(&options.graph, &loaded))?;
        out.flush()?;
    }
    let (sources, targets) = (options.sources(&loaded)?, options.targets(&loaded)?);
    let bar = progress::bar((sources.len() * options.runs) as u64);
    bar.set_style(ProgressStyle::with_template("{bar:30} {pos}/{len} {msg}")?);
    let searches = Searches { options, loaded: &loaded, sources: &sources, targets: &targets, bar: &bar };
    match &loaded.graph {
        AnyGraph::U32(graph) => {
            let placed = PlacedGraph::new(&options.device, graph)?;
            searches.all(&mut *out, &|source| searches.one(graph, &placed, source))
        }
        AnyGraph::F32(graph) => {
            let placed = PlacedGraph::new(&options.device, graph)?;
            searches.all(&mut *out, &|source| searches.one(graph, &placed, source))
        }
    }
}

struct Searches<'a> {
    options: &'a SearchOptions,
    loaded: &'a Loaded,
    sources: &'a [u32],
    targets: &'a [u32],
    bar: &'a ProgressBar,
}

impl Searches<'_> {
    /// Searches from every source, writes what is found, and reports it.
    fn all(&self, out: &mut dyn Write, search: &dyn Fn(u32) -> Result<Found>) -> Result<()> {
        let Self { options, loaded, sources, targets, bar } = *self;
        let mut files = ResultFiles::create(options, loaded, sources.len())?;
        let (mut report, mut notes) = (Report::new(options, loaded, sources.len()), Notes::new(loaded));
        for &source in sources {
            bar.set_message(format!("{} from {}", options.strategy, loaded.labels.label(source).unwrap_or_default()));
            let found = search(source)?;
            files.add(&found)?;
            bar.suspend(|| report.search(out, &found, targets))?;
            for note in notes.of(source, found.reached(), options.sources.is_empty())? {
                report.add("note", note);
            }
            for line in targets::lines(loaded, &found, targets, options.whole_paths) {
                report.add("path", line);
            }
        }
        bar.finish_and_clear();
        commit(files.finished())?;
        report.end(out)?;
        if options.json {
            return Ok(());
        }
        for (name, path) in [("distances", &options.output), ("predecessors", &options.predecessors)] {
            if let Some(path) = path {
                writeln!(out, "  {name:<12} {}", shown(path))?;
            }
        }
        Ok(())
    }

    /// Finds the paths from a source as often as was asked for, and returns those of the median time.
    fn one<W: Weight>(&self, graph: &Graph<W>, placed: &PlacedGraph<'_, W>, source: u32) -> Result<Found> {
        let (options, labels) = (self.options, &self.loaded.labels);
        let search = options.search(source);
        let run = || placed.run(&search).map_err(|error| named(error, labels));
        if options.on_gpu() && options.runs > 1 && source == self.sources[0] {
            // Compiles kernels.
            run()?;
        }
        let mut runs: Vec<Paths<W>> = Vec::new();
        for _ in 0..options.runs {
            runs.push(run()?);
            self.bar.inc(1);
        }
        let times: Vec<Duration> = runs.iter().map(|paths| paths.time).collect();
        let paths = runs.swap_remove(median(&times));
        if options.verify {
            paths.verify_named(graph, labels)?;
        }
        Ok(Found::new(paths, self.targets))
    }
}

/// The place of the median.
fn median(times: &[Duration]) -> usize {
    let mut order: Vec<usize> = (0..times.len()).collect();
    order.sort_by_key(|&i| times[i]);
    order[order.len() / 2]
}
