//! Segmented splits between device buffers: nothing is waited for.

use crate::bucket::Buckets;
use crate::cpu;
use crate::device::{Device, dispatch};
use crate::error::Result;
#[cfg(feature = "gpu")]
use crate::gpu;
use crate::memory::column::{Column, part};
use crate::memory::offsets::Offsets;
use crate::memory::slice::BufferSlice;
use crate::memory::slice_mut::BufferSliceMut;
use crate::ops::gather::gather_columns;
use crate::ops::split::Multisplit;
use crate::ops::split::enqueue::{check_buffers, host_rows};
use crate::ops::workspace::Workspace;
use crate::request::segments::{Segments, check_buckets};

impl<F: Buckets> Multisplit<'_, F> {
    /// Splits segments from device buffers to device buffers, as [`enqueue`](Multisplit::enqueue) does whole ones.
    /// Segments are given as to [`split_segments`](crate::split_segments()), in host memory: a small table of them
    /// goes to the device. On a GPU nothing else is copied and nothing is waited for.
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
    /// What can be seen before the kernels run; [`Offsets::read`] and [`Offsets::check`] tell the rest. Nothing is
    /// written by a call that fails.
    pub fn enqueue_segments<'a, 'b>(
        &self,
        keys: impl Into<BufferSlice<'a, F::Key>>,
        segments: &[usize],
        keys_out: impl Into<BufferSliceMut<'b, F::Key>>,
        columns: &mut [Column<'_>],
        offsets: &mut Offsets,
        workspace: &mut Workspace,
    ) -> Result<()> {
        self.enqueue_segments_of(keys.into(), segments, keys_out.into(), columns, offsets, workspace)
    }

    fn enqueue_segments_of(
        &self,
        keys: BufferSlice<'_, F::Key>,
        segments: &[usize],
        mut keys_out: BufferSliceMut<'_, F::Key>,
        columns: &mut [Column<'_>],
        offsets: &mut Offsets,
        workspace: &mut Workspace,
    ) -> Result<()> {
        let m = self.check(keys.len())?;
        let segments = Segments::new(segments, keys.len(), m)?;
        let buckets = m as usize * segments.count() as usize;
        check_buffers(keys.region(), keys_out.region(), columns, offsets, buckets, workspace)?;
        let (mut columns, gathered) = part(columns)?;
        dispatch!(keys_out.device(),
        gpu => {
            let (request, arena) = (self.request(m), workspace.arena()?);
            let table = gpu::Table::between(gpu, keys.region(), keys_out.region(), &columns)?;
            (gpu.on::<F::Key>()?.segments)(gpu, &request, segments, &table, offsets, arena)
        },
        cpu => {
            let needed = cpu_bytes(keys.len(), m, columns.len());
            let (keys, scratch) = (keys.as_slice().unwrap_or_default(), workspace.scratch(needed)?);
            let mut moves = host_rows(keys, &mut keys_out, &mut columns);
            offsets.write_on_cpu(keys.len(), m, segments.count(), |device, offsets| {
                let (keys, f) = (cpu::Keys::of(keys), self.f.loops());
                cpu::split_segments(device, keys, &mut moves, segments, m, &f, offsets, scratch)
            })
        })?;
        gather_columns(keys.len(), &columns, gathered)
    }

    /// A workspace for splits of up to so many segments, of up to `n` keys together, with up to `columns` value
    /// columns on `device`; the permutation is one of them. More than 256 buckets take several passes, which need
    /// room for another copy of keys and columns.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory); and what is wrong with the split itself.
    pub fn segment_workspace(&self, device: &Device, n: usize, segments: usize, columns: usize) -> Result<Workspace> {
        let m = self.check(n)?;
        let bytes = self.segment_bytes_into(m, device, n, segments, columns)?;
        dispatch!(device,
        _gpu => Workspace::with_bytes(device, bytes),
        cpu => {
            let scratch = cpu::Scratch::for_segments(device, n, m, columns.saturating_add(1))?;
            Ok(Workspace::on_cpu(device, scratch, bytes))
        })
    }

    /// The bytes that a workspace for such splits must hold.
    ///
    /// # Errors
    /// What is wrong with the split itself.
    pub fn segment_workspace_bytes(&self, device: &Device, n: usize, segments: usize, columns: usize) -> Result<usize> {
        self.segment_bytes_into(self.check(n)?, device, n, segments, columns)
    }

    fn segment_bytes_into(&self, m: u32, device: &Device, n: usize, segments: usize, columns: usize) -> Result<usize> {
        check_buckets(segments, m)?;
        dispatch!(device,
            gpu => {
                let request = self.request(m);
                Ok((gpu.on::<F::Key>()?.segment_needs)(gpu, &request, n, segments, columns)?.bytes(gpu))
            },
            cpu => Ok(cpu_bytes(n, m, columns)))
    }
}

/// The bytes that a segmented split on the CPU needs.
fn cpu_bytes(n: usize, m: u32, columns: usize) -> usize {
    cpu::Scratch::bytes_for_segments(n, m, columns.saturating_add(1), rayon::current_num_threads())
}
