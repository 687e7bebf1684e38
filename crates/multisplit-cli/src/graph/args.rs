//! The command line of graphs, as typed.

use crate::args::count;
use clap::{Args, Subcommand};
use multisplit_graph::read::Format;
use std::path::PathBuf;

#[derive(Subcommand, Clone, Debug)]
pub enum GraphCommand {
    /// Read a graph of any format and write it in the binary form, which is read many times as fast.
    Convert(ConvertArguments),
    /// Make a graph up and write it in the binary form.
    Generate(GenerateArguments),
}

/// A graph in a file.
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
    pub kind: Kind,
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
pub enum Kind {
    /// R-MAT: degrees follow a power law. The paper's graph, if nothing else is said.
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
