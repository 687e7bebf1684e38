//! `multisplit sssp`: finds shortest paths ([`options`]), writes them ([`output`]) and reports them ([`report`]).

pub mod options;
mod output;
mod report;

use crate::shared::graph_file;
use crate::shared::placed_graph::PlacedGraph;
use anyhow::{Context, Result};
use indicatif::{ProgressBar, ProgressStyle};
use multisplit_graph::read::Loaded;
use multisplit_graph::{AnyGraph, Graph, Paths, Weight};
use options::{SearchOptions, SsspArguments};
use std::io::{self, Write};

/// Runs `multisplit sssp`.
pub fn run(raw: &SsspArguments) -> Result<()> {
    let options = &SearchOptions::new(raw)?;
    let loaded = graph_file::load(&options.graph)?;
    let mut out = io::stdout().lock();
    writeln!(out, "{}", graph_file::describe(&options.graph, &loaded))?;
    out.flush()?;
    match &loaded.graph {
        AnyGraph::U32(graph) => find(options, graph, &loaded, &mut out),
        AnyGraph::F32(graph) => find(options, graph, &loaded, &mut out),
    }
}

fn find<W: Weight>(options: &SearchOptions, graph: &Graph<W>, loaded: &Loaded, out: &mut impl Write) -> Result<()> {
    let source = options.source(loaded)?;
    let bar = ProgressBar::new(options.runs as u64);
    bar.set_style(ProgressStyle::with_template("{bar:30} {pos}/{len} {msg}")?);
    bar.set_message(format!("{} from {}", options.strategy, loaded.labels.label(source).unwrap_or_default()));
    let search = options.search(source);
    let placed = PlacedGraph::new(&options.device, graph)?;
    if options.on_gpu() && options.runs > 1 {
        // Compiles kernels.
        placed.run(&search)?;
    }
    let mut runs: Vec<Paths<W>> = Vec::new();
    for _ in 0..options.runs {
        runs.push(placed.run(&search)?);
        bar.inc(1);
    }
    runs.sort_by_key(|paths| paths.time);
    bar.finish_and_clear();
    let paths = runs.swap_remove(runs.len() / 2);
    if options.verify {
        paths.verify(graph)?;
    }
    report::summary(out, options, graph, &loaded.labels, &paths)?;

    if let Some(path) = &options.output {
        output::distances(path, options.format, &paths, &loaded.labels).with_context(|| path.display().to_string())?;
        writeln!(out, "  distances    {}", path.display())?;
    }
    if let (Some(path), Some(tree)) = (&options.predecessors, &paths.predecessors) {
        output::predecessors(path, options.format, tree, &loaded.labels).with_context(|| path.display().to_string())?;
        writeln!(out, "  predecessors {}", path.display())?;
    }
    Ok(())
}
