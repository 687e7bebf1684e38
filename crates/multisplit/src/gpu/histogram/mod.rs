//! Histograms on a GPU: from the public calls to the launches.

mod plan;

use super::client::{Gpu, variant};
use super::kernels::histogram::{self, ExtentLaunch};
use super::kernels::histogram_global;
use super::split::{LOST, UNWRITTEN};
use super::stage::keys_per_load;
use crate::bucket::{Buckets, Upload};
use crate::error::{Error, Result};
use crate::histogram::{Count, Histogram};
use cubecl::prelude::*;
use cubecl::server::Handle;
use plan::Plan;
use std::any::TypeId;

/// Bytes of a slice that are uploaded at a time.
const UPLOAD: usize = 1 << 30;
/// Keys that a kernel counts to prove that it runs.
const PROOF: u32 = 1 << 16;
/// Units of the kernel that clears counts.
const CLEAR_UNITS: u32 = 256;

/// Counts the keys of a buffer of this device.
pub(crate) fn enqueue<R: Runtime, F: Buckets, C: Count>(
    gpu: &Gpu<R>,
    request: &Histogram<'_, F>,
    keys: &Handle,
    n: usize,
    counts: &Handle,
) -> Result<()> {
    let job = Job::new(gpu, request.f, size_of::<C>() as u32 / 4, n)?;
    let starts = (0..n).step_by(request.block);
    let blocks: Vec<Block> = starts
        .map(|start| {
            let from = keys.clone().offset_start((start * size_of::<F::Key>()) as u64);
            job.block(from, request.block.min(n - start) as u32)
        })
        .collect::<Result<_>>()?;
    gpu.launch(|| {
        job.clear(counts);
        blocks.iter().for_each(|block| job.count(block, counts));
    })
}

/// Counts the keys of a slice, by way of the device: up in parts, and the counts down.
pub(crate) fn count_slice<R: Runtime, F: Buckets>(
    gpu: &Gpu<R>,
    request: &Histogram<'_, F>,
    keys: &[F::Key],
) -> Result<Vec<u64>> {
    // Half the memory, if that is enough.
    let narrow = u32::try_from(keys.len()).is_ok();
    let job = Job::new(gpu, request.f, if narrow { 1 } else { 2 }, keys.len())?;
    let bytes = 4 * job.count_words();
    let counts = gpu.upload(&vec![0; bytes])?;
    let most = UPLOAD.min(gpu.largest_allocation()) / size_of::<F::Key>();
    for keys in keys.chunks(request.block.min(most).max(1)) {
        let block = job.block(gpu.upload(bytemuck::cast_slice(keys))?, keys.len() as u32)?;
        gpu.launch(|| job.count(&block, &counts))?;
    }
    // Collected, not cast: nobody promises that the bytes are aligned.
    let data = gpu.read(&counts, bytes)?;
    if !narrow {
        return Ok(bytemuck::pod_collect_to_vec(&data[..bytes]));
    }
    Ok(bytemuck::pod_collect_to_vec::<u8, u32>(&data[..bytes]).into_iter().map(u64::from).collect())
}

/// What the launches of one histogram have in common.
struct Job<'a, R: Runtime, F> {
    gpu: &'a Gpu<R>,
    f: &'a F,
    /// Words of a count.
    words: u32,
    /// Whether there are so many keys that a count may pass 32 bits.
    carry: bool,
}

/// Keys that are counted by one launch.
struct Block {
    keys: Handle,
    n: u32,
    per_load: usize,
    plan: Plan,
}

impl<'a, R: Runtime, F: Buckets> Job<'a, R, F> {
    fn new(gpu: &'a Gpu<R>, f: &'a F, words: u32, n: usize) -> Result<Self> {
        gpu.check_key::<F::Key>()?;
        Ok(Self { gpu, f, words, carry: words > 1 && u32::try_from(n).is_err() })
    }

    /// Plans the launch for `n` keys, at least 1, and sees that its kernel runs here.
    fn block(&self, keys: Handle, n: u32) -> Result<Block> {
        let per_load = keys_per_load::<F::Key>(&keys, n);
        let plan = Plan::new(&self.gpu.facts, n, per_load as u32, self.f.buckets(), self.words, self.carry);
        if plan.in_memory() {
            self.gpu.check_planes()?;
        }
        let block = Block { keys, n, per_load, plan };
        let variant = self.variant(&block);
        if !self.gpu.is_proven(variant) {
            self.prove(&block)?;
            self.gpu.set_proven(variant);
        }
        Ok(block)
    }

    /// Words of all counts.
    fn count_words(&self) -> usize {
        (self.f.buckets() as usize + 1) * self.words as usize
    }

    fn array(handle: &Handle, len: usize) -> ArrayArg<R> {
        // SAFETY: keys are as many as the caller has, in whole loads (see `keys_per_load`); the buffer of counts was
        // checked by `Histogram::enqueue`, or made here.
        unsafe { ArrayArg::from_raw_parts(handle.clone(), len) }
    }

    fn clear(&self, counts: &Handle) {
        let words = self.count_words();
        let cubes = (words as u32).div_ceil(CLEAR_UNITS).min(self.gpu.facts.processors * 64);
        // SAFETY: the kernel writes the words that it is told of.
        unsafe {
            histogram::clear::launch_unchecked::<R>(
                &self.gpu.client,
                CubeCount::new_1d(cubes),
                CubeDim::new_1d(CLEAR_UNITS.min(self.gpu.facts.max_units)),
                self.gpu.address(),
                Self::array(counts, words),
                words as u32,
            )
        }
    }

    /// Adds the counts of a block.
    fn count(&self, block: &Block, counts: &Handle) {
        let Block { keys, n, per_load, plan } = block;
        macro_rules! launch {
            ($module:ident) => {
                // SAFETY: the kernels read keys below n in whole loads, which lie within the allocation (see
                // `keys_per_load`), and add to counters up to number m, since larger ids are brought down to it.
                unsafe {
                    $module::$module::launch_unchecked::<F, R>(
                        &self.gpu.client,
                        CubeCount::new_2d(plan.cubes, plan.windows),
                        CubeDim::new_1d(plan.shape.units()),
                        self.gpu.address(),
                        *per_load,
                        Self::array(keys, (*n as usize).div_ceil(*per_load)),
                        Self::array(counts, self.count_words()),
                        self.f.kernel_arg(&Upload { client: &self.gpu.client, device: self.gpu.id }),
                        ExtentLaunch::new(*n, self.f.buckets(), plan.window),
                        plan.shape,
                    )
                }
            };
        }
        if plan.in_memory() { launch!(histogram_global) } else { launch!(histogram) }
    }

    /// Counts a few keys into a buffer of its own and looks whether all are there: CubeCL can lose a launch that fails on
    /// its own thread, and later reads then return stale memory without an error.
    fn prove(&self, block: &Block) -> Result<()> {
        let gpu = self.gpu;
        let failed =
            |reason: String| Error::KernelFailed { device: gpu.name.clone(), kernel: "histogram".into(), reason };
        let counts = gpu.upload(bytemuck::cast_slice(&vec![UNWRITTEN; self.count_words()]))?;
        let sample = Block { n: block.n.min(PROOF), keys: block.keys.clone(), ..*block };
        gpu.launch(|| {
            self.clear(&counts);
            self.count(&sample, &counts);
        })?;
        gpu.sync().map_err(|error| failed(error.to_string()))?;
        let bytes = 4 * self.count_words();
        let words: Vec<u32> = bytemuck::pod_collect_to_vec(&gpu.read(&counts, bytes)?[..bytes]);
        if words.iter().map(|&word| u64::from(word)).sum::<u64>() != u64::from(sample.n) {
            return Err(failed(LOST.into()));
        }
        Ok(())
    }

    /// Tells apart the kernels that a histogram compiles.
    fn variant(&self, block: &Block) -> u64 {
        variant(("histogram", TypeId::of::<F>(), self.f.kernel_variant(), block.plan.shape, block.per_load))
    }
}

#[cfg(all(test, feature = "wgpu"))]
mod tests;
