//! The measurements of the demo.

use super::options::DemoOptions;
use crate::shared::timing::{Quartiles, median, once, per_call};
use anyhow::{Result, bail};
use multisplit::bucket::{BucketFn, Buckets, Delta};
use multisplit::measure::{Reference, bandwidth};
use multisplit::{Buffer, Column, DeviceKind, Multisplit, Offsets, Workspace};
use multisplit_graph::parallel;
use std::hint::black_box;

/// Times of keys, or of pairs, in seconds.
pub struct DemoTiming {
    /// The first call on this device, which compiles kernels.
    pub first: f64,
    /// Later calls.
    pub later: Quartiles,
    /// The median of parallel copies of the keys, alternated with the calls. On the CPU only.
    pub copy: Option<f64>,
}

/// Returns whether an output is a column of the input in the order of the reference.
fn equals(output: &[u32], expected: &Reference, column: &[u32]) -> bool {
    let order = &expected.permutation;
    output.len() == order.len()
        && parallel::position(output.len(), |i| column.get(order[i] as usize) != Some(&output[i])).is_none()
}

/// Inputs and outputs on the device.
pub struct DemoBuffers {
    keys: Buffer<u32>,
    values: Buffer<u32>,
    keys_out: Buffer<u32>,
    values_out: Buffer<u32>,
}

impl DemoBuffers {
    pub fn new(options: &DemoOptions, keys: Buffer<u32>, values: Buffer<u32>) -> Result<Self> {
        let (keys_out, values_out) = (options.device.alloc(options.n)?, options.device.alloc(options.n)?);
        Ok(Self { keys, values, keys_out, values_out })
    }
}

/// A split of keys or of pairs, ready to be called many times.
pub struct DemoSplit<'f> {
    split: Multisplit<'f, Delta<u32>>,
    pairs: bool,
    offsets: Offsets,
    workspace: Workspace,
}

impl<'f> DemoSplit<'f> {
    pub fn new(options: &DemoOptions, f: &'f Delta<u32>, pairs: bool) -> Result<Self> {
        let split = Multisplit::by(f).method(options.method);
        let offsets = split.offsets(&options.device)?;
        let workspace = split.workspace(&options.device, options.n, 1)?;
        Ok(Self { split, pairs, offsets, workspace })
    }

    /// Starts a split; the device may still run it on return.
    pub fn call(&mut self, buffers: &mut DemoBuffers) -> multisplit::Result<()> {
        let mut column = [Column::new(&buffers.values, &mut buffers.values_out)];
        let columns = if self.pairs { &mut column[..] } else { &mut [] };
        self.split.enqueue(&buffers.keys, &mut buffers.keys_out, columns, &mut self.offsets, &mut self.workspace)
    }
}

/// The input, on the host and on the device.
pub struct DemoInput<'k> {
    host_keys: &'k [u32],
    host_values: Vec<u32>,
    buffers: DemoBuffers,
}

impl<'k> DemoInput<'k> {
    pub fn new(options: &DemoOptions, host_keys: &'k [u32]) -> Result<Self> {
        // Values are the index, so that equality with the reference proves permutation and stability at once.
        let host_values: Vec<u32> = (0..options.n as u32).collect();
        let buffers =
            DemoBuffers::new(options, options.device.upload(host_keys)?, options.device.upload(&host_values)?)?;
        Ok(Self { host_keys, host_values, buffers })
    }

    /// Returns the keys and the output, if they are in host memory.
    fn on_cpu(&mut self) -> Option<(&[u32], &mut [u32])> {
        self.buffers.keys.as_slice().zip(self.buffers.keys_out.as_mut_slice())
    }

    /// Times a sequential split of the keys, where they are in host memory.
    pub fn time_sequential(&mut self, f: &Delta<u32>, runs: usize) -> Result<Option<f64>> {
        let mut times = Vec::new();
        for _ in 0..runs {
            let Some((keys, to)) = self.on_cpu() else { return Ok(None) };
            times.push(once(|| {
                sequential_split(keys, to, f);
                Ok(())
            })?);
        }
        Ok(Some(median(times)))
    }

    /// Times splits, and compares the last result with the reference.
    pub fn measure(
        &mut self,
        options: &DemoOptions,
        f: &Delta<u32>,
        expected: &Reference,
        pairs: bool,
    ) -> Result<DemoTiming> {
        let (device, buffers) = (&options.device, &mut self.buffers);
        let mut split = DemoSplit::new(options, f, pairs)?;
        let first = once(|| split.call(buffers).and_then(|()| device.sync()))?;
        let (mut calls, mut copies) = (Vec::new(), Vec::new());
        for _ in 0..options.runs {
            // Alternated, so that a busy moment of the machine affects both.
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
        Ok(DemoTiming { first, later: Quartiles::of(calls), copy })
    }
}

/// Splits on one thread in the obvious way: counts, adds up, scatters.
fn sequential_split(keys: &[u32], to: &mut [u32], f: &Delta<u32>) {
    let mut next = vec![0usize; f.buckets() as usize];
    for &key in keys {
        next[f.bucket(key) as usize] += 1;
    }
    let mut sum = 0;
    for count in &mut next {
        sum += std::mem::replace(count, sum);
    }
    for &key in keys {
        let place = &mut next[f.bucket(key) as usize];
        to[*place] = key;
        *place += 1;
    }
    black_box(to);
}
