//! Bucket offsets on a device.

#[cfg(feature = "gpu")]
use super::buffer::Storage;
use super::buffer::{Buffer, zeroed};
#[cfg(feature = "gpu")]
use super::region::Allocation;
#[cfg(feature = "gpu")]
use super::result::{read_result, read_result_later, result_words};
use crate::device::{Device, dispatch};
use crate::error::{Error, Result, check_out_of_range};
#[cfg(feature = "gpu")]
use crate::runtime::{Gpu, Slice};
#[cfg(feature = "gpu")]
use cubecl::prelude::Runtime;

/// In the place of a group or an element where there is none; see [`PaddedGroups`](crate::PaddedGroups).
pub(crate) const NO_GROUP: u32 = u32::MAX;

/// The bucket offsets of a split between device buffers, on the device.
///
/// Made by [`Multisplit::offsets`], written by [`Multisplit::enqueue`], and read when you choose to. Those of
/// segments ([`Multisplit::segment_offsets`], [`Multisplit::enqueue_segments`]) are one after the other. They can be
/// used again for any split of as many buckets or fewer. Until a split has written them, and after one that failed, all
/// are 0.
///
/// [`Multisplit::offsets`]: crate::Multisplit::offsets
/// [`Multisplit::enqueue`]: crate::Multisplit::enqueue
/// [`Multisplit::segment_offsets`]: crate::Multisplit::segment_offsets
/// [`Multisplit::enqueue_segments`]: crate::Multisplit::enqueue_segments
#[derive(Debug)]
pub struct Offsets {
    device: Device,
    /// Buckets that there is room for.
    capacity: usize,
    /// Buckets of a segment that it holds the offsets of.
    m: u32,
    /// How many of those; one, unless the split was one of segments.
    segments: u32,
    /// Keys of the split.
    n: usize,
    memory: OffsetsMemory,
}

#[derive(Debug)]
enum OffsetsMemory {
    Host {
        offsets: Vec<usize>,
        out_of_range: u64,
    },
    #[cfg(feature = "gpu")]
    Gpu {
        of: Allocation,
        /// Whether a split has written it, or is about to. Until then all offsets are 0, whatever there is.
        written: bool,
    },
}

impl Offsets {
    pub(crate) fn new(device: &Device, m: u32, segments: u32) -> Result<Self> {
        let capacity = m as usize * segments as usize;
        let memory = dispatch!(device,
            gpu => {
                let memory = gpu.allocate(4 * result_words(capacity as u32))?;
                OffsetsMemory::Gpu { of: Allocation::new(memory, false), written: false }
            },
            cpu => OffsetsMemory::Host { offsets: zeroed(device, capacity + 1)?, out_of_range: 0 });
        Ok(Self { device: device.clone(), capacity, m, segments, n: 0, memory })
    }

    /// The number of buckets, of all segments together, that there is room for.
    pub fn capacity(&self) -> usize {
        self.capacity
    }

    /// Where they are.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// Buckets, of all segments together, that it holds the offsets of.
    pub(crate) fn buckets(&self) -> usize {
        self.m as usize * self.segments as usize
    }

    /// Keys of the split that wrote them; none if none did.
    pub(crate) fn keys(&self) -> usize {
        self.n
    }

    /// Refuses more buckets than there is room for.
    pub(crate) fn check_room(&self, buckets: usize) -> Result<()> {
        if buckets <= self.capacity {
            return Ok(());
        }
        let (got, needed) = (self.capacity + 1, buckets + 1);
        Err(Error::OutputTooSmall { what: "the offsets".into(), got, needed })
    }

    /// Waits for the split and copies the m + 1 offsets to the host; of S segments, the S·m + 1.
    ///
    /// # Errors
    /// [`Error::BucketOutOfRange`] if the bucket function returned ids that are not below m; [`Error::DeviceFailed`],
    /// [`Error::KernelFailed`] or [`Error::MissingCapability`] if the split failed on the device.
    pub fn read(&self) -> Result<Vec<usize>> {
        match &self.memory {
            OffsetsMemory::Host { offsets, out_of_range } => {
                check_out_of_range(*out_of_range, self.m)?;
                let mut copy = zeroed(&self.device, offsets.len())?;
                copy.copy_from_slice(offsets);
                Ok(copy)
            }
            #[cfg(feature = "gpu")]
            OffsetsMemory::Gpu { written: false, .. } => zeroed(&self.device, self.buckets() + 1),
            #[cfg(feature = "gpu")]
            OffsetsMemory::Gpu { of, .. } => dispatch!(self.device,
                gpu => read_result(gpu, &gpu.reads(&of.memory)?, self.m, self.segments),
                cpu => Ok(Vec::new())),
        }
    }

    /// Has the offsets copied to the host after the split, and goes on: what this returns waits for them, as
    /// [`Offsets::read`] does. A GPU that was only given work before begins with it now.
    ///
    /// ```
    /// use multisplit::{Device, Multisplit, bucket::Identity};
    /// let (device, f) = (Device::best(), Identity::new(2));
    /// let split = Multisplit::by(&f);
    /// let keys = device.upload(&[1u32, 0, 1])?;
    /// let mut out = device.alloc(3)?;
    /// let (mut offsets, mut workspace) = (split.offsets(&device)?, split.workspace(&device, 3, 0)?);
    /// split.enqueue(&keys, &mut out, &mut [], &mut offsets, &mut workspace)?;
    /// let read = offsets.read_later()?;
    /// // Meanwhile there is time for something else.
    /// assert_eq!(read()?, [0, 1, 3]);
    /// # Ok::<(), multisplit::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Offsets::read`], at either time.
    pub fn read_later(&self) -> Result<Box<dyn FnOnce() -> Result<Vec<usize>> + '_>> {
        #[cfg(feature = "gpu")]
        if let OffsetsMemory::Gpu { of, written: true } = &self.memory {
            return dispatch!(self.device,
                gpu => {
                    let read = read_result_later(gpu, &gpu.reads(&of.memory)?, self.m, self.segments)?;
                    Ok(Box::new(read) as Box<dyn FnOnce() -> Result<Vec<usize>>>)
                },
                cpu => Ok(Box::new(|| self.read()) as Box<dyn FnOnce() -> Result<Vec<usize>>>));
        }
        Ok(Box::new(|| self.read()))
    }

    /// Waits for a selection and tells how many keys were selected: those of bucket 0.
    ///
    /// A selection is enqueued by [`Multisplit::enqueue_select`](crate::Multisplit::enqueue_select).
    ///
    /// # Errors
    /// As [`Offsets::read`].
    pub fn selected(&self) -> Result<usize> {
        Ok(self.read()?.get(1).copied().unwrap_or(0))
    }

    /// Waits for the split and reports what went wrong with it, if anything.
    ///
    /// # Errors
    /// As [`Offsets::read`].
    pub fn check(&self) -> Result<()> {
        self.read().map(drop)
    }

    /// The m + 1 offsets as elements of a buffer on the device (of S segments, S·m + 1), to go on with there. Whether
    /// all ids were in range [`Offsets::check`] tells, before. On a GPU nothing is copied.
    ///
    /// ```
    /// use multisplit::{Device, Multisplit, bucket::Identity};
    /// let (device, f) = (Device::best(), Identity::new(2));
    /// let split = Multisplit::by(&f);
    /// let keys = device.upload(&[1u32, 0, 1])?;
    /// let mut out = device.alloc(3)?;
    /// let (mut offsets, mut workspace) = (split.offsets(&device)?, split.workspace(&device, 3, 0)?);
    /// split.enqueue(&keys, &mut out, &mut [], &mut offsets, &mut workspace)?;
    /// offsets.check()?;
    /// assert_eq!(offsets.into_buffer()?.download()?, [0, 1, 3]);
    /// # Ok::<(), multisplit::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::OutOfMemory`].
    pub fn into_buffer(self) -> Result<Buffer<u32>> {
        #[cfg(feature = "gpu")]
        let count = self.buckets() + 1;
        match self.memory {
            // There are at most 2^32 - 1 keys.
            OffsetsMemory::Host { offsets, .. } => {
                let mut narrow = zeroed::<u32>(&self.device, offsets.len())?;
                narrow.iter_mut().zip(offsets).for_each(|(to, offset)| *to = offset as u32);
                Ok(Buffer::on_host(&self.device, narrow))
            }
            #[cfg(feature = "gpu")]
            OffsetsMemory::Gpu { of, written } => {
                if !written {
                    dispatch!(self.device, gpu => gpu.fill(&gpu.writes(&of.memory)?, 0), cpu => Ok(()))?;
                }
                Ok(Buffer::new(&self.device, count, Storage::Gpu(of)))
            }
        }
    }

    /// Where the offsets are on a CUDA device, as [`Buffer::cuda_address`] has it; nothing elsewhere. They keep their
    /// address in [`Offsets::into_buffer`].
    ///
    /// # Errors
    /// [`Error::DeviceFailed`] if the device does not answer.
    #[cfg(feature = "cuda")]
    pub fn cuda_address(&self) -> Result<Option<u64>> {
        let (crate::device::Backend::Cuda(_), OffsetsMemory::Gpu { of, .. }) = (self.device.backend(), &self.memory)
        else {
            return Ok(None);
        };
        Ok(of.place(&self.device)?.map(|place| place.start))
    }

    /// Writes what a split on the CPU finds: `find` is given room for all offsets, and returns how many ids were out of
    /// range. A split that fails leaves no buckets.
    pub(crate) fn write_on_cpu(
        &mut self,
        n: usize,
        m: u32,
        segments: u32,
        find: impl FnOnce(&Device, &mut [usize]) -> Result<u64>,
    ) -> Result<()> {
        let buckets = m as usize * segments as usize;
        self.check_room(buckets)?;
        (self.n, self.m, self.segments) = (n, m, segments);
        match &mut self.memory {
            OffsetsMemory::Host { offsets, out_of_range } => {
                // Never moves: there is room for as many as fit.
                offsets.resize(buckets + 1, 0);
                *out_of_range = find(&self.device, offsets).inspect_err(|_| offsets.fill(0))?;
                Ok(())
            }
            #[cfg(feature = "gpu")]
            OffsetsMemory::Gpu { .. } => Err(self.on_a_gpu()),
        }
    }

    /// The offsets on the CPU.
    pub(crate) fn on_cpu(&self) -> Result<&[usize]> {
        match &self.memory {
            OffsetsMemory::Host { offsets, .. } => Ok(offsets),
            #[cfg(feature = "gpu")]
            OffsetsMemory::Gpu { .. } => Err(self.on_a_gpu()),
        }
    }

    #[cfg(feature = "gpu")]
    fn on_a_gpu(&self) -> Error {
        let (what, got) = ("the offsets".into(), self.device.name().into());
        Error::WrongDevice { what, got, expected: "the CPU".into() }
    }

    /// Writes what a split on a GPU leaves: `split` submits all of it, and is given room for the words of a result. A
    /// split that fails leaves no buckets, and neither does one that is not `complete`.
    #[cfg(feature = "gpu")]
    pub(crate) fn write_on<R: Runtime>(
        &mut self,
        gpu: &Gpu<R>,
        (n, m, segments): (usize, u32, u32),
        complete: bool,
        split: impl FnOnce(Slice<u32>) -> Result<()>,
    ) -> Result<()> {
        let buckets = m as usize * segments as usize;
        self.check_room(buckets)?;
        let OffsetsMemory::Gpu { of, written } = &mut self.memory else {
            let (what, got) = ("the offsets".into(), self.device.name().into());
            return Err(Error::WrongDevice { what, got, expected: gpu.name.clone() });
        };
        (self.n, self.m, self.segments, *written) = (n, m, segments, false);
        split(gpu.writes::<u32>(&of.memory)?.first(result_words(buckets as u32))?)?;
        *written = complete;
        Ok(())
    }

    /// The offsets on a GPU: m + 1 words, or S·m + 1 of segments.
    #[cfg(feature = "gpu")]
    pub(crate) fn read_on<R: Runtime>(&self, gpu: &Gpu<R>) -> Result<Slice<u32>> {
        match &self.memory {
            OffsetsMemory::Gpu { of, written } => {
                if !written {
                    gpu.fill(&gpu.writes(&of.memory)?, 0)?;
                }
                gpu.reads::<u32>(&of.memory)?.first(self.buckets() + 1)
            }
            OffsetsMemory::Host { .. } => {
                let (what, got) = ("the offsets".into(), self.device.name().into());
                Err(Error::WrongDevice { what, got, expected: gpu.name.clone() })
            }
        }
    }
}
