//! `multisplit demo`: splits random keys and pairs, checks every result, and times it.

mod compile;
mod measure;
pub mod options;
mod report;

use super::devices;
use crate::shared::{progress, random};
use anyhow::{Context, Result};
use indicatif::ProgressStyle;
use measure::{DemoBuffers, DemoInput, DemoSplit, DemoTiming};
use multisplit::DeviceKind;
use multisplit::bucket::Delta;
use multisplit::measure::Reference;
use options::{DemoArguments, DemoOptions};
use report::DemoRow;
use std::io::{self, Write};
use std::path::Path;
use std::sync::mpsc;
use std::thread::{self, Scope};

/// Runs the demo. `cache` is where compiled kernels are kept.
pub fn run(raw: &DemoArguments, cache: Option<&Path>) -> Result<()> {
    if raw.compile_only {
        return compile_only(&DemoOptions::new(raw)?);
    }
    DemoOptions::check(raw)?;
    let ahead = compile::ahead(raw, cache)?;
    let options = &DemoOptions::new(raw)?;
    let mut out = io::stdout().lock();
    devices::list(&mut out, &options.device)?;
    out.flush()?;

    let progress = progress::bar(options.buckets.len() as u64 * 2 + 1);
    progress.set_style(ProgressStyle::with_template("{bar:30} {pos}/{len} {msg}")?);
    progress.set_message("random keys");
    let keys = random::uniform(options.n, 1);
    let mut input = DemoInput::new(options, &keys)?;
    progress.inc(1);

    let mut rows = Vec::new();
    thread::scope(|scope| {
        for (&m, expected) in options.buckets.iter().zip(references(scope, options, &keys)) {
            let (f, expected) = (Delta::whole(m)?, expected?);
            let mut measure = |what: &str, pairs: bool| -> Result<DemoTiming> {
                progress.set_message(format!("{what} into {m} buckets"));
                let timing =
                    input.measure(options, &f, &expected, pairs).with_context(|| format!("{what}, {m} buckets"))?;
                progress.inc(1);
                Ok(timing)
            };
            let (keys, pairs) = (measure("keys", false)?, measure("pairs", true)?);
            rows.push(DemoRow { m, keys, pairs, sequential: input.time_sequential(&f, options.runs.div_ceil(3))? });
        }
        anyhow::Ok(())
    })?;
    progress.finish_and_clear();
    report::table(&mut out, options, ahead.as_ref(), &rows)
}

/// Splits keys and pairs once, so that all kernels are compiled.
fn compile_only(options: &DemoOptions) -> Result<()> {
    let mut buffers = DemoBuffers::new(options, options.device.alloc(options.n)?, options.device.alloc(options.n)?)?;
    for &m in &options.buckets {
        let f = Delta::whole(m)?;
        for pairs in [false, true] {
            DemoSplit::new(options, &f, pairs)?.call(&mut buffers)?;
            options.device.sync()?;
        }
    }
    Ok(())
}

/// Returns what each split must equal, in the order of the numbers of buckets. The next one is computed during the
/// measurements, unless these are on the CPU.
fn references<'s>(
    scope: &'s Scope<'s, '_>,
    options: &'s DemoOptions,
    keys: &'s [u32],
) -> Box<dyn Iterator<Item = Result<Reference>> + 's> {
    let all = options.buckets.iter().map(|&m| Ok(Reference::split(keys, &Delta::whole(m)?)));
    if matches!(options.device.info().kind, DeviceKind::Cpu | DeviceKind::Software) {
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
