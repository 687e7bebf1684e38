//! More buckets than one pass tells apart: a pass for each digit of the bucket id, the lowest first.
//!
//! Keys and columns go back and forth between the outputs and spare buffers, so that the last pass ends in the outputs.
//! The permutation is made by the first pass; to the others it is a column. The offsets are found in the output.

use super::client::Gpu;
use super::digit::DigitOf;
use super::kernels::starts::{self, PART, UNROLL};
use super::plan::MOST_CUBES;
use super::request::plan;
use super::selector;
use super::split::{GpuColumn, Job, LOST, UNWRITTEN, read_words, result_words, split};
use super::stage::keys_per_load;
use super::workspace::{GpuWorkspace, Needs, Spare, SpareBuffers};
use crate::bucket::{Buckets, Upload};
use crate::digits::Digits;
use crate::error::{Error, Result};
use crate::multisplit::Multisplit;
use crate::stage::Stage;
use crate::value::Width;
use cubecl::prelude::*;
use cubecl::server::Handle;
use std::any::TypeId;
use std::hash::{DefaultHasher, Hash, Hasher};

/// Units of the kernels that find the offsets.
const UNITS: u32 = 256;

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
        split(gpu, &plan, &f, &step, result, workspace)?;
        if job.through != Stage::Postscan {
            return Ok(());
        }
        keys = keys_out;
        tracks.iter_mut().for_each(|track| track.at = Some(if last { track.to } else { track.spare }));
    }
    let made = Made { n: n as u32, m: request.f.buckets(), digits, passes: &results, least: &spare.least };
    made.offsets(gpu, request.f, keys, result)
}

/// All columns of a split, the permutation last.
fn tracks<'a>(job: &'a Job<'_>, spare: &'a SpareBuffers) -> Vec<Track<'a>> {
    let values = job.columns.iter().map(|column| (column.width, Some(&column.from), &column.to));
    let permutation = job.permutation.as_ref().map(|to| (Width::Narrow, None, to));
    let all = values.chain(permutation).zip(&spare.columns);
    all.map(|((width, at, to), spare)| Track { width, at, to, spare }).collect()
}

/// Parts of the starts that are gone through apart.
fn parts(m: u32) -> u32 {
    m.div_ceil(PART)
}

/// What the offsets are made from.
struct Made<'a> {
    n: u32,
    m: u32,
    digits: Digits,
    /// What the passes left.
    passes: &'a [Handle],
    /// Room for the least start of each part.
    least: &'a Handle,
}

impl Made<'_> {
    /// Finds where buckets begin in the `keys` that the last pass left.
    fn offsets<R: Runtime, F: Buckets>(&self, gpu: &Gpu<R>, f: &F, keys: &Handle, result: &mut Handle) -> Result<()> {
        let units = UNITS.min(selector::most_units(&gpu.facts));
        let per_load = keys_per_load::<F::Key>(keys, self.n);
        let mut hasher = DefaultHasher::new();
        (TypeId::of::<F>(), f.kernel_variant(), per_load, self.passes.len()).hash(&mut hasher);
        let variant = hasher.finish();
        let first_run = !gpu.is_proven(variant);
        if first_run {
            *result = gpu.upload(bytemuck::cast_slice(&vec![UNWRITTEN; result_words(self.m)]))?;
        }
        gpu.launch(|| self.launch(gpu, f, keys, per_load, units, result))?;
        if first_run {
            self.prove(gpu, result)?;
            gpu.set_proven(variant);
        }
        Ok(())
    }

    fn launch<R: Runtime, F: Buckets>(
        &self,
        gpu: &Gpu<R>,
        f: &F,
        keys: &Handle,
        per_load: usize,
        units: u32,
        result: &Handle,
    ) {
        let Self { n, m, digits, passes, least } = *self;
        let (parts, dim) = (parts(m), CubeDim::new_1d(units));
        let cubes =
            |items: u32, per_unit: u32| CubeCount::new_1d(items.div_ceil(units * per_unit).clamp(1, MOST_CUBES));
        let loads = n.div_ceil(per_load as u32);
        let f = f.kernel_arg(&Upload { client: &gpu.client, device: gpu.id });
        // SAFETY: the result holds all its words by construction, those of the passes were made for as many digits or
        // more, there is a word for each part (`GpuWorkspace::check`), and keys are read in whole loads, which lie within
        // the allocation (see `keys_per_load`).
        let array = |handle: &Handle, len: usize| unsafe { ArrayArg::from_raw_parts(handle.clone(), len) };
        let words = || array(result, result_words(m));
        // SAFETY: what the kernels read and write is described above; starts are written for buckets below m.
        unsafe {
            starts::no_starts::launch_unchecked::<R>(&gpu.client, cubes(m, 8), dim, gpu.address(), words(), n, m);
            starts::mark_starts::launch_unchecked::<F, R>(
                &gpu.client,
                cubes(loads, UNROLL),
                dim,
                gpu.address(),
                per_load,
                array(keys, loads as usize),
                words(),
                f,
                n,
                m,
                units,
            );
            if parts > 1 {
                starts::least_of_parts::launch_unchecked::<R>(
                    &gpu.client,
                    CubeCount::new_1d(parts),
                    dim,
                    gpu.address(),
                    words(),
                    array(least, parts as usize),
                    n,
                    m,
                    units,
                );
            }
            starts::fill_gaps::launch_unchecked::<R>(
                &gpu.client,
                CubeCount::new_1d(parts),
                dim,
                gpu.address(),
                words(),
                array(least, parts as usize),
                passes.iter().map(|pass| array(pass, result_words(digits.values()))).collect(),
                n,
                m,
                digits.values(),
                units,
            );
        }
    }

    /// Waits for the first run and looks whether the kernels did run, as for those of a split.
    fn prove(&self, gpu: &Gpu<impl Runtime>, result: &Handle) -> Result<()> {
        let failed = |reason: String| Error::KernelFailed { device: gpu.name.clone(), kernel: "starts".into(), reason };
        gpu.sync().map_err(|error| failed(error.to_string()))?;
        let words = read_words(gpu, result, self.m)?;
        let m = self.m as usize;
        let ran = words[m + 2] != UNWRITTEN && words[m] == self.n && words[0] == 0 && words[..=m].is_sorted();
        if ran { Ok(()) } else { Err(failed(LOST.into())) }
    }
}
