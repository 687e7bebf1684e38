//! `multisplit graph`: makes graphs, and converts them to the binary form.

use crate::shared::arguments::count;
use crate::shared::graph_file::{self, GraphArguments};
use anyhow::{Context, Result, ensure};
use clap::{Args, Subcommand};
use multisplit_graph::read::Labels;
use multisplit_graph::{AnyGraph, Direction, EdgeList, Graph, generate};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

#[derive(Subcommand, Clone, Debug)]
pub enum GraphCommand {
    /// Read a graph of any format and write it in the binary form, which is read many times as fast.
    Convert(ConvertArguments),
    /// Generate a graph and write it in the binary form.
    Generate(GenerateArguments),
}

#[derive(Args, Clone, Debug)]
pub struct ConvertArguments {
    #[command(flatten)]
    pub input: GraphArguments,
    /// The file to write.
    pub output: PathBuf,
}

#[derive(Args, Clone, Debug)]
pub struct GenerateArguments {
    #[command(subcommand)]
    pub kind: GraphKind,
    /// The file to write.
    #[arg(short, long, global = true, default_value = "graph.bin")]
    pub output: PathBuf,
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
}

#[derive(Subcommand, Clone, Debug)]
pub enum GraphKind {
    /// R-MAT: degrees follow a power law. By default the paper's graph.
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
    ErdosRenyi {
        /// How many vertices.
        #[arg(short = 'n', long, value_parser = count)]
        vertices: usize,
        /// How many edges.
        #[arg(short = 'm', long, value_parser = count)]
        edges: usize,
    },
    /// Rows and columns.
    Grid {
        /// How many columns.
        #[arg(long, value_parser = count)]
        width: usize,
        /// How many rows.
        #[arg(long, value_parser = count)]
        height: usize,
    },
    /// One vertex joined to all others.
    Star {
        /// How many vertices.
        #[arg(short = 'n', long, value_parser = count)]
        vertices: usize,
    },
    /// One vertex after the other.
    Path {
        /// How many vertices.
        #[arg(short = 'n', long, value_parser = count)]
        vertices: usize,
    },
    /// All vertices joined to each other.
    Clique {
        /// How many vertices.
        #[arg(short = 'n', long, value_parser = count)]
        vertices: usize,
    },
}

/// Runs `multisplit graph`.
pub fn run(command: &GraphCommand) -> Result<()> {
    match command {
        GraphCommand::Convert(raw) => convert(raw),
        GraphCommand::Generate(raw) => generate_graph(raw),
    }
}

fn convert(raw: &ConvertArguments) -> Result<()> {
    let loaded = graph_file::load(&raw.input)?;
    say(&graph_file::describe(&raw.input, &loaded))?;
    save(&loaded.graph, &loaded.labels, &raw.output)
}

fn generate_graph(raw: &GenerateArguments) -> Result<()> {
    let start = Instant::now();
    let graph = make(raw)?;
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

fn make(raw: &GenerateArguments) -> Result<AnyGraph> {
    let (least, most) = (raw.min_weight, raw.max_weight);
    ensure!(least <= most, "--min-weight {least} is more than --max-weight {most}");
    let direction = if raw.directed { Direction::Directed } else { Direction::Undirected };
    let edges = edges(&raw.kind, raw.seed)?.random_weights(least..=most, raw.seed);
    Ok(AnyGraph::U32(Graph::new(&edges, direction)?))
}

fn edges(kind: &GraphKind, seed: u64) -> Result<EdgeList> {
    let edges = match *kind {
        GraphKind::Rmat { vertices, edges, ref shape } => {
            let shape = shape.as_slice().try_into().ok().context("--shape takes four probabilities")?;
            generate::rmat(small(vertices)?, edges as u64, shape, seed)
        }
        GraphKind::ErdosRenyi { vertices, edges } => generate::erdos_renyi(small(vertices)?, edges as u64, seed),
        GraphKind::Grid { width, height } => generate::grid(small(width)?, small(height)?),
        GraphKind::Star { vertices } => generate::star(small(vertices)?),
        GraphKind::Path { vertices } => generate::path(small(vertices)?),
        GraphKind::Clique { vertices } => generate::clique(small(vertices)?),
    };
    Ok(edges?)
}

fn small(vertices: usize) -> Result<u32> {
    u32::try_from(vertices).ok().with_context(|| format!("{vertices} is too many: a graph has up to 2^32 - 1 vertices"))
}
