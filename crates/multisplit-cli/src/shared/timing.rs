//! Measures of time.

use multisplit::{Device, DeviceKind, Result};
use std::time::Instant;

/// Seconds that a batch of calls should take: about 100 times the jitter of waiting for it.
const LONG: f64 = 0.01;

/// Times one call, in seconds.
pub fn once(call: impl FnOnce() -> Result<()>) -> Result<f64> {
    let start = Instant::now();
    call()?;
    Ok(start.elapsed().as_secs_f64())
}

/// Times calls, in seconds per call.
///
/// Launches queue up on a GPU, so several calls are timed together, and the cost of waiting for them is subtracted:
/// (time of many - time of few) / (many - few).
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

/// Returns the median, or NaN if there is none.
pub fn median(mut all: Vec<f64>) -> f64 {
    all.sort_by(f64::total_cmp);
    all.get(all.len() / 2).copied().unwrap_or(f64::NAN)
}
