//! Memory on a device.

use crate::device::{Device, dispatch};
use crate::error::{Error, Result};
use crate::memory::large_pages;
#[cfg(feature = "gpu")]
use crate::runtime::{Located, Memory, Place};
use bytemuck::Pod;
#[cfg(feature = "gpu")]
use cubecl::{server::Handle, stream_id::StreamId};
use std::collections::TryReserveError;
use std::fmt;
#[cfg(feature = "gpu")]
use std::sync::OnceLock;

/// A buffer of plain elements on a [`Device`].
///
/// It may be used on any stream of its device, and handed from thread to thread: what reads it runs after what wrote
/// it.
///
/// ```
/// use multisplit::Device;
/// let device = Device::cpu();
/// let buffer = device.upload(&[1.0f32, 2.0, 3.0])?;
/// assert_eq!(buffer.download()?, [1.0, 2.0, 3.0]);
/// # Ok::<(), multisplit::Error>(())
/// ```
pub struct Buffer<T> {
    device: Device,
    len: usize,
    capacity: usize,
    storage: Storage<T>,
    /// Whether others may have its memory too.
    adopted: bool,
    /// Where that is, once it was asked for.
    #[cfg(feature = "gpu")]
    place: OnceLock<Place>,
}

enum Storage<T> {
    Host(Vec<T>),
    #[cfg(feature = "gpu")]
    Gpu(Memory),
}

impl Device {
    /// Copies `data` to the device.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`] if it does not fit, [`Error::DeviceFailed`] if the device does not answer.
    pub fn upload<T: Pod>(&self, data: &[T]) -> Result<Buffer<T>> {
        let storage = dispatch!(self,
            gpu => Storage::Gpu(gpu.upload(data)?),
            cpu => Storage::Host(copied(self, data)?));
        Ok(Buffer::new(self, data.len(), storage, false))
    }

    /// Reserves room for `len` elements. On a GPU their values are undefined until written.
    ///
    /// # Errors
    /// As [`Device::upload`].
    pub fn alloc<T: Pod>(&self, len: usize) -> Result<Buffer<T>> {
        let storage = dispatch!(self,
            gpu => Storage::Gpu(gpu.allocate(len.saturating_mul(size_of::<T>()))?),
            cpu => Storage::Host(zeroed(self, len)?));
        Ok(Buffer::new(self, len, storage, false))
    }

    /// A buffer on memory that a CubeCL client of yours has allocated (see [`Device::from_cuda`] and
    /// [`Device::from_wgpu`]). It is ordered after all that this thread, and the stream that the handle is of, have
    /// submitted so far. Calls refuse outputs that share memory with another buffer ([`Error::SharedMemory`]).
    ///
    /// # Errors
    /// [`Error::OutputTooSmall`] if the memory holds fewer than `len` elements, whatever the handle says;
    /// [`Error::Misaligned`] if it does not begin where such an element may; [`Error::MissingCapability`] on the CPU.
    ///
    /// # Safety
    /// The handle must come from a client of this device. While the buffer exists, nothing else may write its memory,
    /// and nothing else may read it while a call writes it, unless you order that yourself. (A handle can be cloned,
    /// and CubeCL orders streams only up to where it was made.)
    #[cfg(feature = "gpu")]
    pub unsafe fn adopt<T: Pod>(&self, handle: Handle, len: usize) -> Result<Buffer<T>> {
        dispatch!(self,
        gpu => Ok(Buffer::new(self, len, Storage::Gpu(gpu.adopt::<T>(handle, len)?), true)),
        cpu => {
            let _ = (handle, len);
            Err(Error::MissingCapability { device: self.name().into(), capability: "CubeCL handles".into() })
        })
    }
}

/// Zeroes, or an error instead of the abort that running out of memory would be.
pub(crate) fn zeroed<T: Pod>(device: &Device, len: usize) -> Result<Vec<T>> {
    large_pages::zeroed_vec(len).map_err(|error| out_of_memory::<T>(device, len, error))
}

/// A copy, or an error.
fn copied<T: Pod>(device: &Device, data: &[T]) -> Result<Vec<T>> {
    let mut copy = large_pages::empty_vec(data.len()).map_err(|error| out_of_memory::<T>(device, data.len(), error))?;
    copy.extend_from_slice(data);
    Ok(copy)
}

pub(crate) fn out_of_memory<T>(device: &Device, len: usize, error: TryReserveError) -> Error {
    let bytes = (len as u64).saturating_mul(size_of::<T>() as u64);
    Error::OutOfMemory { device: device.name().into(), bytes, reason: error.to_string() }
}

impl<T: Pod> Buffer<T> {
    fn new(device: &Device, len: usize, storage: Storage<T>, adopted: bool) -> Self {
        Self {
            device: device.clone(),
            len,
            capacity: len,
            storage,
            adopted,
            #[cfg(feature = "gpu")]
            place: OnceLock::new(),
        }
    }

    /// Copies the elements to host memory. Waits for everything that wrote them, on whichever stream.
    ///
    /// # Errors
    /// [`Error::DeviceFailed`] if something submitted before failed, or the device does not answer;
    /// [`Error::OutOfMemory`] if the host has no room for them.
    pub fn download(&self) -> Result<Vec<T>> {
        match &self.storage {
            Storage::Host(data) => copied(&self.device, data),
            #[cfg(feature = "gpu")]
            Storage::Gpu(memory) => {
                let mut out = zeroed::<T>(&self.device, self.len)?;
                dispatch!(self.device, gpu => gpu.read_into(&gpu.reads::<T>(memory)?, &mut out)?, cpu => {});
                Ok(out)
            }
        }
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
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Where it is.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// The elements of a buffer in host memory; nothing for a GPU's.
    pub fn as_slice(&self) -> Option<&[T]> {
        match &self.storage {
            Storage::Host(data) => Some(data),
            #[cfg(feature = "gpu")]
            Storage::Gpu(_) => None,
        }
    }

    /// The elements of a buffer in host memory; nothing for a GPU's.
    pub fn as_mut_slice(&mut self) -> Option<&mut [T]> {
        match &mut self.storage {
            Storage::Host(data) => Some(data),
            #[cfg(feature = "gpu")]
            Storage::Gpu(_) => None,
        }
    }

    /// The CubeCL handle of a GPU's buffer; nothing for the CPU's. What this thread's CubeCL clients read through it
    /// from now on is ordered after what was written, and before what calls of this crate write next. Do not write
    /// through it: this crate would not know.
    ///
    /// # Errors
    /// [`Error::DeviceFailed`] if the device does not answer.
    #[cfg(feature = "gpu")]
    pub fn handle(&self) -> Result<Option<Handle>> {
        match &self.storage {
            Storage::Host(_) => Ok(None),
            Storage::Gpu(memory) => memory.handle(StreamId::current()).map(Some),
        }
    }
}

/// A buffer whose element type is forgotten.
pub(crate) trait ErasedBuffer {
    fn len(&self) -> usize;
    fn device(&self) -> &Device;
    /// Whether others may have its memory too.
    fn is_adopted(&self) -> bool;
    /// The memory of a CPU buffer, as bytes.
    fn host(&self) -> &[u8];
    /// The memory of a CPU buffer, as bytes.
    fn host_mut(&mut self) -> &mut [u8];
    /// Where it is on a GPU.
    #[cfg(feature = "gpu")]
    fn place(&self) -> Result<Option<Place>>;
    /// The memory of a GPU buffer.
    #[cfg(feature = "gpu")]
    fn memory(&self) -> Result<&Memory>;
}

impl<T: Pod> ErasedBuffer for Buffer<T> {
    fn len(&self) -> usize {
        self.len
    }

    fn device(&self) -> &Device {
        &self.device
    }

    fn is_adopted(&self) -> bool {
        self.adopted
    }

    fn host(&self) -> &[u8] {
        bytemuck::cast_slice(self.as_slice().unwrap_or_default())
    }

    fn host_mut(&mut self) -> &mut [u8] {
        bytemuck::cast_slice_mut(self.as_mut_slice().unwrap_or_default())
    }

    #[cfg(feature = "gpu")]
    fn place(&self) -> Result<Option<Place>> {
        if let Some(place) = self.place.get() {
            return Ok(Some(*place));
        }
        let Storage::Gpu(memory) = &self.storage else { return Ok(None) };
        dispatch!(self.device,
            gpu => {
                let place = gpu.locate(&memory.handle(gpu.stream())?)?;
                let end = place.end.min(place.start + (self.len * size_of::<T>()) as u64);
                Ok(Some(*self.place.get_or_init(|| Place { end, ..place })))
            },
            cpu => Ok(None))
    }

    #[cfg(feature = "gpu")]
    fn memory(&self) -> Result<&Memory> {
        match &self.storage {
            Storage::Gpu(memory) => Ok(memory),
            Storage::Host(_) => {
                let (what, got) = ("a buffer".into(), self.device.name().into());
                Err(Error::WrongDevice { what, got, expected: "a GPU".into() })
            }
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
