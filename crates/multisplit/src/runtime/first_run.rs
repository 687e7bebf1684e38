//! First runs: whether a kernel runs on a device at all.
//!
//! CubeCL works on a thread of its own. It can lose a launch there, and later reads then return what was in memory
//! before, without an error. So the first time that a set of kernels runs on a device it is waited for, and seen to
//! have done its work; after that it is trusted.

use super::client::Gpu;
use super::slice::Slice;
use crate::error::{Error, Result};
use cubecl::prelude::*;
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// What is written where a kernel is to leave something else.
pub(crate) const UNWRITTEN: u32 = 0x5eed_f00d;

/// What is known of a launch that left no trace.
pub(crate) const LOST: &str = "it was submitted but did not run; the driver's message may be on standard error";

/// Whether kernels are compiled but never run, so that none leaves a trace.
static DRY_RUN: AtomicBool = AtomicBool::new(false);

/// Has this process take kernels for run that were only submitted. For the test that records their sources, with a
/// driver that runs none.
///
/// # Safety
/// Nothing is read of what kernels would have written.
#[doc(hidden)]
pub unsafe fn no_kernel_runs() {
    DRY_RUN.store(true, Ordering::Relaxed);
}

/// A number for a kernel, by all that makes it differ from others.
pub(crate) fn variant(of: impl Hash) -> u64 {
    let mut hasher = FxHasher::default();
    of.hash(&mut hasher);
    hasher.finish()
}

/// What can be wrong with a first run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// The kernel of this name did not run.
    Lost(&'static str),
    /// Planes were not of the size that the kernels were made for, and nothing was written.
    Planes,
}

/// Kernels that run together, and may run for the first time.
pub(crate) struct FirstRun<'a> {
    /// What errors call them.
    pub kernel: &'a str,
    pub variants: &'a [u64],
}

impl FirstRun<'_> {
    /// Whether all of them have been seen to run.
    pub fn is_over<R: Runtime>(&self, gpu: &Gpu<R>) -> bool {
        gpu.are_proven(self.variants) || DRY_RUN.load(Ordering::Relaxed)
    }

    /// Launches kernels that write to `result`. If it is their first run, waits and has `ran` look at what they left
    /// there; before, each word is [`UNWRITTEN`].
    pub fn watch<R: Runtime>(
        &self,
        gpu: &Gpu<R>,
        result: &Slice<u32>,
        launches: impl FnOnce() -> Result<()>,
        ran: impl FnOnce(&[u32]) -> Result<(), Fault>,
    ) -> Result<()> {
        self.watch_from(gpu, result, 0, launches, ran)
    }

    /// The same for kernels that write to the words of `result` from `start` on.
    pub fn watch_from<R: Runtime>(
        &self,
        gpu: &Gpu<R>,
        result: &Slice<u32>,
        start: usize,
        launches: impl FnOnce() -> Result<()>,
        ran: impl FnOnce(&[u32]) -> Result<(), Fault>,
    ) -> Result<()> {
        if self.is_over(gpu) {
            return launches();
        }
        gpu.fill_from(result, start, UNWRITTEN)?;
        self.launch(gpu, launches)?;
        let words = gpu.read(result)?;
        self.confirm(gpu, ran(&words))
    }

    /// Launches kernels, and if it is their first run waits for them. The caller looks at what they left, and says so
    /// ([`FirstRun::confirm`]).
    pub fn launch<R: Runtime>(&self, gpu: &Gpu<R>, launches: impl FnOnce() -> Result<()>) -> Result<()> {
        if self.is_over(gpu) {
            return launches();
        }
        self.log(gpu, || {
            let _lock = gpu.lock_errors();
            launches()?;
            gpu.sync().map_err(|error| self.failed(gpu, None, error.to_string()))
        })
    }

    /// Remembers that the kernels have run, or says what was wrong.
    pub fn confirm<R: Runtime>(&self, gpu: &Gpu<R>, ran: Result<(), Fault>) -> Result<()> {
        ran.map_err(|fault| match fault {
            Fault::Lost(kernel) => self.failed(gpu, Some(kernel), LOST.into()),
            Fault::Planes => gpu.wrong_planes(),
        })?;
        gpu.set_proven(self.variants);
        Ok(())
    }

    /// Has kernels that leave no mark work on a small input of their own before their first run. `works` says whether
    /// they did what they should.
    pub fn rehearse<R: Runtime>(&self, gpu: &Gpu<R>, works: impl FnOnce() -> Result<bool>) -> Result<()> {
        if self.is_over(gpu) {
            return Ok(());
        }
        let works = self.log(gpu, || {
            let _lock = gpu.lock_errors();
            let works = works()?;
            gpu.sync()?;
            Ok(works)
        });
        if !works.map_err(|error| self.failed(gpu, None, error.to_string()))? {
            return Err(self.failed(gpu, None, LOST.into()));
        }
        gpu.set_proven(self.variants);
        Ok(())
    }

    /// Logs a call that compiles, so that a user can see why it takes long.
    fn log<R: Runtime, T>(&self, gpu: &Gpu<R>, call: impl FnOnce() -> Result<T>) -> Result<T> {
        log::info!("{}: compiling kernels: {}", gpu.name, self.kernel);
        let begin = Instant::now();
        let result = call();
        let state = if result.is_ok() { "compiled" } else { "failed" };
        log::info!("{}: {state} after {:.2} s: {}", gpu.name, begin.elapsed().as_secs_f64(), self.kernel);
        result
    }

    /// The error of kernels that failed, or of one of them.
    fn failed<R: Runtime>(&self, gpu: &Gpu<R>, part: Option<&str>, reason: String) -> Error {
        let kernel = match part {
            Some(part) => format!("{part} ({})", self.kernel),
            None => self.kernel.into(),
        };
        Error::KernelFailed { device: gpu.name.clone(), kernel, reason }
    }
}
