//! The offsets of more buckets than one pass tells apart.
//!
//! Two passes and a function of valid ids leave enough to work them out ([`crossings`]). Otherwise they are looked for in
//! the output.

use super::super::client::{Gpu, variant};
use super::super::digit::DigitOf;
use super::super::function::Function;
use super::super::kernels::crossings::{self, SecondLaunch};
use super::super::offsets::{Ordered, run};
use super::super::plan::Plan;
use super::super::selector;
use super::super::split::result_words;
use super::super::workspace::{GpuWorkspace, SpareBuffers};
use crate::bucket::{Buckets, Upload};
use crate::digits::Digits;
use crate::error::Result;
use cubecl::prelude::*;
use cubecl::server::Handle;
use std::any::TypeId;

/// What the offsets are made from.
pub(super) struct Made<'a> {
    pub n: u32,
    pub m: u32,
    pub digits: Digits,
    /// What the passes left.
    pub passes: &'a [Handle],
    pub workspace: &'a GpuWorkspace,
    pub spare: &'a SpareBuffers,
}

impl Made<'_> {
    /// Finds them. `second` is the second of two passes and what it read, `keys` what the last one left.
    pub fn offsets<R: Runtime, F: Buckets>(
        &self,
        gpu: &Gpu<R>,
        f: &F,
        second: Option<(Plan, Handle)>,
        keys: &Handle,
        result: &mut Handle,
    ) -> Result<()> {
        let Self { n, m, digits, passes, spare, .. } = *self;
        let Some((plan, read)) = second.filter(|_| f.in_range().is_some()) else {
            let ordered = Ordered { n, m, digits: digits.values(), passes, least: &spare.parts };
            return ordered.offsets(gpu, f, keys, result);
        };
        let variant = variant(("crossings", TypeId::of::<F>(), f.kernel_variant()));
        run(gpu, n, m, variant, result, |result| self.cross(gpu, f, &plan, &read, result))
    }

    fn cross<R: Runtime, F: Buckets>(&self, gpu: &Gpu<R>, f: &F, plan: &Plan, read: &Handle, result: &Handle) {
        let Self { n, m, digits, passes, .. } = *self;
        let units = selector::most_units(&gpu.facts);
        let tiles = if plan.is_one_tile() { 0 } else { plan.chunks };
        let f = DigitOf { f, digits, pass: 1 };
        // SAFETY: the results hold all their words by construction, and H was made for the second pass.
        let array = |handle: &Handle, len: usize| unsafe { ArrayArg::from_raw_parts(handle.clone(), len) };
        let of_pass = |pass: usize| array(&passes[pass], result_words(digits.values()));
        // SAFETY: there are two passes, whose results say where digits begin, up to n; H has a row per digit.
        unsafe {
            crossings::crossings::launch_unchecked::<<DigitOf<'_, F> as Function>::Kernel, R>(
                &gpu.client,
                CubeCount::new_1d(digits.values()),
                CubeDim::new_1d(units),
                gpu.address(),
                array(read, n as usize),
                array(&self.workspace.h, plan.needs().h),
                of_pass(0),
                of_pass(1),
                array(result, result_words(m)),
                f.arg(&Upload { client: &gpu.client, device: gpu.id }),
                SecondLaunch::new(n, m, digits.values(), plan.chunk_size, tiles, plan.columns()),
                units,
            );
        }
    }
}
