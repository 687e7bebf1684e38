//! The options that all benchmarks have: the device, the number of runs, the peers, and where rows go.

use super::batch::Batch;
use super::key_types::{Format, PeerKind};
use super::provenance::Provenance;
use crate::shared::devices::open_device;
use crate::shared::usage::ensure_usage;
use anyhow::Result;
use clap::Args;
use multisplit::{Device, DeviceKind};
use std::path::PathBuf;
use std::rc::Rc;

#[derive(Args, Clone, Debug)]
pub struct CommonArguments {
    /// The device, by its name in `multisplit devices`, or gpu, cuda, wgpu, vulkan, metal or dx12 for the first of those
    /// [default: the best].
    #[arg(short, long)]
    pub device: Option<String>,
    /// Time others too, on the same data: cub, which is built with nvcc first; for sorts on the CPU rdst and
    /// voracious, if they are built in (`--features cpu-peers`); for shortest paths gapbs, from a folder of yours.
    #[arg(long, value_delimiter = ',', num_args = 0..=1, default_missing_value = "cub")]
    pub peers: Vec<PeerKind>,
    /// Where the sources of the peers are.
    #[arg(long, default_value = "peers")]
    pub peers_dir: PathBuf,
    /// Timed runs per row, of which the median counts.
    #[arg(short, long, default_value_t = 9)]
    pub runs: usize,
    /// How rows are written.
    #[arg(short, long, default_value = "table")]
    pub format: Format,
    /// Write the rows to this file; a table still goes to standard output.
    #[arg(short, long, visible_alias = "out", value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// The run that this benchmark is a part of.
    #[arg(skip)]
    pub batch: Option<Rc<Batch>>,
}

/// The checked options.
pub struct Options {
    pub device: Device,
    pub peers: Vec<PeerKind>,
    pub peers_dir: PathBuf,
    pub runs: usize,
    pub format: Format,
    pub output: Option<PathBuf>,
    pub batch: Option<Rc<Batch>>,
}

impl Options {
    /// Checks the arguments and opens the device.
    pub fn new(raw: CommonArguments) -> Result<Self> {
        ensure_usage!(raw.runs > 0, "--runs must be at least 1");
        let device = open_device(raw.device.as_deref())?;
        let CommonArguments { peers, peers_dir, runs, format, output, batch, .. } = raw;
        Ok(Self { device, peers: distinct(peers), peers_dir, runs, format, output, batch })
    }

    /// Returns what all rows of a device have in common.
    pub fn provenance(&self, device: &Device) -> Provenance {
        Provenance::new(device).by_command(self.batch.as_ref().map(|batch| batch.command.clone()))
    }

    /// Returns whether launches queue up, so that stages and latencies can be told apart.
    pub fn on_gpu(&self) -> bool {
        self.device.info().kind != DeviceKind::Cpu
    }
}

/// Refuses numbers of keys that cannot be measured. `limit` says what is exceeded.
pub fn check_sizes(sizes: &[usize], limit: &str) -> Result<()> {
    for &n in sizes {
        ensure_usage!(n > 0, "--n 0 leaves nothing to measure");
        ensure_usage!(u32::try_from(n).is_ok(), "--n {n} is too many: {limit}");
    }
    Ok(())
}

/// Removes repetitions, and keeps the order.
pub fn distinct<T: PartialEq>(all: Vec<T>) -> Vec<T> {
    let mut distinct = Vec::new();
    for one in all {
        if !distinct.contains(&one) {
            distinct.push(one);
        }
    }
    distinct
}
