//! The offsets of more buckets than one pass tells apart.
//!
//! Two passes and a function of valid ids leave enough to work them out ([`pass_offsets`]). Otherwise they are looked
//! for in the output.

use super::pass_offsets;
use super::pass_offsets::{Second, SecondLaunch};
use crate::bucket::Upload;
use crate::bucket::key::Key;
use crate::error::Result;
use crate::gpu::function::Function;
use crate::gpu::key::KeyWidth;
use crate::gpu::offsets::{Ordered, offsets_ran};
use crate::gpu::primitives::digit::DigitOf;
use crate::gpu::tuning::plan::SplitPlan;
use crate::gpu::tuning::room;
use crate::gpu::workspace::Scratch;
use crate::memory::result::result_words;
use crate::request::digits::Digits;
use crate::runtime::{Arg, FirstRun, Gpu, Slice, launch, variant};
use cubecl::prelude::*;

/// What the offsets are made from.
pub(super) struct Made<'a> {
    pub n: u32,
    pub m: u32,
    pub digits: Digits,
    /// What the passes left.
    pub passes: &'a [Slice<u32>],
    pub scratch: &'a Scratch,
}

impl Made<'_> {
    /// Finds them. `second` is the second of two passes and what it read, `keys` what the last one left.
    pub fn offsets<R: Runtime, K: Key>(
        &self,
        gpu: &Gpu<R>,
        f: &dyn Function<R, K>,
        second: Option<(SplitPlan, Slice)>,
        keys: &Slice,
        result: &Slice<u32>,
    ) -> Result<()> {
        let Self { n, m, digits, passes, scratch } = *self;
        let Some((plan, read)) = second.filter(|_| f.is_in_range()) else {
            let ordered = Ordered { n, m, digits: digits.values(), passes, least: &scratch.parts };
            return ordered.offsets(gpu, f, keys, result);
        };
        let variants = &[variant(("two-pass offsets", f.variant()))];
        let launches = || self.cross(gpu, f, &plan, &read, result);
        FirstRun { kernel: "offsets", variants }.watch(gpu, result, launches, |words| offsets_ran(words, n, m))
    }

    /// The results of the two passes say where digits begin, up to n; H has a row per digit.
    fn cross<R: Runtime, K: Key>(
        &self,
        gpu: &Gpu<R>,
        f: &dyn Function<R, K>,
        plan: &SplitPlan,
        read: &Slice,
        result: &Slice<u32>,
    ) -> Result<()> {
        let Self { n, m, digits, passes, scratch } = *self;
        let units = room::most_units(&gpu.facts);
        let f = DigitOf { f, digits, pass: 1 };
        let second =
            Arg::<Second, R>(SecondLaunch::new(n, m, digits.values(), plan.chunk_size, plan.chunks, plan.columns()));
        let of_pass = |pass: usize| passes[pass].first(result_words(digits.values()));
        launch!(
            *gpu, pass_offsets::two_pass_offsets::TwoPassOffsets<R>,
            CubeCount::new_1d(digits.values()), CubeDim::new_1d(units);
            width: KeyWidth::of::<K>(),
            keys: read.part::<K>(0, n as usize)?,
            g: scratch.h.first(plan.needs().h)?,
            low: of_pass(0)?,
            high: of_pass(1)?,
            result,
            f: f.arg(&Upload::new(gpu)),
            second;
            units,
        )
    }
}
