//! Selections of large inputs: one pass with look-back. Those of others are splits of which only the first bucket is
//! looked at.

pub(crate) mod kernel;
pub(crate) mod look_back;

use super::function::Function;
use super::primitives::sizes::{Sizes, SizesLaunch};
use super::request::Request;
use super::split::launch::{PATIENCE, SOFTWARE_PATIENCE, rows_in, rows_out};
use super::split::payload::Payload;
use super::split::{Job, OTHER_BINDINGS, Pass, passes};
use super::tuning::blueprint::Blueprint;
use super::tuning::selector;
use super::workspace::{Needs, Scratch};
use crate::bucket::Upload;
use crate::bucket::key::Key;
use crate::error::Result;
use crate::gpu::key::KeyWidth;
use crate::gpu::tuning::plan::{MOST_CUBES, SplitPlan};
use crate::memory::result::{result_words, split_ran};
use crate::method::{Method, Stage};
use crate::runtime::{Arg, Facts, FirstRun, Gpu, Slice, launch, variant};
use cubecl::prelude::*;
use kernel::BUCKETS;
use look_back::{TileSums, TileSumsLaunch, words};

/// Units of the cubes that make everything ready.
const UNITS: u32 = 256;

/// Whether a split is a selection that takes one pass: not if a split takes one launch and is as fast, or was asked for
/// in some way.
pub(crate) fn is_one_pass<R: Runtime, K: Key>(request: &Request<'_, R, K>, plan: &SplitPlan) -> bool {
    request.selects
        && (request.method, request.policy, request.through) == (Method::Auto, None, Stage::Postscan)
        && !(plan.n == 0 || plan.is_one_launch() && plan.n <= selector::SELECTED_BY_A_SPLIT)
}

/// What a selection of n keys needs, whatever columns come along.
pub(crate) fn most_needs<R: Runtime, K: Key>(gpu: &Gpu<R>, request: &Request<'_, R, K>, n: usize) -> Needs {
    if request.m != BUCKETS {
        return Needs::default();
    }
    let payloads =
        Payload::new(request.f, 0, 0, false).with_any_columns().map(|payload| Payload { ids_per_word: 0, ..payload });
    payloads.map(|payload| pass_needs(&gpu.facts, n, payload)).fold(Needs::default(), Needs::max)
}

/// What it needs with the columns of a table.
pub(crate) fn needs<R: Runtime, K: Key>(gpu: &Gpu<R>, f: &dyn Function<R, K>, n: usize, job: &Job<'_>) -> Needs {
    let passes = passes(gpu, f, job.table, 0, OTHER_BINDINGS);
    passes.iter().map(|pass| pass_needs(&gpu.facts, n, pass.payload)).fold(Needs::default(), Needs::max)
}

fn pass_needs(facts: &Facts, n: usize, payload: Payload) -> Needs {
    Needs { h: words(n.div_ceil(shape(facts, payload).tile() as usize)), ..Needs::default() }
}

/// Selects. `result` is that of a split into two buckets.
pub(crate) fn select<R: Runtime, K: Key>(
    gpu: &Gpu<R>,
    f: &dyn Function<R, K>,
    n: u32,
    job: &Job<'_>,
    result: &Slice<u32>,
    scratch: &Scratch,
) -> Result<()> {
    let result = &result.first(result_words(BUCKETS))?;
    let passes = passes(gpu, f, job.table, 0, OTHER_BINDINGS);
    let all = || passes.iter().try_for_each(|pass| select_pass(gpu, f, n, job, pass, result, scratch));
    let shapes: Vec<_> = passes.iter().map(|pass| shape(&gpu.facts, pass.payload)).collect();
    let variants = &[variant(("selection", f.variant(), shapes))];
    FirstRun { kernel: "selection", variants }.watch(gpu, result, all, |words| split_ran(words, n, BUCKETS))
}

fn shape(facts: &Facts, payload: Payload) -> Blueprint {
    let policy = selector::choose_selection(facts, payload);
    Blueprint::postscan(facts.plane, facts.dialect, false, &policy, BUCKETS, payload)
}

/// The kernels write the words that tiles publish in, the words of the result, and rows before the number of those that
/// are kept.
fn select_pass<R: Runtime, K: Key>(
    gpu: &Gpu<R>,
    f: &dyn Function<R, K>,
    n: u32,
    job: &Job<'_>,
    pass: &Pass<'_>,
    result: &Slice<u32>,
    scratch: &Scratch,
) -> Result<()> {
    let bp = shape(&gpu.facts, pass.payload);
    let tiles = n.div_ceil(bp.tile());
    let sums = scratch.h.first(words(tiles as usize))?;
    let (len, units) = (words(tiles as usize) as u32, UNITS.min(gpu.facts.max_units));
    launch!(
        *gpu, kernel::begin_selection::BeginSelection<R>,
        CubeCount::new_1d(len.div_ceil(units)), CubeDim::new_1d(units);
        words: &sums, result, len, n,
    )?;
    let patience = if gpu.facts.software { SOFTWARE_PATIENCE } else { PATIENCE };
    launch!(
        *gpu, kernel::select_tiles::SelectTiles<R>,
        CubeCount::new_2d(tiles.min(MOST_CUBES), tiles.div_ceil(MOST_CUBES)), CubeDim::new_1d(bp.units());
            width: KeyWidth::of::<K>(),
        from: rows_in::<R, K>(job, pass, n)?,
        to: rows_out::<R, K>(job, pass, n)?,
        tile_sums: Arg::<TileSums, R>(TileSumsLaunch::new(sums.arg())),
        result,
        f: f.arg(&Upload::new(gpu)),
        sizes: Arg::<Sizes, R>(SizesLaunch::new(n, BUCKETS, tiles, tiles, bp.tile(), u32::MAX, 0)),
        patience;
        bp,
    )
}
