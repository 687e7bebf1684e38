//! Segmented splits on a GPU: from the public calls to the launches.

pub(crate) mod bucket_offsets;
mod classes;
mod deal;
pub(crate) mod device_deal;
mod launch;
mod many;
mod plan;
pub(crate) mod postscan;
pub(crate) mod prescan;
pub(crate) mod scan;
pub(crate) mod single_plane;
pub(crate) mod single_tile;
#[cfg(all(test, feature = "wgpu"))]
mod tests;
pub(crate) mod tile_table;

use super::function::Function;
use super::request::{self, Request};
use super::split::Job;
use super::split::payload::{COLUMNS_PER_PASS, Payload};
use super::table::{Carried, Table};
use super::workspace::{Arena, Needs, Scratch};
use crate::bucket::key::Key;
use crate::error::Result;
use crate::memory::offsets::Offsets;
use crate::memory::result::{read_result, result_words};
use crate::method::Stage;
use crate::request::outputs::Outputs;
use crate::request::policy::ONE_PASS;
use crate::request::segments::Segments;
use crate::runtime::{Fault, FirstRun, Gpu, Memory, Slice, UNWRITTEN, variant};
use cubecl::prelude::Runtime;
use launch::Launches;
use plan::SegmentPlan;
use std::cell::OnceCell;
use std::ops::Deref;

/// What any segments of `n` keys need, whatever columns come along, if there are no more than `columns` of them.
pub(crate) fn most_needs<R: Runtime, K: Key>(
    gpu: &Gpu<R>,
    request: &Request<'_, R, K>,
    n: usize,
    segments: usize,
    columns: usize,
) -> Result<Needs> {
    plan::check_method(request.method)?;
    if request.m > ONE_PASS {
        return many::most_needs(gpu, request, n, segments, columns);
    }
    most_of_a_pass(gpu, request, request.f, n, segments, request.m)
}

fn most_of_a_pass<R: Runtime, K: Key>(
    gpu: &Gpu<R>,
    request: &Request<'_, R, K>,
    f: &dyn Function<R, K>,
    n: usize,
    segments: usize,
    m: u32,
) -> Result<Needs> {
    request::most_of_all(Payload::new(f, 0, 0, false), &|payload| {
        let payload = Payload { ids_per_word: 0, ..payload };
        plan::most_needs(&gpu.facts, request.policy, n, segments, m, payload)
    })
}

/// The heaviest that one launch may carry. Bucket ids are not kept between kernels.
fn payload<R: Runtime, K: Key>(f: &dyn Function<R, K>, (narrow, wide, permutation): Carried) -> Payload {
    let wide = (wide as u32).min(COLUMNS_PER_PASS);
    let narrow = (narrow as u32).min(COLUMNS_PER_PASS - wide);
    Payload { ids_per_word: 0, ..Payload::new(f, narrow, wide, permutation) }
}

/// The plan of a pass into m buckets, if the device can do it at all.
fn plan<'s, R: Runtime, K: Key>(
    gpu: &Gpu<R>,
    request: &Request<'_, R, K>,
    f: &dyn Function<R, K>,
    segments: Segments<'s>,
    m: u32,
    carried: Carried,
) -> Result<SegmentPlan<'s>> {
    gpu.check_planes()?;
    SegmentPlan::new(&gpu.facts, request.policy, segments, m, payload(f, carried))
}

/// What a segmented split has got of a workspace.
struct SegmentScratch {
    scratch: Scratch,
    /// What kernels report to. It is 0 before each split, and kernels see to that.
    status: Slice<u32>,
    /// Where segments begin and end, once a kernel needs that.
    offsets: OnceCell<Memory>,
}

impl SegmentScratch {
    /// Where segments begin, and where the last one ends, on the device.
    fn offsets<R: Runtime>(&self, gpu: &Gpu<R>, plan: &SegmentPlan<'_>) -> Result<Slice<u32>> {
        let memory = match self.offsets.get() {
            Some(memory) => memory,
            None => {
                let memory = gpu.upload_words(plan.deal.take_words(plan.segments))?;
                self.offsets.get_or_init(|| memory)
            }
        };
        gpu.reads(memory)?.first(plan.segments.offsets().len())
    }
}

impl Deref for SegmentScratch {
    type Target = Scratch;

    fn deref(&self) -> &Scratch {
        &self.scratch
    }
}

/// A segmented split between slices of this device.
pub(crate) fn enqueue<R: Runtime, K: Key>(
    gpu: &Gpu<R>,
    request: &Request<'_, R, K>,
    segments: Segments<'_>,
    table: &Table,
    offsets: &mut Offsets,
    arena: &mut Arena,
) -> Result<()> {
    let job = &Job { table, through: request.through, leaves_g: false };
    let (shape, complete) = ((segments.keys(), request.m, segments.count()), request.through == Stage::Postscan);
    offsets.write_on(gpu, shape, complete, |result| run(gpu, request, segments, job, &result, arena, false))
}

/// A segmented split on slices, by way of the device: up, split, down.
pub(crate) fn split_slices<R: Runtime, K: Key>(
    gpu: &Gpu<R>,
    request: &Request<'_, R, K>,
    keys: &[K],
    segments: Segments<'_>,
    to: Outputs<'_, '_, K>,
) -> Result<Vec<usize>> {
    let table = Table::upload(gpu, keys, &to)?;
    let memory = gpu.allocate(4 * result_words(request.m * segments.count()))?;
    let result = gpu.writes(&memory)?;
    let mut arena = Arena::EMPTY;
    let job = &Job { table: &table, through: Stage::Postscan, leaves_g: false };
    run(gpu, request, segments, job, &result, &mut arena, true)?;
    let offsets = read_result(gpu, &result, request.m, segments.count())?;
    table.download(gpu, to)?;
    Ok(offsets)
}

/// Splits, in as many passes as it takes. A workspace of the call's own `grows` to what is needed.
fn run<R: Runtime, K: Key>(
    gpu: &Gpu<R>,
    request: &Request<'_, R, K>,
    segments: Segments<'_>,
    job: &Job<'_>,
    result: &Slice<u32>,
    arena: &mut Arena,
    grows: bool,
) -> Result<()> {
    plan::check_method(request.method)?;
    let buckets = request.m * segments.count();
    let work = if request.m > ONE_PASS {
        Work::Many(many::SegmentPlans::new(gpu, request, segments, job)?)
    } else {
        Work::One(plan(gpu, request, request.f, segments, request.m, job.table.carried())?)
    };
    let needs = work.needs();
    if grows {
        arena.reserve(gpu, needs.bytes(gpu))?;
    }
    let mut cutter = arena.cut(gpu, needs.bytes(gpu))?;
    let result = &result.first(result_words(buckets))?;
    if segments.keys() == 0 {
        return gpu.fill(result, 0);
    }
    let status = arena.status(gpu, &cutter)?;
    let scratch = &SegmentScratch { scratch: Scratch::cut(&mut cutter, &needs)?, status, offsets: OnceCell::new() };
    let split = match &work {
        Work::One(plan) => pass(gpu, plan, request.f, job, result, scratch),
        Work::Many(plans) => plans.run(gpu, request, job, result, scratch),
    };
    let finished = split.and_then(|()| match job.through {
        Stage::Postscan => finish(gpu, segments.keys() as u32, buckets, result, scratch),
        _ => Ok(()),
    });
    finished.inspect_err(|_| arena.soil())
}

/// What there is to do.
#[allow(clippy::large_enum_variant)] // there is one in a call
enum Work<'s> {
    One(SegmentPlan<'s>),
    Many(many::SegmentPlans<'s>),
}

impl Work<'_> {
    fn needs(&self) -> Needs {
        match self {
            Self::One(plan) => plan.needs(),
            Self::Many(plans) => plans.needs,
        }
    }
}

/// One pass. `result` has the words of a result for all buckets of the pass.
fn pass<R: Runtime, K: Key>(
    gpu: &Gpu<R>,
    plan: &SegmentPlan<'_>,
    f: &dyn Function<R, K>,
    job: &Job<'_>,
    result: &Slice<u32>,
    scratch: &SegmentScratch,
) -> Result<()> {
    let result = &result.first(result_words(plan.buckets()))?;
    let launches = Launches::new(gpu, plan, f, job, result, scratch)?;
    let all = || {
        if job.through == Stage::Postscan {
            launches.whole_segments()?;
        }
        launches.cut_segments()
    };
    if job.through != Stage::Postscan {
        return all();
    }
    watch(gpu, "segments", &launches.variants(), plan.segments, plan.m, result, scratch, all)
}

/// Launches kernels that write where the buckets of segments begin. The first time, looks whether they did run, and
/// whether planes were of the right size.
fn watch<R: Runtime>(
    gpu: &Gpu<R>,
    kernel: &'static str,
    variants: &[u64],
    segments: Segments<'_>,
    m: u32,
    result: &Slice<u32>,
    scratch: &SegmentScratch,
    launches: impl FnOnce() -> Result<()>,
) -> Result<()> {
    let mut status = Ok(Vec::new());
    let first_run = FirstRun { kernel: "segmented multisplit", variants };
    first_run.watch(gpu, result, launches, |words| {
        status = gpu.read(&scratch.status);
        match status.as_deref() {
            Ok(&[_, flag, ..]) if flag != 0 => Err(Fault::Planes),
            _ if begins_are_right(words, segments, m) => Ok(()),
            _ => Err(Fault::Lost(kernel)),
        }
    })?;
    status.map(drop)
}

/// Whether the first bucket of each segment begins where the segment does, and no bucket before the one in front of it.
fn begins_are_right(words: &[u32], segments: Segments<'_>, m: u32) -> bool {
    let words = &words[..m as usize * segments.count() as usize];
    let mut begins = words.iter().step_by(m as usize).zip(segments.iter());
    words.is_sorted()
        && words.last().is_none_or(|&last| last as usize <= segments.keys())
        && begins.all(|(&begin, (start, _))| begin as usize == start)
}

/// Ends the result as every split does. The first time, that is seen to happen.
fn finish<R: Runtime>(gpu: &Gpu<R>, n: u32, buckets: u32, result: &Slice<u32>, scratch: &SegmentScratch) -> Result<()> {
    let launches = || launch::finish(gpu, n, buckets, result, &scratch.status);
    let first_run = FirstRun { kernel: "segmented multisplit", variants: &[variant("finish segments")] };
    // Only what is written here is marked, so that the offsets stay.
    let end = buckets as usize;
    first_run.watch_from(gpu, result, end, launches, |words| match words[end + 2] {
        UNWRITTEN => Err(Fault::Lost("finish")),
        0 => Ok(()),
        _ => Err(Fault::Planes),
    })
}
