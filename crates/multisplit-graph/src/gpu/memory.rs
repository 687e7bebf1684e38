//! What a search needs on the device besides the graph.

use multisplit::cubecl::prelude::*;
use multisplit::cubecl::server::Handle;
use multisplit::{Device, Error, Result};

pub(crate) struct Memory {
    /// Vertices.
    pub n: usize,
    /// As numbers that order alike.
    pub distances: Handle,
    marks: Handle,
    /// Two rows of n entries for each queue.
    queued: Handle,
    queues: u32,
    pub control: Handle,
    words: usize,
}

impl Memory {
    pub fn new(device: &Device, n: usize, queues: u32, control: &[u32]) -> Result<Self> {
        Ok(Self {
            n,
            distances: allocate(device, n)?,
            marks: allocate(device, n)?,
            queued: allocate(device, 2 * queues as usize * n)?,
            queues,
            control: upload(device, control)?,
            words: control.len(),
        })
    }

    pub fn distances<R: Runtime>(&self) -> ArrayArg<R> {
        array(&self.distances, self.n)
    }

    pub fn marks<R: Runtime>(&self) -> ArrayArg<R> {
        array(&self.marks, self.n)
    }

    pub fn queued<R: Runtime>(&self) -> ArrayArg<R> {
        array(&self.queued, 2 * self.queues as usize * self.n)
    }

    /// How many control words there are.
    pub fn words(&self) -> usize {
        self.words
    }

    pub fn control<R: Runtime>(&self) -> ArrayArg<R> {
        array(&self.control, self.words)
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
