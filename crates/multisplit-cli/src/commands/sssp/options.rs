//! The command line of shortest paths, and what it asks for.

use crate::shared::devices::open_device;
use crate::shared::facts::JsonArgument;
use crate::shared::graph_file::{self, GraphArguments};
use crate::shared::output_files::ensure_writable;
use crate::shared::placed_graph::is_gpu;
use crate::shared::same_file::{Named, ensure_distinct};
use crate::shared::usage::usage;
use anyhow::Result;
use clap::{Args, ValueEnum};
use multisplit::Device;
use multisplit_graph::read::Loaded;
use multisplit_graph::{Sssp, Strategy};
use std::path::{Path, PathBuf};

#[derive(Args, Clone, Debug)]
pub struct SsspArguments {
    #[command(flatten)]
    pub graph: GraphArguments,
    /// Where paths begin: a vertex, as the file calls it [default: the first]. Several, separated by commas or each
    /// with its own --source, have a search each.
    #[arg(short, long, value_name = "VERTEX", value_delimiter = ',')]
    pub source: Vec<u64>,
    /// Print the distance of a vertex, and the shortest path to it; several as for --source.
    #[arg(short, long, value_name = "VERTEX", value_delimiter = ',')]
    pub target: Vec<u64>,
    /// Print paths to targets in full, however long they are.
    #[arg(long, requires = "target")]
    pub path: bool,
    /// On GPUs near-far, bucketing, split-bucketing, multisplit or bellman-ford; on the CPU dijkstra, delta-stepping or
    /// bellman-ford [default: multisplit where there is a GPU, else delta-stepping].
    #[arg(long)]
    pub strategy: Option<Strategy>,
    /// The device, by its name in `multisplit devices`, or gpu, cuda, wgpu, vulkan, metal or dx12 for the first of those
    /// [default: the best that the strategy runs on].
    #[arg(short, long)]
    pub device: Option<String>,
    /// The width of the buckets, for strategies that have some [default: what suits the graph].
    #[arg(long)]
    pub delta: Option<f64>,
    /// Write the distances to this file; `-` is standard output.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Write the predecessors to this file.
    #[arg(short, long, value_name = "FILE")]
    pub predecessors: Option<PathBuf>,
    /// How both are written [default: npy for files whose name ends in .npy, else text].
    #[arg(short, long)]
    pub format: Option<OutputFormat>,
    /// Prove that the paths are shortest, by rules that hold for those alone.
    #[arg(long)]
    pub verify: bool,
    /// How often to find them; the time shown is the median.
    #[arg(short, long, default_value_t = 1)]
    pub runs: usize,
    #[command(flatten)]
    pub json: JsonArgument,
}

#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutputFormat {
    /// A line for each vertex, as the file calls it, with the source before it if there are several; inf is what
    /// cannot be reached, - is no predecessor.
    Text,
    /// An array for NumPy, in the order of the vertices, with a row for each source if there are several; u32 distances
    /// that are 4294967295 cannot be reached.
    Npy,
    /// The same numbers alone, little-endian.
    Binary,
}

/// A search that can run.
pub struct SearchOptions {
    pub graph: GraphArguments,
    /// As the file calls them.
    pub sources: Vec<u64>,
    pub targets: Vec<u64>,
    /// Whether paths are printed in full.
    pub whole_paths: bool,
    pub strategy: Strategy,
    /// The GPU, or the CPU.
    pub device: Device,
    pub delta: Option<f64>,
    pub output: Option<PathBuf>,
    pub predecessors: Option<PathBuf>,
    format: Option<OutputFormat>,
    pub verify: bool,
    pub runs: usize,
    /// Whether the report is for programs.
    pub json: bool,
}

impl SearchOptions {
    /// Checks the arguments and the places of outputs, and opens the device.
    pub fn new(raw: &SsspArguments) -> Result<Self> {
        if raw.runs == 0 {
            return Err(usage("--runs must be at least 1"));
        }
        distinct("--source", &raw.source)?;
        distinct("--target", &raw.target)?;
        if let Some(delta) = raw.delta {
            if !(delta > 0.0 && delta.is_finite()) {
                return Err(usage(format!("--delta {delta} must be a finite number above 0")));
            }
            if let Some(strategy) = raw.strategy.filter(|strategy| !strategy.has_delta()) {
                let with: Vec<String> =
                    Strategy::ALL.iter().filter(|other| other.has_delta()).map(Strategy::to_string).collect();
                return Err(usage(format!("--delta is for {}, not for {strategy}", with.join(", "))));
            }
        }
        let outputs = [("--output", &raw.output), ("--predecessors", &raw.predecessors)];
        let outputs: Vec<Named<'_>> =
            outputs.into_iter().filter_map(|(name, path)| Some((name, path.as_deref()?))).collect();
        ensure_distinct(&[("the graph", &raw.graph.graph)], &outputs)?;
        outputs.iter().try_for_each(|(_, path)| ensure_writable(path))?;
        raw.json.check(outputs.iter().map(|(_, path)| *path))?;
        let (strategy, device) = place(raw.strategy, raw.device.as_deref())?;
        Ok(Self {
            graph: raw.graph.clone(),
            sources: raw.source.clone(),
            targets: raw.target.clone(),
            whole_paths: raw.path,
            strategy,
            device,
            delta: raw.delta,
            output: raw.output.clone(),
            predecessors: raw.predecessors.clone(),
            format: raw.format,
            verify: raw.verify,
            runs: raw.runs,
            json: raw.json.json,
        })
    }

    /// Returns whether the search runs on a GPU.
    pub fn on_gpu(&self) -> bool {
        is_gpu(&self.device)
    }

    /// Returns the files that are written.
    pub fn outputs(&self) -> impl Iterator<Item = &Path> {
        [&self.output, &self.predecessors].into_iter().flatten().map(PathBuf::as_path)
    }

    /// Returns how a file is written: as the command line says, or as its name does.
    pub fn format_of(&self, path: &Path) -> OutputFormat {
        let is_npy = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("npy"));
        self.format.unwrap_or(if is_npy { OutputFormat::Npy } else { OutputFormat::Text })
    }

    /// Returns the vertices where paths begin: by default the first.
    pub fn sources(&self, loaded: &Loaded) -> Result<Vec<u32>> {
        if self.sources.is_empty() {
            let first = loaded.labels.label(0).unwrap_or_default();
            return Ok(vec![graph_file::vertex(loaded, "--source", first)?]);
        }
        self.sources.iter().map(|&label| graph_file::vertex(loaded, "--source", label)).collect()
    }

    /// Returns the vertices to which paths are printed.
    pub fn targets(&self, loaded: &Loaded) -> Result<Vec<u32>> {
        self.targets.iter().map(|&label| graph_file::vertex(loaded, "--target", label)).collect()
    }

    /// Returns the search from a vertex.
    pub fn search(&self, source: u32) -> Sssp {
        let mut search = Sssp::from(source).strategy(self.strategy);
        if let Some(delta) = self.delta {
            search = search.delta(delta);
        }
        if self.verify || self.predecessors.is_some() || !self.targets.is_empty() {
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
    if !there.contains(&strategy) {
        let device = device.name();
        return Err(usage(format!("--strategy {strategy} does not run on {device}; name another --device")));
    }
    Ok((strategy, device))
}

/// Refuses a vertex that an option names twice.
fn distinct(option: &str, labels: &[u64]) -> Result<()> {
    for (i, label) in labels.iter().enumerate() {
        if labels[..i].contains(label) {
            return Err(usage(format!("{option} {label} is named twice")));
        }
    }
    Ok(())
}
