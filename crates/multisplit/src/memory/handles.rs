//! Memory that is shared with other code: CubeCL handles and CUDA addresses.

use super::buffer::{Buffer, Storage};
use super::region::Allocation;
#[cfg(feature = "cuda")]
use super::region::Region;
#[cfg(feature = "cuda")]
use super::slice::BufferSlice;
#[cfg(feature = "cuda")]
use super::slice_mut::BufferSliceMut;
use crate::device::{Device, dispatch};
use crate::error::{Error, Result};
#[cfg(feature = "cuda")]
use crate::runtime::Access;
use bytemuck::Pod;
use cubecl::server::Handle;
use cubecl::stream_id::StreamId;

impl Device {
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
    pub unsafe fn adopt<T: Pod>(&self, handle: Handle, len: usize) -> Result<Buffer<T>> {
        dispatch!(self,
        gpu => Ok(Buffer::new(self, len, Storage::Gpu(Allocation::new(gpu.adopt::<T>(handle, len)?, true)))),
        cpu => {
            let _ = (handle, len);
            Err(Error::MissingCapability { device: self.name().into(), capability: "CubeCL handles".into() })
        })
    }
}

impl<T> Buffer<T> {
    /// The CubeCL handle of a GPU's buffer; nothing for the CPU's. What this thread's CubeCL clients read through it
    /// from now on is ordered after what was written, and before what calls of this crate write next. Do not write
    /// through it: this crate would not know. To have it for good, [`Buffer::into_handle`].
    ///
    /// # Errors
    /// [`Error::DeviceFailed`] if the device does not answer.
    pub fn handle(&self) -> Result<Option<Handle>> {
        match &self.storage {
            Storage::Host(_) => Ok(None),
            Storage::Gpu(of) => of.memory.handle(StreamId::current()).map(Some),
        }
    }

    /// Gives the CubeCL handle of a GPU's buffer away. What this thread's CubeCL clients read and write through it
    /// comes after all that calls of this crate did with the buffer. For a client of another thread, order it yourself.
    /// [`Device::adopt`] makes a buffer of it again.
    ///
    /// The handle may hold more elements than the buffer: allocations are of whole 16 bytes.
    ///
    /// # Errors
    /// [`Error::MissingCapability`] on the CPU, [`Error::DeviceFailed`] if the device does not answer. The buffer is
    /// dropped then.
    pub fn into_handle(self) -> Result<Handle> {
        match self.storage {
            Storage::Gpu(of) => of.memory.into_handle(StreamId::current()),
            Storage::Host(_) => {
                let device = self.device().name().into();
                Err(Error::MissingCapability { device, capability: "CubeCL handles".into() })
            }
        }
    }
}

#[cfg(feature = "cuda")]
impl<T: Pod> Buffer<T> {
    /// The address of a CUDA buffer's elements, for other CUDA code in this process; nothing for other devices'. It is
    /// one of the GPU's primary context. This waits until what wrote the elements is done, on whichever stream, so that
    /// they can be read there at once, on any stream.
    ///
    /// The address is valid until the buffer is dropped. This crate knows nothing of what is done with it:
    /// - To read: be done, as of `cuStreamSynchronize`, before the elements are written by a call of this crate, and
    ///   before the buffer is dropped.
    /// - To write: use [`Buffer::cuda_pointer_mut`].
    ///
    /// # Errors
    /// [`Error::DeviceFailed`] if something submitted before failed, or the device does not answer.
    pub fn cuda_pointer(&self) -> Result<Option<u64>> {
        self.whole().cuda_pointer()
    }

    /// The address of a CUDA buffer's elements as [`Buffer::cuda_pointer`] has it, without waiting for anything: wait by
    /// yourself, as by [`Device::sync`] or [`Offsets::check`](crate::Offsets::check), before the elements are read there.
    ///
    /// # Errors
    /// [`Error::DeviceFailed`] if the device does not answer.
    pub fn cuda_address(&self) -> Result<Option<u64>> {
        let crate::device::Backend::Cuda(_) = self.device().backend() else { return Ok(None) };
        Ok(self.whole().region().place()?.map(|place| place.start))
    }

    /// The address of a CUDA buffer's elements, to be written by other CUDA code in this process, as
    /// [`Buffer::cuda_pointer`] has it. This waits until what wrote or read the elements is done. Be done with them
    /// before any call of this crate uses them, and before the buffer is dropped.
    ///
    /// # Errors
    /// As [`Buffer::cuda_pointer`].
    pub fn cuda_pointer_mut(&mut self) -> Result<Option<u64>> {
        self.whole_mut().cuda_pointer_mut()
    }
}

#[cfg(feature = "cuda")]
impl<T: Pod> BufferSlice<'_, T> {
    /// The address of the elements, as [`Buffer::cuda_pointer`] has it.
    ///
    /// # Errors
    /// As [`Buffer::cuda_pointer`].
    pub fn cuda_pointer(&self) -> Result<Option<u64>> {
        cuda_pointer(&self.region(), Access::Read)
    }
}

#[cfg(feature = "cuda")]
impl<T: Pod> BufferSliceMut<'_, T> {
    /// The address of the elements, as [`Buffer::cuda_pointer_mut`] has it.
    ///
    /// # Errors
    /// As [`Buffer::cuda_pointer_mut`].
    pub fn cuda_pointer_mut(&mut self) -> Result<Option<u64>> {
        cuda_pointer(&self.region(), Access::Write)
    }
}

/// Waits for what must come before other code uses the elements, and tells where they are.
#[cfg(feature = "cuda")]
fn cuda_pointer(region: &Region<'_>, access: Access) -> Result<Option<u64>> {
    let crate::device::Backend::Cuda(gpu) = region.device.backend() else { return Ok(None) };
    region.span(gpu, access)?;
    gpu.sync()?;
    Ok(region.place()?.map(|place| place.start))
}
