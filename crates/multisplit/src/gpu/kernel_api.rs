//! What crates with kernels of their own need to run them on this crate's devices and buffers.

use crate::device::{Device, dispatch};
use crate::error::{Error, Result};
use crate::memory::buffer::Buffer;
use crate::memory::offsets::Offsets;
use crate::runtime::Dialect;
use crate::runtime::{AnyKernel, Gpu, Launch, Slice};
use bytemuck::Pod;
use cubecl::prelude::*;

/// Work for a GPU, whatever its runtime.
#[doc(hidden)]
pub trait KernelWork {
    /// What comes of it.
    type Output;
    /// Does it.
    fn run<R: Runtime>(self, gpu: KernelApi<'_, R>) -> Self::Output;
}

/// A GPU on one of its streams, which answers with errors instead of panics. Kernels are launched with
/// [`launch_kernel!`](crate::launch_kernel).
#[doc(hidden)]
pub struct KernelApi<'a, R: Runtime>(&'a Gpu<R>);

impl<'a, R: Runtime> KernelApi<'a, R> {
    /// The elements of a buffer, to be read by kernels.
    ///
    /// # Errors
    /// [`Error::WrongDevice`] if it is not on a GPU; [`Error::DeviceFailed`] if the device does not answer.
    pub fn reads<T: Pod>(&self, buffer: &Buffer<T>) -> Result<Slice<T>> {
        buffer.whole().region().reads::<T>(self.0)?.first(buffer.len())
    }

    /// The elements of a buffer, to be written, and perhaps read, by kernels.
    ///
    /// # Errors
    /// As [`KernelApi::reads`].
    pub fn writes<T: Pod>(&self, buffer: &mut Buffer<T>) -> Result<Slice<T>> {
        buffer.whole().region().writes::<T>(self.0)?.first(buffer.len())
    }

    /// The offsets of a split, to be read by kernels.
    ///
    /// # Errors
    /// As [`KernelApi::reads`].
    pub fn reads_offsets(&self, offsets: &Offsets) -> Result<Slice<u32>> {
        offsets.read_on(self.0)
    }

    /// Multiprocessors, or a guess.
    pub fn processors(&self) -> u32 {
        self.0.facts.processors
    }

    /// Units per cube, at most.
    pub fn max_units(&self) -> u32 {
        self.0.facts.max_units
    }

    /// Whether this is a CPU posing as a GPU.
    pub fn is_software(&self) -> bool {
        self.0.facts.software
    }

    /// Whether kernels are compiled as CUDA.
    pub fn is_cuda(&self) -> bool {
        self.0.facts.dialect == Dialect::Cuda
    }

    /// Submits a launch. For [`launch_kernel!`](crate::launch_kernel) alone.
    ///
    /// # Errors
    /// [`Error::DeviceFailed`] if CubeCL panics; and those of the launch itself.
    ///
    /// # Safety
    /// The kernel stays within its arrays, and ends.
    pub unsafe fn submit(
        &self,
        cubes: CubeCount,
        units: CubeDim,
        kernel: impl FnOnce(&mut Launch<'_, R>) -> Result<AnyKernel>,
    ) -> Result<()> {
        // SAFETY: as the caller says.
        unsafe { self.0.submit(cubes, units, kernel) }
    }

    /// Waits for the device and copies a slice back.
    ///
    /// # Errors
    /// [`Error::DeviceFailed`] if the device does not answer, or with less.
    pub fn read<T: Pod>(&self, slice: &Slice<T>) -> Result<Vec<T>> {
        self.0.read(slice)
    }

    /// Has a slice copied back after what was launched, and goes on. Call what it returns to wait for it.
    ///
    /// # Errors
    /// As [`KernelApi::read`], at either time.
    pub fn read_later<T: Pod>(&self, slice: &Slice<T>) -> Result<impl FnOnce() -> Result<Vec<T>> + use<'a, R, T>> {
        self.0.read_later(slice)
    }

    /// The error of a kernel that was launched, but did not run.
    pub fn lost(&self, kernel: &str) -> Error {
        self.failed(kernel, crate::runtime::LOST)
    }

    /// The error of a kernel that ran, but did not do what it should.
    pub fn failed(&self, kernel: &str, reason: &str) -> Error {
        Error::KernelFailed { device: self.0.name.clone(), kernel: kernel.into(), reason: reason.into() }
    }
}

impl Device {
    /// Runs kernels of another crate on the GPU of this device.
    ///
    /// # Errors
    /// [`Error::MissingCapability`] on the CPU.
    #[doc(hidden)]
    pub fn run_kernels<W: KernelWork>(&self, work: W) -> Result<W::Output> {
        dispatch!(self,
        gpu => Ok(work.run(KernelApi(gpu))),
        cpu => {
            let _ = work;
            Err(Error::MissingCapability { device: self.name().into(), capability: "GPU kernels".into() })
        })
    }
}
