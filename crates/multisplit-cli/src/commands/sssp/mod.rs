//! `multisplit sssp`: finds shortest paths ([`options`]), writes them ([`output`]) and reports them ([`report`], with
//! [`notes`] on searches that reach little and the [`targets`] that were asked for).

mod notes;
pub mod options;
mod output;
mod report;
mod targets;

use crate::shared::graph_file::{self, named};
use crate::shared::output_files::{commit, report_to, shown};
use crate::shared::placed_graph::PlacedGraph;
use anyhow::Result;
use indicatif::{ProgressBar, ProgressStyle};
use multisplit_graph::read::Loaded;
use multisplit_graph::{AnyGraph, Graph, Paths, Weight};
use notes::Notes;
use options::{SearchOptions, SsspArguments};
use output::ResultFiles;
use report::Report;
use std::io::Write;

/// Runs `multisplit sssp`.
pub fn run(raw: &SsspArguments) -> Result<()> {
    let options = &SearchOptions::new(raw)?;
    let loaded = graph_file::load(&options.graph)?;
    let mut out = report_to(options.outputs());
    writeln!(out, "{}", graph_file::describe(&options.graph, &loaded))?;
    out.flush()?;
    match &loaded.graph {
        AnyGraph::U32(graph) => find_all(options, graph, &loaded, &mut *out),
        AnyGraph::F32(graph) => find_all(options, graph, &loaded, &mut *out),
    }
}

fn find_all<W: Weight>(options: &SearchOptions, graph: &Graph<W>, loaded: &Loaded, out: &mut dyn Write) -> Result<()> {
    let (sources, targets) = (options.sources(loaded)?, options.targets(loaded)?);
    let bar = ProgressBar::new((sources.len() * options.runs) as u64);
    bar.set_style(ProgressStyle::with_template("{bar:30} {pos}/{len} {msg}")?);
    let placed = PlacedGraph::new(&options.device, graph)?;
    let mut files = ResultFiles::create(options, graph, &loaded.labels, sources.len())?;
    let (mut report, mut notes) = (Report::new(options, loaded, sources.len()), Notes::new(loaded));
    if options.on_gpu() && options.runs > 1 {
        // Compiles kernels.
        placed.run(&options.search(sources[0]))?;
    }
    for &source in &sources {
        bar.set_message(format!("{} from {}", options.strategy, loaded.labels.label(source).unwrap_or_default()));
        let paths = find(options, &placed, source, &bar).map_err(|error| named(error, &loaded.labels))?;
        if options.verify {
            paths.verify_named(graph, &loaded.labels)?;
        }
        files.add(&paths)?;
        bar.suspend(|| report.search(out, graph, &paths))?;
        for note in notes.of(source, paths.reached(), options.sources.is_empty())? {
            report.add("note", note);
        }
        for &target in &targets {
            report.add("path", targets::line(options, loaded, &paths, target));
        }
    }
    bar.finish_and_clear();
    commit(files.finished())?;
    report.end(out)?;
    for (name, path) in [("distances", &options.output), ("predecessors", &options.predecessors)] {
        if let Some(path) = path {
            writeln!(out, "  {name:<12} {}", shown(path))?;
        }
    }
    Ok(())
}

/// Finds the paths from a source as often as was asked for, and returns those of the median time.
fn find<W: Weight>(
    options: &SearchOptions,
    placed: &PlacedGraph<'_, W>,
    source: u32,
    bar: &ProgressBar,
) -> multisplit_graph::Result<Paths<W>> {
    let search = options.search(source);
    let mut runs: Vec<Paths<W>> = Vec::new();
    for _ in 0..options.runs {
        runs.push(placed.run(&search)?);
        bar.inc(1);
    }
    runs.sort_by_key(|paths| paths.time);
    Ok(runs.swap_remove(runs.len() / 2))
}
