//! Graphs from files, with a bar on standard error while it takes.

use super::args::GraphArguments;
use anyhow::Result;
use indicatif::{ProgressBar, ProgressStyle};
use multisplit_graph::read::{Compression, GraphReader, Loaded, Progress};
use multisplit_graph::{AnyGraph, Direction, Error};

pub fn load(raw: &GraphArguments) -> Result<Loaded> {
    let bar = ProgressBar::no_length();
    bar.set_style(ProgressStyle::with_template("{bar:30} {bytes}/{total_bytes} {msg}")?);
    bar.set_message(format!("reading {}", raw.graph.display()));
    let mut show = |progress: Progress| {
        if let Some(total) = progress.total {
            bar.set_length(total);
        }
        bar.set_position(progress.bytes);
        if progress.total == Some(progress.bytes) {
            bar.set_message("sorting");
        }
    };
    let mut reader = GraphReader::new().seed(raw.seed).progress(&mut show);
    if let Some(format) = raw.input_format {
        reader = reader.format(format);
    }
    if raw.directed || raw.undirected {
        reader = reader.direction(if raw.undirected { Direction::Undirected } else { Direction::Directed });
    }
    let loaded = reader.open(&raw.graph);
    bar.finish_and_clear();
    loaded.map_err(|error| match error {
        // It names the file itself.
        Error::Io { .. } => error.into(),
        _ => anyhow::Error::new(error).context(raw.graph.display().to_string()),
    })
}

/// A graph in a sentence.
pub fn describe(raw: &GraphArguments, loaded: &Loaded) -> String {
    let packed = match loaded.compression {
        Compression::None => String::new(),
        compression => format!(", {compression}"),
    };
    let most = match &loaded.graph {
        AnyGraph::U32(graph) => graph.max_weight().to_string(),
        AnyGraph::F32(graph) => graph.max_weight().to_string(),
    };
    let drawn = if loaded.random_weights { format!(", drawn with seed {}", raw.seed) } else { String::new() };
    let graph = &loaded.graph;
    format!(
        "{} ({}{packed}): {} vertices, {} arcs; {} weights up to {most}{drawn}",
        raw.graph.display(),
        loaded.format,
        graph.vertices(),
        graph.arcs(),
        graph.weight_name(),
    )
}
