//! Typed slices of device memory: the only arrays that kernels are given.
#![cfg_attr(not(feature = "gpu"), allow(dead_code))] // without GPUs only tables have any

use crate::error::{Error, Result};
use bytemuck::Pod;
use cubecl::prelude::*;
use cubecl::server::Handle;
use std::marker::PhantomData;

/// Bytes that kernels load at once where they can.
const LOAD: usize = 16;

/// A slice of device memory: a handle, an element type, a length and an alignment.
///
/// Its length is never claimed. The first slice of some memory is measured, and every other one is part of a slice that
/// was: it is cut out ([`Slice::first`], [`Slice::skip`]) or seen as another type ([`Slice::cast`]), and each of these
/// looks whether it lies within. So a kernel's argument ([`Slice::arg`]) cannot be longer than its memory.
#[doc(hidden)]
pub struct Slice<T = u8> {
    handle: Handle,
    len: usize,
    element: PhantomData<fn() -> T>,
}

impl<T> Clone for Slice<T> {
    fn clone(&self) -> Self {
        Self { handle: self.handle.clone(), len: self.len, element: PhantomData }
    }
}

impl Slice<u8> {
    /// All bytes of a handle that the runtime allocated, or whose memory it has measured.
    pub(crate) fn measure(handle: &Handle) -> Self {
        let skipped = handle.offset_start.unwrap_or(0).saturating_add(handle.offset_end.unwrap_or(0));
        let len = usize::try_from(handle.size().saturating_sub(skipped)).unwrap_or(usize::MAX);
        Self { handle: handle.clone(), len, element: PhantomData }
    }

    /// The whole elements of another type in these bytes.
    ///
    /// # Errors
    /// [`Error::Misaligned`] if they do not begin where such an element may.
    pub fn cast<T: Pod>(&self) -> Result<Slice<T>> {
        let align = alignment::<T>();
        if !self.begins_at_multiple_of(align) {
            return Err(Error::Misaligned { offset: self.handle.offset_start.unwrap_or(0), needed: align });
        }
        Ok(Slice { handle: self.handle.clone(), len: self.len / size_of::<T>().max(1), element: PhantomData })
    }
}

impl<T> Slice<T> {
    /// The whole elements of an allocation.
    pub(crate) fn of_allocation(handle: &Handle) -> Self {
        let mut handle = handle.clone();
        (handle.offset_start, handle.offset_end) = (None, None);
        let len = usize::try_from(handle.size()).unwrap_or(usize::MAX) / size_of::<T>().max(1);
        Self { handle, len, element: PhantomData }
    }

    /// The number of elements.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The first `len` elements.
    ///
    /// # Errors
    /// [`Error::OutputTooSmall`] if there are fewer.
    pub fn first(&self, len: usize) -> Result<Self> {
        if len > self.len {
            let what = format!("a device slice of {}", std::any::type_name::<T>());
            return Err(Error::OutputTooSmall { what, got: self.len, needed: len });
        }
        Ok(Self { handle: self.handle.clone(), len, element: PhantomData })
    }

    /// The elements from `start` on.
    ///
    /// # Errors
    /// [`Error::OutputTooSmall`] if there are fewer than `start`.
    pub fn skip(&self, start: usize) -> Result<Self> {
        let kept = self.first(start)?;
        let bytes = (start * size_of::<T>()) as u64;
        Ok(Self { handle: kept.handle.offset_start(bytes), len: self.len - start, element: PhantomData })
    }

    /// The elements as an argument of a kernel.
    pub fn arg<R: Runtime>(&self) -> ArrayArg<R> {
        // SAFETY: the handle holds `len` elements of type T: that was measured, or is part of what was (see the type).
        unsafe { ArrayArg::from_raw_parts(self.handle.clone(), self.len) }
    }

    /// The first `n` elements as an argument of a kernel that loads `width` of them at once. The last load may have
    /// elements beyond the first `n`, but none beyond the slice.
    ///
    /// # Errors
    /// [`Error::OutputTooSmall`] if the last load would go beyond the slice, [`Error::Misaligned`] if the loads would not
    /// be aligned.
    pub fn loads<R: Runtime>(&self, n: usize, width: usize) -> Result<ArrayArg<R>> {
        let loads = n.div_ceil(width);
        let whole = self.first(loads.saturating_mul(width))?;
        let align = width * size_of::<T>();
        if width > 1 && !self.begins_at_multiple_of(align) {
            return Err(Error::Misaligned { offset: self.handle.offset_start.unwrap_or(0), needed: align });
        }
        // SAFETY: `first` saw that the handle holds that many whole loads, and they are aligned.
        Ok(unsafe { ArrayArg::from_raw_parts(whole.handle, loads) })
    }

    /// The elements of 4 or 8 bytes that a kernel loads at once when it reads the first `n`: as many as 16 bytes hold, if
    /// the slice is aligned and has whole loads, or else one.
    pub fn per_load(&self, n: usize) -> usize {
        let width = if size_of::<T>() >= 4 { LOAD / size_of::<T>() } else { 1 };
        let whole = n.next_multiple_of(width.max(1)) <= self.len;
        if width > 1 && whole && self.is_aligned() { width } else { 1 }
    }

    /// The bytes of its elements.
    pub fn bytes(&self) -> Slice {
        Slice { handle: self.handle.clone(), len: self.len * size_of::<T>(), element: PhantomData }
    }

    /// Whether it begins where 16 bytes can be loaded at once. Allocations do; a part of one may not.
    pub fn is_aligned(&self) -> bool {
        self.begins_at_multiple_of(LOAD)
    }

    /// Allocations begin at multiples of at least 32 bytes on every device, so the offset within one decides.
    fn begins_at_multiple_of(&self, bytes: usize) -> bool {
        self.handle.offset_start.unwrap_or(0).is_multiple_of(bytes as u64)
    }

    /// Where it is.
    pub(crate) fn handle(&self) -> &Handle {
        &self.handle
    }
}

/// What the beginning of an element must be a multiple of: kernels load and store whole elements, or their words.
pub(crate) fn alignment<T>() -> usize {
    let size = size_of::<T>().max(1);
    (size & size.wrapping_neg()).min(LOAD)
}

impl<T> std::fmt::Debug for Slice<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Slice<{}>({} elements)", std::any::type_name::<T>(), self.len)
    }
}
