//! The launches of a segmented split.

use super::SegmentScratch;
use super::device_deal::{Cutting, CuttingLaunch};
use super::plan::{Batch, SegmentPlan};
use super::scan::PART;
use super::tile_table::BatchLaunch;
use super::{device_deal, postscan, prescan, scan, single_tile, tile_table};
use crate::bucket::Upload;
use crate::bucket::key::Key;
use crate::error::Result;
use crate::gpu::function::{AnyArg, Function};
use crate::gpu::key::KeyWidth;
use crate::gpu::offsets::units;
use crate::gpu::split::launch::{rows_in, rows_out};
use crate::gpu::split::{Job, Pass, passes};
use crate::gpu::tuning::plan::MOST_CUBES;
use crate::method::Stage;
use crate::runtime::{Arg, Fault, FirstRun, Gpu, Memory, Slice, launch, variant};
use cubecl::prelude::*;

/// Buffers of a postscan besides the columns: keys in and out, H, result, table, status; and room for two tables of the
/// function's.
const OTHER_BINDINGS: usize = 8;

/// What the launches of one pass have in common.
pub(super) struct Launches<'a, R: Runtime, K: Key> {
    gpu: &'a Gpu<R>,
    plan: &'a SegmentPlan<'a>,
    f: &'a dyn Function<R, K>,
    job: &'a Job<'a>,
    passes: Vec<Pass<'a>>,
    table: Slice<u32>,
    /// The memory of a table that was uploaded.
    _table: Option<Memory>,
    scratch: &'a SegmentScratch,
    /// The words of a result for the buckets of all segments.
    result: &'a Slice<u32>,
}

impl<'a, R: Runtime, K: Key> Launches<'a, R, K> {
    /// Uploads the table, or has the device make it.
    pub fn new(
        gpu: &'a Gpu<R>,
        plan: &'a SegmentPlan<'a>,
        f: &'a dyn Function<R, K>,
        job: &'a Job<'a>,
        result: &'a Slice<u32>,
        scratch: &'a SegmentScratch,
    ) -> Result<Self> {
        let passes = passes(gpu, f, job.table, 0, OTHER_BINDINGS);
        let (table, memory) = if plan.on_device {
            deal(gpu, plan, scratch)?;
            (scratch.tiles.first(plan.deal.words())?, None)
        } else {
            let memory = gpu.upload(&plan.deal.table(plan.segments, plan.m))?;
            (gpu.reads::<u32>(&memory)?.first(plan.deal.words())?, Some(memory))
        };
        Ok(Self { gpu, plan, f, job, passes, table, _table: memory, scratch, result })
    }

    /// Tells apart the kernels that run: a number for each batch.
    pub fn variants(&self) -> Vec<u64> {
        let of = |batch: &Batch, cut: bool| {
            let postscans: Vec<_> = self.passes.iter().map(|pass| self.plan.postscan(batch, pass.payload)).collect();
            variant(("segments", self.f.variant(), cut, postscans))
        };
        let whole = self.plan.whole.iter().map(|batch| of(batch, false));
        whole.chain(self.plan.cut.iter().map(|batch| of(batch, true))).collect()
    }

    fn function(&self) -> AnyArg<R> {
        self.f.arg(&Upload::new(self.gpu))
    }

    fn h(&self) -> Result<Slice<u32>> {
        self.scratch.h.first(self.plan.counts() as usize + 1)
    }

    fn batch(&self, batch: &Batch, counts: bool) -> Arg<tile_table::Batch, R> {
        Arg(BatchLaunch::new(self.plan.m, batch.first, batch.tiles, u32::from(counts)))
    }

    /// Splits the segments that fit a tile. A segment's places are a permutation of it, the result has room for the
    /// offsets of every segment, and the table has an entry for each tile.
    pub fn whole_segments(&self) -> Result<()> {
        for batch in &self.plan.whole {
            for (i, pass) in self.passes.iter().enumerate() {
                let bp = self.plan.postscan(batch, pass.payload);
                launch!(
                        *self.gpu, single_tile::split_segments::SplitSegments<R>,
                        cubes(batch.cubes), CubeDim::new_1d(bp.units());
                width: KeyWidth::of::<K>(),
                        from: rows_in::<R, K>(self.job, pass, self.plan.n)?,
                        to: rows_out::<R, K>(self.job, pass, self.plan.n)?,
                        result: self.result,
                        table: &self.table,
                        status: &self.scratch.status,
                        f: self.function(),
                        batch: self.batch(batch, i == 0);
                        bp,
                    )?;
            }
        }
        Ok(())
    }

    /// Splits the segments that are cut, up to the stage that is wanted.
    pub fn cut_segments(&self) -> Result<()> {
        let Some(batch) = &self.plan.cut else { return Ok(()) };
        self.prescan(batch)?;
        if self.job.through >= Stage::Scan {
            self.scan()?;
        }
        if self.job.through == Stage::Postscan {
            self.passes.iter().try_for_each(|pass| self.postscan(batch, pass))?;
        }
        Ok(())
    }

    /// Tiles lie within the n keys, and each has its own m counts in H.
    fn prescan(&self, batch: &Batch) -> Result<()> {
        let bp = self.plan.prescan(batch);
        launch!(
            *self.gpu, prescan::prescan_segments::PrescanSegments<R>,
            cubes(batch.cubes), CubeDim::new_1d(bp.units());
            width: KeyWidth::of::<K>(),
            keys: self.job.table.keys.part::<K>(0, self.plan.n as usize)?,
            h: self.h()?,
            table: &self.table,
            status: &self.scratch.status,
            f: self.function(),
            // What a split that stops half-way reports would be left for the next one.
            batch: self.batch(batch, self.job.through == Stage::Postscan);
            bp,
        )
    }

    /// H has a word more than there are counts, and there is a sum for each part.
    fn scan(&self) -> Result<()> {
        let (len, units) = (self.plan.counts(), units(&self.gpu.facts));
        let parts = len.div_ceil(PART);
        let sums = self.scratch.parts.first(parts as usize)?;
        let (cubes, dim) = (CubeCount::new_1d(parts), CubeDim::new_1d(units));
        if parts > 1 {
            launch!(
                *self.gpu, scan::sum_counts::SumCounts<R>, cubes.clone(), dim;
                counts: self.h()?, sums: &sums, len; units,
            )?;
        }
        launch!(
            *self.gpu, scan::scan_counts::ScanCounts<R>, cubes, dim;
            counts: self.h()?, sums: &sums, len; units,
        )
    }

    /// Final positions are a permutation of each segment, since bucket ids are brought into range the same way in both
    /// stages.
    fn postscan(&self, batch: &Batch, pass: &Pass<'_>) -> Result<()> {
        let bp = self.plan.postscan(batch, pass.payload);
        launch!(
            *self.gpu, postscan::postscan_segments::PostscanSegments<R>,
            cubes(batch.cubes), CubeDim::new_1d(bp.units());
            width: KeyWidth::of::<K>(),
            from: rows_in::<R, K>(self.job, pass, self.plan.n)?,
            to: rows_out::<R, K>(self.job, pass, self.plan.n)?,
            h: self.h()?,
            result: self.result,
            table: &self.table,
            status: &self.scratch.status,
            f: self.function(),
            batch: self.batch(batch, false);
            bp,
        )
    }
}

/// Has the device deal the segments out. The first time, that is held against what the host would have made: all
/// kernels that follow rely on it.
fn deal<R: Runtime>(gpu: &Gpu<R>, plan: &SegmentPlan<'_>, scratch: &SegmentScratch) -> Result<()> {
    let deal = &plan.deal;
    let table = scratch.tiles.first(deal.words())?;
    let variants = &[variant(("deal", deal.classes.limits.len(), deal.equal.is_some(), plan.cut.is_some()))];
    let first_run = FirstRun { kernel: "segmented multisplit", variants };
    first_run.watch(
        gpu,
        &table,
        || launch_deal(gpu, plan, scratch),
        |words| {
            if words == deal.table(plan.segments, plan.m) { Ok(()) } else { Err(Fault::Lost("deal")) }
        },
    )
}

/// The table has room for the entries of all tiles and, behind them, for the list of segments that are cut. Parts are
/// of as many segments as the kernel takes them to be.
pub(super) fn launch_deal<R: Runtime>(gpu: &Gpu<R>, plan: &SegmentPlan<'_>, scratch: &SegmentScratch) -> Result<()> {
    let (deal, units) = (&plan.deal, units(&gpu.facts));
    let tile = deal.classes.tile;
    let memory = gpu.upload(&deal.bases)?;
    let bases = gpu.reads::<u32>(&memory)?.first(deal.bases.len())?;
    // Any will do where they are not read.
    let offsets = if deal.equal.is_some() { bases.clone() } else { scratch.offsets(gpu, plan)? };
    let table = scratch.tiles.first(deal.words_with_list())?;
    launch!(
        *gpu, device_deal::deal_segments::DealSegments<R>, CubeCount::new_1d(deal.parts()), CubeDim::new_1d(units);
        offsets,
        bases,
        table: &table,
        limits: Arg::<Sequence<u32>, R>(deal.classes.limits.iter().copied().collect()),
        segments: plan.segments.count(),
        length: deal.equal.unwrap_or(0),
        tile,
        m: plan.m;
        deal.equal.is_some(), units,
    )?;
    let Some(batch) = &plan.cut else { return Ok(()) };
    let (list, segments) = (deal.words() as u32, deal.cut_segments());
    launch!(
        *gpu, device_deal::cut_segments::CutSegments<R>,
        cubes(batch.tiles.div_ceil(units)), CubeDim::new_1d(units);
        table: &table,
        cutting: Arg::<Cutting, R>(CuttingLaunch::new(list, segments, batch.first, batch.tiles, tile, plan.m));
        units,
    )
}

/// So many cubes, or a few more.
pub(super) fn cubes(count: u32) -> CubeCount {
    CubeCount::new_2d(count.min(MOST_CUBES), count.div_ceil(MOST_CUBES))
}

/// Ends a result, which has three words more than there are buckets.
pub(super) fn finish<R: Runtime>(
    gpu: &Gpu<R>,
    n: u32,
    buckets: u32,
    result: &Slice<u32>,
    status: &Slice<u32>,
) -> Result<()> {
    launch!(
        *gpu, tile_table::finish::Finish<R>, CubeCount::new_1d(1), CubeDim::new_1d(1);
        result, status, n, buckets,
    )
}
