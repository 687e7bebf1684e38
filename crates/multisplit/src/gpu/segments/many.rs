//! Segments and more buckets than one pass tells apart: a segmented split for each digit of the bucket id, the lowest
//! first.
//!
//! As for a split of one input ([`super::super::many`]), rows go back and forth between the outputs and spare places.
//! Then every segment lies in the order of its buckets, and where they begin is searched for.

use super::bucket_offsets;
use super::bucket_offsets::{Extent, ExtentLaunch};
use super::launch::cubes;
use super::plan::SegmentPlan;
use super::{SegmentScratch, most_of_a_pass, pass, plan, watch};
use crate::bucket::Upload;
use crate::bucket::key::Key;
use crate::error::Result;
use crate::gpu::double_buffer::DoubleTable;
use crate::gpu::key::KeyWidth;
use crate::gpu::offsets::units;
use crate::gpu::primitives::digit::DigitOf;
use crate::gpu::request::Request;
use crate::gpu::split::Job;
use crate::gpu::tuning::blueprint::Blueprint;
use crate::gpu::workspace::{Needs, Passes};
use crate::method::Stage;
use crate::request::policy::Policy;
use crate::request::segments::Segments;
use crate::runtime::{Arg, Gpu, Slice, launch, variant};
use cubecl::prelude::*;

/// What any segments of `n` keys need.
pub(super) fn most_needs<R: Runtime, K: Key>(
    gpu: &Gpu<R>,
    request: &Request<'_, R, K>,
    n: usize,
    segments: usize,
    columns: usize,
) -> Result<Needs> {
    let digits = request.digits();
    let f = DigitOf { f: request.f, digits, pass: 0 };
    let needs = most_of_a_pass(gpu, request, &f, n, segments, digits.values())?;
    Ok(with_rows::<K>(needs, n, (0, columns)))
}

/// The needs of the passes, and room for rows between them.
fn with_rows<K: Key>(needs: Needs, n: usize, (narrow, wide): (usize, usize)) -> Needs {
    Needs { passes: Passes { results: 0, rows: n, key: size_of::<K>(), narrow, wide }, ..needs }
}

/// The passes of a split, planned.
pub(super) struct SegmentPlans<'s> {
    /// The first makes the permutation, which is a column of the others.
    first: SegmentPlan<'s>,
    later: SegmentPlan<'s>,
    pub needs: Needs,
}

impl<'s> SegmentPlans<'s> {
    pub fn new<R: Runtime, K: Key>(
        gpu: &Gpu<R>,
        request: &Request<'_, R, K>,
        segments: Segments<'s>,
        job: &Job<'_>,
    ) -> Result<Self> {
        let digits = request.digits();
        let (narrow, wide, permutation) = job.table.carried();
        let moved = narrow + usize::from(permutation);
        let planned = |carried| {
            let f = DigitOf { f: request.f, digits, pass: 0 };
            plan(gpu, request, &f, segments, digits.values(), carried)
        };
        let (first, later) = (planned((narrow, wide, permutation))?, planned((moved, wide, false))?);
        let needs = with_rows::<K>(first.needs().max(later.needs()), segments.keys(), (moved, wide));
        Ok(Self { first, later, needs })
    }

    /// Splits by one digit after the other, and searches for the offsets.
    pub fn run<R: Runtime, K: Key>(
        &self,
        gpu: &Gpu<R>,
        request: &Request<'_, R, K>,
        job: &Job<'_>,
        result: &Slice<u32>,
        scratch: &SegmentScratch,
    ) -> Result<()> {
        let digits = request.digits();
        let count = digits.passes as usize;
        let double = DoubleTable::new(job.table, scratch);
        for i in 0..count {
            let table = double.pass(i, count);
            let f = DigitOf { f: request.f, digits, pass: i as u32 };
            let plan = if i == 0 { &self.first } else { &self.later };
            // Its offsets are of no use, and fit the result, which is written when all passes are done.
            pass(gpu, plan, &f, &Job { table: &table, ..*job }, result, scratch)?;
            if job.through != Stage::Postscan {
                return Ok(());
            }
        }
        search(gpu, request, &self.first, &job.table.keys_out, result, scratch)
    }
}

/// Finds where the buckets begin in `keys`, which are split. The result has room for every bucket of every segment,
/// searches stay within their segments, and those within the n keys.
fn search<R: Runtime, K: Key>(
    gpu: &Gpu<R>,
    request: &Request<'_, R, K>,
    plan: &SegmentPlan<'_>,
    keys: &Slice,
    result: &Slice<u32>,
    scratch: &SegmentScratch,
) -> Result<()> {
    let (f, m, segments) = (request.f, request.m, plan.segments);
    let (n, count) = (segments.keys() as u32, segments.count());
    let shape = Policy::new(units(&gpu.facts) / gpu.facts.plane, 1, 1);
    let in_range = f.is_in_range();
    // The same for every m, so that it is compiled once.
    let bp = Blueprint { in_range, ..Blueprint::of_keys(gpu.facts.plane, gpu.facts.dialect, &shape, 1) };
    let variants = &[variant(("boundaries", f.variant(), bp))];
    let offsets = scratch.offsets(gpu, plan)?;
    let most = (m * count).max(n).div_ceil(bp.units());
    watch(gpu, "boundaries", variants, segments, m, result, scratch, || {
        launch!(
            *gpu, bucket_offsets::boundaries::Boundaries<R>, cubes(most), CubeDim::new_1d(bp.units());
            width: KeyWidth::of::<K>(),
            keys: keys.part::<K>(0, n as usize)?,
            result,
            segments: &offsets,
            status: &scratch.status,
            f: f.arg(&Upload::new(gpu)),
            extent: Arg::<Extent, R>(ExtentLaunch::new(n, m, count, most));
            bp,
        )
    })
}
