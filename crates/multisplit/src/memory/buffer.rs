//! Memory on a device.

#[cfg(feature = "gpu")]
use super::region::Allocation;
use crate::device::{Device, dispatch};
use crate::error::{Error, Result};
use crate::memory::large_pages;
use bytemuck::Pod;
use std::fmt;

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
    pub(super) device: Device,
    pub(super) len: usize,
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

    /// Moves `data` to the device. Nothing is copied if that is the CPU.
    ///
    /// ```
    /// use multisplit::Device;
    /// let buffer = Device::best().upload_vec(vec![1.0f32, 2.0, 3.0])?;
    /// assert_eq!(buffer.into_vec()?, [1.0, 2.0, 3.0]);
    /// # Ok::<(), multisplit::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Device::upload`].
    pub fn upload_vec<T: Pod>(&self, data: Vec<T>) -> Result<Buffer<T>> {
        dispatch!(self, _gpu => self.upload(&data), cpu => Ok(Buffer::on_host(self, data)))
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

pub(crate) fn out_of_memory<T>(device: &Device, len: usize, reason: impl ToString) -> Error {
    let bytes = (len as u64).saturating_mul(size_of::<T>() as u64);
    Error::OutOfMemory { device: device.name().into(), bytes, reason: reason.to_string() }
}

impl<T: Pod> Buffer<T> {
    pub(super) fn new(device: &Device, len: usize, storage: Storage<T>) -> Self {
        Self { device: device.clone(), len, capacity: len, storage }
    }

    /// A buffer in host memory that has these elements.
    pub(crate) fn on_host(device: &Device, data: Vec<T>) -> Self {
        Self::new(device, data.len(), Storage::Host(data))
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
