//! The main job: split random keys and pairs, check every result, time it.

use crate::args::DemoArguments;
use crate::parallel;
use crate::plan::Plan;
use crate::report::{self, Row};
use crate::timing::{Timing, median, once, per_call};
use crate::{compile, data, sequential};
use anyhow::{Context, Result, bail};
use indicatif::{ProgressBar, ProgressStyle};
use multisplit::bucket::Delta;
use multisplit::measure::Reference;
use multisplit::measure::bandwidth;
use multisplit::{Buffer, Column, DeviceKind, Multisplit, Offsets, Workspace};
use std::io::{self, Write};
use std::path::Path;
use std::sync::mpsc;
use std::thread::{self, Scope};

/// Runs the demo. `cache` is where compiled kernels are kept.
pub fn run(raw: &DemoArguments, cache: Option<&Path>) -> Result<()> {
    if raw.compile_only {
        return compile_only(&Plan::new(raw)?);
    }
    Plan::check(raw)?;
    let ahead = compile::ahead(raw, cache)?;
    let plan = &Plan::new(raw)?;
    let mut out = io::stdout().lock();
    report::devices(&mut out, Some(&plan.device))?;
    out.flush()?;

    let progress = ProgressBar::new(plan.buckets.len() as u64 * 2 + 1);
    progress.set_style(ProgressStyle::with_template("{bar:30} {pos}/{len} {msg}")?);
    progress.set_message("random keys");
    let keys = data::uniform(plan.n, 1);
    let mut input = Input::new(plan, &keys)?;
    progress.inc(1);

    let mut rows = Vec::new();
    thread::scope(|scope| {
        for (&m, expected) in plan.buckets.iter().zip(references(scope, plan, &keys)) {
            let (f, expected) = (Delta::whole(m)?, expected?);
            let mut measure = |what: &str, pairs: bool| -> Result<Timing> {
                progress.set_message(format!("{what} into {m} buckets"));
                let timing =
                    input.measure(plan, &f, &expected, pairs).with_context(|| format!("{what}, {m} buckets"))?;
                progress.inc(1);
                Ok(timing)
            };
            let (keys, pairs) = (measure("keys", false)?, measure("pairs", true)?);
            rows.push(Row { m, keys, pairs, sequential: input.time_sequential(&f, plan.runs.div_ceil(3))? });
        }
        anyhow::Ok(())
    })?;
    progress.finish_and_clear();
    report::table(&mut out, plan, ahead.as_ref(), &rows)
}

/// Splits once in every way, so that all kernels are compiled.
fn compile_only(plan: &Plan) -> Result<()> {
    let mut buffers = Buffers::new(plan, plan.device.alloc(plan.n)?, plan.device.alloc(plan.n)?)?;
    for &m in &plan.buckets {
        let f = Delta::whole(m)?;
        for pairs in [false, true] {
            Split::new(plan, &f, pairs)?.call(&mut buffers)?;
            plan.device.sync()?;
        }
    }
    Ok(())
}

/// What each split must equal, in the order of the numbers of buckets. The next one is worked out meanwhile, unless
/// that would disturb what is timed.
fn references<'s>(
    scope: &'s Scope<'s, '_>,
    plan: &'s Plan,
    keys: &'s [u32],
) -> Box<dyn Iterator<Item = Result<Reference>> + 's> {
    let all = plan.buckets.iter().map(|&m| Ok(Reference::split(keys, &Delta::whole(m)?)));
    if matches!(plan.device.info().kind, DeviceKind::Cpu | DeviceKind::Software) {
        return Box::new(all);
    }
    let (sender, receiver) = mpsc::sync_channel(0);
    scope.spawn(move || {
        for reference in all {
            if sender.send(reference).is_err() {
                break;
            }
        }
    });
    Box::new(receiver.into_iter())
}

/// Whether an output is a column of the input in the order of the reference.
fn equals(output: &[u32], expected: &Reference, column: &[u32]) -> bool {
    let order = &expected.permutation;
    output.len() == order.len()
        && parallel::position(output.len(), |i| column.get(order[i] as usize) != Some(&output[i])).is_none()
}

/// What is split, and where to, on the device.
struct Buffers {
    keys: Buffer<u32>,
    values: Buffer<u32>,
    keys_out: Buffer<u32>,
    values_out: Buffer<u32>,
}

impl Buffers {
    fn new(plan: &Plan, keys: Buffer<u32>, values: Buffer<u32>) -> Result<Self> {
        let (keys_out, values_out) = (plan.device.alloc(plan.n)?, plan.device.alloc(plan.n)?);
        Ok(Self { keys, values, keys_out, values_out })
    }
}

/// One way of splitting.
struct Split<'f> {
    split: Multisplit<'f, Delta<u32>>,
    pairs: bool,
    offsets: Offsets,
    workspace: Workspace,
}

impl<'f> Split<'f> {
    fn new(plan: &Plan, f: &'f Delta<u32>, pairs: bool) -> Result<Self> {
        let split = Multisplit::by(f).method(plan.method);
        let offsets = split.offsets(&plan.device)?;
        let workspace = split.workspace(&plan.device, plan.n, 1)?;
        Ok(Self { split, pairs, offsets, workspace })
    }

    /// Begins to split.
    fn call(&mut self, buffers: &mut Buffers) -> multisplit::Result<()> {
        let mut column = [Column::new(&buffers.values, &mut buffers.values_out)];
        let columns = if self.pairs { &mut column[..] } else { &mut [] };
        self.split.enqueue(&buffers.keys, &mut buffers.keys_out, columns, &mut self.offsets, &mut self.workspace)
    }
}

/// The input, on the host and on the device.
struct Input<'k> {
    host_keys: &'k [u32],
    host_values: Vec<u32>,
    buffers: Buffers,
}

impl<'k> Input<'k> {
    fn new(plan: &Plan, host_keys: &'k [u32]) -> Result<Self> {
        // Values are the index, so that equality with the reference proves permutation and stability at once.
        let host_values: Vec<u32> = (0..plan.n as u32).collect();
        let buffers = Buffers::new(plan, plan.device.upload(host_keys)?, plan.device.upload(&host_values)?)?;
        Ok(Self { host_keys, host_values, buffers })
    }

    /// Keys and room for as many, if they are in host memory.
    fn on_cpu(&mut self) -> Option<(&[u32], &mut [u32])> {
        self.buffers.keys.as_slice().zip(self.buffers.keys_out.as_mut_slice())
    }

    /// Seconds of the obvious sequential split of the keys, on the CPU.
    fn time_sequential(&mut self, f: &Delta<u32>, runs: usize) -> Result<Option<f64>> {
        let mut times = Vec::new();
        for _ in 0..runs {
            let Some((keys, to)) = self.on_cpu() else { return Ok(None) };
            times.push(once(|| {
                sequential::split(keys, to, f);
                Ok(())
            })?);
        }
        Ok(Some(median(times)))
    }

    /// Splits, times, and compares the last result with the reference.
    fn measure(&mut self, plan: &Plan, f: &Delta<u32>, expected: &Reference, pairs: bool) -> Result<Timing> {
        let (device, buffers) = (&plan.device, &mut self.buffers);
        let mut split = Split::new(plan, f, pairs)?;
        let first = once(|| split.call(buffers).and_then(|()| device.sync()))?;
        let (mut calls, mut copies) = (Vec::new(), Vec::new());
        for _ in 0..plan.runs {
            // In turn, so that a busy moment of the machine meets both.
            if device.info().kind == DeviceKind::Cpu {
                copies.push(once(|| bandwidth::copy(&buffers.keys, &mut buffers.keys_out))?);
            }
            calls.push(per_call(device, &mut || split.call(buffers))?);
        }
        let copy = (!copies.is_empty()).then(|| median(copies));

        if split.offsets.read()? != expected.offsets {
            bail!("the bucket offsets differ from the reference");
        }
        if !equals(&buffers.keys_out.download()?, expected, self.host_keys) {
            bail!("the keys differ from the reference");
        }
        if pairs && !equals(&buffers.values_out.download()?, expected, &self.host_values) {
            bail!("the values differ from the reference");
        }
        Ok(Timing { first, seconds: median(calls), copy })
    }
}
