//! Splits of columns by keys that stay where they are.

use super::Multisplit;
use super::enqueue::{Check, host_columns};
use crate::bucket::Buckets;
use crate::cpu;
use crate::device::dispatch;
use crate::error::Result;
use crate::memory::column::{Column, MovedColumn, part};
use crate::memory::offsets::Offsets;
use crate::memory::slice::BufferSlice;
use crate::ops::gather::gather_columns;
use crate::ops::workspace::Workspace;
use crate::request::policy::ONE_PASS;

impl<F: Buckets> Multisplit<'_, F> {
    /// Splits columns by their keys, as [`enqueue`](Multisplit::enqueue) does, without an output for the keys. With the
    /// permutation as the only column it groups indices by the ids of their buckets:
    ///
    /// ```
    /// use multisplit::{Column, Device, Multisplit, bucket::Identity};
    /// let (device, f) = (Device::best(), Identity::new(3));
    /// let split = Multisplit::by(&f);
    /// let ids = device.upload(&[2u32, 0, 1, 0])?;
    /// let mut index = device.alloc(4)?;
    /// let (mut offsets, mut workspace) = (split.offsets(&device)?, split.workspace(&device, 4, 1)?);
    /// split.enqueue_columns(&ids, &mut [Column::permutation(&mut index)], &mut offsets, &mut workspace)?;
    /// assert_eq!(index.download()?, [1, 3, 2, 0]);
    /// assert_eq!(offsets.read()?, [0, 2, 3, 4]);
    /// # Ok::<(), multisplit::Error>(())
    /// ```
    ///
    /// The CPU does not move the keys, unless there are more than 256 buckets. A GPU does, to memory that is allocated
    /// for this call.
    ///
    /// # Errors
    /// As [`enqueue`](Multisplit::enqueue).
    pub fn enqueue_columns<'a>(
        &self,
        keys: impl Into<BufferSlice<'a, F::Key>>,
        columns: &mut [Column<'_>],
        offsets: &mut Offsets,
        workspace: &mut Workspace,
    ) -> Result<()> {
        let (keys, m) = (keys.into(), self.f.buckets());
        self.check_into(m, keys.len())?;
        let stay = dispatch!(keys.device(), _gpu => false, cpu => m <= ONE_PASS);
        if !stay {
            let mut keys_out = keys.device().alloc(keys.len())?;
            return self.enqueue_into(m, false, keys, (&mut keys_out).into(), columns, offsets, workspace);
        }
        let check = Check { device: keys.device(), n: keys.len() };
        check.columns(columns, workspace)?;
        check.device("the offsets", offsets.device())?;
        offsets.check_room(m as usize)?;
        let (mut columns, gathered) = part(columns)?;
        self.enqueue_on_cpu(m, keys, &mut columns, offsets, workspace)?;
        gather_columns(keys.len(), &columns, gathered)
    }

    fn enqueue_on_cpu(
        &self,
        m: u32,
        keys: BufferSlice<'_, F::Key>,
        columns: &mut [MovedColumn<'_>],
        offsets: &mut Offsets,
        workspace: &mut Workspace,
    ) -> Result<()> {
        let n = keys.len();
        let scratch = workspace.scratch(super::enqueue::cpu_bytes(n, m, columns.len()))?;
        let mut moves = host_columns(n, columns);
        let keys = keys.as_slice().unwrap_or_default();
        offsets.write_on_cpu(n, m, 1, |device, offsets| {
            let (keys, f) = (cpu::Keys::of(keys), self.f.loops());
            cpu::split_any(device, keys, &mut moves, m, &f, offsets, scratch)
        })
    }
}
