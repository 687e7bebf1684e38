//! Segmented splits on a GPU: from the public calls to the launches.

mod launch;
mod many;
mod plan;

use super::client::Gpu;
use super::function::{Function, KeyOf};
use super::kernels::segments::STATUS;
use super::load::Load;
use super::request::{Moved, read_result};
use super::split::{COLUMNS_PER_PASS, Job, LOST, UNWRITTEN, read_words, result_words};
use super::workspace::{GpuWorkspace, Needs};
use crate::bucket::Buckets;
use crate::buffer::Buffer;
use crate::column::Column;
use crate::error::{Error, Result};
use crate::multisplit::Multisplit;
use crate::offsets::{Offsets, OffsetsMemory};
use crate::policy::ONE_PASS;
use crate::segments::Segments;
use crate::split::Outputs;
use crate::stage::Stage;
use crate::value::Width;
use crate::workspace::{Workspace, WorkspaceMemory};
use cubecl::prelude::Runtime;
use cubecl::server::Handle;
use launch::Launches;
use plan::Plan;

/// What moves besides the keys: narrow columns, wide ones, and whether the permutation is made.
type Carried = (usize, usize, bool);

/// What any segments of `n` keys need, whatever columns come along, if there are no more than `columns` of them.
pub(crate) fn most_needs<F: Buckets>(
    gpu: &Gpu<impl Runtime>,
    request: &Multisplit<'_, F>,
    n: usize,
    segments: usize,
    columns: usize,
) -> Result<Needs> {
    let m = request.f.buckets();
    plan::check_method(request.method)?;
    if m > ONE_PASS {
        return many::most_needs(gpu, request, n, segments, columns);
    }
    most_of_a_pass(gpu, request, request.f, n, segments, m)
}

fn most_of_a_pass<F>(
    gpu: &Gpu<impl Runtime>,
    request: &Multisplit<'_, F>,
    f: &impl Function,
    n: usize,
    segments: usize,
    m: u32,
) -> Result<Needs> {
    let needs = |carried| plan::most_needs(&gpu.facts, request.policy, n, segments, m, load(f, carried));
    let mut most = needs((0, 0, false))?;
    for wide in 0..=COLUMNS_PER_PASS as usize {
        for narrow in 0..=COLUMNS_PER_PASS as usize - wide {
            // A policy of the user's may be too large for columns that will never come.
            let others = [false, true].into_iter().filter_map(|permutation| needs((narrow, wide, permutation)).ok());
            most = others.fold(most, Needs::max);
        }
    }
    Ok(most)
}

/// The heaviest that one launch may carry. Bucket ids are not kept between kernels.
fn load(f: &impl Function, (narrow, wide, permutation): Carried) -> Load {
    let wide = (wide as u32).min(COLUMNS_PER_PASS);
    let narrow = (narrow as u32).min(COLUMNS_PER_PASS - wide);
    Load { labels: 0, ..Load::new(f, narrow, wide, permutation) }
}

fn carried(job: &Job<'_>) -> Carried {
    let count = |width| job.columns.iter().filter(|column| column.width == width).count();
    (count(Width::Narrow), count(Width::Wide), job.permutation.is_some())
}

/// The plan of a pass into m buckets, if the device can do it at all.
fn plan<'s, F, G: Function>(
    gpu: &Gpu<impl Runtime>,
    request: &Multisplit<'_, F>,
    f: &G,
    segments: Segments<'s>,
    m: u32,
    carried: Carried,
) -> Result<Plan<'s>> {
    gpu.check_planes()?;
    gpu.check_key::<KeyOf<G>>()?;
    Plan::new(&gpu.facts, request.policy, segments, m, load(f, carried))
}

/// A segmented split between buffers of this device.
pub(crate) fn enqueue<F: Buckets>(
    gpu: &Gpu<impl Runtime>,
    request: &Multisplit<'_, F>,
    keys: &Buffer<F::Key>,
    segments: Segments<'_>,
    keys_out: &Buffer<F::Key>,
    columns: &[Column<'_>],
    offsets: &mut Offsets,
    workspace: &Workspace,
) -> Result<()> {
    let Some(moved) = Moved::between(keys, keys_out, columns) else { return Ok(()) };
    match (&mut offsets.memory, &workspace.memory) {
        (OffsetsMemory::Gpu(result), WorkspaceMemory::Gpu(workspace)) => {
            run(gpu, request, segments, &moved.job(request.through), result, Some(workspace))?;
            offsets.holds(request.f.buckets(), segments.count());
            Ok(())
        }
        _ => Ok(()),
    }
}

/// A segmented split on slices, by way of the device: up, split, down.
pub(crate) fn split_slices<F: Buckets>(
    gpu: &Gpu<impl Runtime>,
    request: &Multisplit<'_, F>,
    keys: &[F::Key],
    segments: Segments<'_>,
    to: Outputs<'_, '_, F::Key>,
) -> Result<Vec<usize>> {
    let moved = Moved::upload(gpu, keys, &to)?;
    let m = request.f.buckets();
    let zeros = vec![0u32; result_words(m * segments.count())];
    let mut result = gpu.upload(bytemuck::cast_slice(&zeros))?;
    run(gpu, request, segments, &moved.job(Stage::Postscan), &mut result, None)?;
    let offsets = read_result(gpu, &result, m, segments.count())?;
    moved.download(gpu, to)?;
    Ok(offsets)
}

/// Splits, in as many passes as it takes, with a workspace of its own if none is given. `result` is replaced by a fresh
/// buffer where nothing else would write to it (no keys) or where it must be seen to be written (the first run of a kernel).
fn run<R: Runtime, F: Buckets>(
    gpu: &Gpu<R>,
    request: &Multisplit<'_, F>,
    segments: Segments<'_>,
    job: &Job<'_>,
    result: &mut Handle,
    workspace: Option<&GpuWorkspace>,
) -> Result<()> {
    plan::check_method(request.method)?;
    let m = request.f.buckets();
    if m > ONE_PASS {
        return many::run(gpu, request, segments, job, result, workspace);
    }
    let plan = plan(gpu, request, request.f, segments, m, carried(job))?;
    with_workspace(gpu, plan.needs(), workspace, |workspace| {
        if plan.n == 0 {
            return no_keys(gpu, plan.buckets(), result);
        }
        let passed = pass(gpu, &plan, request.f, job, result, workspace);
        if job.through == Stage::Postscan {
            // Also if it failed, so that nothing is left for the next split.
            finish(gpu, plan.n, plan.buckets(), result, workspace, matches!(passed, Ok(true)))?;
        }
        passed.map(drop)
    })
}

/// Runs with the given workspace if it is enough, or with a new one.
fn with_workspace<R: Runtime>(
    gpu: &Gpu<R>,
    needs: Needs,
    given: Option<&GpuWorkspace>,
    run: impl FnOnce(&GpuWorkspace) -> Result<()>,
) -> Result<()> {
    match given {
        Some(workspace) => {
            workspace.check(needs)?;
            run(workspace)
        }
        None => run(&GpuWorkspace::new(gpu, needs)?),
    }
}

/// All buckets are empty, and begin at 0.
fn no_keys(gpu: &Gpu<impl Runtime>, buckets: u32, result: &mut Handle) -> Result<()> {
    *result = gpu.upload(bytemuck::cast_slice(&vec![0u32; result_words(buckets)]))?;
    Ok(())
}

/// One pass. Returns whether `result` is a fresh buffer.
fn pass<R: Runtime, F: Function>(
    gpu: &Gpu<R>,
    plan: &Plan<'_>,
    f: &F,
    job: &Job<'_>,
    result: &mut Handle,
    workspace: &GpuWorkspace,
) -> Result<bool> {
    let launches = Launches::new(gpu, plan, f, job, workspace)?;
    let whole = job.through == Stage::Postscan;
    let variants = launches.variants();
    let first_run = whole && !variants.iter().all(|&variant| gpu.is_proven(variant));
    if first_run {
        *result = unwritten(gpu, plan.buckets())?;
    }
    gpu.launch(|| {
        if whole {
            launches.whole_segments(result);
        }
        launches.cut_segments(result);
    })?;
    if first_run {
        prove(gpu, plan.segments, plan.m, result, workspace, "segments")?;
        variants.into_iter().for_each(|variant| gpu.set_proven(variant));
    }
    Ok(first_run)
}

/// A result that shows what is written to it.
fn unwritten(gpu: &Gpu<impl Runtime>, buckets: u32) -> Result<Handle> {
    gpu.upload(bytemuck::cast_slice(&vec![UNWRITTEN; result_words(buckets)]))
}

/// Waits for the first run of kernels and looks whether they did run, as for those of a split.
fn prove(
    gpu: &Gpu<impl Runtime>,
    segments: Segments<'_>,
    m: u32,
    result: &Handle,
    workspace: &GpuWorkspace,
    kernel: &str,
) -> Result<()> {
    gpu.sync().map_err(|error| failed(gpu, kernel, error.to_string()))?;
    let bytes = 4 * STATUS;
    let status: Vec<u32> = bytemuck::pod_collect_to_vec(&gpu.read(workspace.status()?, bytes)?[..bytes]);
    if status[1] != 0 {
        // Planes were of another size, and nothing was written. Whoever reads the result is told.
        return Ok(());
    }
    let buckets = m * segments.count();
    let words = &read_words(gpu, result, buckets)?[..buckets as usize];
    let begins = words.iter().step_by(m as usize).zip(segments.iter());
    let ran = words.is_sorted()
        && words.last().is_none_or(|&last| last as usize <= segments.keys())
        && begins.into_iter().all(|(&begin, (start, _))| begin as usize == start);
    if ran { Ok(()) } else { Err(failed(gpu, kernel, LOST.into())) }
}

/// Ends the result as every split does. If it is fresh, that is seen to happen.
fn finish<R: Runtime>(
    gpu: &Gpu<R>,
    n: u32,
    buckets: u32,
    result: &Handle,
    workspace: &GpuWorkspace,
    fresh: bool,
) -> Result<()> {
    let status = workspace.status()?;
    gpu.launch(|| launch::finish(gpu, n, buckets, result, status))?;
    if fresh {
        gpu.sync().map_err(|error| failed(gpu, "finish", error.to_string()))?;
        if read_words(gpu, result, buckets)?[buckets as usize + 2] == UNWRITTEN {
            return Err(failed(gpu, "finish", LOST.into()));
        }
    }
    Ok(())
}

fn failed(gpu: &Gpu<impl Runtime>, kernel: &str, reason: String) -> Error {
    Error::KernelFailed { device: gpu.name.clone(), kernel: format!("{kernel} (segmented multisplit)"), reason }
}
