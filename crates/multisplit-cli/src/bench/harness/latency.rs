//! Latency: one call that is waited for, beside an empty launch.

use super::options::Options;
use super::row::{Row, milliseconds};
use crate::shared::timing::{Quartiles, once};
use multisplit::measure::bandwidth;
use multisplit::{Buffer, Device, Result};

/// Up to this many keys, calls are often made one at a time and waited for.
const SMALL: usize = 1 << 20;
/// One call varies more than the mean of many.
const CALLS: usize = 101;

/// The smallest launch: a copy of one word.
struct Launch {
    from: Buffer<u32>,
    to: Buffer<u32>,
}

impl Launch {
    fn new(device: &Device) -> Result<Self> {
        Ok(Self { from: device.upload(&[7])?, to: device.upload(&[0])? })
    }

    fn time(&mut self, device: &Device) -> Result<f64> {
        once(|| bandwidth::copy(&self.from, &mut self.to).and_then(|()| device.sync()))
    }
}

/// Times launches, and returns the times in seconds and whether the result is right.
pub fn launch(device: &Device) -> Result<(Quartiles, bool)> {
    let mut launch = Launch::new(device)?;
    launch.time(device)?;
    let times = (0..CALLS).map(|_| launch.time(device)).collect::<Result<_>>()?;
    Ok((Quartiles::of(times), launch.to.download()? == [7]))
}

/// The times of calls and launches, in seconds.
#[derive(Clone, Copy)]
pub struct Latency {
    call: Quartiles,
    launch: Quartiles,
}

/// Times calls on `n` keys that are waited for, alternated with launches, if `n` is small. Both depend on the host, and
/// change from one moment to the next.
pub fn measure(options: &Options, n: usize, call: &mut dyn FnMut() -> Result<()>) -> Result<Option<Latency>> {
    if !options.on_gpu() || n > SMALL {
        return Ok(None);
    }
    let device = &options.device;
    let mut launch = Launch::new(device)?;
    launch.time(device)?;
    let (mut calls, mut launches) = (Vec::new(), Vec::new());
    for _ in 0..CALLS {
        launches.push(launch.time(device)?);
        calls.push(once(|| call().and_then(|()| device.sync()))?);
    }
    Ok(Some(Latency { call: Quartiles::of(calls), launch: Quartiles::of(launches) }))
}

impl Row {
    /// Sets both latencies, if they were measured.
    pub fn waited(self, latency: Option<Latency>) -> Self {
        let Some(Latency { call, launch }) = latency else { return self };
        let (call, launch) = (call.map(milliseconds), launch.map(milliseconds));
        Self {
            latency_ms: Some(call.median),
            latency_ms_low: Some(call.lower),
            latency_ms_high: Some(call.upper),
            launch_ms: Some(launch.median),
            launch_ms_low: Some(launch.lower),
            launch_ms_high: Some(launch.upper),
            ..self
        }
    }
}
