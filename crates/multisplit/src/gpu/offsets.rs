//! Offsets from a histogram: what a split leaves, where its passes do not know the buckets.

use super::client::Gpu;
use super::histogram;
use super::kernels::offsets::{self, PART};
use super::selector;
use super::split::{LOST, UNWRITTEN, read_words, result_words};
use crate::bucket::Buckets;
use crate::error::{Error, Result};
use crate::histogram::Histogram;
use cubecl::prelude::*;
use cubecl::server::Handle;

/// Units of the kernels that make offsets of counts.
const UNITS: u32 = 256;

/// Parts of the counts that are added up apart.
pub(super) fn parts(m: u32) -> u32 {
    m.div_ceil(PART)
}

/// What the offsets are made from.
pub(super) struct Made<'a> {
    pub n: u32,
    pub m: u32,
    /// Buckets of a pass.
    pub digits: u32,
    /// What the passes left.
    pub passes: &'a [Handle],
    /// Room for the sums of the parts.
    pub sums: &'a Handle,
}

impl Made<'_> {
    /// Counts the keys into `result`, and makes offsets of the counts. `result` is replaced as by a split.
    pub fn offsets<R: Runtime, F: Buckets>(
        &self,
        gpu: &Gpu<R>,
        f: &F,
        keys: &Handle,
        result: &mut Handle,
    ) -> Result<()> {
        let units = UNITS.min(selector::most_units(&gpu.facts));
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
            // SAFETY: the kernel reads the m counts and writes the sums of their parts.
            unsafe {
                offsets::sum_parts::launch_unchecked::<R>(
                    &gpu.client,
                    CubeCount::new_1d(parts),
                    CubeDim::new_1d(units),
                    gpu.address(),
                    array(result, result_words(m)),
                    array(sums, parts as usize),
                    m,
                    units,
                )
            }
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
                passes.iter().map(|pass| array(pass, result_words(digits))).collect(),
                n,
                m,
                digits,
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
