//! The offsets of keys that lie in order of their buckets, where whatever ordered them does not know: they are looked for
//! ([`starts`]).

use super::client::{Gpu, variant};
use super::kernels::starts::{self, PART, UNROLL};
use super::plan::MOST_CUBES;
use super::selector::{self, Facts};
use super::split::{LOST, UNWRITTEN, read_words, result_words};
use super::stage::keys_per_load;
use crate::bucket::{Buckets, Upload};
use crate::error::{Error, Result};
use cubecl::prelude::*;
use cubecl::server::Handle;
use std::any::TypeId;

/// Units where a device has as many.
const UNITS: u32 = 256;

/// Units of kernels that go through keys or counts one by one.
pub(super) fn units(facts: &Facts) -> u32 {
    UNITS.min(selector::most_units(facts))
}

/// Parts of the offsets that are gone through apart.
pub(super) fn parts(m: u32) -> u32 {
    m.div_ceil(PART)
}

/// What the offsets are made from.
pub(super) struct Ordered<'a> {
    pub n: u32,
    pub m: u32,
    /// Buckets of a pass.
    pub digits: u32,
    /// What the passes left that ordered the keys: the flags in it go into the result.
    pub passes: &'a [Handle],
    /// Room for a word for each part.
    pub least: &'a Handle,
}

impl Ordered<'_> {
    /// Looks for them. `result` is replaced as by a split.
    pub fn offsets<R: Runtime, F: Buckets>(
        &self,
        gpu: &Gpu<R>,
        f: &F,
        keys: &Handle,
        result: &mut Handle,
    ) -> Result<()> {
        let per_load = keys_per_load::<F::Key>(keys, self.n);
        let variant = variant(("starts", TypeId::of::<F>(), f.kernel_variant(), per_load, self.passes.len()));
        let launch = |result: &Handle| self.search(gpu, f, keys, per_load, result);
        run(gpu, self.n, self.m, variant, result, launch)
    }

    fn search<R: Runtime, F: Buckets>(&self, gpu: &Gpu<R>, f: &F, keys: &Handle, per_load: usize, result: &Handle) {
        let Self { n, m, digits, passes, least } = *self;
        let units = units(&gpu.facts);
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
                passes.iter().map(|pass| array(pass, result_words(digits))).collect(),
                n,
                m,
                digits,
                units,
            );
        }
    }
}

/// Launches kernels that make a result, and sees to it that they run the first time.
pub(super) fn run(
    gpu: &Gpu<impl Runtime>,
    n: u32,
    m: u32,
    variant: u64,
    result: &mut Handle,
    launch: impl FnOnce(&Handle),
) -> Result<()> {
    let first_run = !gpu.is_proven(variant);
    if first_run {
        *result = gpu.upload(bytemuck::cast_slice(&vec![UNWRITTEN; result_words(m)]))?;
    }
    gpu.launch(|| launch(result))?;
    if first_run {
        prove(gpu, n, m, result)?;
        gpu.set_proven(variant);
    }
    Ok(())
}

/// Waits for the first run and looks whether the kernels did run, as for those of a split.
fn prove(gpu: &Gpu<impl Runtime>, n: u32, m: u32, result: &Handle) -> Result<()> {
    let failed = |reason: String| Error::KernelFailed { device: gpu.name.clone(), kernel: "offsets".into(), reason };
    gpu.sync().map_err(|error| failed(error.to_string()))?;
    let words = read_words(gpu, result, m)?;
    let m = m as usize;
    let ran = words[m + 2] != UNWRITTEN && words[m] == n && words[0] == 0 && words[..=m].is_sorted();
    if ran { Ok(()) } else { Err(failed(LOST.into())) }
}
