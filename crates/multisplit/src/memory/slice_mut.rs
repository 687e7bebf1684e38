//! Parts of buffers, to be written.

use super::buffer::{Buffer, Storage};
use super::region::Region;
use super::slice::{BufferSlice, is_host, within};
use crate::device::Device;
use crate::error::Result;
use bytemuck::Pod;
use std::fmt;
use std::ops::RangeBounds;

/// Elements of a [`Buffer`], to be written: all of them, or those of a range.
///
/// Made by [`Buffer::slice_mut`] and [`Buffer::split_at_mut`], or of a `&mut Buffer`. Operations between device buffers
/// take either; `&mut slice` lends a slice to one of them.
///
/// ```
/// use multisplit::{BufferSliceMut, Device};
/// let mut buffer = Device::best().upload(&[0u32; 6])?;
/// let mut rest = BufferSliceMut::from(&mut buffer);
/// for value in 1..=3 {
///     let (mut two, others) = rest.split_at(2)?;
///     two.fill(value)?;
///     rest = others;
/// }
/// assert_eq!(buffer.download()?, [1, 1, 2, 2, 3, 3]);
/// # Ok::<(), multisplit::Error>(())
/// ```
#[must_use]
pub struct BufferSliceMut<'a, T> {
    region: Region<'a>,
    /// Nothing on a GPU.
    host: &'a mut [T],
}

impl<T: Pod> Buffer<T> {
    /// Some of the elements, to be written.
    ///
    /// # Errors
    /// [`Error::OutOfBounds`](crate::Error::OutOfBounds).
    pub fn slice_mut(&mut self, range: impl RangeBounds<usize>) -> Result<BufferSliceMut<'_, T>> {
        self.whole_mut().cut(range)
    }

    /// The elements before number `at`, and the others. Each of the two can be an output while the other is an input or
    /// an output too, also of another thread's call.
    ///
    /// ```
    /// use multisplit::{Device, Sort};
    /// let device = Device::best();
    /// let room = 3usize.next_multiple_of(device.slice_alignment::<u32>());
    /// let mut both = device.alloc::<u32>(2 * room)?;
    /// both.write(0, &[5, 3, 4])?;
    /// let (keys, mut sorted) = both.split_at_mut(room)?;
    /// let mut workspace = Sort::new().workspace::<u32>(&device, 3, 0, 0)?;
    /// Sort::new().enqueue(keys.slice(..3)?, &mut sorted, &mut [], &mut workspace)?;
    /// assert_eq!(sorted.slice(..3)?.download()?, [3, 4, 5]);
    /// # Ok::<(), multisplit::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::OutOfBounds`](crate::Error::OutOfBounds).
    pub fn split_at_mut(&mut self, at: usize) -> Result<(BufferSliceMut<'_, T>, BufferSliceMut<'_, T>)> {
        self.whole_mut().split_at(at)
    }

    /// All elements, to be written.
    pub(crate) fn whole_mut(&mut self) -> BufferSliceMut<'_, T> {
        match &mut self.storage {
            Storage::Host(data) => BufferSliceMut::new(Region::on_host(&self.device, data.len()), data),
            #[cfg(feature = "gpu")]
            Storage::Gpu(of) => {
                BufferSliceMut::new(Region::on_gpu(&self.device, self.len, size_of::<T>(), of), &mut [])
            }
        }
    }
}

impl<'a, T> BufferSliceMut<'a, T> {
    pub(super) fn new(region: Region<'a>, host: &'a mut [T]) -> Self {
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
    pub fn as_slice(&self) -> Option<&[T]> {
        is_host(&self.region).then_some(&*self.host)
    }

    /// The elements, if they are in host memory; nothing for a GPU's.
    #[must_use]
    pub fn as_mut_slice(&mut self) -> Option<&mut [T]> {
        is_host(&self.region).then_some(&mut *self.host)
    }

    pub(crate) fn region(&self) -> Region<'_> {
        self.region
    }

    fn reborrow(&mut self) -> BufferSliceMut<'_, T> {
        BufferSliceMut { region: self.region, host: self.host }
    }
}

impl<'a, T: Pod> BufferSliceMut<'a, T> {
    /// Some of the elements, to be read.
    ///
    /// # Errors
    /// [`Error::OutOfBounds`](crate::Error::OutOfBounds).
    pub fn slice(&self, range: impl RangeBounds<usize>) -> Result<BufferSlice<'_, T>> {
        BufferSlice::from(self).slice(range)
    }

    /// Some of the elements, to be written.
    ///
    /// # Errors
    /// [`Error::OutOfBounds`](crate::Error::OutOfBounds).
    pub fn slice_mut(&mut self, range: impl RangeBounds<usize>) -> Result<BufferSliceMut<'_, T>> {
        self.reborrow().cut(range)
    }

    /// The elements before number `at`, and the others, to be written.
    ///
    /// # Errors
    /// [`Error::OutOfBounds`](crate::Error::OutOfBounds).
    pub fn split_at_mut(&mut self, at: usize) -> Result<(BufferSliceMut<'_, T>, BufferSliceMut<'_, T>)> {
        self.reborrow().split_at(at)
    }

    /// The same for as long as the buffer is borrowed, where [`split_at_mut`](Self::split_at_mut) borrows the slice.
    ///
    /// # Errors
    /// [`Error::OutOfBounds`](crate::Error::OutOfBounds).
    pub fn split_at(self, at: usize) -> Result<(Self, Self)> {
        let len = self.len();
        let (first, second) = (within(..at, len)?, within(at.., len)?);
        let size = size_of::<T>();
        let regions = (self.region.cut(&first, size, true), self.region.cut(&second, size, true));
        let (head, tail) = self.host.split_at_mut_checked(at).unwrap_or_default();
        Ok((Self::new(regions.0, head), Self::new(regions.1, tail)))
    }

    /// Some of the elements, for as long as the buffer is borrowed.
    pub(super) fn cut(self, range: impl RangeBounds<usize>) -> Result<Self> {
        let range = within(range, self.len())?;
        let region = self.region.cut(&range, size_of::<T>(), true);
        Ok(Self { region, host: self.host.get_mut(range).unwrap_or_default() })
    }

    /// The elements as bytes, if they are in host memory.
    pub(crate) fn erase(self) -> ErasedMut<'a> {
        ErasedMut { region: self.region, host: bytemuck::cast_slice_mut(self.host) }
    }
}

/// Elements of a forgotten type, to be written.
pub(crate) struct ErasedMut<'a> {
    pub region: Region<'a>,
    /// Their bytes; none on a GPU.
    pub host: &'a mut [u8],
}

impl ErasedMut<'_> {
    pub fn reborrow(&mut self) -> ErasedMut<'_> {
        ErasedMut { region: self.region, host: self.host }
    }
}

impl<'a, T: Pod> From<&'a mut Buffer<T>> for BufferSliceMut<'a, T> {
    fn from(buffer: &'a mut Buffer<T>) -> Self {
        buffer.whole_mut()
    }
}

impl<'a, T> From<&'a BufferSliceMut<'_, T>> for BufferSlice<'a, T> {
    fn from(slice: &'a BufferSliceMut<'_, T>) -> Self {
        Self::new(slice.region, slice.host)
    }
}

impl<'a, T> From<BufferSliceMut<'a, T>> for BufferSlice<'a, T> {
    fn from(slice: BufferSliceMut<'a, T>) -> Self {
        Self::new(slice.region, slice.host)
    }
}

impl<'a, T> From<&'a mut BufferSliceMut<'_, T>> for BufferSliceMut<'a, T> {
    fn from(slice: &'a mut BufferSliceMut<'_, T>) -> Self {
        slice.reborrow()
    }
}

impl<T> fmt::Debug for BufferSliceMut<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "BufferSliceMut<{}>({})", std::any::type_name::<T>(), self.region)
    }
}
