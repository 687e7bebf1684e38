//! What to measure, validated before anything runs.

use super::args::SplitArguments;
use super::kinds::{BucketKind, Distribution, Format, KeyKind, PeerKind, ValueKind};
use anyhow::{Context, Result, ensure};
use multisplit::{Device, DeviceKind, MAX_BUCKETS, Method};
use std::path::PathBuf;

/// A benchmark that can run.
pub struct Plan {
    pub device: Device,
    pub n: Vec<usize>,
    pub buckets: Vec<u32>,
    pub keys: Vec<KeyKind>,
    pub values: Vec<ValueKind>,
    pub methods: Vec<Method>,
    pub bucket: Vec<BucketKind>,
    pub dist: Vec<Distribution>,
    pub peers: Vec<PeerKind>,
    pub peers_dir: PathBuf,
    pub stages: bool,
    pub runs: usize,
    pub format: Format,
    pub out: Option<PathBuf>,
}

impl Plan {
    pub fn new(raw: SplitArguments) -> Result<Self> {
        for &n in &raw.n {
            ensure!(n > 0, "--n 0 leaves nothing to measure");
            ensure!(u32::try_from(n).is_ok(), "--n {n} is too many: one split takes up to 2^32 - 1 keys");
        }
        for &m in &raw.buckets {
            ensure!((1..=MAX_BUCKETS).contains(&m), "--buckets {m} is out of range: 1 to {MAX_BUCKETS}");
        }
        ensure!(raw.runs > 0, "--runs must be at least 1");
        let device = match &raw.device {
            Some(name) => Device::open(name).with_context(|| format!("--device {name}"))?,
            None => Device::best(),
        };
        Ok(Self {
            device,
            n: distinct(raw.n),
            buckets: distinct(raw.buckets),
            keys: distinct(raw.keys),
            values: distinct(raw.values),
            methods: distinct(raw.method),
            bucket: distinct(raw.bucket),
            dist: distinct(raw.dist),
            peers: distinct(raw.peers),
            peers_dir: raw.peers_dir,
            stages: raw.stages,
            runs: raw.runs,
            format: raw.format,
            out: raw.out,
        })
    }

    /// Rows for each number of buckets and set of keys.
    pub fn rows_per_bucket(&self) -> usize {
        self.values.len() * self.methods.len()
    }

    /// Whether launches queue up, so that stages and latencies are apart from each other.
    pub fn on_gpu(&self) -> bool {
        self.device.info().kind != DeviceKind::Cpu
    }
}

/// Without repetitions, in the order given.
fn distinct<T: PartialEq>(all: Vec<T>) -> Vec<T> {
    let mut distinct = Vec::new();
    for one in all {
        if !distinct.contains(&one) {
            distinct.push(one);
        }
    }
    distinct
}
