//! How long things take.

use multisplit::{Device, DeviceKind, Result};
use std::time::Instant;

/// What a row of the table says about keys, or about pairs. In seconds.
pub struct Timing {
    /// The first call on this device: kernels are compiled.
    pub first: f64,
    /// A later call: the median of several.
    pub seconds: f64,
    /// A parallel copy of the keys, timed in turn with the calls, where both are the CPU's.
    pub copy: Option<f64>,
}

/// Seconds that many calls take together, about: some 100 times of what waiting for them varies by.
const LONG: f64 = 0.01;

/// Seconds of one call.
pub fn once(call: impl FnOnce() -> Result<()>) -> Result<f64> {
    let start = Instant::now();
    call()?;
    Ok(start.elapsed().as_secs_f64())
}

/// Seconds per call. Launches queue up on a GPU, so several calls are timed together, and what waiting for them costs
/// is taken off: (time of many - time of few) / (many - few).
pub fn per_call(device: &Device, call: &mut dyn FnMut() -> Result<()>) -> Result<f64> {
    let mut batch = |calls: usize| once(|| (0..calls).try_for_each(|_| call()).and_then(|()| device.sync()));
    match device.info().kind {
        DeviceKind::Cpu | DeviceKind::Software => batch(1),
        _ => {
            const FEW: usize = 2;
            let few = batch(FEW)?;
            let more = ((LONG * FEW as f64 / few) as usize).clamp(20, 200);
            Ok((batch(FEW + more)? - few) / more as f64)
        }
    }
}

/// The middle one.
pub fn median(mut all: Vec<f64>) -> f64 {
    all.sort_by(f64::total_cmp);
    all.get(all.len() / 2).copied().unwrap_or(f64::NAN)
}
