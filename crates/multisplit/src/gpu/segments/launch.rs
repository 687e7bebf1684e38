//! The launches of a segmented split.

use super::super::client::{Gpu, variant};
use super::super::function::Function;
use super::super::kernels::counts::PART;
use super::super::kernels::segments::{BatchLaunch, STATUS};
use super::super::kernels::{counts, postscan_segments, prescan_segments, segments, split_segments};
use super::super::offsets::units;
use super::super::plan::MOST_CUBES;
use super::super::split::{Job, Pass, passes, result_words};
use super::super::stage::columns;
use super::super::workspace::GpuWorkspace;
use super::plan::{Batch, Plan};
use crate::bucket::Upload;
use crate::error::Result;
use crate::stage::Stage;
use cubecl::prelude::*;
use cubecl::server::Handle;
use std::any::TypeId;

/// Buffers of a postscan besides the columns: keys in and out, H, result, table, status; and room for two tables of the
/// function's.
const OTHER_BINDINGS: usize = 8;

/// What the launches of one pass have in common.
pub(super) struct Launches<'a, R: Runtime, F> {
    gpu: &'a Gpu<R>,
    plan: &'a Plan<'a>,
    f: &'a F,
    job: &'a Job<'a>,
    passes: Vec<Pass<'a>>,
    table: Handle,
    workspace: &'a GpuWorkspace,
    status: &'a Handle,
}

impl<'a, R: Runtime, F: Function> Launches<'a, R, F> {
    /// Uploads the table.
    pub fn new(
        gpu: &'a Gpu<R>,
        plan: &'a Plan<'a>,
        f: &'a F,
        job: &'a Job<'a>,
        workspace: &'a GpuWorkspace,
    ) -> Result<Self> {
        let passes = passes(gpu, f, job, 0, OTHER_BINDINGS);
        let table = gpu.upload(bytemuck::cast_slice(&plan.table))?;
        Ok(Self { gpu, plan, f, job, passes, table, workspace, status: workspace.status()? })
    }

    /// Tells apart the kernels that run: a number for each batch.
    pub fn variants(&self) -> Vec<u64> {
        let of = |batch: &Batch, cut: bool| {
            let postscans: Vec<_> = self.passes.iter().map(|pass| self.plan.postscan(batch, pass.load)).collect();
            variant(("segments", TypeId::of::<F::Kernel>(), self.f.variant(), cut, postscans))
        };
        let whole = self.plan.whole.iter().map(|batch| of(batch, false));
        whole.chain(self.plan.cut.iter().map(|batch| of(batch, true))).collect()
    }

    fn function(&self) -> <F::Kernel as LaunchArg>::RuntimeArg<R> {
        self.f.arg(&Upload { client: &self.gpu.client, device: self.gpu.id })
    }

    fn array(handle: &Handle, len: usize) -> ArrayArg<R> {
        // SAFETY: every buffer was checked to hold at least `len` elements: inputs and outputs by the caller of the
        // split, the workspace by `GpuWorkspace::check`, the table and the result by construction.
        unsafe { ArrayArg::from_raw_parts(handle.clone(), len) }
    }

    fn keys(&self, handle: &Handle) -> ArrayArg<R> {
        Self::array(handle, self.plan.n as usize)
    }

    fn result(&self, result: &Handle) -> ArrayArg<R> {
        Self::array(result, result_words(self.plan.buckets()))
    }

    fn table(&self) -> ArrayArg<R> {
        Self::array(&self.table, self.plan.table.len())
    }

    fn status(&self) -> ArrayArg<R> {
        Self::array(self.status, STATUS)
    }

    fn h(&self) -> ArrayArg<R> {
        Self::array(&self.workspace.h, self.plan.counts() as usize + 1)
    }

    fn batch(&self, batch: &Batch, counts: bool) -> BatchLaunch<R> {
        BatchLaunch::new(self.plan.m, batch.first, batch.tiles, u32::from(counts))
    }

    /// Where the permutation goes in a pass.
    fn permutation(&self, pass: &Pass<'_>) -> Option<&Handle> {
        self.job.permutation.as_ref().filter(|_| pass.permutation)
    }

    /// Splits the segments that fit a tile.
    pub fn whole_segments(&self, result: &Handle) {
        for batch in &self.plan.whole {
            for (i, pass) in self.passes.iter().enumerate() {
                let bp = self.plan.postscan(batch, pass.load);
                let n = self.plan.n;
                // SAFETY: a segment's places are a permutation of it; every column holds n elements, and the result has
                // room for the offsets of every segment. The table has an entry for each tile.
                unsafe {
                    split_segments::split_segments::launch_unchecked::<F::Kernel, R>(
                        &self.gpu.client,
                        cubes(batch.tiles),
                        CubeDim::new_1d(bp.units()),
                        self.gpu.address(),
                        self.keys(&self.job.keys),
                        columns(n, pass, |column| &column.from, None),
                        self.keys(&self.job.keys_out),
                        columns(n, pass, |column| &column.to, self.permutation(pass)),
                        self.result(result),
                        self.table(),
                        self.status(),
                        self.function(),
                        self.batch(batch, i == 0),
                        bp,
                    )
                }
            }
        }
    }

    /// Splits the segments that are cut, up to the stage that is wanted.
    pub fn cut_segments(&self, result: &Handle) {
        let Some(batch) = &self.plan.cut else { return };
        self.prescan(batch);
        if self.job.through >= Stage::Scan {
            self.scan();
        }
        if self.job.through == Stage::Postscan {
            self.passes.iter().for_each(|pass| self.postscan(batch, pass, result));
        }
    }

    fn prescan(&self, batch: &Batch) {
        let bp = self.plan.prescan(batch);
        // SAFETY: tiles lie within the n keys, and each has its own m counts in H.
        unsafe {
            prescan_segments::prescan_segments::launch_unchecked::<F::Kernel, R>(
                &self.gpu.client,
                cubes(batch.tiles),
                CubeDim::new_1d(bp.units()),
                self.gpu.address(),
                self.keys(&self.job.keys),
                self.h(),
                self.table(),
                self.status(),
                self.function(),
                // What a split that stops half-way reports would be left for the next one.
                self.batch(batch, self.job.through == Stage::Postscan),
                bp,
            )
        }
    }

    fn scan(&self) {
        let Some(spare) = &self.workspace.spare else { return };
        let (len, units) = (self.plan.counts(), units(&self.gpu.facts));
        let parts = len.div_ceil(PART);
        let sums = || Self::array(&spare.parts, parts as usize);
        let (cubes, dim) = (CubeCount::new_1d(parts), CubeDim::new_1d(units));
        let (client, address) = (&self.gpu.client, self.gpu.address());
        // SAFETY: H has a word more than there are counts, and there is a sum for each part.
        unsafe {
            if parts > 1 {
                counts::sum_counts::launch_unchecked::<R>(
                    client,
                    cubes.clone(),
                    dim,
                    address,
                    self.h(),
                    sums(),
                    len,
                    units,
                );
            }
            counts::scan_counts::launch_unchecked::<R>(client, cubes, dim, address, self.h(), sums(), len, units);
        }
    }

    fn postscan(&self, batch: &Batch, pass: &Pass<'_>, result: &Handle) {
        let bp = self.plan.postscan(batch, pass.load);
        let n = self.plan.n;
        // SAFETY: final positions are a permutation of each segment, since bucket ids are brought into range the same way
        // in both stages; every column holds n elements.
        unsafe {
            postscan_segments::postscan_segments::launch_unchecked::<F::Kernel, R>(
                &self.gpu.client,
                cubes(batch.tiles),
                CubeDim::new_1d(bp.units()),
                self.gpu.address(),
                self.keys(&self.job.keys),
                columns(n, pass, |column| &column.from, None),
                self.keys(&self.job.keys_out),
                columns(n, pass, |column| &column.to, self.permutation(pass)),
                self.h(),
                self.result(result),
                self.table(),
                self.status(),
                self.function(),
                self.batch(batch, false),
                bp,
            )
        }
    }
}

/// So many cubes, or a few more.
pub(super) fn cubes(count: u32) -> CubeCount {
    CubeCount::new_2d(count.min(MOST_CUBES), count.div_ceil(MOST_CUBES))
}

/// Ends a result.
pub(super) fn finish<R: Runtime>(gpu: &Gpu<R>, n: u32, buckets: u32, result: &Handle, status: &Handle) {
    // SAFETY: the result has three words more than there are buckets, and the status has its two.
    unsafe {
        segments::finish::launch_unchecked::<R>(
            &gpu.client,
            CubeCount::new_1d(1),
            CubeDim::new_1d(1),
            gpu.address(),
            ArrayArg::from_raw_parts(result.clone(), result_words(buckets)),
            ArrayArg::from_raw_parts(status.clone(), STATUS),
            n,
            buckets,
        )
    }
}
