//! Memory for a split's counters.

use crate::bucket::Buckets;
use crate::cpu;
use crate::device::{Device, dispatch};
use crate::error::Result;
#[cfg(feature = "gpu")]
use crate::gpu::{self, GpuWorkspace};
use crate::multisplit::Multisplit;

/// Memory that splits need besides their inputs and outputs. Made by [`Multisplit::workspace`]; can be used again for
/// any split of the same shape or smaller.
pub struct Workspace {
    pub(crate) device: Device,
    pub(crate) memory: WorkspaceMemory,
}

pub(crate) enum WorkspaceMemory {
    Host(cpu::Scratch),
    #[cfg(feature = "gpu")]
    Gpu(Box<GpuWorkspace>),
}

impl Workspace {
    /// Its size in bytes.
    pub fn bytes(&self) -> usize {
        match &self.memory {
            WorkspaceMemory::Host(scratch) => scratch.size(),
            #[cfg(feature = "gpu")]
            WorkspaceMemory::Gpu(workspace) => workspace.bytes(),
        }
    }
}

impl<F: Buckets> Multisplit<'_, F> {
    /// A workspace for splits of up to `n` keys with up to `columns` value columns on `device`; the permutation is one
    /// of them. More than 256 buckets take several passes, which need room for another copy of keys and columns.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory); and what is wrong with the split itself.
    pub fn workspace(&self, device: &Device, n: usize, columns: usize) -> Result<Workspace> {
        self.check(n)?;
        let m = self.f.buckets();
        let memory = dispatch!(device,
            gpu => WorkspaceMemory::Gpu(Box::new(GpuWorkspace::new(gpu, gpu::most_needs(gpu, self, n, columns)?)?)),
            cpu => WorkspaceMemory::Host(cpu::Scratch::for_split(device, n, m, columns + 1)?));
        Ok(Workspace { device: device.clone(), memory })
    }

    /// The bytes that [`Multisplit::workspace`] would allocate.
    ///
    /// # Errors
    /// What is wrong with the split itself.
    pub fn workspace_bytes(&self, device: &Device, n: usize, columns: usize) -> Result<usize> {
        self.check(n)?;
        let m = self.f.buckets();
        dispatch!(device,
            gpu => gpu::most_needs(gpu, self, n, columns).map(|needs| needs.bytes()),
            cpu => Ok(cpu::Scratch::bytes_for(n, m, columns + 1, rayon::current_num_threads())))
    }
}
