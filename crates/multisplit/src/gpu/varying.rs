//! The launch that finds the bits in which keys differ.

use super::client::Gpu;
use super::kernels::varying::{self, RESULT, UNITS};
use super::split::LOST;
use crate::error::{Error, Result};
use crate::key::Key;
use cubecl::prelude::*;
use cubecl::server::Handle;

/// Cubes for each processor: enough loads are in flight then.
const CUBES: u32 = 8;

/// Looks at all `n` keys, and waits.
pub(crate) fn varying<R: Runtime, K: Key>(gpu: &Gpu<R>, keys: &Handle, n: usize) -> Result<u64> {
    gpu.check_key::<K>()?;
    let count = u32::try_from(n).map_err(|_| Error::TooManyKeys { n })?;
    if count == 0 {
        return Ok(0);
    }
    let units = UNITS.min(gpu.facts.max_units);
    let result = gpu.upload(&[0; 4 * RESULT])?;
    // SAFETY: the caller's buffer holds n keys; the kernel reads no others, and writes the result.
    gpu.launch(|| unsafe {
        varying::differing::launch_unchecked::<K, R>(
            &gpu.client,
            CubeCount::new_1d(count.div_ceil(units).min(gpu.facts.processors * CUBES)),
            CubeDim::new_1d(units),
            gpu.address(),
            ArrayArg::from_raw_parts(keys.clone(), n),
            ArrayArg::from_raw_parts(result.clone(), RESULT),
            count,
        )
    })?;
    let words: Vec<u32> = bytemuck::pod_collect_to_vec(&gpu.read(&result, 4 * RESULT)?[..4 * RESULT]);
    match words[..] {
        [low, high, 1] => Ok(u64::from(low) | u64::from(high) << 32),
        _ => {
            let (device, kernel) = (gpu.name.clone(), "differing".into());
            Err(Error::KernelFailed { device, kernel, reason: LOST.into() })
        }
    }
}
