//! Histograms on a GPU: from the public calls to the launches.

pub(crate) mod global;
mod plan;
pub(crate) mod shared;

use super::function::{AnyFn, Function};
use crate::bucket::Upload;
use crate::bucket::key::Key;
use crate::error::Result;
use crate::runtime::{Arg, Fault, FirstRun, Gpu, Slice, variant};
use cubecl::prelude::*;
use plan::HistogramPlan;
use shared::{Extent, ExtentLaunch};

/// Bytes of a slice that are uploaded at a time.
const UPLOAD: usize = 1 << 30;

/// How a histogram of m bins was asked for.
pub(crate) struct Request<'f, R: Runtime, K: Key> {
    pub f: &'f dyn Function<R, K>,
    pub m: u32,
    /// Keys that are counted before counts are added up.
    pub block: usize,
}

/// Counts the first `n` keys of a slice of this device, in so many words each.
pub(crate) fn enqueue<R: Runtime, K: Key>(
    gpu: &Gpu<R>,
    request: &Request<'_, R, K>,
    keys: &Slice<K>,
    n: usize,
    counts: &Slice<u32>,
    words: u32,
) -> Result<()> {
    let job = Launches::new(gpu, request, words, n);
    let counts = counts.first(job.count_words())?;
    let starts = (0..n).step_by(request.block);
    let blocks: Vec<Block<K>> =
        starts.map(|start| job.block(keys.skip(start)?, request.block.min(n - start) as u32)).collect::<Result<_>>()?;
    let launches = || {
        gpu.fill(&counts, 0)?;
        blocks.iter().try_for_each(|block| job.count(block, &counts))
    };
    let variants: Vec<u64> = blocks.iter().map(|block| job.variant(block)).collect();
    first_run(&variants).watch(gpu, &counts, launches, |words| job.all_are_counted(words, n))
}

/// Counts the keys of a host slice, by way of the device: up in parts, and the counts down.
pub(crate) fn count_slice<R: Runtime, K: Key>(
    gpu: &Gpu<R>,
    request: &Request<'_, R, K>,
    keys: &[K],
) -> Result<Vec<u64>> {
    let n = keys.len();
    // Half the memory, if that is enough.
    let job = Launches::new(gpu, request, if u32::try_from(n).is_ok() { 1 } else { 2 }, n);
    let memory = gpu.allocate(4 * job.count_words())?;
    let counts = gpu.writes::<u32>(&memory)?.first(job.count_words())?;
    gpu.fill(&counts, 0)?;
    let most = UPLOAD.min(gpu.largest_allocation()) / size_of::<K>();
    let mut variants = Vec::new();
    for keys in keys.chunks(request.block.min(most).max(1)) {
        let memory = gpu.upload(keys)?;
        let block = job.block(gpu.reads(&memory)?, keys.len() as u32)?;
        let variant = job.variant(&block);
        first_run(&[variant]).launch(gpu, || job.count(&block, &counts))?;
        variants.push(variant);
    }
    // The counts are read anyway, so every run is seen.
    let words = gpu.read(&counts)?;
    first_run(&variants).confirm(gpu, job.all_are_counted(&words, n))?;
    Ok(job.counts(&words).collect())
}

/// Kernels of a histogram that may run for the first time.
fn first_run(variants: &[u64]) -> FirstRun<'_> {
    FirstRun { kernel: "histogram", variants }
}

/// What the launches of one histogram have in common.
struct Launches<'a, R: Runtime, K: Key> {
    gpu: &'a Gpu<R>,
    f: &'a dyn Function<R, K>,
    m: u32,
    /// Words of a count.
    words: u32,
    /// Whether there are so many keys that a count may pass 32 bits.
    carry: bool,
}

/// Keys that are counted by one launch.
struct Block<K> {
    keys: Slice<K>,
    n: u32,
    per_load: usize,
    plan: HistogramPlan,
}

impl<'a, R: Runtime, K: Key> Launches<'a, R, K> {
    fn new(gpu: &'a Gpu<R>, request: &Request<'a, R, K>, words: u32, n: usize) -> Self {
        let carry = words > 1 && u32::try_from(n).is_err();
        Self { gpu, f: request.f, m: request.m, words, carry }
    }

    /// Plans the launch for the first `n` keys, at least 1.
    fn block(&self, keys: Slice<K>, n: u32) -> Result<Block<K>> {
        let per_load = keys.per_load(n as usize);
        let plan = HistogramPlan::new(&self.gpu.facts, n, per_load as u32, self.m, self.words, self.carry);
        if plan.in_memory() {
            self.gpu.check_planes()?;
        }
        Ok(Block { keys, n, per_load, plan })
    }

    /// Words of all counts.
    fn count_words(&self) -> usize {
        (self.m as usize + 1) * self.words as usize
    }

    /// Adds the counts of a block. The kernels read its keys in whole loads, and add to counters up to number m,
    /// since larger ids are brought down to it.
    fn count(&self, block: &Block<K>, counts: &Slice<u32>) -> Result<()> {
        let Block { keys, n, per_load, plan } = block;
        macro_rules! launch {
            ($($kernel:ident)::+) => {
                crate::runtime::launch!(
                    *self.gpu, $($kernel)::+<AnyFn<K>, R>,
                    CubeCount::new_2d(plan.cubes, plan.windows), CubeDim::new_1d(plan.shape.units());
                    keys: keys.loads(*n as usize, *per_load)?,
                    counts: counts.first(self.count_words())?,
                    f: self.f.arg(&Upload::new(self.gpu)),
                    extent: Arg::<Extent, R>(ExtentLaunch::new(*n, self.m, plan.window));
                    *per_load, plan.shape,
                )
            };
        }
        if plan.in_memory() {
            launch!(global::histogram_global::HistogramGlobal)
        } else {
            launch!(shared::histogram::Histogram)
        }
    }

    /// The counts in these words.
    fn counts<'w>(&self, words: &'w [u32]) -> impl Iterator<Item = u64> + use<'w, R, K> {
        let count = |words: &[u32]| words.iter().rev().fold(0u64, |count, &word| count << 32 | u64::from(word));
        words.chunks_exact(self.words as usize).map(count)
    }

    /// Whether n keys have been counted.
    fn all_are_counted(&self, words: &[u32], n: usize) -> Result<(), Fault> {
        let sum = self.counts(words).fold(0u64, u64::wrapping_add);
        if sum == n as u64 { Ok(()) } else { Err(Fault::Lost("histogram")) }
    }

    /// Tells apart the kernels that a histogram compiles.
    fn variant(&self, block: &Block<K>) -> u64 {
        variant(("histogram", self.f.variant(), block.plan.shape, block.per_load))
    }
}

#[cfg(all(test, feature = "wgpu"))]
mod tests;
