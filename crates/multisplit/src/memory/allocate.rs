//! Allocations that return an error where those of the standard library would abort.

use crate::error::{Error, Result};

/// The error for `len` elements that could not be allocated.
pub(crate) fn out_of_memory<T>(len: usize, reason: impl ToString) -> Error {
    let bytes = (len as u64).saturating_mul(size_of::<T>() as u64);
    Error::OutOfMemory { device: "cpu".into(), bytes, reason: reason.to_string() }
}

/// An empty vector with room for `len` elements.
pub(crate) fn with_room<T>(len: usize) -> Result<Vec<T>> {
    let mut vec = Vec::new();
    vec.try_reserve_exact(len).map_err(|error| out_of_memory::<T>(len, error))?;
    Ok(vec)
}

/// A vector of the elements of an iterator.
pub(crate) fn collect<T>(elements: impl ExactSizeIterator<Item = T>) -> Result<Vec<T>> {
    let mut vec = with_room(elements.len())?;
    vec.extend(elements);
    Ok(vec)
}

/// Makes a vector at least `len` elements long. Its capacity is then no more than that, unless it was before.
pub(crate) fn grow<T>(vec: &mut Vec<T>, len: usize, blank: impl FnMut() -> T) -> Result<()> {
    if let Some(missing) = len.checked_sub(vec.len()) {
        vec.try_reserve_exact(missing).map_err(|error| out_of_memory::<T>(len, error))?;
        vec.resize_with(len, blank);
    }
    Ok(())
}

/// A vector of `len` new elements.
pub(crate) fn filled<T>(len: usize, blank: impl FnMut() -> T) -> Result<Vec<T>> {
    let mut vec = Vec::new();
    grow(&mut vec, len, blank)?;
    Ok(vec)
}
