//! Memory of other CUDA code, to be read.

use super::buffer::{Buffer, Storage};
use super::region::Allocation;
use super::slice::BufferSlice;
use crate::device::{Backend, Device};
use crate::error::{Error, Result};
use bytemuck::Pod;
use cudarc::driver::{DriverError, result, sys};
use std::ffi::c_void;

/// Elements in memory of other CUDA code, to be read by operations. Made by [`Device::view_cuda`].
#[derive(Debug)]
pub struct CudaView<T>(Buffer<T>);

impl<'a, T: Pod> From<&'a CudaView<T>> for BufferSlice<'a, T> {
    fn from(view: &'a CudaView<T>) -> Self {
        view.0.whole()
    }
}

impl Device {
    /// Elements at an address of this GPU, in memory that other CUDA code of this process has allocated, to be read.
    /// What wrote them must be waited for before ([`Device::wait_for_cuda_stream`]).
    ///
    /// They are read where they are. Only memory of another context than the primary one is copied, as is all where
    /// CubeCL is compiled with checks of overflow (as it is in development, by default): CubeCL has no way to be given
    /// an address, and the one that was found takes sums that wrap.
    ///
    /// # Errors
    /// [`Error::MissingCapability`] for a device that is not a CUDA device opened by its name, and for an address that
    /// is not one of its memory; [`Error::OutOfMemory`] if there is no room for a copy; [`Error::DeviceFailed`].
    ///
    /// # Safety
    /// `len` elements are there. While the view exists, nobody writes them or frees their memory; neither do calls of
    /// this crate, which do not know that a buffer has the same memory. Before it is dropped, what was submitted with it
    /// has run (as after [`Device::sync`] or a download).
    pub unsafe fn view_cuda<T: Pod>(&self, address: u64, len: usize) -> Result<CudaView<T>> {
        let lacks = |capability: &str| {
            Err(Error::MissingCapability { device: self.name().into(), capability: capability.into() })
        };
        let bytes = len.saturating_mul(size_of::<T>());
        let Backend::Cuda(gpu) = self.backend() else { return lacks("CUDA addresses") };
        if bytes == 0 {
            return self.alloc(0).map(CudaView);
        }
        let place = match self.in_cuda(|primary| place_of(address).map(|context| (context, primary)))? {
            Some((Ok(context), primary)) => context.is_null() || context == primary,
            Some((Err(_), _)) => return lacks("the memory at that address"),
            None => return lacks("a number among the driver's devices"),
        };
        if place && address.is_multiple_of(size_of::<T>().next_power_of_two().min(16) as u64) {
            // SAFETY: the caller says that they are there for as long as the view; and that context is CubeCL's.
            if let Some(memory) = unsafe { gpu.foreign(address, bytes) }? {
                return Ok(CudaView(Buffer::new(self, len, Storage::Gpu(Allocation::new(memory, false)))));
            }
        }
        // SAFETY: as the caller says.
        unsafe { self.copy_cuda(address, len) }.map(CudaView)
    }

    /// Copies the elements, and waits for that.
    ///
    /// # Safety
    /// They are there.
    unsafe fn copy_cuda<T: Pod>(&self, address: u64, len: usize) -> Result<Buffer<T>> {
        let mut copy = self.alloc::<T>(len)?;
        let to = copy.cuda_pointer_mut()?.unwrap_or_default();
        let stream = self.cuda_join_stream()?.unwrap_or_default() as sys::CUstream;
        self.in_cuda(|_| {
            // SAFETY: the elements are there, and room for as many: it was waited for, and nobody else has it. The copy
            // has run when this returns.
            unsafe {
                result::memcpy_dtod_async(to, address, len * size_of::<T>(), stream)?;
                result::stream::synchronize(stream)
            }
        })?;
        Ok(copy)
    }
}

/// The context that memory was allocated in, as far as the driver knows one; an error if it knows no such memory.
fn place_of(address: u64) -> Result<Result<sys::CUcontext, DriverError>, DriverError> {
    let attribute = |of: sys::CUpointer_attribute, to: *mut c_void| {
        // SAFETY: the attribute is written to where there is room for it.
        unsafe { sys::cuPointerGetAttribute(to, of, address) }.result()
    };
    let (mut kind, mut context) = (0u32, std::ptr::null_mut::<sys::CUctx_st>());
    let found = attribute(sys::CUpointer_attribute::CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (&raw mut kind).cast());
    if let Err(error) = found {
        return Ok(Err(error));
    }
    // Of memory that is of no context there is none.
    let _ = attribute(sys::CUpointer_attribute::CU_POINTER_ATTRIBUTE_CONTEXT, (&raw mut context).cast());
    Ok(Ok(context))
}
