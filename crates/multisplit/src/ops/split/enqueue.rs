//! Splits between device buffers: nothing is copied to or from the host, nothing is waited for.

use super::Multisplit;
use crate::bucket::Buckets;
use crate::bucket::key::Key;
use crate::cpu;
use crate::device::{Device, dispatch};
use crate::error::{Error, Result};
#[cfg(feature = "gpu")]
use crate::gpu;
use crate::memory::aliasing::check_apart;
use crate::memory::column::{Column, ColumnKind, GatheredColumn, MovedColumn, moved, part};
use crate::memory::offsets::Offsets;
use crate::memory::region::Region;
use crate::memory::slice::BufferSlice;
use crate::memory::slice_mut::BufferSliceMut;
use crate::ops::gather::gather_columns;
use crate::ops::workspace::Workspace;
use crate::request::segments::check_buckets;
use std::fmt;

impl<F: Buckets> Multisplit<'_, F> {
    /// Room for the offsets of a split on `device`.
    ///
    /// # Errors
    /// [`Error::NoBuckets`], [`Error::TooManyBuckets`], [`Error::OutOfMemory`].
    pub fn offsets(&self, device: &Device) -> Result<Offsets> {
        Offsets::new(device, self.check(0)?, 1)
    }

    /// Room for the offsets of so many segments on `device`: m for each, and the end.
    ///
    /// # Errors
    /// [`Error::NoBuckets`], [`Error::TooManyBuckets`], [`Error::TooManySegments`], [`Error::OutOfMemory`].
    pub fn segment_offsets(&self, device: &Device, segments: usize) -> Result<Offsets> {
        let m = self.check(0)?;
        Offsets::new(device, m, check_buckets(segments, m)?)
    }

    /// Splits from device buffers to device buffers, on the stream of the key output.
    ///
    /// On a GPU this returns when the work is submitted; nothing is copied to the host and nothing is waited for.
    /// (Except once: the first time that a kernel runs on a device it is compiled, and seen to run, which is logged.
    /// Call it once with a small input to get that over with.) On the CPU it returns when the work is done.
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
    pub fn enqueue<'a, 'b>(
        &self,
        keys: impl Into<BufferSlice<'a, F::Key>>,
        keys_out: impl Into<BufferSliceMut<'b, F::Key>>,
        columns: &mut [Column<'_>],
        offsets: &mut Offsets,
        workspace: &mut Workspace,
    ) -> Result<()> {
        self.enqueue_into(self.f.buckets(), false, keys.into(), keys_out.into(), columns, offsets, workspace)
    }

    /// The same into m buckets, whatever the function says by now. If it `selects`, only the first is wanted.
    pub(crate) fn enqueue_into(
        &self,
        m: u32,
        selects: bool,
        keys: BufferSlice<'_, F::Key>,
        mut keys_out: BufferSliceMut<'_, F::Key>,
        columns: &mut [Column<'_>],
        offsets: &mut Offsets,
        workspace: &mut Workspace,
    ) -> Result<()> {
        self.check_into(m, keys.len())?;
        check_buffers(keys.region(), keys_out.region(), columns, offsets, m as usize, workspace)?;
        let (mut columns, gathered) = part(columns)?;
        dispatch!(keys_out.device(),
        gpu => {
            // What is gathered needs the whole permutation.
            let request = gpu::Request { selects: selects && gathered.is_empty(), ..self.request(m) };
            let table = gpu::Table::between(gpu, keys.region(), keys_out.region(), &columns)?;
            (gpu.on::<F::Key>()?.split)(gpu, &request, keys.len(), &table, offsets, workspace.arena()?)
        },
        cpu => {
            // A split leaves what a selection is asked for.
            let _ = selects;
            let needed = cpu_bytes(keys.len(), m, columns.len());
            let (keys, scratch) = (keys.as_slice().unwrap_or_default(), workspace.scratch(needed)?);
            let mut moves = host_rows(keys, &mut keys_out, &mut columns);
            offsets.write_on_cpu(keys.len(), m, 1, |device, offsets| {
                let (keys, f) = (cpu::Keys::of(keys), self.f.loops());
                cpu::split_any(device, keys, &mut moves, m, &f, offsets, scratch)
            })
        })?;
        gather_columns(keys.len(), &columns, gathered)
    }

    /// A workspace for splits of up to `n` keys with up to `columns` value columns on `device`; the permutation is one
    /// of them. More than 256 buckets take several passes, which need room for another copy of keys and columns.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`]; and what is wrong with the split itself.
    pub fn workspace(&self, device: &Device, n: usize, columns: usize) -> Result<Workspace> {
        let m = self.check(n)?;
        let bytes = self.bytes_into(m, device, n, columns)?;
        dispatch!(device,
        _gpu => Workspace::with_bytes(device, bytes),
        cpu => {
            let scratch = cpu::Scratch::for_split(device, n, m, columns.saturating_add(1))?;
            Ok(Workspace::on_cpu(device, scratch, bytes))
        })
    }

    /// The bytes that a workspace for such splits must hold.
    ///
    /// # Errors
    /// What is wrong with the split itself.
    pub fn workspace_bytes(&self, device: &Device, n: usize, columns: usize) -> Result<usize> {
        self.bytes_into(self.check(n)?, device, n, columns)
    }

    fn bytes_into(&self, m: u32, device: &Device, n: usize, columns: usize) -> Result<usize> {
        dispatch!(device,
            gpu => Ok((gpu.on::<F::Key>()?.split_needs)(gpu, &self.request(m), n, columns)?.bytes(gpu)),
            cpu => Ok(cpu_bytes(n, m, columns)))
    }
}

/// The bytes that a split on the CPU needs.
pub(super) fn cpu_bytes(n: usize, m: u32, columns: usize) -> usize {
    cpu::Scratch::bytes_for(n, m, columns.saturating_add(1), rayon::current_num_threads())
}

/// All on one device, as long as the keys, and in room for them and for the offsets of so many buckets.
pub(crate) fn check_buffers(
    keys: Region<'_>,
    keys_out: Region<'_>,
    columns: &[Column<'_>],
    offsets: &Offsets,
    buckets: usize,
    workspace: &Workspace,
) -> Result<()> {
    let check = Check { device: keys.device, n: keys.len };
    check.rows(keys, keys_out, columns, workspace)?;
    check.device("the offsets", offsets.device())?;
    offsets.check_room(buckets)
}

/// What all buffers of a call must agree with: the keys. What a buffer is called is only written down for an error.
pub(crate) struct Check<'a> {
    pub device: &'a Device,
    pub n: usize,
}

impl Check<'_> {
    /// The same device, on whichever stream.
    pub fn device(&self, what: impl fmt::Display, device: &Device) -> Result<()> {
        self.device.check_same(what, device)
    }

    /// As long as the keys.
    pub fn input(&self, what: impl fmt::Display, buffer: Region<'_>) -> Result<()> {
        self.device(&what, buffer.device)?;
        let (got, keys) = (buffer.len, self.n);
        if got == keys { Ok(()) } else { Err(Error::LengthMismatch { what: what.to_string(), got, keys }) }
    }

    /// With room for as many.
    pub fn output(&self, what: impl fmt::Display, buffer: Region<'_>) -> Result<()> {
        self.device(&what, buffer.device)?;
        let (got, needed) = (buffer.len, self.n);
        if got >= needed { Ok(()) } else { Err(Error::OutputTooSmall { what: what.to_string(), got, needed }) }
    }

    /// Keys and columns that move from some buffers to others.
    pub fn rows(
        &self,
        keys: Region<'_>,
        keys_out: Region<'_>,
        columns: &[Column<'_>],
        workspace: &Workspace,
    ) -> Result<()> {
        self.output("the key output", keys_out)?;
        self.columns(columns, workspace)?;
        check_apart(moved(keys, keys_out, columns))
    }

    /// Columns that move by their keys.
    pub fn columns(&self, columns: &[Column<'_>], workspace: &Workspace) -> Result<()> {
        self.device("the workspace", workspace.device())?;
        let mut permutations = 0;
        for (i, column) in columns.iter().enumerate() {
            match &column.0 {
                ColumnKind::Moved(MovedColumn::Values { from, to, .. })
                | ColumnKind::Gathered(GatheredColumn { from, to, .. }) => {
                    self.input(format_args!("value column {i}"), from.region)?;
                    self.output(format_args!("the output of value column {i}"), to.region)?;
                }
                ColumnKind::Moved(MovedColumn::Permutation { to }) => {
                    permutations += 1;
                    self.output("the permutation", to.region())?;
                }
            }
        }
        check_permutations(permutations)
    }
}

pub(crate) fn check_permutations(count: usize) -> Result<()> {
    if count > 1 { Err(Error::InvalidPermutation("it was asked for twice".into())) } else { Ok(()) }
}

/// What moves between buffers in host memory, the keys first.
pub(crate) fn host_rows<'a, K: Key>(
    keys: &'a [K],
    keys_out: &'a mut BufferSliceMut<'_, K>,
    columns: &'a mut [MovedColumn<'_>],
) -> Vec<cpu::Column<'a>> {
    let n = keys.len();
    let mut moves = vec![cpu::Column::of_keys(keys, &mut keys_out.as_mut_slice().unwrap_or_default()[..n])];
    moves.extend(host_columns(n, columns));
    moves
}

/// The same without the keys, of which there are n.
pub(super) fn host_columns<'a>(n: usize, columns: &'a mut [MovedColumn<'_>]) -> Vec<cpu::Column<'a>> {
    let of_column = |column: &'a mut MovedColumn<'_>| match column {
        MovedColumn::Values { width, from, to } => {
            cpu::Column::of_values(*width, from.host, &mut to.host[..from.host.len()])
        }
        MovedColumn::Permutation { to } => cpu::Column::of_index(&mut to.as_mut_slice().unwrap_or_default()[..n]),
    };
    columns.iter_mut().map(of_column).collect()
}
