//! Rows too large to travel with their keys.

use crate::device::dispatch;
use crate::error::{Error, Result};
#[cfg(feature = "gpu")]
use crate::gpu::Gather;
use crate::memory::aliasing::{Part, Role, check_apart};
use crate::memory::slice::BufferSlice;
use crate::memory::slice_mut::BufferSliceMut;
use bytemuck::Pod;
use rayon::prelude::*;

/// Brings the rows of `from` into the order of `permutation`, on the stream of `to`: `to[i] = from[permutation[i]]`.
/// For values that are too large to travel with their keys: split, ask for the permutation, and gather. An index
/// beyond `from` reads its last row.
///
/// ```
/// use multisplit::{Device, gather};
/// let device = Device::best();
/// let rows = device.upload(&[[1u32, 10, 100], [2, 20, 200]])?;
/// let mut out = device.alloc(2)?;
/// gather(&rows, &device.upload(&[1, 0])?, &mut out)?;
/// assert_eq!(out.download()?, [[2, 20, 200], [1, 10, 100]]);
/// # Ok::<(), multisplit::Error>(())
/// ```
///
/// # Errors
/// [`Error::WrongDevice`], [`Error::OutputTooSmall`]; on a GPU [`Error::MissingCapability`] if a row is not of whole
/// 4-byte words.
pub fn gather<'a, 'b, 'c, T: Pod + Send + Sync>(
    from: impl Into<BufferSlice<'a, T>>,
    permutation: impl Into<BufferSlice<'b, u32>>,
    to: impl Into<BufferSliceMut<'c, T>>,
) -> Result<()> {
    let (from, permutation, mut to) = (from.into(), permutation.into(), to.into());
    from.device().check_same("the permutation", permutation.device())?;
    from.device().check_same("the output", to.device())?;
    let (rows, from_rows) = (permutation.len(), from.len());
    if to.len() < rows {
        return Err(Error::OutputTooSmall { what: "the output".into(), got: to.len(), needed: rows });
    }
    if from_rows == 0 && rows > 0 {
        return Err(Error::InvalidPermutation("there are no rows to gather".into()));
    }
    let inputs = [(Role::In(Part::Rows), from.region()), (Role::In(Part::Permutation), permutation.region())];
    check_apart(inputs.into_iter().chain([(Role::Out(Part::Rows), to.region())]))?;
    dispatch!(to.device(),
    gpu => {
        if size_of::<T>() % 4 != 0 {
            return Err(gpu.lacks(format!("a gather of {}-byte rows (only whole 4-byte words)", size_of::<T>())));
        }
        let count = |n: usize| u32::try_from(n).map_err(|_| Error::TooManyKeys { n });
        let (from, permutation) = (from.region().reads(gpu)?, permutation.region().reads(gpu)?);
        let to = to.region().writes(gpu)?;
        let words = size_of::<T>() as u32 / 4;
        Gather { from, from_rows: count(from_rows)?, permutation, to, rows: count(rows)?, words }.launch(gpu)
    },
    cpu => {
        let (from, permutation) = (from.as_slice().unwrap_or_default(), permutation.as_slice().unwrap_or_default());
        let to = to.as_mut_slice().unwrap_or_default();
        to.par_iter_mut().zip(permutation).for_each(|(to, &i)| *to = from[(i as usize).min(from_rows - 1)]);
        Ok(())
    })
}
