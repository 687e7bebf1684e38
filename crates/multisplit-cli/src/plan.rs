//! What to do, validated before anything runs.

use crate::args::DemoArguments;
use anyhow::{Context, Result, ensure};
use multisplit::{Device, MAX_BUCKETS, Method};

/// A demo that can run.
pub struct Plan {
    pub device: Device,
    pub n: usize,
    pub buckets: Vec<u32>,
    pub method: Method,
    pub runs: usize,
}

impl Plan {
    /// Whether a demo can run, if its device can be opened.
    pub fn check(raw: &DemoArguments) -> Result<()> {
        ensure!(u32::try_from(raw.n).is_ok(), "--n {} is too many: one split takes up to 2^32 - 1 keys", raw.n);
        ensure!(raw.runs > 0, "--runs must be at least 1");
        for &m in &raw.buckets {
            ensure!((1..=MAX_BUCKETS).contains(&m), "--buckets {m} is out of range: 1 to {MAX_BUCKETS}");
        }
        Ok(())
    }

    pub fn new(raw: &DemoArguments) -> Result<Self> {
        Self::check(raw)?;
        let device = match &raw.device {
            Some(name) => Device::open(name).with_context(|| format!("--device {name}"))?,
            None => Device::best(),
        };
        Ok(Self { device, n: raw.n, buckets: raw.buckets.clone(), method: raw.method, runs: raw.runs })
    }
}
