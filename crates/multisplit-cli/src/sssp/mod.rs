//! Shortest paths: what was asked for ([`args`], [`plan`]) is found, written ([`output`]) and told ([`report`]).

pub mod args;
mod output;
pub mod plan;
mod report;

use crate::graph::load;
use anyhow::{Context, Result};
use indicatif::{ProgressBar, ProgressStyle};
use multisplit_graph::read::Loaded;
use multisplit_graph::{AnyGraph, DeviceGraph, Graph, Paths, Weight};
use plan::Plan;
use std::io::{self, Write};

pub fn run(plan: &Plan) -> Result<()> {
    let loaded = load::load(&plan.graph)?;
    let mut out = io::stdout().lock();
    writeln!(out, "{}", load::describe(&plan.graph, &loaded))?;
    out.flush()?;
    match &loaded.graph {
        AnyGraph::U32(graph) => find(plan, graph, &loaded, &mut out),
        AnyGraph::F32(graph) => find(plan, graph, &loaded, &mut out),
    }
}

fn find<W: Weight>(plan: &Plan, graph: &Graph<W>, loaded: &Loaded, out: &mut impl Write) -> Result<()> {
    let source = plan.source(loaded)?;
    let bar = ProgressBar::new(plan.runs as u64);
    bar.set_style(ProgressStyle::with_template("{bar:30} {pos}/{len} {msg}")?);
    bar.set_message(format!("{} from {}", plan.strategy, loaded.labels.label(source).unwrap_or_default()));
    let search = plan.search(source);
    let on_gpu = plan.on_gpu().then(|| DeviceGraph::new(&plan.device, graph)).transpose()?;
    let run = || match &on_gpu {
        Some(on_gpu) => search.run_on(on_gpu),
        None => search.run(graph),
    };
    if on_gpu.is_some() && plan.runs > 1 {
        // Kernels are compiled.
        run()?;
    }
    let mut runs: Vec<Paths<W>> = Vec::new();
    for _ in 0..plan.runs {
        runs.push(run()?);
        bar.inc(1);
    }
    runs.sort_by_key(|paths| paths.time);
    bar.finish_and_clear();
    let paths = runs.swap_remove(runs.len() / 2);
    if plan.verify {
        paths.verify(graph)?;
    }
    report::summary(out, plan, graph, &loaded.labels, &paths)?;

    if let Some(path) = &plan.output {
        output::distances(path, plan.format, &paths, &loaded.labels).with_context(|| path.display().to_string())?;
        writeln!(out, "  distances    {}", path.display())?;
    }
    if let (Some(path), Some(tree)) = (&plan.predecessors, &paths.predecessors) {
        output::predecessors(path, plan.format, tree, &loaded.labels).with_context(|| path.display().to_string())?;
        writeln!(out, "  predecessors {}", path.display())?;
    }
    Ok(())
}
