//! `multisplit graph generate`: graphs by their shape.

use super::save::{Destination, format_of_name};
use crate::shared::arguments::count;
use crate::shared::facts::{Facts, JsonArgument};
use crate::shared::output_files::report_to;
use crate::shared::progress;
use crate::shared::usage::{ensure_usage, usage};
use anyhow::Result;
use clap::{Args, Subcommand};
use multisplit_graph::read::{Format, Labels};
use multisplit_graph::{AnyGraph, Direction, EdgeList, Error, Graph, generate};
use std::path::PathBuf;
use std::time::Instant;

#[derive(Args, Clone, Debug)]
pub struct GenerateArguments {
    #[command(subcommand)]
    pub kind: GraphKind,
    /// The file to write; `-` is standard output.
    #[arg(short, long, global = true, value_name = "FILE", default_value = "graph.bin")]
    pub output: PathBuf,
    /// Its format: binary, edge-list, matrix-market, dimacs or pace [default: what its name says, else binary].
    #[arg(short, long, global = true)]
    pub format: Option<Format>,
    /// Edges are taken one way, not both.
    #[arg(long, global = true)]
    pub directed: bool,
    /// The seed of everything random.
    #[arg(long, global = true, default_value_t = 0)]
    pub seed: u64,
    /// The least weight of an edge.
    #[arg(long, global = true, default_value_t = 0)]
    pub min_weight: u32,
    /// The largest weight of an edge.
    #[arg(long, global = true, default_value_t = 1000)]
    pub max_weight: u32,
    /// How many threads to use [default: as many as the machine has].
    #[arg(long, global = true)]
    pub threads: Option<usize>,
    /// Print the report as one JSON object, for programs.
    #[arg(long, global = true)]
    pub json: bool,
}

#[derive(Subcommand, Clone, Debug)]
pub enum GraphKind {
    /// R-MAT: degrees follow a power law. By default the paper's graph.
    #[command(after_help = "Example: multisplit graph generate rmat -n 2^10 -m 2^13 --output rmat.bin")]
    Rmat {
        /// How many vertices: a number, or a power such as 2^22.
        #[arg(short = 'n', long, default_value = "800000", value_parser = count)]
        vertices: usize,
        /// How many edges.
        #[arg(short = 'm', long, default_value = "4800000", value_parser = count)]
        edges: usize,
        /// The probabilities of the four quarters.
        #[arg(long, value_delimiter = ',', default_value = "0.5,0.1,0.1,0.3")]
        shape: Vec<f64>,
    },
    /// Edges between vertices drawn uniformly.
    #[command(after_help = "Example: multisplit graph generate erdos-renyi -n 1000 -m 5000 --output random.bin")]
    ErdosRenyi {
        /// How many vertices.
        #[arg(short = 'n', long, value_parser = count)]
        vertices: usize,
        /// How many edges.
        #[arg(short = 'm', long, value_parser = count)]
        edges: usize,
    },
    /// Rows and columns.
    #[command(after_help = "Example: multisplit graph generate grid --width 30 --height 20 --output grid.gr")]
    Grid {
        /// How many columns.
        #[arg(long, value_parser = count)]
        width: usize,
        /// How many rows.
        #[arg(long, value_parser = count)]
        height: usize,
    },
    /// One vertex joined to all others.
    #[command(after_help = "Example: multisplit graph generate star -n 100 --output star.mtx")]
    Star {
        /// How many vertices.
        #[arg(short = 'n', long, value_parser = count)]
        vertices: usize,
    },
    /// One vertex after the other.
    #[command(after_help = "Example: multisplit graph generate path -n 100 --min-weight 1 --output path.txt")]
    Path {
        /// How many vertices.
        #[arg(short = 'n', long, value_parser = count)]
        vertices: usize,
    },
    /// All vertices joined to each other.
    #[command(after_help = "Example: multisplit graph generate clique -n 50 --output clique.bin")]
    Clique {
        /// How many vertices.
        #[arg(short = 'n', long, value_parser = count)]
        vertices: usize,
    },
}

/// Runs `multisplit graph generate`.
pub fn run(raw: &GenerateArguments) -> Result<()> {
    let format = raw.format.or(format_of_name(&raw.output)).unwrap_or(Format::Binary);
    let destination = Destination::new(&raw.output, Some(format), None)?;
    destination.check(None)?;
    JsonArgument { json: raw.json }.check(destination.files())?;
    let start = Instant::now();
    let graph = make(raw)?;
    let seconds = start.elapsed().as_secs_f64();
    let mut out = report_to(destination.files());
    let (vertices, arcs) = (graph.vertices(), graph.arcs());
    let facts = raw
        .json
        .then(|| Facts::of("graph generate").with("vertices", vertices).with("arcs", arcs).with("seconds", seconds));
    if facts.is_none() {
        writeln!(out, "{vertices} vertices, {arcs} arcs, made in {seconds:.2} s")?;
    }
    let labels = Labels::from(u64::from(destination.has_numbers()), graph.vertices());
    destination.save(&graph, &labels, Some(raw.direction()), facts, &mut *out)
}

impl GenerateArguments {
    fn direction(&self) -> Direction {
        if self.directed { Direction::Directed } else { Direction::Undirected }
    }
}

fn make(raw: &GenerateArguments) -> Result<AnyGraph> {
    let (least, most) = (raw.min_weight, raw.max_weight);
    ensure_usage!(least <= most, "--min-weight {least} is more than --max-weight {most}");
    let _stage = progress::stage("making the graph");
    let edges = edges(&raw.kind, raw.seed)?.random_weights(least..=most, raw.seed);
    Ok(AnyGraph::U32(Graph::new(&edges, raw.direction()).map_err(as_typed)?))
}

fn edges(kind: &GraphKind, seed: u64) -> Result<EdgeList> {
    let edges = match *kind {
        GraphKind::Rmat { vertices, edges, ref shape } => {
            let shape = shape.as_slice().try_into().map_err(|_| usage("--shape takes four probabilities"))?;
            generate::rmat(small(vertices)?, edges as u64, shape, seed)
        }
        GraphKind::ErdosRenyi { vertices, edges } => generate::erdos_renyi(small(vertices)?, edges as u64, seed),
        GraphKind::Grid { width, height } => generate::grid(small(width)?, small(height)?),
        GraphKind::Star { vertices } => generate::star(small(vertices)?),
        GraphKind::Path { vertices } => generate::path(small(vertices)?),
        GraphKind::Clique { vertices } => generate::clique(small(vertices)?),
    };
    edges.map_err(as_typed)
}

fn small(vertices: usize) -> Result<u32> {
    let most = u32::MAX as usize;
    ensure_usage!(vertices <= most, "{vertices} is too many: a graph has up to 2^32 - 1 vertices");
    Ok(vertices as u32)
}

/// Takes errors for mistakes in the command line, where the shape of a graph comes from. Memory is none.
fn as_typed(error: Error) -> anyhow::Error {
    match error {
        Error::InvalidGenerator(_) | Error::TooManyArcs { .. } | Error::TooManyVertices { .. } => {
            usage(error.to_string())
        }
        other => other.into(),
    }
}
