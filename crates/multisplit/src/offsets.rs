//! Bucket offsets on a device.

use crate::bucket::Buckets;
use crate::buffer::zeroed;
use crate::device::{Device, dispatch};
use crate::error::{Error, Result};
#[cfg(feature = "gpu")]
use crate::gpu;
use crate::multisplit::Multisplit;
#[cfg(feature = "gpu")]
use cubecl::server::Handle;

/// The bucket offsets of a split between device buffers, on the device.
///
/// Made by [`Multisplit::offsets`], written by [`Multisplit::enqueue`], and read when you choose to. Those of segments
/// ([`Multisplit::segment_offsets`], [`Multisplit::enqueue_segments`]) are one after the other.
#[derive(Debug)]
pub struct Offsets {
    pub(crate) device: Device,
    /// Buckets of a segment.
    m: u32,
    /// One, unless the split is one of segments.
    segments: u32,
    pub(crate) memory: OffsetsMemory,
}

#[derive(Debug)]
pub(crate) enum OffsetsMemory {
    Host {
        offsets: Vec<usize>,
        astray: u64,
    },
    #[cfg(feature = "gpu")]
    Gpu(Handle),
}

impl Offsets {
    /// Buckets that there is room for.
    pub(crate) fn buckets(&self) -> usize {
        self.m as usize * self.segments as usize
    }

    /// What the split left here.
    pub(crate) fn holds(&mut self, m: u32, segments: u32) {
        (self.m, self.segments) = (m, segments);
    }

    /// Waits for the split and copies the m + 1 offsets to the host; of S segments, the S·m + 1.
    ///
    /// # Errors
    /// [`Error::BucketOutOfRange`] if the bucket function returned ids that are not below m; [`Error::DeviceFailed`],
    /// [`Error::KernelFailed`] or [`Error::MissingCapability`] if the split failed on the device.
    pub fn read(&self) -> Result<Vec<usize>> {
        match &self.memory {
            OffsetsMemory::Host { offsets, astray } => {
                check_astray(*astray, self.m)?;
                Ok(offsets.clone())
            }
            #[cfg(feature = "gpu")]
            OffsetsMemory::Gpu(handle) => {
                dispatch!(self.device, gpu => gpu::read_result(gpu, handle, self.m, self.segments), cpu => Ok(Vec::new()))
            }
        }
    }

    /// Waits for a selection ([`Multisplit::enqueue_select`]) and tells how many keys were selected: those of bucket 0.
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

    /// The handle of the offsets on a GPU: m + 1 `u32` numbers, or S·m + 1 (and two words of this crate's own after them).
    #[cfg(feature = "gpu")]
    pub fn handle(&self) -> Option<&Handle> {
        match &self.memory {
            OffsetsMemory::Host { .. } => None,
            OffsetsMemory::Gpu(handle) => Some(handle),
        }
    }
}

/// Keys without a valid bucket are an error.
pub(crate) fn check_astray(count: u64, m: u32) -> Result<()> {
    if count == 0 { Ok(()) } else { Err(Error::BucketOutOfRange { count, m }) }
}

impl<F: Buckets> Multisplit<'_, F> {
    /// Room for the offsets of a split on `device`.
    ///
    /// # Errors
    /// [`Error::NoBuckets`], [`Error::TooManyBuckets`], [`Error::OutOfMemory`].
    pub fn offsets(&self, device: &Device) -> Result<Offsets> {
        self.check(0)?;
        self.room_for_offsets(device, 1)
    }

    /// Room for the offsets of so many segments, whose buckets are not too many.
    pub(crate) fn room_for_offsets(&self, device: &Device, segments: u32) -> Result<Offsets> {
        let m = self.f.buckets();
        let buckets = m * segments;
        let memory = dispatch!(device,
            gpu => {
                let zeros = zeroed::<u32>(device, gpu::result_words(buckets))?;
                OffsetsMemory::Gpu(gpu.upload(bytemuck::cast_slice(&zeros))?)
            },
            cpu => OffsetsMemory::Host { offsets: zeroed(device, buckets as usize + 1)?, astray: 0 });
        Ok(Offsets { device: device.clone(), m, segments, memory })
    }
}
