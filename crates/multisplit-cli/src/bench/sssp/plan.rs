//! Which paths to time, validated before anything runs.

use super::super::args::SsspArguments;
use super::super::setting::{Setting, distinct};
use super::spec::Spec;
use anyhow::{Result, ensure};
use multisplit_graph::Strategy;

pub struct Plan {
    pub setting: Setting,
    pub graphs: Vec<Spec>,
    pub strategies: Vec<Strategy>,
    pub sources: usize,
    pub delta: Option<f64>,
    pub seed: u64,
}

impl Plan {
    pub fn new(raw: SsspArguments) -> Result<Self> {
        ensure!(raw.sources > 0, "--sources must be at least 1");
        ensure!(raw.common.peers.is_empty(), "--peers: there are none for shortest paths");
        if let Some(delta) = raw.delta {
            ensure!(delta > 0.0 && delta.is_finite(), "--delta {delta} must be a finite number above 0");
        }
        let graphs = raw.graphs.iter().map(|text| Spec::new(text)).collect::<Result<_>>()?;
        let setting = Setting::new(raw.common)?;
        let there = |strategy: &Strategy| setting.on_gpu() || Strategy::ON_CPU.contains(strategy);
        let strategies: Vec<Strategy> = distinct(raw.strategies).into_iter().filter(there).collect();
        ensure!(!strategies.is_empty(), "none of --strategies runs on {}", setting.device.name());
        Ok(Self { setting, graphs, strategies, sources: raw.sources, delta: raw.delta, seed: raw.seed })
    }
}
