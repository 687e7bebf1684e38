//! Segments and more buckets than one pass tells apart: a segmented split for each digit of the bucket id, the lowest first.
//!
//! As for a split of one input ([`super::super::many`]), rows go back and forth between the outputs and spare buffers. Then
//! every segment lies in the order of its buckets, and where they begin is searched for.

use super::super::blueprint::Blueprint;
use super::super::client::{Gpu, variant};
use super::super::digit::DigitOf;
use super::super::function::Function;
use super::super::kernels::boundaries::{self, ExtentLaunch};
use super::super::kernels::segments::STATUS;
use super::super::many::spare;
use super::super::offsets::units;
use super::super::sort::{Track, moves};
use super::super::split::{Job, result_words};
use super::super::workspace::{GpuWorkspace, Needs, Spare, SpareBuffers};
use super::launch::cubes;
use super::plan::Plan;
use super::{Carried, carried, finish, most_of_a_pass, no_keys, pass, plan, prove, unwritten, with_workspace};
use crate::bucket::{Buckets, Upload};
use crate::digits::Digits;
use crate::error::Result;
use crate::multisplit::Multisplit;
use crate::policy::Policy;
use crate::segments::Segments;
use crate::stage::Stage;
use crate::value::Width;
use cubecl::prelude::*;
use cubecl::server::Handle;
use std::any::TypeId;

/// What any segments of `n` keys need.
pub(super) fn most_needs<F: Buckets>(
    gpu: &Gpu<impl Runtime>,
    request: &Multisplit<'_, F>,
    n: usize,
    segments: usize,
    columns: usize,
) -> Result<Needs> {
    let digits = Digits::of(request.f.buckets());
    let f = DigitOf { f: request.f, digits, pass: 0 };
    let needs = most_of_a_pass(gpu, request, &f, n, segments, digits.values())?;
    Ok(with_spare(needs, request.f, n, columns, size_of::<u64>()))
}

/// The needs of the passes, and room for rows between them.
fn with_spare<F: Buckets>(needs: Needs, f: &F, n: usize, columns: usize, bytes: usize) -> Needs {
    Needs { spare: Spare { passes: 0, parts: needs.spare.parts, ..spare(f, n, columns, bytes) }, ..needs }
}

/// Splits. `result` is replaced as by [`super::run`].
pub(super) fn run<R: Runtime, F: Buckets>(
    gpu: &Gpu<R>,
    request: &Multisplit<'_, F>,
    segments: Segments<'_>,
    job: &Job<'_>,
    result: &mut Handle,
    workspace: Option<&GpuWorkspace>,
) -> Result<()> {
    let (m, n) = (request.f.buckets(), segments.keys());
    let digits = Digits::of(m);
    let (narrow, wide, permutation) = carried(job);
    let moved = (narrow + usize::from(permutation), wide, false);
    let planned = |carried: Carried| {
        let f = DigitOf { f: request.f, digits, pass: 0 };
        plan(gpu, request, &f, segments, digits.values(), carried)
    };
    // The first pass makes the permutation, which is a column of the others.
    let (first, later) = (planned((narrow, wide, permutation))?, planned(moved)?);
    let bytes = if wide > 0 { 8 } else { 4 };
    let needs = with_spare(first.needs().max(later.needs()), request.f, n, moved.0 + wide, bytes);
    with_workspace(gpu, needs, workspace, |workspace| {
        if n == 0 {
            return no_keys(gpu, m * segments.count(), result);
        }
        let split = split_digits(gpu, request, digits, [&first, &later], job, result, workspace);
        if job.through != Stage::Postscan {
            return split;
        }
        let searched = split.and_then(|()| search(gpu, request.f, segments, &job.keys_out, result, workspace));
        // Also if something failed, so that nothing is left for the next split.
        finish(gpu, n as u32, m * segments.count(), result, workspace, matches!(searched, Ok(true)))?;
        searched.map(drop)
    })
}

/// Splits by one digit after the other, as planned for the first and for the others.
fn split_digits<R: Runtime, F: Buckets>(
    gpu: &Gpu<R>,
    request: &Multisplit<'_, F>,
    digits: Digits,
    [first, later]: [&Plan<'_>; 2],
    job: &Job<'_>,
    result: &Handle,
    workspace: &GpuWorkspace,
) -> Result<()> {
    let Some(spare) = &workspace.spare else { return Ok(()) };
    let count = digits.passes as usize;
    let (keys, tracks) = tracks(job, spare);
    for i in 0..count {
        let Some(from) = keys.source(i, count) else { return Ok(()) };
        let (columns, permutation) = moves(&tracks, i, count);
        let (keys, keys_out) = (from.clone(), keys.target(i, count).clone());
        let step = Job { keys, keys_out, columns: &columns, permutation, through: job.through };
        let f = DigitOf { f: request.f, digits, pass: i as u32 };
        // Its offsets are of no use, and fit the result, which is written when all passes are done.
        pass(gpu, if i == 0 { first } else { later }, &f, &step, &mut result.clone(), workspace)?;
        if job.through != Stage::Postscan {
            return Ok(());
        }
    }
    Ok(())
}

/// The ways of the keys and of all columns, the permutation last.
fn tracks(job: &Job<'_>, spare: &SpareBuffers) -> (Track, Vec<Track>) {
    let keys = Track {
        width: Width::Narrow,
        from: Some(job.keys.clone()),
        to: job.keys_out.clone(),
        room: spare.keys.clone(),
    };
    let values = job.columns.iter().map(|column| (column.width, Some(&column.from), &column.to));
    let permutation = job.permutation.as_ref().map(|to| (Width::Narrow, None, to));
    let all = values.chain(permutation).zip(&spare.columns);
    let track = |((width, from, to), room): ((Width, Option<&Handle>, &Handle), &Handle)| Track {
        width,
        from: from.cloned(),
        to: to.clone(),
        room: room.clone(),
    };
    (keys, all.map(track).collect())
}

/// Finds where the buckets begin in `keys`, which are split. Returns whether `result` is a fresh buffer.
fn search<R: Runtime, F: Buckets>(
    gpu: &Gpu<R>,
    f: &F,
    segments: Segments<'_>,
    keys: &Handle,
    result: &mut Handle,
    workspace: &GpuWorkspace,
) -> Result<bool> {
    let (m, n, count) = (f.buckets(), segments.keys(), segments.count());
    let units = units(&gpu.facts);
    let shape = Policy::new(units / gpu.facts.plane, 1, 1);
    let in_range = Function::is_in_range(f);
    // The same for every m, so that it is compiled once.
    let bp = Blueprint { in_range, ..Blueprint::of_keys(gpu.facts.plane, gpu.facts.dialect, &shape, 1) };
    let variant = variant(("boundaries", TypeId::of::<F>(), f.kernel_variant(), bp));
    let first_run = !gpu.is_proven(variant);
    if first_run {
        *result = unwritten(gpu, m * count)?;
    }
    let status = workspace.status()?;
    let offsets: Vec<u32> = segments.offsets().iter().map(|&offset| offset as u32).collect();
    let table = gpu.upload(bytemuck::cast_slice(&offsets))?;
    let most = (m * count).max(n as u32).div_ceil(bp.units());
    // SAFETY: the result has room for every bucket of every segment, searches stay within their segments, and those within
    // the n keys; the status has its two words.
    gpu.launch(|| unsafe {
        boundaries::boundaries::launch_unchecked::<F, R>(
            &gpu.client,
            cubes(most),
            CubeDim::new_1d(bp.units()),
            gpu.address(),
            ArrayArg::from_raw_parts(keys.clone(), n),
            ArrayArg::from_raw_parts(result.clone(), result_words(m * count)),
            ArrayArg::from_raw_parts(table.clone(), offsets.len()),
            ArrayArg::from_raw_parts(status.clone(), STATUS),
            f.kernel_arg(&Upload { client: &gpu.client, device: gpu.id }),
            ExtentLaunch::new(n as u32, m, count, most),
            bp,
        )
    })?;
    if first_run {
        prove(gpu, segments, m, result, workspace, "boundaries")?;
        gpu.set_proven(variant);
    }
    Ok(first_run)
}
