//! What a search needs on the device besides the graph.

use multisplit::cubecl::prelude::*;
use multisplit::{Buffer, Device, KernelApi, Result, Slice};

/// Device memory of a search.
pub(crate) struct Memory {
    /// Vertices.
    pub n: usize,
    /// As order-preserving bits.
    distances: Buffer<u32>,
    marks: Option<Buffer<u32>>,
    /// Two rows of n entries for each queue.
    queued: Buffer<u32>,
    control: Buffer<u32>,
}

impl Memory {
    /// For n vertices, with queues whose rows have `row_words` words for each of them.
    pub fn new(device: &Device, n: usize, row_words: usize, has_marks: bool, control: &[u32]) -> Result<Self> {
        Ok(Self {
            n,
            distances: device.alloc(n)?,
            marks: if has_marks { Some(device.alloc(n)?) } else { None },
            queued: device.alloc(row_words.saturating_mul(n))?,
            control: device.upload(control)?,
        })
    }

    /// Replaces the control words.
    pub fn set_control(&mut self, device: &Device, control: &[u32]) -> Result<()> {
        self.control = device.upload(control)?;
        Ok(())
    }

    /// All of it, as arguments of kernels on a GPU's stream.
    pub fn slices<R: Runtime>(&mut self, gpu: &KernelApi<'_, R>) -> Result<Slices> {
        let distances = gpu.writes(&mut self.distances)?;
        // A kernel needs something bound even where there are no marks.
        let marks = self.marks.as_mut().map_or(Ok(distances.clone()), |marks| gpu.writes(marks))?;
        let (queued, control) = (gpu.writes(&mut self.queued)?, gpu.writes(&mut self.control)?);
        Ok(Slices { n: self.n as u32, distances, marks, queued, control })
    }
}

/// The memory of a search, as arguments of kernels.
#[derive(Clone)]
pub(crate) struct Slices {
    /// Vertices.
    pub n: u32,
    pub distances: Slice<u32>,
    pub marks: Slice<u32>,
    pub queued: Slice<u32>,
    pub control: Slice<u32>,
}
