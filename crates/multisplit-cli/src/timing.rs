//! How long things take.

use anyhow::Result;
use multisplit::{Device, DeviceKind};
use std::time::Instant;

/// What a row of the table says about keys, or about pairs.
pub struct Timing {
    /// The first call on this device: kernels are compiled.
    pub first: f64,
    /// A later call, in seconds: the median of several.
    pub seconds: f64,
}

/// Seconds per call. Launches queue up on a GPU, so a few calls are timed together, and what waiting for them costs is
/// taken off: (time of many - time of few) / (many - few).
pub fn per_call(device: &Device, runs: usize, call: &mut dyn FnMut() -> multisplit::Result<()>) -> Result<f64> {
    let mut error = None;
    let mut batch = |calls: usize| {
        let start = Instant::now();
        let done = (0..calls).try_for_each(|_| call()).and_then(|()| device.sync());
        error = error.take().or(done.err());
        start.elapsed().as_secs_f64()
    };
    let seconds = match device.info().kind {
        DeviceKind::Cpu | DeviceKind::Software => median(runs, || batch(1)),
        _ => {
            const FEW: usize = 2;
            const MANY: usize = 12;
            median(runs, || (batch(MANY) - batch(FEW)) / (MANY - FEW) as f64)
        }
    };
    error.map_or(Ok(seconds), |error| Err(error.into()))
}

/// The median of `runs` measurements.
pub fn median(runs: usize, mut measure: impl FnMut() -> f64) -> f64 {
    let mut all: Vec<f64> = (0..runs.max(1)).map(|_| measure()).collect();
    all.sort_by(f64::total_cmp);
    all[all.len() / 2]
}
