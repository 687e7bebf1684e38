//! One split: columns dealt out to passes, kernels launched, first runs proven.

use super::client::{Gpu, variant};
use super::function::{Function, KeyOf};
use super::links::Links;
use super::load::Load;
use super::plan::Plan;
use super::stage::{Launches, keys_per_load};
use super::workspace::GpuWorkspace;
use crate::error::{Error, Result};
use crate::stage::Stage;
use crate::value::Width;
use cubecl::prelude::Runtime;
use cubecl::server::Handle;
use std::any::TypeId;

/// Value columns that one postscan carries; more take another pass.
pub(super) const COLUMNS_PER_PASS: u32 = 4;
/// Buffers of a postscan besides the columns: keys in and out, G, totals, result; and room for two tables.
const OTHER_BINDINGS: usize = 7;
/// What `result` holds before a kernel has written to it.
pub(super) const UNWRITTEN: u32 = 0x5eed_f00d;

/// What is known of a launch that left no trace.
pub(super) const LOST: &str = "it was submitted but did not run; the driver's message may be on standard error";

/// A value column on the device.
pub(crate) struct GpuColumn {
    pub width: Width,
    pub from: Handle,
    pub to: Handle,
}

/// All buffers of one split.
pub(crate) struct Job<'a> {
    pub keys: Handle,
    pub keys_out: Handle,
    pub columns: &'a [GpuColumn],
    pub permutation: Option<Handle>,
    /// The last stage to run.
    pub through: Stage,
}

/// Words of a result: the offsets, the count of keys without a valid bucket, the flag.
pub(crate) const fn result_words(m: u32) -> usize {
    m as usize + 3
}

/// Splits. `result` is replaced by a fresh buffer where nothing else would write to it (no keys) or where it must be
/// seen to be written (the first run of a kernel).
pub(crate) fn split<R: Runtime, F: Function>(
    gpu: &Gpu<R>,
    plan: &Plan,
    f: &F,
    job: &Job<'_>,
    links: &Links<'_, F>,
    result: &mut Handle,
    workspace: &GpuWorkspace,
) -> Result<()> {
    if plan.n == 0 {
        *result = gpu.upload(bytemuck::cast_slice(&vec![0u32; result_words(plan.m)]))?;
        return Ok(());
    }
    workspace.check(plan.needs())?;
    let labels = plan.labels(keys_per_load::<KeyOf<F>>(&job.keys, plan.n));
    let mut passes = passes(gpu, f, job, labels, OTHER_BINDINGS);
    // One postscan leaves them, however many there are.
    passes[0].load.leaves_ids = links.next.is_some();
    let variant = variant_of(plan, f, labels, links, &passes);
    let whole = job.through == Stage::Postscan;
    let first_run = whole && !gpu.is_proven(variant);
    if first_run {
        *result = gpu.upload(bytemuck::cast_slice(&vec![UNWRITTEN; result_words(plan.m)]))?;
    }
    gpu.launch(|| {
        let launches = Launches { gpu, plan, f, links, labels, result, workspace };
        if whole && plan.is_one_tile() {
            return passes.iter().for_each(|pass| launches.split_tile(job, pass));
        }
        launches.prescan(&job.keys);
        if job.through >= Stage::Scan {
            launches.scan();
        }
        if whole {
            passes.iter().zip(0..).for_each(|(pass, launch)| launches.postscan(job, pass, launch));
        }
    })?;
    if first_run {
        prove(gpu, plan, result)?;
        gpu.set_proven(variant);
    }
    Ok(())
}

/// Waits for the first run of a kernel and looks whether it did run: CubeCL can lose a launch that fails on its own
/// thread, and later reads then return stale memory without an error.
fn prove<R: Runtime>(gpu: &Gpu<R>, plan: &Plan, result: &Handle) -> Result<()> {
    let failed = |kernel: &str, reason: String| Error::KernelFailed {
        device: gpu.name.clone(),
        kernel: format!("{kernel} ({} multisplit)", plan.method),
        reason,
    };
    gpu.sync().map_err(|error| failed("multisplit", error.to_string()))?;
    let words = read_words(gpu, result, plan.m)?;
    let m = plan.m as usize;
    let lost = LOST.to_string();
    if words[m + 2] == UNWRITTEN {
        return Err(failed("prescan", lost));
    }
    let right_size = words[m + 2] == 0;
    if right_size && words[m] != plan.n {
        return Err(failed("postscan", lost));
    }
    if right_size && (words[0] != 0 || !words[..=m].is_sorted()) {
        return Err(failed("scan", lost));
    }
    Ok(())
}

/// Waits for the device and reads a result.
pub(super) fn read_words(gpu: &Gpu<impl Runtime>, result: &Handle, m: u32) -> Result<Vec<u32>> {
    let bytes = 4 * result_words(m);
    // Collected, not cast: nobody promises that the bytes are aligned.
    Ok(bytemuck::pod_collect_to_vec(&gpu.read(result, bytes)?[..bytes]))
}

/// The columns that one postscan carries.
pub(super) struct Pass<'a> {
    pub columns: &'a [GpuColumn],
    pub permutation: bool,
    pub load: Load,
    /// Whether tiles of all inputs can be copied 16 bytes at a time.
    pub aligned: bool,
}

/// Whether a buffer begins where 16 bytes can be loaded at once. Allocations do; a part of one may not.
pub(super) fn is_aligned(buffer: &Handle) -> bool {
    buffer.offset_start.unwrap_or(0).is_multiple_of(16)
}

/// Deals the columns out to passes that the device can bind, besides `others`. The keys move in each: a pass without them
/// would be another kernel.
pub(super) fn passes<'a, F: Function>(
    gpu: &Gpu<impl Runtime>,
    f: &F,
    job: &Job<'a>,
    labels: u32,
    others: usize,
) -> Vec<Pass<'a>> {
    let room = (gpu.facts.max_bindings as usize).saturating_sub(others + 1) / 2;
    let mut groups: Vec<&[GpuColumn]> = job.columns.chunks(room.clamp(1, COLUMNS_PER_PASS as usize)).collect();
    if groups.is_empty() {
        groups.push(&[]);
    }
    let pass = |(i, columns): (usize, &'a [GpuColumn])| {
        let count = |width| columns.iter().filter(|c| c.width == width).count() as u32;
        let permutation = i == 0 && job.permutation.is_some();
        let (narrow, wide) = (count(Width::Narrow), count(Width::Wide));
        let load = Load { labels, ..Load::new(f, narrow, wide, permutation) };
        let aligned = is_aligned(&job.keys) && columns.iter().all(|column| is_aligned(&column.from));
        Pass { columns, permutation, load, aligned }
    };
    groups.into_iter().enumerate().map(pass).collect()
}

/// Tells apart the kernels that a split compiles.
fn variant_of<F: Function>(plan: &Plan, f: &F, labels: u32, links: &Links<'_, F>, passes: &[Pass<'_>]) -> u64 {
    let postscans: Vec<_> = passes.iter().map(|pass| plan.postscan(pass.load, pass.aligned)).collect();
    let shapes = (plan.method, plan.prescan(labels), links.left, plan.is_one_tile(), postscans);
    variant((TypeId::of::<F::Kernel>(), f.variant(), shapes))
}
