//! Memory on a device.

#[cfg(feature = "gpu")]
use super::region::Allocation;
use super::region::Region;
use super::slice::BufferSlice;
use super::slice_mut::BufferSliceMut;
use crate::device::{Device, dispatch};
use crate::error::{Error, Result};
use crate::memory::large_pages;
use bytemuck::Pod;
use std::collections::TryReserveError;
use std::fmt;
use std::ops::RangeBounds;

/// A buffer of plain elements on a [`Device`].
///
/// It may be used on any stream of its device, and handed from thread to thread: what reads it runs after what wrote
/// it. Its elements are copied to and from host memory, to and from other buffers, and operations take it whole or a
/// [slice](Buffer::slice) of it.
///
/// ```
/// use multisplit::Device;
/// let device = Device::cpu();
/// let mut buffer = device.upload(&[1.0f32, 2.0, 3.0])?;
/// assert_eq!(buffer.download()?, [1.0, 2.0, 3.0]);
/// buffer.write(1, &[5.0, 6.0])?;
/// buffer.slice_mut(..2)?.fill(0.5)?;
/// assert_eq!(buffer.download()?, [0.5, 0.5, 6.0]);
/// # Ok::<(), multisplit::Error>(())
/// ```
pub struct Buffer<T> {
    device: Device,
    len: usize,
    capacity: usize,
    pub(super) storage: Storage<T>,
}

pub(super) enum Storage<T> {
    Host(Vec<T>),
    #[cfg(feature = "gpu")]
    Gpu(Allocation),
}

impl Device {
    /// Copies `data` to the device.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`] if it does not fit, [`Error::DeviceFailed`] if the device does not answer.
    pub fn upload<T: Pod>(&self, data: &[T]) -> Result<Buffer<T>> {
        let storage = dispatch!(self,
            gpu => Storage::Gpu(Allocation::new(gpu.upload(data)?, false)),
            cpu => Storage::Host(copied(self, data)?));
        Ok(Buffer::new(self, data.len(), storage))
    }

    /// Reserves room for `len` elements. On a GPU their values are undefined until written.
    ///
    /// # Errors
    /// As [`Device::upload`].
    pub fn alloc<T: Pod>(&self, len: usize) -> Result<Buffer<T>> {
        let storage = dispatch!(self,
            gpu => Storage::Gpu(Allocation::new(gpu.allocate(len.saturating_mul(size_of::<T>()))?, false)),
            cpu => Storage::Host(zeroed(self, len)?));
        Ok(Buffer::new(self, len, storage))
    }
}

/// Zeroes, or an error instead of the abort that running out of memory would be.
pub(crate) fn zeroed<T: Pod>(device: &Device, len: usize) -> Result<Vec<T>> {
    large_pages::zeroed_vec(len).map_err(|error| out_of_memory::<T>(device, len, error))
}

/// A copy, or an error.
pub(super) fn copied<T: Pod>(device: &Device, data: &[T]) -> Result<Vec<T>> {
    let mut copy = large_pages::empty_vec(data.len()).map_err(|error| out_of_memory::<T>(device, data.len(), error))?;
    copy.extend_from_slice(data);
    Ok(copy)
}

pub(crate) fn out_of_memory<T>(device: &Device, len: usize, error: TryReserveError) -> Error {
    let bytes = (len as u64).saturating_mul(size_of::<T>() as u64);
    Error::OutOfMemory { device: device.name().into(), bytes, reason: error.to_string() }
}

impl<T: Pod> Buffer<T> {
    pub(super) fn new(device: &Device, len: usize, storage: Storage<T>) -> Self {
        Self { device: device.clone(), len, capacity: len, storage }
    }

    /// A buffer in host memory that has these elements.
    pub(crate) fn on_host(device: &Device, data: Vec<T>) -> Self {
        Self::new(device, data.len(), Storage::Host(data))
    }

    /// Copies the elements to host memory. Waits for everything that wrote them, on whichever stream.
    ///
    /// # Errors
    /// [`Error::DeviceFailed`] if something submitted before failed, or the device does not answer;
    /// [`Error::OutOfMemory`] if the host has no room for them.
    pub fn download(&self) -> Result<Vec<T>> {
        self.whole().download()
    }

    /// Copies the elements to host memory that is there already, and of as many. Waits as [`Buffer::download`] does.
    ///
    /// ```
    /// use multisplit::Device;
    /// let buffer = Device::best().upload(&[3u32, 1, 2])?;
    /// let mut words = [0; 3];
    /// buffer.download_into(&mut words)?;
    /// assert_eq!(words, [3, 1, 2]);
    /// # Ok::<(), multisplit::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::WrongLength`] if `to` is not as long; else as [`Buffer::download`].
    pub fn download_into(&self, to: &mut [T]) -> Result<()> {
        self.whole().download_into(to)
    }

    /// Copies `data` from host memory to the elements from number `at` on, on the stream of this buffer. Like any write
    /// it comes after what reads them now, and before what reads them next. It does not wait.
    ///
    /// # Errors
    /// [`Error::OutOfBounds`] if they do not lie within the buffer; [`Error::OutOfMemory`] if the device has no room
    /// for a copy on the way; [`Error::OutputTooSmall`] if kernels of the device know no single bytes, the last word is
    /// to be written in part, and adopted memory has only a part of it; [`Error::DeviceFailed`] if the device does not
    /// answer.
    pub fn write(&mut self, at: usize, data: &[T]) -> Result<()> {
        // A range that wraps is out of bounds, whatever its end is said to be.
        self.slice_mut(at..at.saturating_add(data.len()))?.write(data)
    }

    /// Writes `value` to all elements, on the stream of this buffer.
    ///
    /// # Errors
    /// As [`Buffer::write`].
    pub fn fill(&mut self, value: T) -> Result<()> {
        self.whole_mut().fill(value)
    }

    /// Copies the elements of another buffer, or a slice of one, which are as many. On one GPU the copy is made there,
    /// on the stream of this buffer, and nothing is waited for; between devices it goes through host memory.
    ///
    /// ```
    /// use multisplit::Device;
    /// let device = Device::best();
    /// let from = device.upload(&[1u32, 2, 3, 4])?;
    /// let mut to = device.alloc(2)?;
    /// to.copy_from(from.slice(1..3)?)?;
    /// assert_eq!(to.download()?, [2, 3]);
    /// # Ok::<(), multisplit::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::WrongLength`]; [`Error::SharedMemory`] if both are of handles of the same memory; else as
    /// [`Buffer::download`] and [`Buffer::write`].
    pub fn copy_from<'a>(&mut self, from: impl Into<BufferSlice<'a, T>>) -> Result<()>
    where
        T: 'a,
    {
        self.whole_mut().copy_from(from)
    }

    /// Copies the elements to a new buffer on `device`, which may be this one, another stream of it, or another device.
    ///
    /// # Errors
    /// As [`Buffer::copy_from`] and [`Device::alloc`].
    pub fn to_device(&self, device: &Device) -> Result<Self> {
        self.whole().to_device(device)
    }

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

    /// Some of the elements, to be written.
    ///
    /// # Errors
    /// [`Error::OutOfBounds`].
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
    /// [`Error::OutOfBounds`].
    pub fn split_at_mut(&mut self, at: usize) -> Result<(BufferSliceMut<'_, T>, BufferSliceMut<'_, T>)> {
        self.whole_mut().split_at(at)
    }

    /// Makes it `len` elements long, of those that it was made with. Elements that come back are unspecified.
    ///
    /// # Errors
    /// [`Error::OutputTooSmall`] if it was made with fewer.
    pub fn set_len(&mut self, len: usize) -> Result<()> {
        if len > self.capacity {
            return Err(Error::OutputTooSmall { what: "the buffer".into(), got: self.capacity, needed: len });
        }
        match &mut self.storage {
            // Never moves: the memory is there.
            Storage::Host(data) => data.resize(len, T::zeroed()),
            #[cfg(feature = "gpu")]
            Storage::Gpu(_) => {}
        }
        self.len = len;
        Ok(())
    }

    /// All elements, to be read.
    pub(crate) fn whole(&self) -> BufferSlice<'_, T> {
        match &self.storage {
            Storage::Host(data) => BufferSlice::new(Region::on_host(&self.device, data.len()), data),
            #[cfg(feature = "gpu")]
            Storage::Gpu(of) => BufferSlice::new(Region::on_gpu(&self.device, self.len, size_of::<T>(), of), &[]),
        }
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

impl<T> Buffer<T> {
    /// The number of elements.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Where it is.
    #[must_use]
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// The elements of a buffer in host memory; nothing for a GPU's.
    #[must_use]
    pub fn as_slice(&self) -> Option<&[T]> {
        match &self.storage {
            Storage::Host(data) => Some(data),
            #[cfg(feature = "gpu")]
            Storage::Gpu(_) => None,
        }
    }

    /// The elements of a buffer in host memory; nothing for a GPU's.
    #[must_use]
    pub fn as_mut_slice(&mut self) -> Option<&mut [T]> {
        match &mut self.storage {
            Storage::Host(data) => Some(data),
            #[cfg(feature = "gpu")]
            Storage::Gpu(_) => None,
        }
    }
}

impl<T> fmt::Debug for Buffer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Buffer<{}>({} elements on {})", std::any::type_name::<T>(), self.len, self.device.name())
    }
}

/// One of two buffers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The first, which held the input.
    First,
    /// The second.
    Second,
}

impl Side {
    pub(crate) fn other(self) -> Self {
        match self {
            Self::First => Self::Second,
            Self::Second => Self::First,
        }
    }
}
