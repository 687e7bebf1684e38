//! The command line of shortest paths, as typed.

use crate::graph::args::GraphArguments;
use clap::{Args, ValueEnum};
use multisplit_graph::Strategy;
use std::path::PathBuf;

#[derive(Args, Clone, Debug)]
pub struct SsspArguments {
    #[command(flatten)]
    pub graph: GraphArguments,
    /// Where paths begin: a vertex, as the file calls it [default: the first].
    #[arg(short, long)]
    pub source: Option<u64>,
    /// On GPUs near-far, bucketing, split-bucketing, multisplit or bellman-ford; on the CPU dijkstra, delta-stepping or
    /// bellman-ford [default: multisplit where there is a GPU, else delta-stepping].
    #[arg(long)]
    pub strategy: Option<Strategy>,
    /// The device, by its name in `multisplit devices` [default: the best that the strategy runs on].
    #[arg(short, long)]
    pub device: Option<String>,
    /// The width of the buckets, for strategies that have some [default: what suits the graph].
    #[arg(long)]
    pub delta: Option<f64>,
    /// Write the distances to this file.
    #[arg(short, long)]
    pub output: Option<PathBuf>,
    /// Write the predecessors to this file.
    #[arg(short, long)]
    pub predecessors: Option<PathBuf>,
    /// How both are written.
    #[arg(short, long, default_value = "text")]
    pub format: OutputFormat,
    /// Prove that the paths are shortest, by rules that hold for those alone.
    #[arg(long)]
    pub verify: bool,
    /// How often to find them; the time shown is the median.
    #[arg(short, long, default_value_t = 1)]
    pub runs: usize,
    /// How many threads to use [default: as many as the machine has].
    #[arg(long)]
    pub threads: Option<usize>,
}

#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutputFormat {
    /// A line for each vertex, as the file calls it; inf is what cannot be reached, - is no predecessor.
    Text,
    /// An array for NumPy, in the order of the vertices; u32 distances that are 4294967295 cannot be reached.
    Npy,
    /// The same numbers alone, little-endian.
    Binary,
}
