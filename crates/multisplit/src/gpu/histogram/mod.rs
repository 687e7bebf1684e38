//! Histograms on a GPU: from the public calls to the launches.

pub(crate) mod global;
mod plan;
pub(crate) mod shared;

use super::function::Function;
use super::key::KeyWidth;
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
        job.clear(&counts, n)?;
        blocks.iter().try_for_each(|block| job.count(block, &counts))
    };
    let variants: Vec<u64> = blocks.iter().flat_map(|block| job.variants(block)).collect();
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
    job.clear(&counts, n)?;
    let most = UPLOAD.min(gpu.largest_allocation()) / size_of::<K>();
    let mut variants = Vec::new();
    for keys in keys.chunks(request.block.min(most).max(1)) {
        let memory = gpu.upload(keys)?;
        let block = job.block(gpu.reads(&memory)?, keys.len() as u32)?;
        let first = variants.len();
        variants.extend(job.variants(&block));
        first_run(&variants[first..]).launch(gpu, || job.count(&block, &counts))?;
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
    m: u32,
    /// A launch for each counts its bins, of all keys.
    parts: Vec<Bins<'a, R, K>>,
    /// Words of a count.
    words: u32,
    /// Whether a count may pass 32 bits.
    carry: bool,
}

/// All bins, or a part of them.
struct Bins<'a, R: Runtime, K: Key> {
    f: &'a dyn Function<R, K>,
    first: u32,
    m: u32,
}

/// Keys that are counted by one launch for each part.
struct Block<K> {
    keys: Slice<K>,
    n: u32,
    per_load: usize,
    plans: Vec<HistogramPlan>,
}

impl<'a, R: Runtime, K: Key> Launches<'a, R, K> {
    fn new(gpu: &'a Gpu<R>, request: &Request<'a, R, K>, words: u32, n: usize) -> Self {
        let parts: Vec<_> = request.f.parts().into_iter().map(|(first, m, f)| Bins { f, first, m }).collect();
        let carry = words > 1 && u32::try_from(n).is_err();
        let mut job = Self { gpu, m: request.m, parts, words, carry };
        // To read the keys several times pays where the tables of each part find room in shared memory. Kernels rely on
        // it that parts are those of all bins.
        let n = n.clamp(1, request.block) as u32;
        if !job.are_all_bins() || !job.parts.iter().all(|part| job.plan(part, n, 1).tables) {
            job.parts = vec![Bins { f: request.f, first: 0, m: request.m }];
        }
        // The count of keys outside begins below 0.
        job.carry |= words > 1 && job.parts.len() > 1;
        job
    }

    /// Whether the parts follow each other and have all bins.
    fn are_all_bins(&self) -> bool {
        let end =
            self.parts.iter().try_fold(0, |end: u32, part| (part.first == end).then(|| end.checked_add(part.m))?);
        end == Some(self.m)
    }

    fn plan(&self, part: &Bins<'a, R, K>, n: u32, per_load: u32) -> HistogramPlan {
        HistogramPlan::new(&self.gpu.facts, n, per_load, part.m, part.f.large_tables())
    }

    /// Plans the launches for the first `n` keys, at least 1.
    fn block(&self, keys: Slice<K>, n: u32) -> Result<Block<K>> {
        let per_load = keys.per_load(n as usize);
        let plans: Vec<_> = self.parts.iter().map(|part| self.plan(part, n, per_load as u32)).collect();
        if plans.iter().any(HistogramPlan::in_memory) {
            self.gpu.check_planes()?;
        }
        Ok(Block { keys, n, per_load, plans })
    }

    /// Words of all counts.
    fn count_words(&self) -> usize {
        (self.m as usize + 1) * self.words as usize
    }

    /// Sets all counts to 0. With several parts, each but one counts a key of the others as outside, or all do: so the
    /// count of those begins below 0.
    fn clear(&self, counts: &Slice<u32>, n: usize) -> Result<()> {
        self.gpu.fill(counts, 0)?;
        let surplus = n as u64 * (self.parts.len() as u64 - 1);
        if surplus > 0 {
            let outside = counts.skip(self.m as usize * self.words as usize)?;
            for (i, shift) in (0..self.words as usize).zip([0, 32]) {
                let word = surplus.wrapping_neg() >> shift;
                self.gpu.fill(&outside.skip(i)?.first(1)?, word as u32)?;
            }
        }
        Ok(())
    }

    /// Adds the counts of a block. The kernels read its keys in whole loads, and add to counters up to number m,
    /// since larger ids are brought down to it.
    fn count(&self, block: &Block<K>, counts: &Slice<u32>) -> Result<()> {
        let Block { keys, n, per_load, plans } = block;
        for (part, plan) in self.parts.iter().zip(plans) {
            let (first, outside, carry) = (part.first, self.m, u32::from(self.carry));
            let extent = ExtentLaunch::new(*n, part.m, plan.window, first, outside, self.words, carry);
            macro_rules! launch {
                ($($kernel:ident)::+) => {
                    crate::runtime::launch!(
                        *self.gpu, $($kernel)::+<R>,
                        CubeCount::new_2d(plan.cubes, plan.windows), CubeDim::new_1d(plan.shape.units());
                        width: KeyWidth::of::<K>(),
                        keys: keys.loads(*n as usize, *per_load)?,
                        counts: counts.first(self.count_words())?,
                        f: part.f.arg(&Upload::new(self.gpu).with_room(plan.tables)),
                        extent: Arg::<Extent, R>(extent);
                        *per_load, plan.shape,
                    )
                };
            }
            if plan.in_memory() {
                launch!(global::histogram_global::HistogramGlobal)?;
            } else {
                launch!(shared::histogram::Histogram)?;
            }
        }
        Ok(())
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
    fn variants(&self, block: &Block<K>) -> impl Iterator<Item = u64> {
        let each = self.parts.iter().zip(&block.plans);
        each.map(|(part, plan)| variant(("histogram", part.f.variant(), plan.shape, plan.tables, block.per_load)))
    }
}

#[cfg(all(test, feature = "wgpu"))]
mod tests;
