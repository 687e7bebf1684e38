//! Memory on a device.

use crate::cpu::huge;
use crate::device::{Device, dispatch};
use crate::error::{Error, Result};
use crate::overlap::Place;
use bytemuck::Pod;
#[cfg(feature = "gpu")]
use cubecl::server::Handle;
use std::collections::TryReserveError;
use std::fmt;
use std::sync::OnceLock;

/// A buffer of plain elements on a [`Device`].
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
    memory: Memory<T>,
    /// Whether others may have its memory too.
    adopted: bool,
    /// Where that is, once it was asked for.
    place: OnceLock<Place>,
}

enum Memory<T> {
    Host(Vec<T>),
    #[cfg(feature = "gpu")]
    Gpu(Handle),
}

impl Device {
    /// Copies `data` to the device.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`] if it does not fit, [`Error::DeviceFailed`] if the device does not answer.
    pub fn upload<T: Pod>(&self, data: &[T]) -> Result<Buffer<T>> {
        let memory = dispatch!(self,
            gpu => Memory::Gpu(gpu.upload(bytemuck::cast_slice(data))?),
            cpu => Memory::Host(copied(self, data)?));
        Ok(Buffer { device: self.clone(), len: data.len(), memory, adopted: false, place: OnceLock::new() })
    }

    /// Reserves room for `len` elements. On a GPU their values are undefined until written.
    ///
    /// # Errors
    /// As [`Device::upload`].
    pub fn alloc<T: Pod>(&self, len: usize) -> Result<Buffer<T>> {
        let memory = dispatch!(self,
            gpu => Memory::Gpu(gpu.allocate(len.saturating_mul(size_of::<T>()))?),
            cpu => Memory::Host(zeroed(self, len)?));
        Ok(Buffer { device: self.clone(), len, memory, adopted: false, place: OnceLock::new() })
    }

    /// A buffer on memory that a CubeCL client of yours has allocated (see [`Device::from_cuda`] and
    /// [`Device::from_wgpu`]). Calls refuse outputs that share memory with another buffer ([`Error::SharedMemory`]).
    ///
    /// # Errors
    /// [`Error::OutputTooSmall`] if the handle holds fewer than `len` elements, [`Error::MissingCapability`] on the CPU.
    #[cfg(feature = "gpu")]
    pub fn adopt<T: Pod>(&self, handle: Handle, len: usize) -> Result<Buffer<T>> {
        let got = handle.size_in_used() as usize / size_of::<T>().max(1);
        if got < len {
            return Err(Error::OutputTooSmall { what: "the handle".into(), got, needed: len });
        }
        dispatch!(self,
            _gpu => {
                let memory = Memory::Gpu(handle);
                Ok(Buffer { device: self.clone(), len, memory, adopted: true, place: OnceLock::new() })
            },
            cpu => Err(Error::MissingCapability { device: self.name().into(), capability: "CubeCL handles".into() }))
    }
}

/// Zeroes, or an error instead of the abort that running out of memory would be.
pub(crate) fn zeroed<T: Pod>(device: &Device, len: usize) -> Result<Vec<T>> {
    huge::zeroed_vec(len).map_err(|error| out_of_memory::<T>(device, len, error))
}

fn copied<T: Pod>(device: &Device, data: &[T]) -> Result<Vec<T>> {
    let mut copy = huge::empty_vec(data.len()).map_err(|error| out_of_memory::<T>(device, data.len(), error))?;
    copy.extend_from_slice(data);
    Ok(copy)
}

fn out_of_memory<T>(device: &Device, len: usize, error: TryReserveError) -> Error {
    let bytes = (len as u64).saturating_mul(size_of::<T>() as u64);
    Error::OutOfMemory { device: device.name().into(), bytes, reason: error.to_string() }
}

impl<T: Pod> Buffer<T> {
    /// Copies the elements to host memory. Waits for everything submitted to the device before.
    ///
    /// # Errors
    /// [`Error::DeviceFailed`] if something submitted before failed, or the device does not answer.
    pub fn download(&self) -> Result<Vec<T>> {
        match &self.memory {
            Memory::Host(data) => Ok(data.clone()),
            #[cfg(feature = "gpu")]
            Memory::Gpu(handle) => {
                let bytes = self.len * size_of::<T>();
                let data = dispatch!(self.device, gpu => gpu.read(handle, bytes)?, cpu => return Ok(Vec::new()));
                let mut out = zeroed::<T>(&self.device, self.len)?;
                bytemuck::cast_slice_mut::<T, u8>(&mut out).copy_from_slice(&data[..bytes]);
                Ok(out)
            }
        }
    }
}

impl<T: Pod> Buffer<T> {
    /// Makes it `len` elements long, of those it was allocated with. What they are is unspecified.
    pub(crate) fn fit(&mut self, len: usize) {
        match &mut self.memory {
            Memory::Host(data) => data.resize(len, T::zeroed()),
            #[cfg(feature = "gpu")]
            Memory::Gpu(_) => {}
        }
        self.len = len;
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
        match &self.memory {
            Memory::Host(data) => Some(data),
            #[cfg(feature = "gpu")]
            Memory::Gpu(_) => None,
        }
    }

    /// The elements of a buffer in host memory; nothing for a GPU's.
    pub fn as_mut_slice(&mut self) -> Option<&mut [T]> {
        match &mut self.memory {
            Memory::Host(data) => Some(data),
            #[cfg(feature = "gpu")]
            Memory::Gpu(_) => None,
        }
    }

    /// The CubeCL handle of a GPU's buffer; nothing for the CPU's.
    #[cfg(feature = "gpu")]
    pub fn handle(&self) -> Option<&Handle> {
        match &self.memory {
            Memory::Host(_) => None,
            Memory::Gpu(handle) => Some(handle),
        }
    }
}

/// A buffer whose element type is forgotten.
pub(crate) trait ErasedBuffer {
    fn len(&self) -> usize;
    fn device(&self) -> &Device;
    /// Whether others may have its memory too.
    fn is_adopted(&self) -> bool;
    /// Where it is on a GPU.
    fn place(&self) -> Result<Option<Place>>;
    /// The memory of a CPU buffer, as bytes.
    fn host(&self) -> &[u8];
    /// The memory of a CPU buffer, as bytes.
    fn host_mut(&mut self) -> &mut [u8];
    /// The memory of a GPU buffer.
    #[cfg(feature = "gpu")]
    fn handle(&self) -> Option<&Handle>;
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

    fn place(&self) -> Result<Option<Place>> {
        if let Some(place) = self.place.get() {
            return Ok(Some(*place));
        }
        dispatch!(self.device,
            gpu => {
                let Some(handle) = Buffer::handle(self) else { return Ok(None) };
                let place = gpu.locate(handle, self.len * size_of::<T>())?;
                Ok(Some(*self.place.get_or_init(|| place)))
            },
            cpu => Ok(None))
    }

    fn host(&self) -> &[u8] {
        bytemuck::cast_slice(self.as_slice().unwrap_or_default())
    }

    fn host_mut(&mut self) -> &mut [u8] {
        bytemuck::cast_slice_mut(self.as_mut_slice().unwrap_or_default())
    }

    #[cfg(feature = "gpu")]
    fn handle(&self) -> Option<&Handle> {
        Buffer::handle(self)
    }
}

impl<T> fmt::Debug for Buffer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Buffer<{}>({} elements on {})", std::any::type_name::<T>(), self.len, self.device.name())
    }
}
