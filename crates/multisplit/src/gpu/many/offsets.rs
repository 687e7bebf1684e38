//! The offsets of more buckets than one pass tells apart.
//!
//! Two passes and a function of valid ids leave enough to work them out ([`crossings`]). Otherwise they are looked for in
//! the output ([`starts`]).

use super::super::client::Gpu;
use super::super::digit::DigitOf;
use super::super::function::Function;
use super::super::kernels::crossings::{self, SecondLaunch};
use super::super::kernels::starts::{self, PART, UNROLL};
use super::super::plan::{MOST_CUBES, Plan};
use super::super::selector;
use super::super::split::{LOST, UNWRITTEN, read_words, result_words};
use super::super::stage::keys_per_load;
use super::super::workspace::{GpuWorkspace, SpareBuffers};
use crate::bucket::{Buckets, Upload};
use crate::digits::Digits;
use crate::error::{Error, Result};
use cubecl::prelude::*;
use cubecl::server::Handle;
use std::any::TypeId;
use std::hash::{DefaultHasher, Hash, Hasher};

/// Units of the kernels that go through keys or offsets.
const UNITS: u32 = 256;

/// Parts of the starts that are gone through apart.
pub(super) fn parts(m: u32) -> u32 {
    m.div_ceil(PART)
}

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
        let second = second.filter(|_| f.in_range().is_some());
        let per_load = keys_per_load::<F::Key>(keys, self.n);
        let mut hasher = DefaultHasher::new();
        (TypeId::of::<F>(), f.kernel_variant(), second.is_some(), per_load, self.passes.len()).hash(&mut hasher);
        let variant = hasher.finish();
        let first_run = !gpu.is_proven(variant);
        if first_run {
            *result = gpu.upload(bytemuck::cast_slice(&vec![UNWRITTEN; result_words(self.m)]))?;
        }
        gpu.launch(|| match second {
            Some((plan, read)) => self.cross(gpu, f, &plan, &read, result),
            None => self.search(gpu, f, keys, per_load, result),
        })?;
        if first_run {
            self.prove(gpu, result)?;
            gpu.set_proven(variant);
        }
        Ok(())
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

    fn search<R: Runtime, F: Buckets>(&self, gpu: &Gpu<R>, f: &F, keys: &Handle, per_load: usize, result: &Handle) {
        let Self { n, m, digits, passes, .. } = *self;
        let units = UNITS.min(selector::most_units(&gpu.facts));
        let least = &self.spare.least;
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
        let failed =
            |reason: String| Error::KernelFailed { device: gpu.name.clone(), kernel: "offsets".into(), reason };
        gpu.sync().map_err(|error| failed(error.to_string()))?;
        let words = read_words(gpu, result, self.m)?;
        let m = self.m as usize;
        let ran = words[m + 2] != UNWRITTEN && words[m] == self.n && words[0] == 0 && words[..=m].is_sorted();
        if ran { Ok(()) } else { Err(failed(LOST.into())) }
    }
}
