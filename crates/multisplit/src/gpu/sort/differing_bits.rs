//! The launch that finds the bits in which keys differ.

use super::differing_bits_kernel;
use super::differing_bits_kernel::{RESULT, UNITS};
use crate::bucket::key::Key;
use crate::error::{Error, Result};
use crate::gpu::runtime::{Gpu, LOST, Slice, launch};
use cubecl::prelude::*;

/// Cubes for each processor: enough loads are in flight then.
const CUBES: u32 = 8;

/// Looks at the first `n` keys, and waits.
pub(crate) fn varying<R: Runtime, K: Key>(gpu: &Gpu<R>, keys: &Slice<K>, n: usize) -> Result<u64> {
    let count = u32::try_from(n).map_err(|_| Error::TooManyKeys { n })?;
    if count == 0 {
        return Ok(0);
    }
    let units = UNITS.min(gpu.facts.max_units);
    let memory = gpu.upload(&[0u32; RESULT])?;
    let result = gpu.writes::<u32>(&memory)?.first(RESULT)?;
    let cubes = CubeCount::new_1d(count.div_ceil(units).min(gpu.facts.processors * CUBES));
    // The kernel reads n keys, and leaves a word that says that it ran: every run is seen.
    launch!(
        *gpu, differing_bits_kernel::differing::Differing<K, R>, cubes, CubeDim::new_1d(units);
        keys: keys.first(n)?, result: &result, count,
    )?;
    match gpu.read(&result)?[..] {
        [low, high, 1] => Ok(u64::from(low) | u64::from(high) << 32),
        _ => {
            let (device, kernel) = (gpu.name.clone(), "differing".into());
            Err(Error::KernelFailed { device, kernel, reason: LOST.into() })
        }
    }
}
