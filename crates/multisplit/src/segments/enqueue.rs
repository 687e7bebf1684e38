//! Segmented splits between device buffers: nothing is waited for.

use super::{Segments, check_buckets};
use crate::bucket::Buckets;
use crate::buffer::Buffer;
use crate::column::Column;
use crate::cpu;
use crate::device::{Device, dispatch};
use crate::enqueue::host_columns;
use crate::error::Result;
#[cfg(feature = "gpu")]
use crate::gpu::{self, GpuWorkspace};
use crate::multisplit::Multisplit;
use crate::offsets::{Offsets, OffsetsMemory};
use crate::workspace::{Workspace, WorkspaceMemory};

impl<F: Buckets> Multisplit<'_, F> {
    /// Splits segments from device buffers to device buffers, as [`enqueue`](Multisplit::enqueue) does whole ones. Segments
    /// are told as to [`split_segments`](crate::split_segments()), from host memory: a small table of them goes to the
    /// device. On a GPU nothing else is copied and nothing is waited for.
    ///
    /// ```
    /// use multisplit::{Column, Device, Multisplit, bucket::Identity};
    /// let device = Device::best();
    /// let f = Identity::new(2);
    /// let by = Multisplit::by(&f);
    ///
    /// let keys = device.upload(&[1u32, 0, 1, 0])?;
    /// let (mut keys_out, mut permutation) = (device.alloc(4)?, device.alloc(4)?);
    /// let mut offsets = by.segment_offsets(&device, 2)?;
    /// let mut workspace = by.segment_workspace(&device, 4, 2, 1)?;
    ///
    /// let columns = &mut [Column::permutation(&mut permutation)];
    /// by.enqueue_segments(&keys, &[0, 2, 4], &mut keys_out, columns, &mut offsets, &mut workspace)?;
    /// assert_eq!(offsets.read()?, [0, 1, 2, 3, 4]);
    /// assert_eq!(permutation.download()?, [1, 0, 3, 2]);
    /// # Ok::<(), multisplit::Error>(())
    /// ```
    ///
    /// # Errors
    /// What can be seen before the kernels run; [`Offsets::read`] and [`Offsets::check`] tell the rest. Nothing is written
    /// by a call that fails.
    pub fn enqueue_segments(
        &self,
        keys: &Buffer<F::Key>,
        segments: &[usize],
        keys_out: &mut Buffer<F::Key>,
        columns: &mut [Column<'_>],
        offsets: &mut Offsets,
        workspace: &mut Workspace,
    ) -> Result<()> {
        self.check(keys.len())?;
        let m = self.f.buckets();
        let segments = Segments::new(segments, keys.len(), m)?;
        self.check_buffers(keys, keys_out, columns, offsets, (m * segments.count()) as usize, &workspace.device)?;
        dispatch!(keys.device(),
            gpu => gpu::segments::enqueue(gpu, self, keys, segments, keys_out, columns, offsets, workspace),
            cpu => self.run_segments_on_cpu(keys, segments, keys_out, columns, offsets, workspace))
    }

    fn run_segments_on_cpu(
        &self,
        keys: &Buffer<F::Key>,
        segments: Segments<'_>,
        keys_out: &mut Buffer<F::Key>,
        columns: &mut [Column<'_>],
        out: &mut Offsets,
        workspace: &mut Workspace,
    ) -> Result<()> {
        let keys = keys.as_slice().unwrap_or_default();
        let mut moves = host_columns(keys, keys_out, columns);
        let m = self.f.buckets();
        #[allow(irrefutable_let_patterns)] // without GPUs there is no other kind
        if let (OffsetsMemory::Host { offsets, astray }, WorkspaceMemory::Host(scratch)) =
            (&mut out.memory, &mut workspace.memory)
        {
            offsets.resize((m * segments.count()) as usize + 1, 0);
            let bucket = |key| self.f.bucket(key);
            *astray = cpu::split_segments(&out.device, keys, &mut moves, segments, m, bucket, offsets, scratch)?;
            out.holds(m, segments.count());
        }
        Ok(())
    }

    /// Room for the offsets of so many segments on `device`: m for each, and the end.
    ///
    /// # Errors
    /// [`Error::NoBuckets`](crate::Error::NoBuckets), [`Error::TooManyBuckets`](crate::Error::TooManyBuckets),
    /// [`Error::TooManySegments`](crate::Error::TooManySegments), [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    pub fn segment_offsets(&self, device: &Device, segments: usize) -> Result<Offsets> {
        self.check(0)?;
        self.room_for_offsets(device, check_buckets(segments, self.f.buckets())?)
    }

    /// A workspace for splits of up to so many segments, of up to `n` keys together, with up to `columns` value columns on
    /// `device`; the permutation is one of them. It can be used again for fewer. More than 256 buckets take several passes,
    /// which need room for another copy of keys and columns.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory); and what is wrong with the split itself.
    pub fn segment_workspace(&self, device: &Device, n: usize, segments: usize, columns: usize) -> Result<Workspace> {
        self.check(n)?;
        let m = self.f.buckets();
        check_buckets(segments, m)?;
        let memory = dispatch!(device,
            gpu => {
                let needs = gpu::segments::most_needs(gpu, self, n, segments, columns)?;
                WorkspaceMemory::Gpu(Box::new(GpuWorkspace::new(gpu, needs)?))
            },
            cpu => WorkspaceMemory::Host(cpu::Scratch::for_segments(device, n, m, columns + 1)?));
        Ok(Workspace { device: device.clone(), memory })
    }

    /// The bytes that [`Multisplit::segment_workspace`] would allocate.
    ///
    /// # Errors
    /// What is wrong with the split itself.
    pub fn segment_workspace_bytes(&self, device: &Device, n: usize, segments: usize, columns: usize) -> Result<usize> {
        self.check(n)?;
        let m = self.f.buckets();
        check_buckets(segments, m)?;
        dispatch!(device,
            gpu => gpu::segments::most_needs(gpu, self, n, segments, columns).map(|needs| needs.bytes()),
            cpu => Ok(cpu::Scratch::bytes_for_segments(n, m, columns + 1, rayon::current_num_threads())))
    }
}
