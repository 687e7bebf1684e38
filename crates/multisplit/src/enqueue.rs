//! Splits between device buffers: nothing is copied to or from the host, nothing is waited for.

use crate::bucket::Buckets;
use crate::buffer::Buffer;
use crate::column::{Column, ColumnKind};
use crate::cpu;
use crate::device::{Device, dispatch};
use crate::error::{Error, Result};
#[cfg(feature = "gpu")]
use crate::gpu;
use crate::key::Key;
use crate::multisplit::Multisplit;
use crate::offsets::{Offsets, OffsetsMemory};
use crate::overlap::{check_apart, moved};
use crate::workspace::{Workspace, WorkspaceMemory};

impl<F: Buckets> Multisplit<'_, F> {
    /// Splits from device buffers to device buffers.
    ///
    /// On a GPU this returns when the work is submitted; nothing is copied to the host and nothing is waited for.
    /// (Except once: the first time that a kernel runs on a device it is compiled, and seen to run. Call it once with a
    /// small input to get that over with.) On the CPU it returns when the work is done.
    ///
    /// ```
    /// use multisplit::{Column, Device, Multisplit, bucket::Identity};
    /// let device = Device::best();
    /// let f = Identity::new(3);
    /// let split = Multisplit::by(&f);
    ///
    /// let keys = device.upload(&[2u32, 0, 1, 0])?;
    /// let values = device.upload(&[20.0f32, 0.0, 10.0, 0.5])?;
    /// let (mut keys_out, mut values_out) = (device.alloc(4)?, device.alloc(4)?);
    /// let mut offsets = split.offsets(&device)?;
    /// let mut workspace = split.workspace(&device, 4, 1)?;
    ///
    /// let columns = &mut [Column::new(&values, &mut values_out)];
    /// split.enqueue(&keys, &mut keys_out, columns, &mut offsets, &mut workspace)?;
    /// assert_eq!(offsets.read()?, [0, 2, 3, 4]);
    /// assert_eq!(values_out.download()?, [0.0, 0.5, 10.0, 20.0]);
    /// # Ok::<(), multisplit::Error>(())
    /// ```
    ///
    /// Input and output cannot be the same buffer:
    ///
    /// ```compile_fail
    /// # use multisplit::{Device, Multisplit, bucket::Identity};
    /// # let device = Device::cpu();
    /// # let f = Identity::new(3);
    /// # let split = Multisplit::by(&f);
    /// # let mut offsets = split.offsets(&device)?;
    /// # let mut workspace = split.workspace(&device, 4, 0)?;
    /// let mut keys = device.upload(&[2u32, 0, 1, 0])?;
    /// split.enqueue(&keys, &mut keys, &mut [], &mut offsets, &mut workspace)?;
    /// # Ok::<(), multisplit::Error>(())
    /// ```
    ///
    /// # Errors
    /// What can be seen before the kernels run; [`Offsets::read`] and [`Offsets::check`] tell the rest.
    pub fn enqueue(
        &self,
        keys: &Buffer<F::Key>,
        keys_out: &mut Buffer<F::Key>,
        columns: &mut [Column<'_>],
        offsets: &mut Offsets,
        workspace: &mut Workspace,
    ) -> Result<()> {
        self.check(keys.len())?;
        self.check_buffers(keys, keys_out, columns, offsets, self.f.buckets() as usize, &workspace.device)?;
        dispatch!(keys.device(),
            gpu => gpu::enqueue(gpu, self, keys, keys_out, columns, offsets, workspace),
            cpu => self.run_on_cpu(keys, keys_out, columns, offsets, workspace))
    }

    /// All on one device, as long as the keys, and in room for them and for the offsets of so many buckets. `workspace` is
    /// where that is.
    pub(crate) fn check_buffers(
        &self,
        keys: &Buffer<F::Key>,
        keys_out: &Buffer<F::Key>,
        columns: &[Column<'_>],
        offsets: &Offsets,
        buckets: usize,
        workspace: &Device,
    ) -> Result<()> {
        let n = keys.len();
        let same_device = |what: &str, device: &Device| {
            if device.is_same(keys.device()) {
                return Ok(());
            }
            let (got, expected) = (device.name().into(), keys.device().name().into());
            Err(Error::WrongDevice { what: what.into(), got, expected })
        };
        let room = |what: String, got: usize| {
            if got >= n { Ok(()) } else { Err(Error::OutputTooSmall { what, got, needed: n }) }
        };
        same_device("the key output", keys_out.device())?;
        same_device("the offsets", &offsets.device)?;
        same_device("the workspace", workspace)?;
        room("the key output".into(), keys_out.len())?;
        if offsets.buckets() < buckets {
            let (got, needed) = (offsets.buckets() + 1, buckets + 1);
            return Err(Error::OutputTooSmall { what: "the offsets".into(), got, needed });
        }
        for (i, column) in columns.iter().enumerate() {
            match &column.0 {
                ColumnKind::Values { from, to, .. } => {
                    same_device(&format!("value column {i}"), from.device())?;
                    same_device(&format!("the output of value column {i}"), to.device())?;
                    if from.len() != n {
                        let what = format!("value column {i}");
                        return Err(Error::LengthMismatch { what, got: from.len(), keys: n });
                    }
                    room(format!("the output of value column {i}"), to.len())?;
                }
                ColumnKind::Permutation { to } => {
                    same_device("the permutation", to.device())?;
                    room("the permutation".into(), to.len())?;
                }
            }
        }
        if columns.iter().filter(|c| matches!(c.0, ColumnKind::Permutation { .. })).count() > 1 {
            return Err(Error::InvalidPermutation("it was asked for twice".into()));
        }
        check_apart(moved(keys, keys_out, columns))
    }

    fn run_on_cpu(
        &self,
        keys: &Buffer<F::Key>,
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
            offsets.resize(m as usize + 1, 0);
            let bucket = |key| self.f.bucket(key);
            *astray = cpu::split_any(&out.device, keys, &mut moves, m, bucket, offsets, scratch)?;
            out.holds(m, 1);
        }
        Ok(())
    }
}

/// What moves between buffers in host memory, the keys first.
pub(crate) fn host_columns<'a, K: Key>(
    keys: &'a [K],
    keys_out: &'a mut Buffer<K>,
    columns: &'a mut [Column<'_>],
) -> Vec<cpu::Column<'a>> {
    let n = keys.len();
    let mut moves = vec![cpu::Column::of_keys(keys, &mut keys_out.as_mut_slice().unwrap_or_default()[..n])];
    moves.extend(columns.iter_mut().map(|column| match &mut column.0 {
        ColumnKind::Values { width, from, to } => {
            let bytes = from.host();
            cpu::Column::of_values(*width, bytes, &mut to.host_mut()[..bytes.len()])
        }
        ColumnKind::Permutation { to } => cpu::Column::of_index(&mut to.as_mut_slice().unwrap_or_default()[..n]),
    }));
    moves
}
