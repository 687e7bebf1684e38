//! What a search needs on the device besides the graph.

use multisplit::cubecl::prelude::*;
use multisplit::cubecl::server::Handle;
use multisplit::{Device, Error, Result};

pub(crate) struct Memory {
    /// Vertices.
    pub n: usize,
    /// As numbers that order alike.
    pub distances: Handle,
    marks: Option<Handle>,
    /// Two rows of n entries for each queue.
    queued: Handle,
    queued_words: usize,
    pub control: Handle,
    words: usize,
}

impl Memory {
    /// For n vertices, with queues whose rows have `row_words` words for each of them.
    pub fn new(device: &Device, n: usize, row_words: usize, has_marks: bool, control: &[u32]) -> Result<Self> {
        let queued_words = row_words * n;
        Ok(Self {
            n,
            distances: allocate(device, n)?,
            marks: if has_marks { Some(allocate(device, n)?) } else { None },
            queued: allocate(device, queued_words)?,
            queued_words,
            control: upload(device, control)?,
            words: control.len(),
        })
    }

    pub fn distances<R: Runtime>(&self) -> ArrayArg<R> {
        array(&self.distances, self.n)
    }

    /// Something else where there are none, since something has to be bound.
    pub fn marks<R: Runtime>(&self) -> ArrayArg<R> {
        array(self.marks.as_ref().unwrap_or(&self.distances), self.n)
    }

    pub fn queued<R: Runtime>(&self) -> ArrayArg<R> {
        array(&self.queued, self.queued_words)
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
