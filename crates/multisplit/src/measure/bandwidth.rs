//! What a device's memory allows, to hold a split against: the plainest copy and the plainest read.
//!
//! A split of keys reads them twice and writes them once, so that 3/2 of a copy's time is the least it can take; one of
//! pairs of the same width moves 5 words where a copy moves 2. The benchmarks of the `multisplit` program report every
//! split as a fraction of that speed of light.

use crate::device::dispatch;
use crate::error::{Error, Result};
#[cfg(feature = "gpu")]
use crate::gpu;
use crate::memory::aliasing::{Part, Role, check_apart};
use crate::memory::slice::BufferSlice;
use crate::memory::slice_mut::BufferSliceMut;
use bytemuck::Pod;
use rayon::prelude::*;

/// Copies `from` to the start of `to`. On a GPU it returns when the work is submitted.
///
/// ```
/// use multisplit::{Device, measure::bandwidth};
/// let device = Device::best();
/// let from = device.upload(&[1u32, 2, 3])?;
/// let mut to = device.alloc(3)?;
/// bandwidth::copy(&from, &mut to)?;
/// assert_eq!(to.download()?, [1, 2, 3]);
/// # Ok::<(), multisplit::Error>(())
/// ```
///
/// # Errors
/// [`Error::WrongDevice`], [`Error::OutputTooSmall`], [`Error::SharedMemory`]; on a GPU [`Error::MissingCapability`] if
/// an element is not of whole 4-byte words.
pub fn copy<'a, 'b, T: Pod + Send + Sync>(
    from: impl Into<BufferSlice<'a, T>>,
    to: impl Into<BufferSliceMut<'b, T>>,
) -> Result<()> {
    let (from, mut to) = (from.into(), to.into());
    from.device().check_same("the copy", to.device())?;
    if to.len() < from.len() {
        return Err(Error::OutputTooSmall { what: "the copy".into(), got: to.len(), needed: from.len() });
    }
    check_apart([(Role::In(Part::Copied), from.region()), (Role::Out(Part::Copied), to.region())].into_iter())?;
    dispatch!(to.device().clone(),
    gpu => {
        if size_of::<T>() % 4 != 0 {
            return Err(gpu.lacks(format!("a copy of {}-byte elements (only whole 4-byte words)", size_of::<T>())));
        }
        let (source, target) = (from.region().reads(gpu)?, to.region().writes(gpu)?);
        gpu::bandwidth::copy(gpu, &source, &target, from.len() * (size_of::<T>() / 4))
    },
    cpu => {
        let (from, to) = (from.as_slice().unwrap_or_default(), to.as_mut_slice().unwrap_or_default());
        let part = part_of(from.len());
        to.par_chunks_mut(part).zip(from.par_chunks(part)).for_each(|(to, from)| to[..from.len()].copy_from_slice(from));
        Ok(())
    })
}

/// Reads `from` and does as little as possible with it: the entries of `sink` add up to the sum of its elements, modulo
/// 2^32. On a GPU it returns when the work is submitted; as many cubes read as `sink` has entries, up to a few per
/// multiprocessor, so give it a few thousand.
///
/// ```
/// use multisplit::{Device, measure::bandwidth};
/// let device = Device::best();
/// let from = device.upload(&[1u32, 2, 3])?;
/// let mut sink = device.alloc(1000)?;
/// bandwidth::read(&from, &mut sink)?;
/// assert_eq!(sink.download()?.iter().sum::<u32>(), 6);
/// # Ok::<(), multisplit::Error>(())
/// ```
///
/// # Errors
/// [`Error::WrongDevice`]; [`Error::OutputTooSmall`] if `sink` has no entry at all.
pub fn read<'a, 'b>(from: impl Into<BufferSlice<'a, u32>>, sink: impl Into<BufferSliceMut<'b, u32>>) -> Result<()> {
    let (from, mut sink) = (from.into(), sink.into());
    from.device().check_same("the sink", sink.device())?;
    if sink.is_empty() {
        return Err(Error::OutputTooSmall { what: "the sink".into(), got: 0, needed: 1 });
    }
    check_apart([(Role::In(Part::Rows), from.region()), (Role::Out(Part::Rows), sink.region())].into_iter())?;
    dispatch!(sink.device().clone(),
    gpu => {
        let (source, target) = (from.region().reads(gpu)?, sink.region().writes::<u32>(gpu)?);
        gpu::bandwidth::read(gpu, &source, from.len(), &target.first(sink.len())?)
    },
    cpu => {
        let (from, sink) = (from.as_slice().unwrap_or_default(), sink.as_mut_slice().unwrap_or_default());
        sink.fill(0);
        sink[0] = sum_of(from);
        Ok(())
    })
}

/// Adds up the words, modulo 2^32.
fn sum_of(words: &[u32]) -> u32 {
    let sum = |part: &[u32]| part.iter().fold(0u32, |sum, &word| sum.wrapping_add(word));
    words.par_chunks(part_of(words.len())).map(sum).reduce(|| 0, u32::wrapping_add)
}

/// Elements per thread.
fn part_of(n: usize) -> usize {
    n.div_ceil(rayon::current_num_threads()).max(1)
}
