//! Memory in large pages.
//!
//! A split writes to up to 256 places of its output in turn. With pages of 4 KiB hardly any of them
//! is still known to the processor when its turn comes again, and looking one up is slow, most of
//! all in a virtual machine. Linux hands out pages of 2 MiB to those who ask, and it must be asked
//! before the memory is first touched.

use bytemuck::Pod;
use std::collections::TryReserveError;

/// An empty vector with room for `n` elements, in large pages where possible. Filling it up to `n`
/// does not move it.
pub(crate) fn empty_vec<T>(n: usize) -> Result<Vec<T>, TryReserveError> {
    let mut vec = Vec::new();
    vec.try_reserve_exact(n)?;
    hint(vec.spare_capacity_mut());
    Ok(vec)
}

/// `n` zeros, in large pages where possible.
///
/// Memory that is fresh from the system is zero already. It is not written to here, so that its pages are made by those
/// who use it: by many threads at the same time, and some never.
pub(crate) fn zeroed_vec<T: Pod>(n: usize) -> Result<Vec<T>, &'static str> {
    let zeros = bytemuck::allocation::try_zeroed_slice_box(n);
    let mut vec = zeros.map(Vec::from).map_err(|()| "memory allocation failed")?;
    hint(&mut vec);
    Ok(vec)
}

/// Asks for large pages for fresh memory. It is a hint: if nothing comes of it, nothing is lost.
#[cfg(target_os = "linux")]
fn hint<T>(memory: &mut [T]) {
    const SMALL: usize = 4096;
    const LARGE: usize = 2 << 20;
    let bytes = size_of_val(memory);
    let start = memory.as_mut_ptr().cast::<u8>();
    let before = start.align_offset(SMALL);
    let Some(inner) = bytes.checked_sub(before).filter(|&bytes| bytes >= LARGE) else {
        return;
    };
    // SAFETY: whole pages (but for the end, which the kernel rounds up to one) of memory that is
    // borrowed exclusively; the advice changes how it is backed, never what is in it.
    unsafe {
        libc::madvise(start.wrapping_add(before).cast(), inner, libc::MADV_HUGEPAGE);
    }
}

#[cfg(not(target_os = "linux"))]
fn hint<T>(_: &mut [T]) {}
