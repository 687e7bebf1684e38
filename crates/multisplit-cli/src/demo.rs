//! The main job: split random keys and pairs, check every result, time it.

use crate::plan::Plan;
use crate::report::{self, Row};
use crate::timing::{Timing, median, once, per_call};
use crate::{data, sequential};
use anyhow::{Context, Result, bail};
use indicatif::{ProgressBar, ProgressStyle};
use multisplit::bucket::Delta;
use multisplit::reference::Reference;
use multisplit::{Buffer, Column, DeviceKind, Multisplit, limits};
use rayon::prelude::*;
use std::io::{self, Write};
use std::sync::mpsc;
use std::thread::{self, Scope};

pub fn run(plan: &Plan) -> Result<()> {
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
    report::table(&mut out, plan, &rows)
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
        && output.par_iter().zip(order).all(|(&element, &from)| column.get(from as usize) == Some(&element))
}

/// The input, on the host and on the device.
struct Input<'k> {
    host_keys: &'k [u32],
    host_values: Vec<u32>,
    keys: Buffer<u32>,
    values: Buffer<u32>,
    keys_out: Buffer<u32>,
    values_out: Buffer<u32>,
}

impl<'k> Input<'k> {
    fn new(plan: &Plan, host_keys: &'k [u32]) -> Result<Self> {
        let (n, device) = (plan.n, &plan.device);
        // Values are the index, so that equality with the reference proves permutation and stability at once.
        let host_values: Vec<u32> = (0..n as u32).collect();
        let (keys, values) = (device.upload(host_keys)?, device.upload(&host_values)?);
        Ok(Self { host_keys, host_values, keys, values, keys_out: device.alloc(n)?, values_out: device.alloc(n)? })
    }

    /// Keys and room for as many, if they are in host memory.
    fn on_cpu(&mut self) -> Option<(&[u32], &mut [u32])> {
        self.keys.as_slice().zip(self.keys_out.as_mut_slice())
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
        let device = &plan.device;
        let split = Multisplit::by(f).method(plan.method);
        let mut offsets = split.offsets(device)?;
        let mut workspace = split.workspace(device, plan.n, 1)?;
        let mut call = |input: &mut Self| {
            let mut column = [Column::new(&input.values, &mut input.values_out)];
            let columns = if pairs { &mut column[..] } else { &mut [] };
            split.enqueue(&input.keys, &mut input.keys_out, columns, &mut offsets, &mut workspace)
        };

        let first = once(|| call(self).and_then(|()| device.sync()))?;
        let (mut calls, mut copies) = (Vec::new(), Vec::new());
        for _ in 0..plan.runs {
            // In turn, so that a busy moment of the machine meets both.
            if device.info().kind == DeviceKind::Cpu {
                copies.push(once(|| limits::copy(&self.keys, &mut self.keys_out))?);
            }
            calls.push(per_call(device, &mut || call(self))?);
        }
        let copy = (!copies.is_empty()).then(|| median(copies));

        if offsets.read()? != expected.offsets {
            bail!("the bucket offsets differ from the reference");
        }
        if !equals(&self.keys_out.download()?, expected, self.host_keys) {
            bail!("the keys differ from the reference");
        }
        if pairs && !equals(&self.values_out.download()?, expected, &self.host_values) {
            bail!("the values differ from the reference");
        }
        Ok(Timing { first, seconds: median(calls), copy })
    }
}
