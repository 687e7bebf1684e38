//! Graphs: read with progress ([`load`]), described, made and converted.

pub mod args;
pub mod load;
mod make;

use anyhow::{Context, Result};
use args::{ConvertArguments, GenerateArguments, GraphCommand};
use multisplit_graph::AnyGraph;
use multisplit_graph::read::Labels;
use std::io::{self, Write};
use std::path::Path;
use std::time::Instant;

pub fn run(command: &GraphCommand) -> Result<()> {
    match command {
        GraphCommand::Convert(raw) => convert(raw),
        GraphCommand::Generate(raw) => generate(raw),
    }
}

fn convert(raw: &ConvertArguments) -> Result<()> {
    let loaded = load::load(&raw.input)?;
    say(&load::describe(&raw.input, &loaded))?;
    save(&loaded.graph, &loaded.labels, &raw.output)
}

fn generate(raw: &GenerateArguments) -> Result<()> {
    let start = Instant::now();
    let graph = make::graph(raw)?;
    let seconds = start.elapsed().as_secs_f64();
    say(&format!("{} vertices, {} arcs, made in {seconds:.2} s", graph.vertices(), graph.arcs()))?;
    // Files of other formats count from 1, but there is no such file here.
    save(&graph, &Labels::from(0, graph.vertices()), &raw.output)
}

fn save(graph: &AnyGraph, labels: &Labels, path: &Path) -> Result<()> {
    graph.save(labels, path)?;
    let bytes = std::fs::metadata(path).with_context(|| path.display().to_string())?.len();
    say(&format!("{}: {:.1} MB, in the binary form", path.display(), 1e-6 * bytes as f64))
}

fn say(line: &str) -> Result<()> {
    Ok(writeln!(io::stdout(), "{line}")?)
}
