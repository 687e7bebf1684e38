//! A GPU's CubeCL client, lent to crates that bring kernels of their own and work on this crate's buffers.

use super::blueprint::Dialect;
use super::client::Gpu;
use crate::device::{Device, dispatch};
use crate::error::{Error, Result};
use cubecl::prelude::*;
use cubecl::server::Handle;

/// Work for a GPU, whatever its runtime.
#[doc(hidden)]
pub trait Borrower {
    /// What comes of it.
    type Output;
    /// Does it.
    fn work<R: Runtime>(self, gpu: Lent<'_, R>) -> Self::Output;
}

/// A GPU that answers with errors instead of panics.
#[doc(hidden)]
pub struct Lent<'a, R: Runtime>(&'a Gpu<R>);

impl<'a, R: Runtime> Lent<'a, R> {
    /// For launches.
    pub fn client(&self) -> &'a ComputeClient<R> {
        &self.0.client
    }

    /// The widest addresses that its kernels can have.
    pub fn address(&self) -> AddressType {
        self.0.address()
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

    /// Launches kernels.
    ///
    /// # Errors
    /// [`Error::DeviceFailed`] if CubeCL panics.
    pub fn launch(&self, launches: impl FnOnce()) -> Result<()> {
        self.0.launch(launches)
    }

    /// Waits for the device and copies the first `words` words of a buffer back.
    ///
    /// # Errors
    /// [`Error::DeviceFailed`] if the device does not answer, or with fewer.
    pub fn read_words(&self, handle: &Handle, words: usize) -> Result<Vec<u32>> {
        self.read_words_later(handle, words)?()
    }

    /// Has the first `words` words of a buffer copied back after what was launched, and goes on. Call what it returns to
    /// wait for them.
    ///
    /// # Errors
    /// As [`Lent::read_words`], at either time.
    pub fn read_words_later(
        &self,
        handle: &Handle,
        words: usize,
    ) -> Result<impl FnOnce() -> Result<Vec<u32>> + use<'a, R>> {
        let pending = self.0.read_later(handle, 4 * words)?;
        // Collected, not cast: nobody promises that the bytes are aligned.
        Ok(move || Ok(bytemuck::pod_collect_to_vec(&pending()?[..4 * words])))
    }

    /// The error of a kernel that was launched, but did not run.
    pub fn lost(&self, kernel: &str) -> Error {
        self.failed(kernel, "it was submitted but did not run; the driver's message may be on standard error")
    }

    /// The error of a kernel that ran, but did not do what it should.
    pub fn failed(&self, kernel: &str, reason: &str) -> Error {
        Error::KernelFailed { device: self.0.name.clone(), kernel: kernel.into(), reason: reason.into() }
    }
}

impl Device {
    /// Lends the GPU of this device to a crate with kernels of its own.
    ///
    /// # Errors
    /// [`Error::MissingCapability`] on the CPU.
    #[doc(hidden)]
    pub fn lend<B: Borrower>(&self, borrower: B) -> Result<B::Output> {
        dispatch!(self,
        gpu => Ok(borrower.work(Lent(gpu))),
        cpu => {
            let _ = borrower;
            Err(Error::MissingCapability { device: self.name().into(), capability: "GPU kernels".into() })
        })
    }
}
