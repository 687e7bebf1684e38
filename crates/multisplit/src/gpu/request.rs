//! From the public calls to a plan and a job: buffers become handles, slices go up and come down.

use super::client::Gpu;
use super::digit::DigitOf;
use super::function::{Function, KeyOf};
use super::links::Links;
use super::load::Load;
use super::many;
use super::plan::Plan;
use super::selector;
use super::split::{COLUMNS_PER_PASS, GpuColumn, Job, read_words, result_words, split};
use super::workspace::{GpuWorkspace, Needs};
use crate::bucket::Buckets;
use crate::buffer::Buffer;
use crate::column::{Column, ColumnKind};
use crate::digits::Digits;
use crate::error::Result;
use crate::key::Key;
use crate::multisplit::Multisplit;
use crate::offsets::{Offsets, OffsetsMemory, check_astray};
use crate::policy::ONE_PASS;
use crate::split::Outputs;
use crate::stage::Stage;
use crate::value::Width;
use crate::workspace::{Workspace, WorkspaceMemory};
use cubecl::prelude::Runtime;
use cubecl::server::Handle;

/// What a split needs, whatever columns come along, if there are no more than `columns` of them.
pub(crate) fn most_needs<F: Buckets>(
    gpu: &Gpu<impl Runtime>,
    request: &Multisplit<'_, F>,
    n: usize,
    columns: usize,
) -> Result<Needs> {
    let m = request.f.buckets();
    selector::check_buckets(&gpu.facts, request.method, m)?;
    if m <= ONE_PASS {
        return most_of_a_pass(gpu, request, request.f, n, m);
    }
    let digits = Digits::of(m);
    let needs = most_of_a_pass(gpu, request, &DigitOf { f: request.f, digits, pass: 0 }, n, digits.values())?;
    Ok(Needs { spare: many::spare(request.f, n, columns, size_of::<u64>()), ..needs })
}

/// What a pass into m buckets needs, whatever columns come along.
fn most_of_a_pass<F>(
    gpu: &Gpu<impl Runtime>,
    request: &Multisplit<'_, F>,
    f: &impl Function,
    n: usize,
    m: u32,
) -> Result<Needs> {
    let needs = |narrow, wide, permutation| {
        let load = Load::new(f, narrow, wide, permutation);
        Plan::new(&gpu.facts, request.method, request.policy, n, m, load).map(|plan| plan.needs())
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

/// The plan of a pass into m buckets, if the device can do it at all. `columns` are how many narrow and wide ones there
/// are, and whether the permutation is made.
pub(super) fn plan<F, G: Function>(
    gpu: &Gpu<impl Runtime>,
    request: &Multisplit<'_, F>,
    f: &G,
    n: usize,
    m: u32,
    columns: (usize, usize, bool),
) -> Result<Plan> {
    gpu.check_planes()?;
    gpu.check_key::<KeyOf<G>>()?;
    let (narrow, wide, permutation) = columns;
    // What the heaviest postscan may carry.
    let wide = (wide as u32).min(COLUMNS_PER_PASS);
    let narrow = (narrow as u32).min(COLUMNS_PER_PASS - wide);
    Plan::new(&gpu.facts, request.method, request.policy, n, m, Load::new(f, narrow, wide, permutation))
}

/// The plan of a split that takes one pass.
pub(super) fn plan_of_one<F: Buckets>(
    gpu: &Gpu<impl Runtime>,
    request: &Multisplit<'_, F>,
    n: usize,
    columns: &[GpuColumn],
    permutation: bool,
) -> Result<Plan> {
    let count = |width| columns.iter().filter(|c| c.width == width).count();
    let columns = (count(Width::Narrow), count(Width::Wide), permutation);
    plan(gpu, request, request.f, n, request.f.buckets(), columns)
}

/// What a split with these columns needs.
fn needs<F: Buckets>(
    gpu: &Gpu<impl Runtime>,
    request: &Multisplit<'_, F>,
    n: usize,
    columns: &[GpuColumn],
    permutation: bool,
) -> Result<Needs> {
    selector::check_buckets(&gpu.facts, request.method, request.f.buckets())?;
    if request.f.buckets() > ONE_PASS {
        return many::needs(gpu, request, n, columns, permutation);
    }
    plan_of_one(gpu, request, n, columns, permutation).map(|plan| plan.needs())
}

/// Splits, in as many passes as it takes.
fn run<R: Runtime, F: Buckets>(
    gpu: &Gpu<R>,
    request: &Multisplit<'_, F>,
    n: usize,
    job: &Job<'_>,
    result: &mut Handle,
    workspace: &GpuWorkspace,
) -> Result<()> {
    selector::check_buckets(&gpu.facts, request.method, request.f.buckets())?;
    if request.f.buckets() > ONE_PASS {
        return many::split_many(gpu, request, n, job, result, workspace);
    }
    let plan = plan_of_one(gpu, request, n, job.columns, job.permutation.is_some())?;
    split(gpu, &plan, request.f, job, &Links::NONE, result, workspace)
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
    let Some(moved) = Moved::between(keys, keys_out, columns) else { return Ok(()) };
    match (&mut offsets.memory, &workspace.memory) {
        (OffsetsMemory::Gpu(result), WorkspaceMemory::Gpu(workspace)) => {
            run(gpu, request, keys.len(), &moved.job(request.through), result, workspace)?;
            offsets.holds(request.f.buckets(), 1);
            Ok(())
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
    let n = keys.len();
    let moved = Moved::upload(gpu, keys, &to)?;
    let needs = needs(gpu, request, n, &moved.columns, moved.permutation.is_some())?;
    let workspace = GpuWorkspace::new(gpu, needs)?;
    let m = request.f.buckets();
    let mut result = gpu.upload(bytemuck::cast_slice(&vec![0u32; result_words(m)]))?;
    run(gpu, request, n, &moved.job(Stage::Postscan), &mut result, &workspace)?;

    let offsets = read_result(gpu, &result, m, 1)?;
    moved.download(gpu, to)?;
    Ok(offsets)
}

/// What a split moves, on the device.
pub(super) struct Moved {
    keys: Handle,
    keys_out: Handle,
    pub columns: Vec<GpuColumn>,
    pub permutation: Option<Handle>,
}

impl Moved {
    /// Buffers of this device; nothing if they are not.
    pub fn between<K>(keys: &Buffer<K>, keys_out: &Buffer<K>, columns: &[Column<'_>]) -> Option<Self> {
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
        let (keys, keys_out) = (keys.handle()?.clone(), keys_out.handle()?.clone());
        Some(Self { keys, keys_out, columns: moves, permutation })
    }

    /// Slices, uploaded, and room for what becomes of them.
    pub fn upload<K: Key>(gpu: &Gpu<impl Runtime>, keys: &[K], to: &Outputs<'_, '_, K>) -> Result<Self> {
        let mut columns = Vec::new();
        for column in to.columns.iter() {
            let from = gpu.upload(column.from)?;
            columns.push(GpuColumn { width: column.width, from, to: gpu.allocate(column.to.len())? });
        }
        let permutation = to.permutation.as_ref().map(|_| gpu.allocate(4 * keys.len())).transpose()?;
        let bytes: &[u8] = bytemuck::cast_slice(keys);
        Ok(Self { keys: gpu.upload(bytes)?, keys_out: gpu.allocate(bytes.len())?, columns, permutation })
    }

    /// The job of moving it.
    pub fn job(&self, through: Stage) -> Job<'_> {
        let Self { keys, keys_out, columns, permutation } = self;
        let (keys, keys_out, permutation) = (keys.clone(), keys_out.clone(), permutation.clone());
        Job { keys, keys_out, columns, permutation, through }
    }

    /// Waits, and copies what became of it to slices.
    pub fn download<K: Key>(&self, gpu: &Gpu<impl Runtime>, to: Outputs<'_, '_, K>) -> Result<()> {
        download(gpu, &self.keys_out, bytemuck::cast_slice_mut(to.keys))?;
        for (from, to) in self.columns.iter().zip(to.columns) {
            download(gpu, &from.to, to.to)?;
        }
        if let (Some(from), Some(to)) = (&self.permutation, to.permutation) {
            download(gpu, from, bytemuck::cast_slice_mut(to))?;
        }
        Ok(())
    }
}

pub(super) fn download(gpu: &Gpu<impl Runtime>, from: &Handle, to: &mut [u8]) -> Result<()> {
    if !to.is_empty() {
        to.copy_from_slice(&gpu.read(from, to.len())?[..to.len()]);
    }
    Ok(())
}

/// Waits for a split of so many segments into m buckets and reads its offsets, or what went wrong.
pub(crate) fn read_result(gpu: &Gpu<impl Runtime>, handle: &Handle, m: u32, segments: u32) -> Result<Vec<usize>> {
    let buckets = m * segments;
    let words = read_words(gpu, handle, buckets)?;
    let (offsets, status) = words.split_at(buckets as usize + 1);
    if status[1] != 0 {
        let plane = gpu.facts.plane;
        return Err(gpu.lacks(format!("a fixed plane size: a kernel made for {plane} lanes ran with another number")));
    }
    check_astray(u64::from(status[0]), m)?;
    Ok(offsets.iter().map(|&offset| offset as usize).collect())
}
