//! Rows too large to travel with their keys.

use crate::device::dispatch;
use crate::error::{Error, Result};
#[cfg(feature = "gpu")]
use crate::gpu::Gather;
use crate::memory::aliasing::{Part, Role, check_apart};
use crate::memory::column::{GatheredColumn, MovedColumn};
use crate::memory::slice::BufferSlice;
use crate::memory::slice_mut::BufferSliceMut;
#[cfg(feature = "gpu")]
use crate::runtime::Access;
use bytemuck::Pod;
use rayon::prelude::*;

/// Rows per thread and step, at least.
const FEW: usize = 1 << 12;

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
/// [`Error::WrongDevice`], [`Error::OutputTooSmall`], [`Error::TooManyKeys`].
pub fn gather<'a, 'b, 'c, T: Pod + Send + Sync>(
    from: impl Into<BufferSlice<'a, T>>,
    permutation: impl Into<BufferSlice<'b, u32>>,
    to: impl Into<BufferSliceMut<'c, T>>,
) -> Result<()> {
    let (from, permutation, to) = (from.into(), permutation.into(), to.into());
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
    gather_rows(GatheredColumn { bytes: size_of::<T>(), from: from.erase(), to: to.erase() }, permutation)
}

/// Gathers the columns of a call that has moved n keys, and the others with them. The permutation is one of those.
pub(crate) fn gather_columns(n: usize, moved: &[MovedColumn<'_>], gathered: Vec<GatheredColumn<'_>>) -> Result<()> {
    let permutation = moved.iter().find_map(|column| match column {
        MovedColumn::Permutation { to } => Some(BufferSlice::from(to)),
        MovedColumn::Values { .. } => None,
    });
    let Some(permutation) = permutation else { return Ok(()) };
    let permutation = permutation.slice(..n)?;
    gathered.into_iter().try_for_each(|column| gather_rows(column, permutation))
}

/// Gathers rows, as many as the permutation has. There are some, and room for them.
fn gather_rows(rows: GatheredColumn<'_>, permutation: BufferSlice<'_, u32>) -> Result<()> {
    let GatheredColumn { bytes, from, to } = rows;
    let (rows, from_rows) = (permutation.len(), from.region.len);
    if rows == 0 || bytes == 0 {
        return Ok(());
    }
    dispatch!(to.region.device,
    gpu => {
        let count = |n: usize| u32::try_from(n).map_err(|_| Error::TooManyKeys { n });
        let (from, permutation) = (from.region.span(gpu, Access::Read)?, permutation.region().reads(gpu)?);
        let to = to.region.span(gpu, Access::Write)?;
        Gather { from, from_rows: count(from_rows)?, permutation, to, rows: count(rows)?, bytes }.launch(gpu)
    },
    cpu => {
        let each = to.host.par_chunks_exact_mut(bytes).zip(permutation.as_slice().unwrap_or_default());
        each.with_min_len(FEW).for_each(|(to, &i)| {
            to.copy_from_slice(&from.host[(i as usize).min(from_rows - 1) * bytes..][..bytes]);
        });
        Ok(())
    })
}
