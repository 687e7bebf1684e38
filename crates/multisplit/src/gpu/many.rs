//! More buckets than one pass tells apart: a pass for each digit of the bucket id, the lowest first.
//!
//! Keys and columns go back and forth between the outputs and spare buffers, so that the last pass ends in the outputs.
//! The permutation is made by the first pass; to the others it is a column. The offsets come from a histogram of the
//! whole ids, which also knows how many are out of range.

use super::client::Gpu;
use super::digit::DigitOf;
use super::histogram;
use super::kernels::offsets::{self, PART};
use super::request::plan;
use super::selector::{self, Facts};
use super::split::{GpuColumn, Job, LOST, UNWRITTEN, read_words, result_words, split};
use super::workspace::{GpuWorkspace, Needs, Spare, SpareBuffers};
use crate::bucket::Buckets;
use crate::digits::Digits;
use crate::error::{Error, Result};
use crate::histogram::Histogram;
use crate::multisplit::Multisplit;
use crate::stage::Stage;
use crate::value::Width;
use cubecl::prelude::*;
use cubecl::server::Handle;

/// Units of the kernels that make offsets of counts.
const UNITS: u32 = 256;

/// What more than one pass needs, for `columns` columns of up to `bytes` bytes, the permutation among them.
pub(super) fn spare<F: Buckets>(f: &F, n: usize, columns: usize, bytes: usize) -> Spare {
    let m = f.buckets();
    Spare {
        passes: Digits::of(m).passes as usize,
        sums: parts(m) as usize,
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
    let made = Made { n: n as u32, m: request.f.buckets(), digits, passes: &results, sums: &spare.sums };
    made.offsets(gpu, request.f, &job.keys, result)
}

/// All columns of a split, the permutation last.
fn tracks<'a>(job: &'a Job<'_>, spare: &'a SpareBuffers) -> Vec<Track<'a>> {
    let values = job.columns.iter().map(|column| (column.width, Some(&column.from), &column.to));
    let permutation = job.permutation.as_ref().map(|to| (Width::Narrow, None, to));
    let all = values.chain(permutation).zip(&spare.columns);
    all.map(|((width, at, to), spare)| Track { width, at, to, spare }).collect()
}

/// Parts of so many counts that are added up apart.
pub(super) fn parts(counts: u32) -> u32 {
    counts.div_ceil(PART)
}

/// Units of the kernels that scan counts.
pub(super) fn scan_units(facts: &Facts) -> u32 {
    UNITS.min(selector::most_units(facts))
}

/// Adds up the parts of so many counts.
pub(super) fn sum_parts<R: Runtime>(gpu: &Gpu<R>, units: u32, array: ArrayArg<R>, sums: ArrayArg<R>, counts: u32) {
    // SAFETY: the kernel reads that many counts and writes the sums of their parts; the caller has both.
    unsafe {
        offsets::sum_parts::launch_unchecked::<R>(
            &gpu.client,
            CubeCount::new_1d(parts(counts)),
            CubeDim::new_1d(units),
            gpu.address(),
            array,
            sums,
            counts,
            units,
        )
    }
}

/// What the offsets are made from.
struct Made<'a> {
    n: u32,
    m: u32,
    digits: Digits,
    /// What the passes left.
    passes: &'a [Handle],
    sums: &'a Handle,
}

impl Made<'_> {
    /// Counts the keys into `result`, and makes offsets of the counts.
    fn offsets<R: Runtime, F: Buckets>(&self, gpu: &Gpu<R>, f: &F, keys: &Handle, result: &mut Handle) -> Result<()> {
        let units = scan_units(&gpu.facts);
        let variant = u64::from(units) << 32 | self.passes.len() as u64;
        let first_run = !gpu.is_proven(variant);
        if first_run {
            *result = gpu.upload(bytemuck::cast_slice(&vec![UNWRITTEN; result_words(self.m)]))?;
        }
        histogram::enqueue::<R, F, u32>(gpu, &Histogram::by(f), keys, self.n as usize, result)?;
        gpu.launch(|| self.launch(gpu, units, result))?;
        if first_run {
            self.prove(gpu, result)?;
            gpu.set_proven(variant);
        }
        Ok(())
    }

    fn launch<R: Runtime>(&self, gpu: &Gpu<R>, units: u32, result: &Handle) {
        let Self { n, m, digits, passes, sums } = *self;
        let parts = parts(m);
        // SAFETY: the result holds all its words by construction, those of the passes were made for as many digits or
        // more, and there is a sum for each part (`GpuWorkspace::check`).
        let array = |handle: &Handle, len: usize| unsafe { ArrayArg::from_raw_parts(handle.clone(), len) };
        if parts > 1 {
            sum_parts(gpu, units, array(result, result_words(m)), array(sums, parts as usize), m);
        }
        // SAFETY: the kernel writes the words of the result, and reads what is described above.
        unsafe {
            offsets::offsets::launch_unchecked::<R>(
                &gpu.client,
                CubeCount::new_1d(parts),
                CubeDim::new_1d(units),
                gpu.address(),
                array(result, result_words(m)),
                array(sums, parts as usize),
                passes.iter().map(|pass| array(pass, result_words(digits.values()))).collect(),
                n,
                m,
                digits.values(),
                units,
            )
        }
    }

    /// Waits for the first run and looks whether the kernels did run, as for those of a split.
    fn prove(&self, gpu: &Gpu<impl Runtime>, result: &Handle) -> Result<()> {
        let failed =
            |reason: String| Error::KernelFailed { device: gpu.name.clone(), kernel: "offsets".into(), reason };
        gpu.sync().map_err(|error| failed(error.to_string()))?;
        let words = read_words(gpu, result, self.m)?;
        let m = self.m as usize;
        let ran = words[m + 2] != UNWRITTEN && words[m] == self.n && words[0] == 0 && words[..=m].is_sorted();
        if ran { Ok(()) } else { Err(failed(LOST.into())) }
    }
}
