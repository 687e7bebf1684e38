//! Splits, in one pass or several: between device memory, and on host slices by way of it.

use super::pass_fusion::Fusion;
use super::{Job, split};
use crate::bucket::key::Key;
use crate::error::Result;
use crate::gpu::primitives::digit::DigitOf;
use crate::gpu::request::{Request, most_of_a_pass, plan};
use crate::gpu::table::Table;
use crate::gpu::tuning::plan::SplitPlan;
use crate::gpu::tuning::selector;
use crate::gpu::workspace::{Arena, Needs, Scratch};
use crate::gpu::{many, select};
use crate::memory::offsets::Offsets;
use crate::memory::result::{read_result, result_words};
use crate::method::Stage;
use crate::request::outputs::Outputs;
use crate::request::policy::ONE_PASS;
use crate::runtime::{Gpu, Slice};
use cubecl::prelude::Runtime;

/// What a split needs, whatever columns come along, if there are no more than `columns` of them.
pub(crate) fn most_needs<R: Runtime, K: Key>(
    gpu: &Gpu<R>,
    request: &Request<'_, R, K>,
    n: usize,
    columns: usize,
) -> Result<Needs> {
    selector::check_buckets(&gpu.facts, request.method, request.m)?;
    if request.m <= ONE_PASS {
        let needs = most_of_a_pass(gpu, request, request.f, n, request.m)?;
        return Ok(needs.max(select::most_needs(gpu, request, n)));
    }
    let digits = request.digits();
    let f = DigitOf { f: request.f, digits, pass: 0 };
    let needs = most_of_a_pass(gpu, request, &f, n, digits.values())?;
    Ok(many::with_passes(needs, request, n, (0, columns)))
}

/// A split, worked out.
enum Planned {
    One(SplitPlan),
    /// One pass that writes the first of two buckets alone.
    Selection(u32, Needs),
    /// Several passes, each planned in its turn, and what all of them need.
    Many(Needs),
}

impl Planned {
    fn new<R: Runtime, K: Key>(gpu: &Gpu<R>, request: &Request<'_, R, K>, n: usize, job: &Job<'_>) -> Result<Self> {
        selector::check_buckets(&gpu.facts, request.method, request.m)?;
        let (narrow, wide) = job.table.widths();
        let carried = (narrow, wide, job.table.permutation.is_some());
        if request.m > ONE_PASS {
            return many::needs(gpu, request, n, carried).map(Self::Many);
        }
        let plan = plan(gpu, request, request.f, n, request.m, carried)?;
        if select::is_one_pass(request, &plan) {
            return Ok(Self::Selection(plan.n, select::needs(gpu, request.f, n, job)));
        }
        Ok(Self::One(plan))
    }

    fn needs(&self) -> Needs {
        match self {
            Self::One(plan) => plan.needs(),
            Self::Selection(_, needs) | Self::Many(needs) => *needs,
        }
    }

    /// Splits, in as many passes as it takes.
    fn run<R: Runtime, K: Key>(
        &self,
        gpu: &Gpu<R>,
        request: &Request<'_, R, K>,
        n: usize,
        job: &Job<'_>,
        result: &Slice<u32>,
        scratch: &Scratch,
    ) -> Result<()> {
        match self {
            Self::One(plan) => split(gpu, plan, request.f, job, &Fusion::NONE, result, scratch),
            &Self::Selection(n, _) => select::select(gpu, request.f, n, job, result, scratch),
            Self::Many(_) => many::split_many(gpu, request, n, job, result, scratch),
        }
    }
}

/// A split of n keys between slices of this device.
pub(crate) fn enqueue<R: Runtime, K: Key>(
    gpu: &Gpu<R>,
    request: &Request<'_, R, K>,
    n: usize,
    table: &Table,
    offsets: &mut Offsets,
    arena: &Arena,
) -> Result<()> {
    let job = &Job { table, through: request.through, leaves_g: false };
    let planned = Planned::new(gpu, request, n, job)?;
    let needs = planned.needs();
    let scratch = Scratch::cut(&mut arena.cut(gpu, needs.bytes(gpu))?, &needs)?;
    let complete = request.through == Stage::Postscan;
    offsets.write_on(gpu, (n, request.m, 1), complete, |result| planned.run(gpu, request, n, job, &result, &scratch))
}

/// A split on slices, by way of the device: up, split, down.
pub(crate) fn split_slices<R: Runtime, K: Key>(
    gpu: &Gpu<R>,
    request: &Request<'_, R, K>,
    keys: &[K],
    to: Outputs<'_, '_, K>,
) -> Result<Vec<usize>> {
    let n = keys.len();
    let table = Table::upload(gpu, keys, &to)?;
    let job = &Job { table: &table, through: Stage::Postscan, leaves_g: false };
    let planned = Planned::new(gpu, request, n, job)?;
    let needs = planned.needs();
    let arena = Arena::new(gpu, needs.bytes(gpu))?;
    let scratch = Scratch::cut(&mut arena.cut(gpu, needs.bytes(gpu))?, &needs)?;
    let result_memory = gpu.allocate(4 * result_words(request.m))?;
    let result = gpu.writes(&result_memory)?;
    planned.run(gpu, request, n, job, &result, &scratch)?;

    let offsets = read_result(gpu, &result, request.m, 1)?;
    table.download(gpu, to)?;
    Ok(offsets)
}
