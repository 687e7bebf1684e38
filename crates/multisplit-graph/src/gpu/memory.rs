//! What a search needs on the device besides the graph.

use super::control;
use multisplit::cubecl::prelude::*;
use multisplit::cubecl::server::Handle;
use multisplit::{Device, Error, Result};

pub(crate) struct Memory {
    /// Vertices.
    pub n: usize,
    /// As numbers that order alike.
    pub distances: Handle,
    marks: Handle,
    /// Two queues of near vertices: that of this step, and that of the next.
    near: Handle,
    /// Two far piles.
    pile: Handle,
    pub control: Handle,
}

impl Memory {
    pub fn new(device: &Device, n: usize, control: &[u32]) -> Result<Self> {
        Ok(Self {
            n,
            distances: allocate(device, n)?,
            marks: allocate(device, n)?,
            near: allocate(device, 2 * n)?,
            pile: allocate(device, 2 * n)?,
            control: upload(device, control)?,
        })
    }

    pub fn distances<R: Runtime>(&self) -> ArrayArg<R> {
        array(&self.distances, self.n)
    }

    pub fn marks<R: Runtime>(&self) -> ArrayArg<R> {
        array(&self.marks, self.n)
    }

    pub fn near<R: Runtime>(&self) -> ArrayArg<R> {
        array(&self.near, 2 * self.n)
    }

    pub fn pile<R: Runtime>(&self) -> ArrayArg<R> {
        array(&self.pile, 2 * self.n)
    }

    pub fn control<R: Runtime>(&self) -> ArrayArg<R> {
        array(&self.control, control::WORDS as usize)
    }
}

/// Room for words on a GPU.
pub(crate) fn allocate(device: &Device, words: usize) -> Result<Handle> {
    of_gpu(device, device.alloc::<u32>(words)?.handle())
}

/// Words on a GPU.
pub(crate) fn upload(device: &Device, words: &[u32]) -> Result<Handle> {
    of_gpu(device, device.upload(words)?.handle())
}

fn of_gpu(device: &Device, handle: Option<&Handle>) -> Result<Handle> {
    let on_cpu = || Error::MissingCapability { device: device.name().into(), capability: "GPU kernels".into() };
    handle.cloned().ok_or_else(on_cpu)
}

/// An array as a kernel's argument.
pub(crate) fn array<R: Runtime>(handle: &Handle, len: usize) -> ArrayArg<R> {
    // SAFETY: whoever made the buffer made it as long as it is said to be here.
    unsafe { ArrayArg::from_raw_parts(handle.clone(), len) }
}
