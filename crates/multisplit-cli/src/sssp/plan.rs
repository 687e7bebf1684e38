//! Which paths to find, validated before anything is read.

use super::args::{OutputFormat, SsspArguments};
use crate::graph::args::GraphArguments;
use anyhow::{Context, Result, bail, ensure};
use multisplit::{Device, DeviceKind};
use multisplit_graph::read::Loaded;
use multisplit_graph::{Sssp, Strategy};
use std::path::PathBuf;

/// Paths that can be looked for.
pub struct Plan {
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

impl Plan {
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
        if let Some(threads) = raw.threads {
            ensure!(threads > 0, "--threads must be at least 1");
            rayon::ThreadPoolBuilder::new().num_threads(threads).build_global().context("--threads")?;
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

    /// Whether it runs on a GPU.
    pub fn on_gpu(&self) -> bool {
        self.device.info().kind != DeviceKind::Cpu
    }

    /// The vertex where paths begin.
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

/// A strategy and a device that go together: as asked for, or the best. A software device is only used if it is named.
fn place(strategy: Option<Strategy>, device: Option<&str>) -> Result<(Strategy, Device)> {
    let device = match (strategy, device) {
        (_, Some(name)) => Device::open(name).with_context(|| format!("--device {name}"))?,
        (Some(strategy), None) if Strategy::ON_CPU.contains(&strategy) => Device::cpu(),
        (_, None) => Device::best(),
    };
    let on_gpu = device.info().kind != DeviceKind::Cpu;
    let strategy = strategy.unwrap_or(if on_gpu { Strategy::Multisplit } else { Strategy::DeltaStepping });
    let there: &[Strategy] = if on_gpu { &Strategy::ON_GPU } else { &Strategy::ON_CPU };
    ensure!(
        there.contains(&strategy),
        "--strategy {strategy} does not run on {}; name another --device",
        device.name()
    );
    Ok((strategy, device))
}
