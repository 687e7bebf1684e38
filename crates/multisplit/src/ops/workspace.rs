//! Memory that calls between device buffers need besides their inputs and outputs.

use crate::cpu;
use crate::device::{Device, dispatch};
use crate::error::{Error, Result};
#[cfg(feature = "gpu")]
use crate::gpu::Arena;
use std::fmt;

/// Memory that calls between device buffers need besides their inputs and outputs, for any of them: splits, segments,
/// sorts, selections and other approaches, of any keys, columns, numbers of buckets and lengths, one after the other.
///
/// It holds so many bytes and nothing else. Every operation says how many a call needs (as
/// [`Multisplit::workspace_bytes`](crate::Multisplit::workspace_bytes)), [`Workspace::reserve`] makes it hold them,
/// and a call that needs more than it holds is refused with [`Error::WorkspaceTooSmall`]. On a GPU the calls allocate
/// nothing; on the CPU the first call that uses a part of it does.
///
/// ```
/// use multisplit::{Device, Multisplit, Sort, Workspace, bucket::Delta};
/// let (device, f, n) = (Device::best(), Delta::whole(32)?, 1000);
/// let (split, sort) = (Multisplit::by(&f), Sort::new());
/// let mut workspace = Workspace::new(&device);
/// workspace.reserve(split.workspace_bytes(&device, n, 0)?)?;
/// workspace.reserve(sort.workspace_bytes::<u32>(&device, n, 0, 0)?)?;
///
/// let keys = device.upload(&vec![7u32; n])?;
/// let (mut out, mut offsets) = (device.alloc(n)?, split.offsets(&device)?);
/// split.enqueue(&keys, &mut out, &mut [], &mut offsets, &mut workspace)?;
/// sort.enqueue(&keys, &mut out, &mut [], &mut workspace)?;
/// # Ok::<(), multisplit::Error>(())
/// ```
pub struct Workspace {
    device: Device,
    memory: Memory,
}

enum Memory {
    Host {
        scratch: cpu::Scratch,
        bytes: usize,
    },
    #[cfg(feature = "gpu")]
    Gpu(Arena),
}

impl Workspace {
    /// A workspace on `device` that holds nothing yet.
    pub fn new(device: &Device) -> Self {
        let memory = dispatch!(device,
            _gpu => Memory::Gpu(Arena::EMPTY),
            cpu => Memory::Host { scratch: cpu::Scratch::default(), bytes: 0 });
        Self { device: device.clone(), memory }
    }

    /// A workspace on `device` that holds so many bytes.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`].
    pub fn with_bytes(device: &Device, bytes: usize) -> Result<Self> {
        let mut workspace = Self::new(device);
        workspace.reserve(bytes)?;
        Ok(workspace)
    }

    /// A workspace on the CPU that has memory for the calls that need so many bytes.
    pub(crate) fn on_cpu(device: &Device, scratch: cpu::Scratch, bytes: usize) -> Self {
        Self { device: device.clone(), memory: Memory::Host { scratch, bytes } }
    }

    /// The bytes that it holds.
    pub fn bytes(&self) -> usize {
        match &self.memory {
            Memory::Host { bytes, .. } => *bytes,
            #[cfg(feature = "gpu")]
            Memory::Gpu(arena) => arena.bytes(),
        }
    }

    /// Makes it hold at least so many bytes. It never shrinks; if there is no memory for more, it stays as it is.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`].
    pub fn reserve(&mut self, bytes: usize) -> Result<()> {
        let device = self.device.clone();
        match &mut self.memory {
            Memory::Host { scratch, bytes: held } => {
                // The memory is taken by the first call that uses it; what cannot be had is refused now.
                let more = bytes.saturating_sub(scratch.size());
                let tried = Vec::<u8>::new().try_reserve_exact(more);
                tried.map_err(|error| out_of_memory(&device, bytes, error.to_string()))?;
                *held = bytes.max(*held);
                Ok(())
            }
            #[cfg(feature = "gpu")]
            Memory::Gpu(arena) => dispatch!(device, gpu => arena.reserve(gpu, bytes), cpu => Ok(())),
        }
    }

    /// Where it is.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// The memory of a workspace on the CPU, for a call that needs so many bytes.
    pub(crate) fn scratch(&mut self, needed: usize) -> Result<&mut cpu::Scratch> {
        match &mut self.memory {
            Memory::Host { bytes, .. } if needed > *bytes => Err(Error::WorkspaceTooSmall { got: *bytes, needed }),
            Memory::Host { scratch, .. } => Ok(scratch),
            #[cfg(feature = "gpu")]
            Memory::Gpu(_) => Err(wrong_device(&self.device, "the CPU")),
        }
    }

    /// The memory of a workspace on a GPU.
    #[cfg(feature = "gpu")]
    pub(crate) fn arena(&mut self) -> Result<&mut Arena> {
        match &mut self.memory {
            Memory::Gpu(arena) => Ok(arena),
            Memory::Host { .. } => Err(wrong_device(&self.device, "a GPU")),
        }
    }
}

fn out_of_memory(device: &Device, bytes: usize, reason: String) -> Error {
    Error::OutOfMemory { device: device.name().into(), bytes: bytes as u64, reason }
}

#[cfg(feature = "gpu")]
fn wrong_device(device: &Device, expected: &str) -> Error {
    Error::WrongDevice { what: "the workspace".into(), got: device.name().into(), expected: expected.into() }
}

impl fmt::Debug for Workspace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Workspace({} bytes on {})", self.bytes(), self.device.name())
    }
}
