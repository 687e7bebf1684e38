//! Latency: one call that is waited for, beside an empty launch.

use super::options::Options;
use super::row::{Row, milliseconds};
use crate::shared::timing::{median, once};
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

/// Times launches, and returns the median in seconds and whether the result is right.
pub fn launch(device: &Device) -> Result<(f64, bool)> {
    let mut launch = Launch::new(device)?;
    launch.time(device)?;
    let times = (0..CALLS).map(|_| launch.time(device)).collect::<Result<_>>()?;
    Ok((median(times), launch.to.download()? == [7]))
}

/// The medians of calls and launches, in seconds.
#[derive(Clone, Copy)]
pub struct Latency {
    call: f64,
    launch: f64,
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
    Ok(Some(Latency { call: median(calls), launch: median(launches) }))
}

impl Row {
    /// Sets both latencies, if they were measured.
    pub fn waited(mut self, latency: Option<Latency>) -> Self {
        self.latency_ms = latency.map(|latency| milliseconds(latency.call));
        self.launch_ms = latency.map(|latency| milliseconds(latency.launch));
        self
    }
}
