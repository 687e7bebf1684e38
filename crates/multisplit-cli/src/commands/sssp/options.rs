//! The command line of shortest paths, and what it asks for.

use crate::shared::arguments::open_device;
use crate::shared::graph_file::GraphArguments;
use crate::shared::placed_graph::is_gpu;
use anyhow::{Context, Result, bail, ensure};
use clap::{Args, ValueEnum};
use multisplit::Device;
use multisplit_graph::read::Loaded;
use multisplit_graph::{Sssp, Strategy};
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

/// A search that can run.
pub struct SearchOptions {
    pub graph: GraphArguments,
    pub source: Option<u64>,
    pub strategy: Strategy,
    /// The GPU, or the CPU.
    pub device: Device,
    pub delta: Option<f64>,
    pub output: Option<PathBuf>,
    pub predecessors: Option<PathBuf>,
    pub format: OutputFormat,
    pub verify: bool,
    pub runs: usize,
}

impl SearchOptions {
    /// Checks the arguments and opens the device.
    pub fn new(raw: &SsspArguments) -> Result<Self> {
        ensure!(raw.runs > 0, "--runs must be at least 1");
        if let Some(delta) = raw.delta {
            ensure!(delta > 0.0 && delta.is_finite(), "--delta {delta} must be a finite number above 0");
            if let Some(strategy) = raw.strategy.filter(|strategy| !strategy.has_delta()) {
                let with: Vec<String> =
                    Strategy::ALL.iter().filter(|other| other.has_delta()).map(Strategy::to_string).collect();
                bail!("--delta is for {}, not for {strategy}", with.join(", "));
            }
        }
        let (strategy, device) = place(raw.strategy, raw.device.as_deref())?;
        Ok(Self {
            graph: raw.graph.clone(),
            source: raw.source,
            strategy,
            device,
            delta: raw.delta,
            output: raw.output.clone(),
            predecessors: raw.predecessors.clone(),
            format: raw.format,
            verify: raw.verify,
            runs: raw.runs,
        })
    }

    /// Returns whether the search runs on a GPU.
    pub fn on_gpu(&self) -> bool {
        is_gpu(&self.device)
    }

    /// Returns the vertex where paths begin.
    pub fn source(&self, loaded: &Loaded) -> Result<u32> {
        let labels = &loaded.labels;
        let last = loaded.graph.vertices().checked_sub(1).context("the graph has no vertices")?;
        let find = |label| {
            labels.find(label).with_context(|| {
                let [first, last] = [0, last].map(|v| labels.label(v).unwrap_or_default());
                format!("--source {label} is not in the graph, whose vertices are from {first} to {last}")
            })
        };
        self.source.map_or(Ok(0), find)
    }

    /// Returns the search from a vertex.
    pub fn search(&self, source: u32) -> Sssp {
        let mut search = Sssp::from(source).strategy(self.strategy);
        if let Some(delta) = self.delta {
            search = search.delta(delta);
        }
        if self.verify || self.predecessors.is_some() {
            search = search.predecessors();
        }
        search
    }
}

/// Chooses a strategy and a device that go together: as given, or the best. A software device is used only if named.
fn place(strategy: Option<Strategy>, device: Option<&str>) -> Result<(Strategy, Device)> {
    let device = match (strategy, device) {
        (_, Some(_)) => open_device(device)?,
        (Some(strategy), None) if Strategy::ON_CPU.contains(&strategy) => Device::cpu(),
        (_, None) => Device::best(),
    };
    let on_gpu = is_gpu(&device);
    let strategy = strategy.unwrap_or(if on_gpu { Strategy::Multisplit } else { Strategy::DeltaStepping });
    let there: &[Strategy] = if on_gpu { &Strategy::ON_GPU } else { &Strategy::ON_CPU };
    ensure!(
        there.contains(&strategy),
        "--strategy {strategy} does not run on {}; name another --device",
        device.name()
    );
    Ok((strategy, device))
}
