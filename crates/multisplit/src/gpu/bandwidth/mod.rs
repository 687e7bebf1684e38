//! The launches of the plain copy and the plain read.

pub(crate) mod kernels;

use crate::error::{Error, Result};
use crate::runtime::{FirstRun, Gpu, Slice, launch, variant};
use cubecl::prelude::*;
use kernels::{TILE, UNITS};

/// Cubes per processor that read: enough to keep every one busy, few enough that each reads long stretches.
const READERS: u32 = 4;
/// Words that a first run copies or reads.
const REHEARSED: usize = 9;

/// Copies the first `words` words.
pub(crate) fn copy<R: Runtime>(gpu: &Gpu<R>, from: &Slice<u32>, to: &Slice<u32>, words: usize) -> Result<()> {
    if words == 0 {
        return Ok(());
    }
    let width = from.per_load(words).min(to.per_load(words));
    FirstRun { kernel: "copy", variants: &[variant(("copy", width))] }.rehearse(gpu, || {
        let words: Vec<u32> = (1..).take(REHEARSED).collect();
        let (from, to) = (gpu.upload(&words)?, gpu.upload(&[0u32; REHEARSED])?);
        let to = gpu.writes::<u32>(&to)?;
        submit_copy(gpu, &gpu.writes(&from)?, &to, REHEARSED, width)?;
        Ok(gpu.read(&to.first(REHEARSED)?)? == words)
    })?;
    submit_copy(gpu, from, to, words, width)
}

/// The kernel reads and writes whole loads, of which the last may be needed only in part.
fn submit_copy<R: Runtime>(gpu: &Gpu<R>, from: &Slice<u32>, to: &Slice<u32>, words: usize, width: usize) -> Result<()> {
    let (full, rest) = loads(words, width)?;
    // A cube per tile; where a launch cannot have that many, each takes several.
    let most = gpu.client().properties().hardware.max_cube_count.0;
    let cubes = CubeCount::new_1d(full.div_ceil(TILE).clamp(1, most));
    launch!(
        *gpu, kernels::copy::Copy<R>, cubes, CubeDim::new_1d(UNITS);
        from: from.loads(words, width)?, to: to.loads(words, width)?, full, rest; width,
    )
}

/// Adds up the first `words` words into the entries (one at least) of `sink`.
pub(crate) fn read<R: Runtime>(gpu: &Gpu<R>, from: &Slice<u32>, words: usize, sink: &Slice<u32>) -> Result<()> {
    let width = from.per_load(words);
    FirstRun { kernel: "read", variants: &[variant(("read", width))] }.rehearse(gpu, || {
        let words: Vec<u32> = (1..).take(REHEARSED).collect();
        let (from, sink) = (gpu.upload(&words)?, gpu.upload(&[7u32; 4])?);
        let sink = gpu.writes::<u32>(&sink)?;
        submit_read(gpu, &gpu.writes(&from)?, REHEARSED, &sink, width)?;
        Ok(gpu.read(&sink)?.iter().sum::<u32>() == words.iter().sum::<u32>())
    })?;
    submit_read(gpu, from, words, sink, width)
}

/// The kernel reads whole loads, and writes the entries of the sink.
fn submit_read<R: Runtime>(
    gpu: &Gpu<R>,
    from: &Slice<u32>,
    words: usize,
    sink: &Slice<u32>,
    width: usize,
) -> Result<()> {
    let (full, rest) = loads(words, width)?;
    let entries = u32::try_from(sink.len()).unwrap_or(u32::MAX);
    let readers = gpu.facts.processors * if gpu.facts.software { 1 } else { READERS };
    let cubes = CubeCount::new_1d(full.div_ceil(UNITS).clamp(1, readers).min(entries));
    launch!(
        *gpu, kernels::read::Read<R>, cubes, CubeDim::new_1d(UNITS);
        from: from.loads(words, width)?, sink: sink.first(entries as usize)?, full, rest, entries;
        width,
    )
}

/// Full loads of `width` words, and the words of one more.
fn loads(words: usize, width: usize) -> Result<(u32, u32)> {
    let full = u32::try_from(words / width).map_err(|_| Error::TooManyKeys { n: words })?;
    Ok((full, (words % width) as u32))
}
