//! The inverse of a permutation, on a device.

use crate::cpu;
use crate::device::dispatch;
use crate::error::{Error, Result};
#[cfg(feature = "gpu")]
use crate::gpu::Invert;
use crate::memory::aliasing::{Part, Role, check_apart};
use crate::memory::slice::BufferSlice;
use crate::memory::slice_mut::BufferSliceMut;

/// Inverts a permutation, on the stream of `inverse`: `inverse[permutation[i]] = i`. So `inverse[j]` is where element j
/// of the input went.
///
/// On a GPU nothing is waited for. What was split comes back by a [`gather`](crate::gather()) with the inverse. In host
/// memory, [`inverse`](crate::inverse()) does the same and checks the permutation. Here, indices that are out of range
/// are ignored, the element of an index that occurs twice is one of the two, and that of an index that does not occur
/// stays as it was.
///
/// ```
/// use multisplit::{Column, Device, Multisplit, bucket::Identity, gather, invert};
/// let device = Device::best();
/// let f = Identity::new(3);
/// let split = Multisplit::by(&f);
/// let keys = device.upload(&[2u32, 0, 1, 0])?;
/// let (mut keys_out, mut permutation) = (device.alloc(4)?, device.alloc(4)?);
/// let mut offsets = split.offsets(&device)?;
/// let mut workspace = split.workspace(&device, 4, 1)?;
/// split.enqueue(&keys, &mut keys_out, &mut [Column::permutation(&mut permutation)], &mut offsets, &mut workspace)?;
///
/// let (mut inverse, mut back) = (device.alloc(4)?, device.alloc(4)?);
/// invert(&permutation, &mut inverse)?;
/// assert_eq!(inverse.download()?, [3, 0, 2, 1]);
/// gather(&keys_out, &inverse, &mut back)?;
/// assert_eq!(back.download()?, keys.download()?);
/// # Ok::<(), multisplit::Error>(())
/// ```
///
/// # Errors
/// [`Error::WrongDevice`], [`Error::OutputTooSmall`], [`Error::TooManyKeys`].
pub fn invert<'a, 'b>(
    permutation: impl Into<BufferSlice<'a, u32>>,
    inverse: impl Into<BufferSliceMut<'b, u32>>,
) -> Result<()> {
    let (permutation, mut inverse) = (permutation.into(), inverse.into());
    permutation.device().check_same("the inverse", inverse.device())?;
    let n = permutation.len();
    if inverse.len() < n {
        return Err(Error::OutputTooSmall { what: "the inverse".into(), got: inverse.len(), needed: n });
    }
    if u32::try_from(n).is_err() {
        return Err(Error::TooManyKeys { n });
    }
    let all = [(Role::In(Part::Permutation), permutation.region()), (Role::Out(Part::Inverse), inverse.region())];
    check_apart(all.into_iter())?;
    dispatch!(inverse.device(),
    gpu => {
        let (permutation, inverse) = (permutation.region().reads(gpu)?, inverse.region().writes(gpu)?);
        Invert { permutation, inverse, n: n as u32 }.launch(gpu)
    },
    cpu => {
        let inverse = inverse.as_mut_slice().unwrap_or_default();
        cpu::invert(permutation.as_slice().unwrap_or_default(), &mut inverse[..n]);
        Ok(())
    })
}
