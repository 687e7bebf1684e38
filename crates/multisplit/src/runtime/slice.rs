//! Typed slices of device memory: the only arrays that kernels are given.
#![cfg_attr(not(feature = "gpu"), allow(dead_code))] // without GPUs only tables have any

use crate::error::{Error, Result};
use bytemuck::Pod;
use cubecl::prelude::*;
use cubecl::server::Handle;
use std::marker::PhantomData;
use std::sync::Arc;

/// Bytes that kernels load at once where they can.
const LOAD: usize = 16;

/// A slice of device memory: a handle, an element type, a length and an alignment.
///
/// Its length is never claimed. The first slice of some memory is measured, and every other one is part of a slice that
/// was: it is cut out ([`Slice::first`], [`Slice::skip`]) or seen as another type ([`Slice::cast`]), and each of these
/// looks whether it lies within. So a kernel's argument ([`Slice::arg`]) cannot be longer than its memory.
#[doc(hidden)]
pub struct Slice<T = u8> {
    /// Shared among slices, and cloned only for a kernel's argument: CubeCL's own thread counts the clones of handles
    /// too, so that each costs both threads some time.
    handle: Arc<Handle>,
    /// Where it begins, in bytes from where the handle does.
    start: u64,
    len: usize,
    element: PhantomData<fn() -> T>,
}

impl<T> Clone for Slice<T> {
    fn clone(&self) -> Self {
        self.cut(0, self.len)
    }
}

impl Slice<u8> {
    /// All bytes of a handle that the runtime allocated, or whose memory it has measured.
    pub(crate) fn measure(handle: &Arc<Handle>) -> Self {
        Self { handle: handle.clone(), start: 0, len: bytes_of(handle), element: PhantomData }
    }

    /// `len` elements of another type, from byte `start` on.
    ///
    /// # Errors
    /// [`Error::OutputTooSmall`] if there are fewer, [`Error::Misaligned`] if they do not begin where such an element
    /// may.
    pub(crate) fn part<T: Pod>(&self, start: usize, len: usize) -> Result<Slice<T>> {
        let end = len.checked_mul(size_of::<T>()).and_then(|bytes| bytes.checked_add(start));
        if end.is_none_or(|end| end > self.len) {
            let (what, needed) = ("a part of device memory".into(), end.unwrap_or(usize::MAX));
            return Err(Error::OutputTooSmall { what, got: self.len, needed });
        }
        let part = self.cut(start, len);
        part.check_alignment(alignment::<T>())?;
        Ok(part)
    }

    /// The bytes before byte `end`. Kernels are not given the memory behind them.
    pub(crate) fn up_to(&self, end: usize) -> Self {
        if end >= self.len {
            return self.clone();
        }
        let handle = Handle::clone(&self.handle).offset_end((self.len - end) as u64);
        Self { handle: Arc::new(handle), start: self.start, len: end, element: PhantomData }
    }

    /// The whole elements of another type in these bytes.
    ///
    /// # Errors
    /// [`Error::Misaligned`] if they do not begin where such an element may.
    pub fn cast<T: Pod>(&self) -> Result<Slice<T>> {
        self.part(0, self.len / size_of::<T>().max(1))
    }
}

impl<T> Slice<T> {
    /// The whole elements of an allocation.
    pub(crate) fn of_allocation(handle: Handle) -> Self {
        let len = bytes_of(&handle) / size_of::<T>().max(1);
        Self { handle: Arc::new(handle), start: 0, len, element: PhantomData }
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
        self.check_len(len)?;
        Ok(self.cut(0, len))
    }

    /// The elements from `start` on.
    ///
    /// # Errors
    /// [`Error::OutputTooSmall`] if there are fewer than `start`.
    pub fn skip(&self, start: usize) -> Result<Self> {
        self.check_len(start)?;
        Ok(self.cut(start * size_of::<T>(), self.len - start))
    }

    /// The bytes of its elements.
    pub fn bytes(&self) -> Slice {
        self.cut(0, self.len * size_of::<T>())
    }

    /// The elements as a field of a struct that is an argument of a kernel. A slice itself is an argument, too.
    pub fn arg<R: Runtime>(&self) -> ArrayArg<R> {
        // SAFETY: the handle holds `len` elements of type T: that was measured, or is part of what was (see the type).
        unsafe { ArrayArg::from_raw_parts(self.handle(), self.len) }
    }

    /// The first `n` elements, for a kernel that loads `width` of them at once. The last load may have elements beyond
    /// the first `n`, but none beyond the slice.
    ///
    /// # Errors
    /// [`Error::OutputTooSmall`] if the last load would go beyond the slice, [`Error::Misaligned`] if the loads would
    /// not be aligned.
    pub fn loads(&self, n: usize, width: usize) -> Result<Loads<T>> {
        let len = n.div_ceil(width).saturating_mul(width);
        self.check_len(len)?;
        self.check_alignment(if width > 1 { width * size_of::<T>() } else { 1 })?;
        Ok(Loads { elements: self.cut(0, len), width })
    }

    /// The elements of 4 or 8 bytes that a kernel loads at once when it reads the first `n`: as many as 16 bytes
    /// hold, if the slice is aligned and has whole loads, or else one.
    pub fn per_load(&self, n: usize) -> usize {
        let width = if size_of::<T>() >= 4 { LOAD / size_of::<T>() } else { 1 };
        let whole = n.next_multiple_of(width.max(1)) <= self.len;
        if width > 1 && whole && self.is_aligned() { width } else { 1 }
    }

    /// Whether it begins where 16 bytes can be loaded at once. Allocations do; a part of one may not.
    pub fn is_aligned(&self) -> bool {
        self.check_alignment(LOAD).is_ok()
    }

    /// Some elements, of this type or another. Callers have seen that they are there.
    fn cut<U>(&self, start: usize, len: usize) -> Slice<U> {
        let (handle, start) = (self.handle.clone(), self.start + start as u64);
        Slice { handle, start, len, element: PhantomData }
    }

    fn check_len(&self, len: usize) -> Result<()> {
        if len <= self.len {
            return Ok(());
        }
        let what = format!("a device slice of {}", std::any::type_name::<T>());
        Err(Error::OutputTooSmall { what, got: self.len, needed: len })
    }

    /// Where it begins, in bytes from where its allocation does.
    pub(crate) fn offset(&self) -> u64 {
        self.handle.offset_start.unwrap_or(0) + self.start
    }

    /// Allocations begin at multiples of at least 32 bytes on every device, so the offset within one decides.
    pub(crate) fn check_alignment(&self, needed: usize) -> Result<()> {
        let offset = self.offset();
        if offset.is_multiple_of(needed as u64) { Ok(()) } else { Err(Error::Misaligned { offset, needed }) }
    }

    /// Where it is.
    pub(crate) fn handle(&self) -> Handle {
        let handle = Handle::clone(&self.handle);
        if self.start > 0 { handle.offset_start(self.start) } else { handle }
    }
}

/// Elements of device memory that are loaded several at once; see [`Slice::loads`].
#[doc(hidden)]
pub struct Loads<T> {
    pub(crate) elements: Slice<T>,
    pub(crate) width: usize,
}

/// The bytes of a handle.
fn bytes_of(handle: &Handle) -> usize {
    let skipped = handle.offset_start.unwrap_or(0).saturating_add(handle.offset_end.unwrap_or(0));
    usize::try_from(handle.size().saturating_sub(skipped)).unwrap_or(usize::MAX)
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
