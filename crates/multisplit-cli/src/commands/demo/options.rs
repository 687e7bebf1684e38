//! The command line of the demo, and what it asks for.

use crate::shared::arguments::count;
use crate::shared::devices::open_device;
use crate::shared::usage::ensure_usage;
use anyhow::Result;
use clap::{Args, FromArgMatches};
use multisplit::{Device, MAX_BUCKETS, Method};

#[derive(Args, Clone, Debug)]
pub struct DemoArguments {
    /// How many keys: a number, or a power such as 2^24.
    #[arg(short, long, default_value = "2^24", value_parser = count)]
    pub n: usize,
    /// Numbers of buckets, separated by commas.
    #[arg(short, long, value_delimiter = ',', default_values_t = [2, 4, 8, 16, 32, 64, 128, 256])]
    pub buckets: Vec<u32>,
    /// The device, by its name in `multisplit devices`, or gpu, cuda, wgpu, vulkan, metal or dx12 for the first of those
    /// [default: the best].
    #[arg(short, long)]
    pub device: Option<String>,
    /// auto, direct, warp-level or block-level; the CPU has one way of its own.
    #[arg(short, long, default_value_t = Method::Auto)]
    pub method: Method,
    /// Timed runs per row, of which the median is shown.
    #[arg(short, long, default_value_t = 9)]
    pub runs: usize,
    /// Compile the kernels, and no more.
    #[arg(long, hide = true)]
    pub compile_only: bool,
}

impl Default for DemoArguments {
    fn default() -> Self {
        // The defaults are those that are written above.
        let matches = Self::augment_args(clap::Command::new("demo")).get_matches_from(["demo"]);
        Self::from_arg_matches(&matches).unwrap_or_else(|error| unreachable!("no argument is required: {error}"))
    }
}

/// A demo that can run.
pub struct DemoOptions {
    pub device: Device,
    pub n: usize,
    pub buckets: Vec<u32>,
    pub method: Method,
    pub runs: usize,
}

impl DemoOptions {
    /// Checks everything but the device.
    pub fn check(raw: &DemoArguments) -> Result<()> {
        ensure_usage!(u32::try_from(raw.n).is_ok(), "--n {} is too many: one split takes up to 2^32 - 1 keys", raw.n);
        ensure_usage!(raw.runs > 0, "--runs must be at least 1");
        for &m in &raw.buckets {
            ensure_usage!((1..=MAX_BUCKETS).contains(&m), "--buckets {m} is out of range: 1 to {MAX_BUCKETS}");
        }
        Ok(())
    }

    /// Checks the arguments and opens the device.
    pub fn new(raw: &DemoArguments) -> Result<Self> {
        Self::check(raw)?;
        let device = open_device(raw.device.as_deref())?;
        Ok(Self { device, n: raw.n, buckets: raw.buckets.clone(), method: raw.method, runs: raw.runs })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults() {
        assert_eq!(DemoArguments::default().n, 1 << 24);
    }
}
