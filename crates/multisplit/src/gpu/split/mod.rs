//! One split: columns dealt out to passes, kernels launched, first runs proven.
//!
//! The three stages of multisplit (the paper's section 4.4), each method's own way:
//!
//! | stage | direct | warp-level | block-level |
//! |---|---|---|---|
//! | prescan: count each chunk's keys per bucket into a column of H | `prescan` | `prescan` | `prescan` |
//! | scan: exclusive prefix sums along each row of H | `scan` | `scan` | `scan` |
//! | postscan: move the elements to their places | `postscan_direct` | `postscan_plane` | `postscan_cube` |
//!
//! For functions that take long the prescan stores bucket ids, and the block-level postscan is `postscan_stored_ids`.
//! Block-level multisplit of few tiles needs no stages: every cube counts all keys (`few_tiles`), or cubes tell each
//! other what they have counted, if all of them are resident at once (`one_launch`).
//!
//! H has m + 1 rows of one entry per chunk: a row per bucket, and a last row that counts keys without a valid bucket.
//! `result` holds the m + 1 offsets, then the number of those keys, then a flag that is raised when the device ran the
//! kernel with another plane size than it was compiled for.

pub(crate) mod enqueue;
pub(crate) mod few_tiles;
pub(crate) mod launch;
pub(crate) mod one_launch;
pub(crate) mod pass_fusion;
pub(crate) mod payload;
pub(crate) mod plane_positions;
pub(crate) mod postscan_cube;
pub(crate) mod postscan_direct;
pub(crate) mod postscan_plane;
pub(crate) mod postscan_stored_ids;
pub(crate) mod prescan;
pub(crate) mod published_sums;
pub(crate) mod scan;
pub(crate) mod tile_counts;

use super::function::Function;
use super::table::{GpuColumn, Table};
use super::tuning::course::Course;
use super::tuning::plan::SplitPlan;
use super::workspace::Scratch;
use crate::bucket::key::Key;
use crate::error::Result;
use crate::memory::result::{result_words, split_ran};
use crate::memory::value::Width;
use crate::method::Method;
use crate::method::Stage;
use crate::runtime::{FirstRun, Gpu, Slice, variant};
use cubecl::prelude::Runtime;
use launch::Launches;
use pass_fusion::Fusion;
use payload::{COLUMNS_PER_PASS, Payload};

/// Buffers of a postscan besides the columns: keys in and out, G, totals, result; and room for two tables.
pub(crate) const OTHER_BINDINGS: usize = 7;

/// A table to split, and how far.
#[derive(Clone, Copy)]
pub(crate) struct Job<'a> {
    pub table: &'a Table,
    /// The last stage to run.
    pub through: Stage,
    /// Whether something reads afterwards what the scan left.
    pub leaves_g: bool,
}

/// Splits. `result` has the words of a result for m buckets.
pub(crate) fn split<R: Runtime, K: Key>(
    gpu: &Gpu<R>,
    plan: &SplitPlan,
    f: &dyn Function<R, K>,
    job: &Job<'_>,
    fusion: &Fusion<'_, R, K>,
    result: &Slice<u32>,
    scratch: &Scratch,
) -> Result<()> {
    let result = &result.first(result_words(plan.m))?;
    if plan.n == 0 {
        return gpu.fill(result, 0);
    }
    let keys = job.table.keys.cast::<K>()?;
    let ids_per_word = plan.ids_per_word(keys.per_load(plan.n as usize));
    let mut passes = passes(gpu, f, job.table, ids_per_word, OTHER_BINDINGS);
    // One postscan leaves them, however many there are.
    passes[0].payload.leaves_ids = fusion.next.is_some();
    let launches = Launches { gpu, plan, f, fusion, ids_per_word, result, scratch };
    let all = || {
        let mut passes = passes.iter();
        match plan.course {
            Course::Counted if job.through == Stage::Postscan => {
                return passes.try_for_each(|pass| launches.split_few_tiles(job, pass));
            }
            Course::Published if job.through == Stage::Postscan => {
                return passes.try_for_each(|pass| launches.split_at_once(job, pass));
            }
            _ => launches.prescan(&keys)?,
        }
        if job.through >= Stage::Scan {
            launches.scan()?;
        }
        if job.through == Stage::Postscan {
            passes.zip(0..).try_for_each(|(pass, launch)| launches.postscan(job, pass, launch))?;
        }
        Ok(())
    };
    if job.through != Stage::Postscan {
        return all();
    }
    let kernel = match plan.method {
        Method::Direct => "direct multisplit",
        Method::WarpLevel => "warp-level multisplit",
        Method::BlockLevel | Method::Auto => "block-level multisplit",
    };
    let variants = &[variant_of(plan, f, ids_per_word, fusion, job.leaves_g, &passes)];
    FirstRun { kernel, variants }.watch(gpu, result, all, |words| split_ran(words, plan.n, plan.m))
}

/// The columns that one postscan carries.
pub(crate) struct Pass<'a> {
    pub columns: &'a [GpuColumn],
    pub permutation: bool,
    pub payload: Payload,
    /// Whether tiles of all inputs can be copied 16 bytes at a time.
    pub aligned: bool,
}

/// Deals the columns out to passes that the device can bind, besides `others`. The keys move in each: a pass without
/// them would be another kernel.
pub(crate) fn passes<'a, R: Runtime, K: Key>(
    gpu: &Gpu<R>,
    f: &dyn Function<R, K>,
    table: &'a Table,
    ids_per_word: u32,
    others: usize,
) -> Vec<Pass<'a>> {
    let room = (gpu.facts.max_bindings as usize).saturating_sub(others + 1) / 2;
    let mut groups: Vec<&[GpuColumn]> = table.columns.chunks(room.clamp(1, COLUMNS_PER_PASS as usize)).collect();
    if groups.is_empty() {
        groups.push(&[]);
    }
    let pass = |(i, columns): (usize, &'a [GpuColumn])| {
        let count = |width| columns.iter().filter(|c| c.width == width).count() as u32;
        let permutation = i == 0 && table.permutation.is_some();
        let (narrow, wide) = (count(Width::Narrow), count(Width::Wide));
        let payload = Payload { ids_per_word, ..Payload::new(f, narrow, wide, permutation) };
        let aligned = table.keys.is_aligned() && columns.iter().all(|column| column.from.is_aligned());
        Pass { columns, permutation, payload, aligned }
    };
    groups.into_iter().enumerate().map(pass).collect()
}

/// Tells apart the kernels that a split compiles.
fn variant_of<R: Runtime, K: Key>(
    plan: &SplitPlan,
    f: &dyn Function<R, K>,
    ids_per_word: u32,
    fusion: &Fusion<'_, R, K>,
    leaves_g: bool,
    passes: &[Pass<'_>],
) -> u64 {
    let postscans: Vec<_> = passes.iter().map(|pass| plan.postscan(pass.payload, pass.aligned)).collect();
    let launches = (plan.course, leaves_g);
    let shapes = (plan.method, plan.prescan(ids_per_word), fusion.left, launches, postscans);
    variant((f.variant(), shapes))
}
