//! More buckets than one pass tells apart: a pass for each digit of the bucket id, the lowest first.
//!
//! Keys and columns go back and forth between the outputs and spare buffers, so that the last pass ends in the outputs.
//! The permutation is made by the first pass; to the others it is a column. What the passes leave tells
//! the offsets ([`offsets`]).

mod offsets;

use super::client::Gpu;
use super::digit::DigitOf;
use super::links::Links;
use super::offsets::parts;
use super::request::plan;
use super::split::{GpuColumn, Job, result_words, split};
use super::workspace::{GpuWorkspace, Needs, Spare, SpareBuffers};
use crate::bucket::Buckets;
use crate::digits::Digits;
use crate::error::Result;
use crate::multisplit::Multisplit;
use crate::stage::Stage;
use crate::value::Width;
use cubecl::prelude::*;
use cubecl::server::Handle;
use offsets::Made;

/// What more than one pass needs, for `columns` columns of up to `bytes` bytes, the permutation among them.
pub(super) fn spare<F: Buckets>(f: &F, n: usize, columns: usize, bytes: usize) -> Spare {
    let m = f.buckets();
    Spare {
        passes: Digits::of(m).passes as usize,
        parts: parts(m) as usize,
        keys: n.saturating_mul(size_of::<F::Key>()),
        columns,
        column: if columns > 0 { n.saturating_mul(bytes) } else { 0 },
    }
}

/// What a split with these columns needs.
pub(super) fn needs<F: Buckets>(
    gpu: &Gpu<impl Runtime>,
    request: &Multisplit<'_, F>,
    n: usize,
    columns: &[GpuColumn],
    permutation: bool,
) -> Result<Needs> {
    let digits = Digits::of(request.f.buckets());
    let f = DigitOf { f: request.f, digits, pass: 0 };
    let narrow = columns.iter().filter(|column| column.width == Width::Narrow).count();
    let wide = columns.len() - narrow;
    let first = plan(gpu, request, &f, n, digits.values(), (narrow, wide, permutation))?;
    let moved = narrow + usize::from(permutation);
    let later = plan(gpu, request, &f, n, digits.values(), (moved, wide, false))?;
    let bytes = if wide > 0 { 8 } else { 4 };
    let spare = spare(request.f, n, moved + wide, bytes);
    Ok(Needs { spare, ..first.needs().max(later.needs()) })
}

/// A column between passes.
struct Track<'a> {
    width: Width,
    /// Where it is; the permutation is nowhere before the first pass.
    at: Option<&'a Handle>,
    to: &'a Handle,
    spare: &'a Handle,
}

/// Splits. `result` is replaced as by [`split`].
pub(super) fn split_many<R: Runtime, F: Buckets>(
    gpu: &Gpu<R>,
    request: &Multisplit<'_, F>,
    n: usize,
    job: &Job<'_>,
    result: &mut Handle,
    workspace: &GpuWorkspace,
) -> Result<()> {
    let digits = Digits::of(request.f.buckets());
    // Also if there is nothing to do: what is refused is refused for every n.
    let needs = needs(gpu, request, n, job.columns, job.permutation.is_some())?;
    if n == 0 {
        *result = gpu.upload(bytemuck::cast_slice(&vec![0u32; result_words(request.f.buckets())]))?;
        return Ok(());
    }
    workspace.check(needs)?;
    let Some(spare) = &workspace.spare else { return Ok(()) };
    let mut results = spare.results[..digits.passes as usize].to_vec();
    let mut tracks = tracks(job, spare);
    let mut keys = &job.keys;
    let mut second = None;
    for (pass, result) in (0..digits.passes).zip(&mut results) {
        let last = (digits.passes - 1 - pass).is_multiple_of(2);
        let keys_out = if last { &job.keys_out } else { &spare.keys };
        let target = |track: &Track<'_>| if last { track.to } else { track.spare }.clone();
        let moves: Vec<GpuColumn> = tracks
            .iter()
            .filter_map(|track| Some(GpuColumn { width: track.width, from: track.at?.clone(), to: target(track) }))
            .collect();
        let permutation = tracks.iter().find(|track| track.at.is_none()).map(target);

        let f = DigitOf { f: request.f, digits, pass };
        let count = |width| moves.iter().filter(|column| column.width == width).count();
        let columns = (count(Width::Narrow), count(Width::Wide), permutation.is_some());
        let plan = plan(gpu, request, &f, n, digits.values(), columns)?;
        let (from, to) = (keys.clone(), keys_out.clone());
        let step = Job { keys: from, keys_out: to, columns: &moves, permutation, through: job.through };
        split(gpu, &plan, &f, &step, &Links::NONE, result, workspace)?;
        if job.through != Stage::Postscan {
            return Ok(());
        }
        second = (digits.passes == 2 && pass == 1).then(|| (plan, keys.clone()));
        keys = keys_out;
        tracks.iter_mut().for_each(|track| track.at = Some(if last { track.to } else { track.spare }));
    }
    let made = Made { n: n as u32, m: request.f.buckets(), digits, passes: &results, workspace, spare };
    made.offsets(gpu, request.f, second, keys, result)
}

/// All columns of a split, the permutation last.
fn tracks<'a>(job: &'a Job<'_>, spare: &'a SpareBuffers) -> Vec<Track<'a>> {
    let values = job.columns.iter().map(|column| (column.width, Some(&column.from), &column.to));
    let permutation = job.permutation.as_ref().map(|to| (Width::Narrow, None, to));
    let all = values.chain(permutation).zip(&spare.columns);
    all.map(|((width, at, to), spare)| Track { width, at, to, spare }).collect()
}
