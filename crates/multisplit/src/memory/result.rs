//! What a split leaves on the device besides keys and values: a *result*.

use crate::error::{Error, Result, check_out_of_range};
use crate::runtime::{Fault, Gpu, LOST, Slice, UNWRITTEN};
use cubecl::prelude::Runtime;

/// Words of a result: m + 1 offsets, the number of keys whose bucket id is out of range, and a flag that a kernel
/// raises if its planes are not of the size that it was made for.
pub(crate) const fn result_words(m: u32) -> usize {
    m as usize + 3
}

/// Waits for a split of so many segments into m buckets and reads its offsets, or what went wrong.
pub(crate) fn read_result(gpu: &Gpu<impl Runtime>, result: &Slice<u32>, m: u32, segments: u32) -> Result<Vec<usize>> {
    offsets_of(gpu, &gpu.read(&result.first(result_words(m * segments))?)?, m)
}

/// Has a result read, and goes on. Call what it returns to wait for it.
pub(crate) fn read_result_later<'a, R: Runtime>(
    gpu: &'a Gpu<R>,
    result: &Slice<u32>,
    m: u32,
    segments: u32,
) -> Result<impl FnOnce() -> Result<Vec<usize>> + use<'a, R>> {
    let words = gpu.read_later(&result.first(result_words(m * segments))?)?;
    Ok(move || offsets_of(gpu, &words()?, m))
}

/// The offsets of a result, or what went wrong.
fn offsets_of(gpu: &Gpu<impl Runtime>, words: &[u32], m: u32) -> Result<Vec<usize>> {
    let (offsets, status) = words.split_at(words.len() - 2);
    match status[1] {
        0 => {}
        // What a first run that failed has left.
        UNWRITTEN => {
            let (device, kernel) = (gpu.name.clone(), "multisplit".into());
            return Err(Error::KernelFailed { device, kernel, reason: LOST.into() });
        }
        _ => return Err(gpu.wrong_planes()),
    }
    check_out_of_range(u64::from(status[0]), m)?;
    Ok(offsets.iter().map(|&offset| offset as usize).collect())
}

/// Whether the kernels of a split of n keys into m buckets have run, seen by what they left of a result that was
/// unwritten before.
pub(crate) fn split_ran(words: &[u32], n: u32, m: u32) -> Result<(), Fault> {
    let m = m as usize;
    match words[m + 2] {
        UNWRITTEN => Err(Fault::Lost("prescan")),
        flag if flag != 0 => Err(Fault::Planes),
        _ if words[m] != n => Err(Fault::Lost("postscan")),
        _ if words[0] != 0 || !words[..=m].is_sorted() => Err(Fault::Lost("scan")),
        _ => Ok(()),
    }
}
