//! Memory for a sort between device buffers.

use super::Sort;
use crate::buffer::Buffer;
use crate::cpu;
use crate::device::{Device, dispatch};
use crate::error::{Error, Result};
#[cfg(feature = "gpu")]
use crate::gpu::{GpuWorkspace, sort as on_gpu};
use crate::key::Key;
use crate::policy::ONE_PASS;
use crate::workspace::WorkspaceMemory;

/// Memory that sorts need besides their inputs and outputs. Made by [`Sort::workspace`] or [`Sort::double_workspace`]; can
/// be used again for any sort of the same shape or smaller.
pub struct SortWorkspace<K> {
    pub(super) device: Device,
    pub(super) room: Room<K>,
    /// What the splits need.
    pub(super) memory: WorkspaceMemory,
    /// What the splits of the latest sort report, one for each.
    #[cfg(feature = "gpu")]
    pub(super) reports: Vec<on_gpu::Report>,
}

/// Where rows wait between two splits. The buffers are longer than the input if the workspace was made for more.
pub(super) struct Room<K> {
    pub keys: Buffer<K>,
    pub narrow: Vec<Buffer<u32>>,
    pub wide: Vec<Buffer<u64>>,
}

impl<K: Key> Room<K> {
    fn new(device: &Device, n: usize, narrow: usize, wide: usize) -> Result<Self> {
        Ok(Self {
            keys: device.alloc(n)?,
            narrow: (0..narrow).map(|_| device.alloc(n)).collect::<Result<_>>()?,
            wide: (0..wide).map(|_| device.alloc(n)).collect::<Result<_>>()?,
        })
    }

    /// Whether it holds the rows of `n` keys with so many columns.
    pub fn check(&self, n: usize, narrow: usize, wide: usize) -> Result<()> {
        if n <= self.keys.len() && narrow <= self.narrow.len() && wide <= self.wide.len() {
            return Ok(());
        }
        Err(Error::WorkspaceTooSmall { got: self.bytes(), needed: room_bytes::<K>(n, narrow, wide) })
    }

    fn bytes(&self) -> usize {
        room_bytes::<K>(self.keys.len(), self.narrow.len(), self.wide.len())
    }
}

fn room_bytes<K>(n: usize, narrow: usize, wide: usize) -> usize {
    n.saturating_mul(size_of::<K>() + 4 * narrow + 8 * wide)
}

impl<K: Key> SortWorkspace<K> {
    /// Its size in bytes.
    pub fn bytes(&self) -> usize {
        let splits = match &self.memory {
            WorkspaceMemory::Host(scratch) => scratch.size(),
            #[cfg(feature = "gpu")]
            WorkspaceMemory::Gpu(workspace) => workspace.bytes(),
        };
        splits + self.room.bytes()
    }

    /// What each split of the latest sort left.
    #[cfg(feature = "gpu")]
    pub(crate) fn reports(&self) -> Vec<cubecl::server::Handle> {
        self.reports.iter().map(|report| report.words().clone()).collect()
    }

    /// Waits for the latest sort with this workspace and reports what went wrong with it, if anything.
    ///
    /// # Errors
    /// [`Error::DeviceFailed`], [`Error::KernelFailed`] or [`Error::MissingCapability`] if it failed on the device.
    pub fn check(&self) -> Result<()> {
        dispatch!(self.device,
            gpu => self.reports.iter().try_for_each(|report| report.check(gpu)),
            cpu => Ok(()))
    }
}

impl Sort {
    /// A workspace for [`Sort::enqueue`], of up to `n` keys with up to `narrow` columns of 4 bytes (the permutation is
    /// one) and `wide` of 8 bytes. It has room for all rows once more, unless the sort is by so few bits that one split
    /// does it.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`]; and what is wrong with the sort itself.
    pub fn workspace<K: Key>(&self, device: &Device, n: usize, narrow: usize, wide: usize) -> Result<SortWorkspace<K>> {
        let several = self.order::<K>(n)?.count() > 1;
        let (rows, narrow, wide) = if several { (n, narrow, wide) } else { (0, 0, 0) };
        self.make_workspace(device, n, Room::new(device, rows, narrow, wide)?)
    }

    /// A workspace for [`Sort::enqueue_double`], which brings its own room, of up to `n` keys with any columns.
    ///
    /// # Errors
    /// As [`Sort::workspace`].
    pub fn double_workspace<K: Key>(&self, device: &Device, n: usize) -> Result<SortWorkspace<K>> {
        self.order::<K>(n)?;
        self.make_workspace(device, n, Room::new(device, 0, 0, 0)?)
    }

    fn make_workspace<K: Key>(&self, device: &Device, n: usize, room: Room<K>) -> Result<SortWorkspace<K>> {
        #[cfg(feature = "gpu")]
        let digits = self.order::<K>(n)?.functions::<K>()?;
        let memory = dispatch!(device,
            gpu => WorkspaceMemory::Gpu(Box::new(GpuWorkspace::new(gpu, on_gpu::needs(gpu, &digits, n)?)?)),
            cpu => WorkspaceMemory::Host(cpu::Scratch::for_split(device, n, ONE_PASS, 1)?));
        #[cfg(feature = "gpu")]
        let reports = dispatch!(device,
            gpu => digits.iter().map(|_| on_gpu::Report::new(gpu)).collect::<Result<_>>()?,
            cpu => Vec::new());
        Ok(SortWorkspace {
            device: device.clone(),
            room,
            memory,
            #[cfg(feature = "gpu")]
            reports,
        })
    }
}
