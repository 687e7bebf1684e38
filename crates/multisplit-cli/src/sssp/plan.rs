//! Which paths to find, validated before anything is read.

use super::args::{OutputFormat, SsspArguments};
use crate::graph::args::GraphArguments;
use anyhow::{Context, Result, ensure};
use multisplit_graph::read::Loaded;
use multisplit_graph::{Sssp, Strategy};
use std::path::PathBuf;

/// Paths that can be looked for.
pub struct Plan {
    pub graph: GraphArguments,
    pub source: Option<u64>,
    pub strategy: Strategy,
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
            ensure!(raw.strategy == Strategy::DeltaStepping, "--delta is for delta-stepping, not {}", raw.strategy);
        }
        if let Some(threads) = raw.threads {
            ensure!(threads > 0, "--threads must be at least 1");
            rayon::ThreadPoolBuilder::new().num_threads(threads).build_global().context("--threads")?;
        }
        Ok(Self {
            graph: raw.graph.clone(),
            source: raw.source,
            strategy: raw.strategy,
            delta: raw.delta,
            output: raw.output.clone(),
            predecessors: raw.predecessors.clone(),
            format: raw.format,
            verify: raw.verify,
            runs: raw.runs,
        })
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
