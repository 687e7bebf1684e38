//! From the public calls to a plan and a job: buffers become handles, slices go up and come down.

use super::client::Gpu;
use super::load::Load;
use super::plan::Plan;
use super::split::{COLUMNS_PER_PASS, GpuColumn, Job, read_words, result_words, split};
use super::workspace::{GpuWorkspace, Needs};
use crate::bucket::Buckets;
use crate::buffer::Buffer;
use crate::column::{Column, ColumnKind};
use crate::error::Result;
use crate::multisplit::Multisplit;
use crate::offsets::{Offsets, OffsetsMemory, check_astray};
use crate::split::Outputs;
use crate::stage::Stage;
use crate::value::Width;
use crate::workspace::{Workspace, WorkspaceMemory};
use cubecl::prelude::Runtime;
use cubecl::server::Handle;

/// What a split needs, whatever columns come along.
pub(crate) fn most_needs<F: Buckets>(gpu: &Gpu<impl Runtime>, request: &Multisplit<'_, F>, n: usize) -> Result<Needs> {
    let needs = |narrow, wide, permutation| {
        let load = Load::new(request.f, narrow, wide, permutation);
        let plan = Plan::new(&gpu.facts, request.method, request.policy, n, request.f.buckets(), load);
        plan.map(|plan| plan.needs())
    };
    let mut most = needs(0, 0, false)?;
    for wide in 0..=COLUMNS_PER_PASS {
        for narrow in 0..=COLUMNS_PER_PASS - wide {
            // A policy of the user's may be too large for columns that will never come.
            let others = [false, true].into_iter().filter_map(|permutation| needs(narrow, wide, permutation).ok());
            most = others.fold(most, Needs::max);
        }
    }
    Ok(most)
}

/// The plan of a split with these columns, if the device can do it at all.
pub(super) fn plan<F: Buckets>(
    gpu: &Gpu<impl Runtime>,
    request: &Multisplit<'_, F>,
    n: usize,
    columns: &[GpuColumn],
    permutation: bool,
) -> Result<Plan> {
    gpu.check_planes()?;
    gpu.check_key::<F::Key>()?;
    let count = |width| columns.iter().filter(|c| c.width == width).count() as u32;
    // What the heaviest pass may carry.
    let wide = count(Width::Wide).min(COLUMNS_PER_PASS);
    let narrow = count(Width::Narrow).min(COLUMNS_PER_PASS - wide);
    let load = Load::new(request.f, narrow, wide, permutation);
    Plan::new(&gpu.facts, request.method, request.policy, n, request.f.buckets(), load)
}

/// A split between buffers of this device.
pub(crate) fn enqueue<F: Buckets>(
    gpu: &Gpu<impl Runtime>,
    request: &Multisplit<'_, F>,
    keys: &Buffer<F::Key>,
    keys_out: &Buffer<F::Key>,
    columns: &[Column<'_>],
    offsets: &mut Offsets,
    workspace: &Workspace,
) -> Result<()> {
    let (mut moves, mut permutation) = (Vec::new(), None);
    for column in columns {
        match &column.0 {
            ColumnKind::Values { width, from, to } => {
                if let (Some(from), Some(to)) = (from.handle(), to.handle()) {
                    moves.push(GpuColumn { width: *width, from: from.clone(), to: to.clone() });
                }
            }
            ColumnKind::Permutation { to } => permutation = to.handle().cloned(),
        }
    }
    let plan = plan(gpu, request, keys.len(), &moves, permutation.is_some())?;
    let (Some(keys), Some(keys_out)) = (keys.handle().cloned(), keys_out.handle().cloned()) else {
        return Ok(());
    };
    let job = Job { keys, keys_out, columns: &moves, permutation, through: request.through };
    offsets.m = request.f.buckets();
    match (&mut offsets.memory, &workspace.memory) {
        (OffsetsMemory::Gpu(result), WorkspaceMemory::Gpu(workspace)) => {
            split(gpu, &plan, request.f, &job, result, workspace)
        }
        _ => Ok(()),
    }
}

/// A split on slices, by way of the device: up, split, down.
pub(crate) fn split_slices<R: Runtime, F: Buckets>(
    gpu: &Gpu<R>,
    request: &Multisplit<'_, F>,
    keys: &[F::Key],
    to: Outputs<'_, '_, F::Key>,
) -> Result<Vec<usize>> {
    let mut columns = Vec::new();
    for column in to.columns.iter() {
        let from = gpu.upload(column.from)?;
        columns.push(GpuColumn { width: column.width, from, to: gpu.allocate(column.to.len())? });
    }
    let n = keys.len();
    let permutation = to.permutation.as_ref().map(|_| gpu.allocate(4 * n)).transpose()?;
    let plan = plan(gpu, request, n, &columns, permutation.is_some())?;
    let bytes: &[u8] = bytemuck::cast_slice(keys);
    let (keys, keys_out) = (gpu.upload(bytes)?, gpu.allocate(bytes.len())?);
    let job = Job { keys, keys_out, columns: &columns, permutation, through: Stage::Postscan };
    let workspace = GpuWorkspace::new(gpu, plan.needs())?;
    let mut result = gpu.upload(bytemuck::cast_slice(&vec![0u32; result_words(plan.m)]))?;
    split(gpu, &plan, request.f, &job, &mut result, &workspace)?;

    let offsets = read_result(gpu, &result, plan.m)?;
    download(gpu, &job.keys_out, bytemuck::cast_slice_mut(to.keys))?;
    for (from, to) in columns.iter().zip(to.columns) {
        download(gpu, &from.to, to.to)?;
    }
    if let (Some(from), Some(to)) = (&job.permutation, to.permutation) {
        download(gpu, from, bytemuck::cast_slice_mut(to))?;
    }
    Ok(offsets)
}

pub(super) fn download(gpu: &Gpu<impl Runtime>, from: &Handle, to: &mut [u8]) -> Result<()> {
    if !to.is_empty() {
        to.copy_from_slice(&gpu.read(from, to.len())?[..to.len()]);
    }
    Ok(())
}

/// Waits for a split and reads its offsets, or what went wrong.
pub(crate) fn read_result(gpu: &Gpu<impl Runtime>, handle: &Handle, m: u32) -> Result<Vec<usize>> {
    let words = read_words(gpu, handle, m)?;
    let (offsets, status) = words.split_at(m as usize + 1);
    if status[1] != 0 {
        let plane = gpu.facts.plane;
        return Err(gpu.lacks(format!("a fixed plane size: a kernel made for {plane} lanes ran with another number")));
    }
    check_astray(u64::from(status[0]), m)?;
    Ok(offsets.iter().map(|&offset| offset as usize).collect())
}
