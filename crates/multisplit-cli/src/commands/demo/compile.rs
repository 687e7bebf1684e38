//! Compiles the demo's kernels before it starts, in several processes.
//!
//! CubeCL compiles one kernel after the other, on one core. On CUDA that is most of the time of a first demo. Processes
//! can share its cache, so there is one for each number of buckets.

use super::options::DemoArguments;
use crate::shared::program::Program;
use crate::shared::{devices, progress};
use anyhow::{Context, Result};
use multisplit::Device;
use std::path::Path;
use std::process::Stdio;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// The most processes at a time: each takes memory of the GPU.
const MOST: usize = 8;

/// What was compiled ahead.
pub struct CompiledAhead {
    pub processes: usize,
    pub time: Duration,
}

/// Compiles the kernels of a demo into the cache, if there is none yet and kernels of this device are cached.
///
/// Call it before a device is opened, which is when the cache is read. If it fails, the demo compiles what is missing,
/// and meets the same error.
pub fn ahead(raw: &DemoArguments, cache: Option<&Path>) -> Result<Option<CompiledAhead>> {
    let processes = thread::available_parallelism().map_or(1, usize::from).min(MOST).min(raw.buckets.len());
    if raw.compile_only || processes < 2 || cache.is_none_or(Path::exists) {
        return Ok(None);
    }
    let device = match &raw.device {
        Some(name) => devices::full_name(name)?,
        None => Device::list().swap_remove(0).name,
    };
    if !device.starts_with("cuda:") {
        return Ok(None);
    }
    let program = Program::this().context("this program's own path")?;
    let stage = progress::stage("compiling kernels");
    let (begin, next) = (Instant::now(), AtomicUsize::new(0));
    thread::scope(|scope| {
        for _ in 0..processes {
            scope.spawn(|| {
                while let Some(m) = raw.buckets.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let _ = compile(&program, &device, raw, *m);
                }
            });
        }
    });
    drop(stage);
    Ok(Some(CompiledAhead { processes, time: begin.elapsed() }))
}

/// Runs this program to compile the kernels for one number of buckets.
fn compile(program: &Program, device: &str, raw: &DemoArguments, m: u32) -> Result<()> {
    let mut command = program.again();
    command.args(["demo", "--compile-only", "--device", device]);
    command.args(["--n", &raw.n.to_string(), "--buckets", &m.to_string(), "--method", &raw.method.to_string()]);
    if log::max_level() == log::LevelFilter::Off {
        command.stderr(Stdio::null());
    } else {
        command.arg("--verbose");
    }
    command.stdin(Stdio::null()).stdout(Stdio::null()).status()?;
    Ok(())
}
