//! The launches of the plain copy and the plain read.

use super::client::Gpu;
use super::kernels::limits::{self, TILE, UNITS};
use crate::error::{Error, Result};
use cubecl::prelude::*;
use cubecl::server::Handle;

/// Words per 16-byte load.
const WORDS: usize = 4;
/// Cubes per processor that read: enough to keep every one busy, few enough that each reads long stretches.
const READERS: u32 = 4;

/// Copies the first `words` words.
pub(crate) fn copy<R: Runtime>(gpu: &Gpu<R>, from: &Handle, to: &Handle, words: usize) -> Result<()> {
    if words == 0 {
        return Ok(());
    }
    let loads = Loads::new(words, &[from, to])?;
    // A cube per tile; where a launch cannot have that many, each takes several.
    let cubes = loads.full.div_ceil(TILE).clamp(1, gpu.client.properties().hardware.max_cube_count.0);
    // SAFETY: the kernel reads and writes whole loads, which lie within both allocations.
    gpu.launch(|| unsafe {
        limits::copy::launch_unchecked::<R>(
            &gpu.client,
            CubeCount::new_1d(cubes),
            CubeDim::new_1d(UNITS),
            gpu.address(),
            loads.width,
            loads.array(from),
            loads.array(to),
            loads.full,
            loads.rest,
        )
    })
}

/// Adds up the first `words` words into the `entries` (one at least) of `sink`.
pub(crate) fn read<R: Runtime>(gpu: &Gpu<R>, from: &Handle, words: usize, sink: &Handle, entries: u32) -> Result<()> {
    let loads = Loads::new(words, &[from])?;
    let readers = gpu.facts.processors * if gpu.facts.software { 1 } else { READERS };
    let cubes = loads.full.div_ceil(UNITS).clamp(1, readers).min(entries);
    // SAFETY: the kernel reads whole loads, which lie within the allocation, and writes the entries of the sink.
    gpu.launch(|| unsafe {
        limits::read::launch_unchecked::<R>(
            &gpu.client,
            CubeCount::new_1d(cubes),
            CubeDim::new_1d(UNITS),
            gpu.address(),
            loads.width,
            loads.array(from),
            ArrayArg::from_raw_parts(sink.clone(), entries as usize),
            loads.full,
            loads.rest,
            entries,
        )
    })
}

/// How words are read: in loads of `width`, of which the last may be needed only in part.
struct Loads {
    width: usize,
    full: u32,
    rest: u32,
}

impl Loads {
    /// 16-byte loads, if the allocations hold whole ones; those of this crate do.
    fn new(words: usize, allocations: &[&Handle]) -> Result<Self> {
        let bytes = 4 * words.next_multiple_of(WORDS) as u64;
        let whole = allocations.iter().all(|handle| handle.size_in_used() >= bytes);
        let width = if whole { WORDS } else { 1 };
        let full = u32::try_from(words / width).map_err(|_| Error::TooManyKeys { n: words })?;
        Ok(Self { width, full, rest: (words % width) as u32 })
    }

    fn array<R: Runtime>(&self, handle: &Handle) -> ArrayArg<R> {
        // SAFETY: `new` saw that the allocation holds that many loads.
        unsafe { ArrayArg::from_raw_parts(handle.clone(), self.full as usize + usize::from(self.rest > 0)) }
    }
}
