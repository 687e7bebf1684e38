//! Graphs from files.

use anyhow::Result;
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use multisplit_graph::read::{Compression, Format, GraphReader, Loaded, Progress};
use multisplit_graph::{AnyGraph, Direction, Error};
use std::path::PathBuf;

/// Arguments that name a graph in a file.
#[derive(Args, Clone, Debug)]
pub struct GraphArguments {
    /// The graph: Matrix Market, DIMACS or PACE, an edge list, or the binary form; plain, gzip or xz.
    pub graph: PathBuf,
    /// Its format: binary, matrix-market, dimacs, pace or edge-list [default: what it looks like].
    #[arg(long)]
    pub input_format: Option<Format>,
    /// Edges are taken one way [default: what the format says].
    #[arg(long, conflicts_with = "undirected")]
    pub directed: bool,
    /// Edges are taken both ways.
    #[arg(long)]
    pub undirected: bool,
    /// The seed of random weights from 0 to 1000, for a graph that has none.
    #[arg(long, default_value_t = 0)]
    pub seed: u64,
}

/// Reads a graph, with a progress bar on standard error.
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

/// Describes a graph in one line.
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
