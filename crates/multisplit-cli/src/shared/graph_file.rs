//! Graphs from files.

use super::facts::Facts;
use super::progress;
use super::same_file::STANDARD;
use anyhow::{Context, Result, anyhow};
use clap::Args;
use indicatif::ProgressStyle;
use multisplit_graph::read::{Compression, DirectionSource, Format, GraphReader, Labels, Loaded, Progress, Weights};
use multisplit_graph::{AnyGraph, Direction, Error};
use std::io;
use std::path::{Path, PathBuf};

/// Arguments that name a graph in a file.
#[derive(Args, Clone, Debug, Default)]
pub struct GraphArguments {
    /// The graph: Matrix Market, DIMACS or PACE, an edge list, or the binary form; plain, gzip or xz. `-` is standard
    /// input.
    pub graph: PathBuf,
    /// Its format: binary, matrix-market, dimacs, pace or edge-list [default: what it looks like].
    #[arg(long, value_name = "FORMAT")]
    pub input_format: Option<Format>,
    /// Edges are taken one way [default: what the file or its format says].
    #[arg(long, conflicts_with = "undirected")]
    pub directed: bool,
    /// Edges are taken both ways.
    #[arg(long)]
    pub undirected: bool,
    /// What edges weigh: what the file says (file), 1 (unit), or a random number from 0 to 1000 (random) [default:
    /// file, and random for a file that has no weights].
    #[arg(long, value_name = "SOURCE")]
    pub weights: Option<Weights>,
    /// The seed of random weights.
    #[arg(long, default_value_t = 0)]
    pub seed: u64,
    /// How many threads to use [default: as many as the machine has].
    #[arg(long)]
    pub threads: Option<usize>,
}

/// Reads a graph, with a progress bar on standard error.
pub fn load(raw: &GraphArguments) -> Result<Loaded> {
    let bar = progress::bar(0);
    bar.unset_length();
    bar.set_style(ProgressStyle::with_template("{bar:30} {bytes}/{total_bytes} {msg}")?);
    bar.set_message(format!("reading {}", name(raw)));
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
    if let Some(weights) = raw.weights {
        reader = reader.weights(weights);
    }
    if raw.directed || raw.undirected {
        reader = reader.direction(if raw.undirected { Direction::Undirected } else { Direction::Directed });
    }
    let is_standard = raw.graph.as_os_str() == STANDARD;
    let loaded = if is_standard { reader.read(io::stdin().lock()) } else { reader.open(&raw.graph) };
    bar.finish_and_clear();
    loaded.map_err(|error| explain(error, raw))
}

/// Names the file, and the option that helps.
fn explain(error: Error, raw: &GraphArguments) -> anyhow::Error {
    let hint = match error {
        // It names the file itself.
        Error::Io { .. } => return error.into(),
        Error::NoWeights => " (--weights unit or --weights random)",
        Error::NoDirection if raw.directed => " with --directed",
        Error::NoDirection => " with --undirected",
        Error::MissingHeader { .. } => " (--input-format edge-list)",
        Error::UnknownFormat => " (--input-format FORMAT)",
        _ => "",
    };
    let name = name(raw);
    if hint.is_empty() { anyhow::Error::new(error).context(name) } else { anyhow!("{name}: {error}{hint}") }
}

/// Returns what messages call the file.
fn name(raw: &GraphArguments) -> String {
    if raw.graph.as_os_str() == STANDARD { "standard input".into() } else { raw.graph.display().to_string() }
}

/// Describes a graph in two lines: what it is, and which way its edges are taken.
pub fn describe(raw: &GraphArguments, loaded: &Loaded) -> String {
    let packed = match loaded.compression {
        Compression::None => String::new(),
        compression => format!(", {compression}"),
    };
    let most = largest_weight(&loaded.graph);
    let from = match loaded.weights {
        Weights::File => String::new(),
        Weights::Unit => ", all of them 1".into(),
        Weights::Random => format!(", drawn with seed {}", raw.seed),
    };
    let graph = &loaded.graph;
    format!(
        "{} ({}{packed}): {} vertices, {} arcs; {} weights up to {most}{from}\n  edges        {}",
        name(raw),
        loaded.format,
        graph.vertices(),
        graph.arcs(),
        graph.weight_name(),
        direction(loaded),
    )
}

/// Adds what a graph is, for programs.
pub fn facts(facts: Facts, raw: &GraphArguments, loaded: &Loaded) -> Facts {
    let graph = &loaded.graph;
    let direction = loaded.direction.map(|direction| match direction {
        Direction::Directed => "directed",
        Direction::Undirected => "undirected",
    });
    let packed = Some(loaded.compression).filter(|&compression| compression != Compression::None);
    facts
        .with("input", raw.graph.display().to_string())
        .with("format", loaded.format.to_string())
        .with("compression", packed.map(|packed| packed.to_string()))
        .with("vertices", graph.vertices())
        .with("arcs", graph.arcs())
        .with("edges", direction)
        .with("weight", graph.weight_name())
        .with("weights", loaded.weights.to_string())
        .with_json("largest_weight", &largest_weight(graph))
}

fn largest_weight(graph: &AnyGraph) -> String {
    match graph {
        AnyGraph::U32(graph) => graph.max_weight().to_string(),
        AnyGraph::F32(graph) => graph.max_weight().to_string(),
    }
}

/// Says which way edges are taken, and why.
fn direction(loaded: &Loaded) -> String {
    let Some(direction) = loaded.direction else {
        return "arcs, as the binary file has them: it does not say whether they were edges to take both ways".into();
    };
    let (taken, other) = match direction {
        Direction::Directed => ("directed", "--undirected takes them both ways"),
        Direction::Undirected => ("undirected", "--directed takes them one way"),
    };
    match loaded.direction_source {
        DirectionSource::Header => {
            let says = match (loaded.format, direction) {
                (Format::MatrixMarket, Direction::Directed) => "its header says (general)",
                (Format::MatrixMarket, Direction::Undirected) => "its header says (symmetric)",
                _ => "its first comment says",
            };
            format!("{taken}, as {says}; {other}")
        }
        DirectionSource::Format => {
            let files = match loaded.format {
                Format::Dimacs => "DIMACS files",
                Format::Pace => "PACE files",
                _ => "edge lists",
            };
            format!("{taken}, as {files} are; {other}")
        }
        DirectionSource::Caller | DirectionSource::Arcs => format!("{taken}, as --{taken} says"),
    }
}

/// Returns the vertex that an option names as the file does.
pub fn vertex(loaded: &Loaded, option: &str, label: u64) -> Result<u32> {
    let labels = &loaded.labels;
    let last = loaded.graph.vertices().checked_sub(1).context("the graph has no vertices")?;
    labels.find(label).with_context(|| {
        let [from, to] = [0, last].map(|v| labels.label(v).unwrap_or_default());
        let gaps = if (from..=to).contains(&label) { format!(", but not {label}") } else { String::new() };
        format!("{option} {label} is not in the graph, whose vertices are from {from} to {to}{gaps}")
    })
}

/// Returns the error of a search, with vertices called as the file calls them.
pub fn named(error: Error, labels: &Labels) -> anyhow::Error {
    anyhow::Error::new(match error {
        Error::DistanceOverflow { vertex, limit } => {
            let vertex = u32::try_from(vertex).ok().and_then(|v| labels.label(v)).unwrap_or(vertex);
            Error::DistanceOverflow { vertex, limit }
        }
        other => other,
    })
}

impl GraphArguments {
    /// A file that is read as it says, with this seed for weights that it does not have.
    pub fn of(graph: &Path, seed: u64) -> Self {
        Self { graph: graph.to_path_buf(), seed, ..Self::default() }
    }
}
