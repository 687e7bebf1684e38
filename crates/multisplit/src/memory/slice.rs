//! Parts of buffers, to be read.

use super::buffer::{Buffer, Storage};
use super::region::Region;
use crate::device::{Device, dispatch};
use crate::error::{Error, Result};
use bytemuck::Pod;
use std::fmt;
use std::ops::{Bound, Range, RangeBounds};

/// Elements of a [`Buffer`], to be read: all of them, or those of a range.
///
/// Made by [`Buffer::slice`], or of a `&Buffer`. Operations between device buffers take either.
#[must_use]
pub struct BufferSlice<'a, T> {
    region: Region<'a>,
    /// Nothing on a GPU.
    host: &'a [T],
}

impl<T> Clone for BufferSlice<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for BufferSlice<'_, T> {}

impl<T: Pod> Buffer<T> {
    /// Some of the elements, to be read. Operations take it in place of a buffer. What they need of where it begins
    /// [`Device::slice_alignment`] tells.
    ///
    /// ```
    /// use multisplit::{Device, Histogram, bucket::Identity};
    /// let device = Device::best();
    /// let f = Identity::new(3);
    /// let keys = device.upload(&[2u32, 0, 1, 0])?;
    /// let mut counts = device.alloc::<u32>(4)?;
    /// Histogram::by(&f).enqueue(keys.slice(..3)?, &mut counts)?;
    /// assert_eq!(counts.download()?, [1, 1, 1, 0]);
    /// # Ok::<(), multisplit::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::OutOfBounds`].
    pub fn slice(&self, range: impl RangeBounds<usize>) -> Result<BufferSlice<'_, T>> {
        self.whole().slice(range)
    }

    /// All elements, to be read.
    pub(crate) fn whole(&self) -> BufferSlice<'_, T> {
        match &self.storage {
            Storage::Host(data) => BufferSlice::new(Region::on_host(&self.device, data.len()), data),
            #[cfg(feature = "gpu")]
            Storage::Gpu(of) => BufferSlice::new(Region::on_gpu(&self.device, self.len, size_of::<T>(), of), &[]),
        }
    }
}

impl Device {
    /// Host memory as elements of a buffer on the CPU, to be read. Operations take it as it is: nothing is copied.
    ///
    /// ```
    /// use multisplit::{Device, Sort};
    /// let (device, sort) = (Device::cpu(), Sort::new());
    /// let keys = device.slice_of(&[3u32, 1, 2])?;
    /// let mut sorted = device.alloc(3)?;
    /// sort.enqueue(keys, &mut sorted, &mut [], &mut sort.workspace::<u32>(&device, 3, 0, 0)?)?;
    /// assert_eq!(sorted.into_vec()?, [1, 2, 3]);
    /// # Ok::<(), multisplit::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::MissingCapability`] on a GPU, which reads its own memory: [`Device::upload`] copies it there.
    pub fn slice_of<'a, T: Pod>(&'a self, data: &'a [T]) -> Result<BufferSlice<'a, T>> {
        dispatch!(self,
            _gpu => {
                let capability = "operations on host memory".into();
                Err(Error::MissingCapability { device: self.name().into(), capability })
            },
            cpu => Ok(BufferSlice::new(Region::on_host(self, data.len()), data)))
    }
}

impl<'a, T> BufferSlice<'a, T> {
    pub(super) fn new(region: Region<'a>, host: &'a [T]) -> Self {
        Self { region, host }
    }

    /// The number of elements.
    #[must_use]
    pub fn len(&self) -> usize {
        self.region.len
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.region.len == 0
    }

    /// Where its buffer is.
    #[must_use]
    pub fn device(&self) -> &'a Device {
        self.region.device
    }

    /// The elements, if they are in host memory; nothing for a GPU's.
    #[must_use]
    pub fn as_slice(&self) -> Option<&'a [T]> {
        is_host(&self.region).then_some(self.host)
    }

    pub(crate) fn region(&self) -> Region<'a> {
        self.region
    }
}

impl<'a, T: Pod> BufferSlice<'a, T> {
    /// Some of the elements.
    ///
    /// # Errors
    /// [`Error::OutOfBounds`].
    pub fn slice(self, range: impl RangeBounds<usize>) -> Result<Self> {
        let range = within(range, self.len())?;
        let host = self.host.get(range.clone()).unwrap_or_default();
        Ok(Self { region: self.region.cut(&range, size_of::<T>(), false), host })
    }

    /// The elements before number `at`, and the others.
    ///
    /// # Errors
    /// [`Error::OutOfBounds`].
    pub fn split_at(self, at: usize) -> Result<(Self, Self)> {
        Ok((self.slice(..at)?, self.slice(at..)?))
    }

    /// The elements as bytes, if they are in host memory.
    pub(crate) fn erase(self) -> Erased<'a> {
        Erased { region: self.region, host: bytemuck::cast_slice(self.host) }
    }
}

/// Elements of a forgotten type, to be read.
#[derive(Clone, Copy)]
pub(crate) struct Erased<'a> {
    pub region: Region<'a>,
    /// Their bytes; none on a GPU.
    pub host: &'a [u8],
}

pub(super) fn is_host(region: &Region<'_>) -> bool {
    #[cfg(feature = "gpu")]
    return region.part.is_none();
    #[cfg(not(feature = "gpu"))]
    {
        let _ = region;
        true
    }
}

/// A range of the elements of something that has `len`.
pub(super) fn within(range: impl RangeBounds<usize>, len: usize) -> Result<Range<usize>> {
    let start = match range.start_bound() {
        Bound::Included(&start) => Some(start),
        Bound::Excluded(&before) => before.checked_add(1),
        Bound::Unbounded => Some(0),
    };
    let end = match range.end_bound() {
        Bound::Included(&last) => last.checked_add(1),
        Bound::Excluded(&end) => Some(end),
        Bound::Unbounded => Some(len),
    };
    match (start, end) {
        (Some(start), Some(end)) if start <= end && end <= len => Ok(start..end),
        _ => Err(Error::OutOfBounds { start: start.unwrap_or(usize::MAX), end: end.unwrap_or(usize::MAX), len }),
    }
}

impl<'a, T: Pod> From<&'a Buffer<T>> for BufferSlice<'a, T> {
    fn from(buffer: &'a Buffer<T>) -> Self {
        buffer.whole()
    }
}

impl<'a, T: Pod> From<&'a mut Buffer<T>> for BufferSlice<'a, T> {
    fn from(buffer: &'a mut Buffer<T>) -> Self {
        buffer.whole()
    }
}

impl<'a, T> From<&'a BufferSlice<'_, T>> for BufferSlice<'a, T> {
    fn from(slice: &'a BufferSlice<'_, T>) -> Self {
        *slice
    }
}

impl<T> fmt::Debug for BufferSlice<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "BufferSlice<{}>({})", std::any::type_name::<T>(), self.region)
    }
}
