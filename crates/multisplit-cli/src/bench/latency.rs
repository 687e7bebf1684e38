//! One call that is waited for, beside a launch of next to nothing.

use super::row::{Row, milliseconds};
use super::setting::Setting;
use crate::shared::timing::{median, once};
use multisplit::measure::bandwidth;
use multisplit::{Buffer, Device, Result};

/// Inputs of up to this many keys are often worked on one at a time, and waited for.
const SMALL: usize = 1 << 20;
/// One call varies more than the mean of many.
const CALLS: usize = 101;

/// The least there is to launch and wait for: a copy of one word.
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

/// Seconds of a launch, and whether it did what it should.
pub fn launch(device: &Device) -> Result<(f64, bool)> {
    let mut launch = Launch::new(device)?;
    launch.time(device)?;
    let times = (0..CALLS).map(|_| launch.time(device)).collect::<Result<_>>()?;
    Ok((median(times), launch.to.download()? == [7]))
}

/// Medians, in seconds.
#[derive(Clone, Copy)]
pub struct Latency {
    call: f64,
    launch: f64,
}

/// Waits for calls on n keys, if they are few enough, and for launches in turn with them: how long both take depends on
/// the host, and changes from one moment to the next.
pub fn measure(setting: &Setting, n: usize, call: &mut dyn FnMut() -> Result<()>) -> Result<Option<Latency>> {
    if !setting.on_gpu() || n > SMALL {
        return Ok(None);
    }
    let device = &setting.device;
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
    /// Sets both, if they were measured.
    pub fn waited(mut self, latency: Option<Latency>) -> Self {
        self.latency_ms = latency.map(|latency| milliseconds(latency.call));
        self.launch_ms = latency.map(|latency| milliseconds(latency.launch));
        self
    }
}
