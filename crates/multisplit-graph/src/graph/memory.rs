//! Vectors that say when there is no memory for them, rather than end the process.
//!
//! Everything whose size comes from a file has its room from here. Buffers of a fixed size do not: they take less than
//! a megabyte in all, and [`spare`] says whether there is one.

use crate::error::{Error, Result};
use crate::parallel;
use std::hint::black_box;

/// Bytes that a large vector leaves to others: small allocations, of which libraries make some, cannot say that they
/// failed.
const SPARE: usize = 1 << 20;

/// Elements that a growing vector begins with.
const FIRST: usize = 1 << 10;

/// Makes room for `more` elements behind those that are there.
///
/// # Errors
/// [`Error::OutOfMemory`].
pub(crate) fn reserve<T>(all: &mut Vec<T>, more: usize) -> Result<()> {
    let bytes = (more as u64).saturating_mul(size_of::<T>() as u64);
    all.try_reserve_exact(more).map_err(|_| Error::OutOfMemory { bytes })?;
    if bytes < SPARE as u64 { Ok(()) } else { spare() }
}

/// Sees whether a megabyte is left.
///
/// # Errors
/// [`Error::OutOfMemory`].
pub(crate) fn spare() -> Result<()> {
    let mut spare: Vec<u8> = Vec::new();
    // Otherwise, the compiler leaves out what is not used.
    let room = black_box(&mut spare).try_reserve_exact(SPARE);
    room.map_err(|_| Error::OutOfMemory { bytes: SPARE as u64 })
}

/// An empty vector with room for `count` elements.
pub(crate) fn with_room<T>(count: usize) -> Result<Vec<T>> {
    let mut all = Vec::new();
    reserve(&mut all, count)?;
    Ok(all)
}

/// Appends an element.
#[inline]
pub(crate) fn push<T>(all: &mut Vec<T>, one: T) -> Result<()> {
    if all.len() == all.capacity() {
        reserve(all, all.len().max(FIRST))?;
    }
    all.push(one);
    Ok(())
}

/// All elements, in their order.
pub(crate) fn fill<T: Send>(n: usize, element: impl Fn(usize) -> T + Sync) -> Result<Vec<T>> {
    let mut elements = with_room(n)?;
    parallel::extend(&mut elements, n, element);
    Ok(elements)
}

/// As many times the same element.
pub(crate) fn repeated<T: Copy>(one: T, n: usize) -> Result<Vec<T>> {
    let mut all = with_room(n)?;
    all.resize(n, one);
    Ok(all)
}

/// A number of elements as this machine counts them.
pub(crate) fn count<T>(elements: u64) -> Result<usize> {
    let bytes = elements.saturating_mul(size_of::<T>() as u64);
    usize::try_from(elements).map_err(|_| Error::OutOfMemory { bytes })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_no_machine_has_is_an_error() {
        let mut all = vec![7u64];
        for many in [usize::MAX / 32, usize::MAX / 8, usize::MAX] {
            let bytes = (many as u64).saturating_mul(8);
            assert_eq!(reserve(&mut all, many), Err(Error::OutOfMemory { bytes }));
        }
        assert_eq!(all, [7]);
        assert_eq!(with_room::<u8>(usize::MAX), Err(Error::OutOfMemory { bytes: usize::MAX as u64 }));
    }

    #[test]
    fn vectors_are_as_others() {
        let mut all = Vec::new();
        (0..5000u32).for_each(|i| push(&mut all, i).unwrap());
        assert!(all.iter().copied().eq(0..5000));
        assert_eq!(fill(all.len(), |i| i as u32).unwrap(), all);
        assert!(fill(0, |i| i).unwrap().is_empty());
        assert_eq!(repeated(7u32, 3), Ok(vec![7; 3]));
    }
}
