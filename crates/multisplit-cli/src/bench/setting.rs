//! What every benchmark is given: where to run, how often, against whom, and where rows go.

use super::args::CommonArguments;
use super::kinds::{Format, PeerKind};
use anyhow::{Context, Result, ensure};
use multisplit::{Device, DeviceKind};
use std::path::PathBuf;

pub struct Setting {
    pub device: Device,
    pub peers: Vec<PeerKind>,
    pub peers_dir: PathBuf,
    pub runs: usize,
    pub format: Format,
    pub out: Option<PathBuf>,
}

impl Setting {
    pub fn new(raw: CommonArguments) -> Result<Self> {
        ensure!(raw.runs > 0, "--runs must be at least 1");
        let device = match &raw.device {
            Some(name) => Device::open(name).with_context(|| format!("--device {name}"))?,
            None => Device::best(),
        };
        let CommonArguments { peers, peers_dir, runs, format, out, .. } = raw;
        Ok(Self { device, peers: distinct(peers), peers_dir, runs, format, out })
    }

    /// Whether launches queue up, so that stages and latencies are apart from each other.
    pub fn on_gpu(&self) -> bool {
        self.device.info().kind != DeviceKind::Cpu
    }
}

/// Without repetitions, in the order given.
pub fn distinct<T: PartialEq>(all: Vec<T>) -> Vec<T> {
    let mut distinct = Vec::new();
    for one in all {
        if !distinct.contains(&one) {
            distinct.push(one);
        }
    }
    distinct
}
