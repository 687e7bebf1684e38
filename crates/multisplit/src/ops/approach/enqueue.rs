//! The other approaches between device buffers.

use super::{Approach, Way, scan_split};
use crate::bucket::Buckets;
use crate::cpu::reduced_bit;
use crate::device::{Device, dispatch};
use crate::error::Result;
#[cfg(feature = "gpu")]
use crate::gpu;
use crate::memory::column::{Column, MovedColumn, part, widths};
use crate::memory::offsets::Offsets;
use crate::memory::slice::BufferSlice;
use crate::memory::slice_mut::BufferSliceMut;
use crate::ops::gather::gather_columns;
use crate::ops::split::Multisplit;
use crate::ops::split::enqueue::check_buffers;
use crate::ops::workspace::Workspace;
use crate::request::carry::Carry;
use crate::request::rounds::Rounds;

impl<F: Buckets> Approach<'_, F> {
    /// Splits from device buffers to device buffers, as [`Multisplit::enqueue`] does: on a GPU nothing is waited for
    /// (but the first time that a kernel runs).
    ///
    /// ```
    /// use multisplit::approach::{Approach, Way};
    /// use multisplit::{Column, Device, bucket::Identity};
    /// let device = Device::best();
    /// let f = Identity::new(3);
    /// let split = Approach::by(&f, Way::ReducedBitSort);
    /// let keys = device.upload(&[2u32, 0, 1, 0])?;
    /// let values = device.upload(&[20.0f32, 0.0, 10.0, 0.5])?;
    /// let (mut keys_out, mut values_out) = (device.alloc(4)?, device.alloc(4)?);
    /// let mut offsets = split.offsets(&device)?;
    /// let mut workspace = split.workspace(&device, 4, 1, 0)?;
    ///
    /// let columns = &mut [Column::new(&values, &mut values_out)];
    /// split.enqueue(&keys, &mut keys_out, columns, &mut offsets, &mut workspace)?;
    /// assert_eq!(offsets.read()?, [0, 2, 3, 4]);
    /// assert_eq!(values_out.download()?, [0.0, 0.5, 10.0, 20.0]);
    /// # Ok::<(), multisplit::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Multisplit::enqueue`].
    pub fn enqueue<'a, 'b>(
        &self,
        keys: impl Into<BufferSlice<'a, F::Key>>,
        keys_out: impl Into<BufferSliceMut<'b, F::Key>>,
        columns: &mut [Column<'_>],
        offsets: &mut Offsets,
        workspace: &mut Workspace,
    ) -> Result<()> {
        self.enqueue_slices(keys.into(), keys_out.into(), columns, offsets, workspace)
    }

    fn enqueue_slices(
        &self,
        keys: BufferSlice<'_, F::Key>,
        mut keys_out: BufferSliceMut<'_, F::Key>,
        columns: &mut [Column<'_>],
        offsets: &mut Offsets,
        workspace: &mut Workspace,
    ) -> Result<()> {
        let (n, key) = (keys.len(), size_of::<F::Key>());
        let m = Multisplit::by(self.f).check(n)?;
        check_buffers(keys.region(), keys_out.region(), columns, offsets, m as usize, workspace)?;
        let (mut columns, gathered) = part(columns)?;
        let permutation = columns.iter().any(|column| matches!(column, MovedColumn::Permutation { .. }));
        let (narrow, wide) = widths(&columns);
        let carry = Carry::of(key, (narrow - usize::from(permutation), wide), permutation, self.by_index());
        dispatch!(keys_out.device(),
        gpu => {
            let table = gpu::Table::between(gpu, keys.region(), keys_out.region(), &columns)?;
            let (on, arena) = (gpu.on::<F::Key>()?, workspace.arena()?);
            offsets.write_on(gpu, (n, m, 1), true, |result| match self.way.rounds() {
                Some(rounds) => (on.scan_split)(gpu, self.f, m, rounds, n, &table, &result, arena),
                None => (on.reduced_bit)(gpu, self.f, m, carry, n, &table, &result, arena),
            })
        },
        cpu => match self.way.rounds() {
            Some(rounds) => {
                let scratch = workspace.scratch(scan_split::cpu_bytes::<F::Key>(n, (narrow, wide)))?;
                scan_split::run_on_cpu(self.f, m, rounds, keys, &mut keys_out, &mut columns, offsets, scratch)
            }
            None => {
                let scratch = workspace.scratch(reduced_bit::cpu_bytes(n, carry))?;
                reduced_bit::run_on_cpu(self.f, m, carry, keys, &mut keys_out, &mut columns, offsets, scratch)
            }
        })?;
        gather_columns(n, &columns, gathered)
    }

    /// A workspace for [`Approach::enqueue`], of up to `n` keys with up to `narrow` columns of 4 bytes (the
    /// permutation is one) and `wide` of 8 bytes.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory); and what is wrong with the split itself.
    pub fn workspace(&self, device: &Device, n: usize, narrow: usize, wide: usize) -> Result<Workspace> {
        Workspace::with_bytes(device, self.workspace_bytes(device, n, narrow, wide)?)
    }

    /// The bytes that a workspace for such splits must hold; see [`Approach::workspace`].
    ///
    /// # Errors
    /// What is wrong with the split itself.
    pub fn workspace_bytes(&self, device: &Device, n: usize, narrow: usize, wide: usize) -> Result<usize> {
        #[cfg_attr(not(feature = "gpu"), allow(unused))]
        let (m, key, columns) = (Multisplit::by(self.f).check(n)?, size_of::<F::Key>(), (narrow, wide));
        let carries = Carry::all(key, columns, self.by_index());
        dispatch!(device,
        gpu => match self.way.rounds() {
            Some(rounds) => Ok(gpu::scan_split::bytes(gpu, rounds, n, key, columns)),
            None => {
                let mut carries = carries;
                carries.try_fold(0, |most, carry| Ok(gpu::reduced_bit::bytes(gpu, n, m, carry)?.max(most)))
            }
        },
        cpu => match self.way.rounds() {
            Some(_) => Ok(scan_split::cpu_bytes::<F::Key>(n, columns)),
            None => Ok(carries.map(|carry| reduced_bit::cpu_bytes(n, carry)).max().unwrap_or(0)),
        })
    }

    fn by_index(&self) -> bool {
        self.way == Way::ReducedBitSortByIndex
    }
}

impl Way {
    /// The rounds, if it takes any.
    fn rounds(self) -> Option<Rounds> {
        match self {
            Self::ReducedBitSort | Self::ReducedBitSortByIndex => None,
            Self::IteratedScanSplit => Some(Rounds::Iterated),
            Self::RecursiveScanSplit => Some(Rounds::Recursive),
        }
    }
}
