//! The bits in which keys differ.

use crate::bucket::key::Key;
use crate::bucket::word::Word;
use crate::error::{Error, Result};
use crate::runtime::{Gpu, LOST, Slice, launch};
use cubecl::prelude::*;

/// Cubes for each processor: enough loads are in flight then.
const CUBES: u32 = 8;

/// Units of a cube.
const UNITS: u32 = 256;

/// Words of the result: the low bits, the high bits, and a 1 that says that the kernel ran.
const RESULT: usize = 3;

/// Looks at the first `n` keys, and waits.
pub(crate) fn differing_bits<R: Runtime, K: Key>(gpu: &Gpu<R>, keys: &Slice<K>, n: usize) -> Result<u64> {
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
        *gpu, differing::Differing<K, R>, cubes, CubeDim::new_1d(units);
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

/// Adds the bits to a result that was 0. There is at least one key. (Its other name, varying, is not to be had: WGSL
/// keeps it for itself.)
#[cube(launch_unchecked, address_type = "dynamic")]
pub(crate) fn differing<K: Key>(keys: &Array<K>, result: &Array<Atomic<u32>>, count: u32) {
    let bits = SharedMemory::<Atomic<u32>>::new(2usize);
    if UNIT_POS_X < 2 {
        bits[UNIT_POS_X as usize].store(0u32);
    }
    sync_cube();
    let first = K::ordered(keys[0]);
    let mut low = 0u32;
    let mut high = 0u32;
    // In address arithmetic: 32 bits would wrap before they reach a count close to 2^32.
    let mut i = ABSOLUTE_POS;
    while i < count as usize {
        let word = K::ordered(keys[i]);
        low |= K::Bits::window(word, 0u32, 0xffff_ffffu32) ^ K::Bits::window(first, 0u32, 0xffff_ffffu32);
        if comptime!(size_of::<K>() == 8) {
            high |= K::Bits::window(word, 32u32, 0xffff_ffffu32) ^ K::Bits::window(first, 32u32, 0xffff_ffffu32);
        }
        i += CUBE_COUNT * CUBE_DIM as usize;
    }
    bits[0].fetch_or(low);
    bits[1].fetch_or(high);
    sync_cube();
    if UNIT_POS_X < 2 {
        result[UNIT_POS_X as usize].fetch_or(bits[UNIT_POS_X as usize].load());
    }
    if CUBE_POS_X == 0 && UNIT_POS_X == 2 {
        result[2].store(1u32);
    }
}
