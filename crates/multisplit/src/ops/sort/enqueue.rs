//! Sorts between device buffers: nothing is copied to or from the host, nothing is waited for.

use super::Sort;
use crate::bucket::key::Key;
use crate::cpu::Scratch;
use crate::cpu::sort::{Carried, DoubleSlice, Input, Rows, Source, fill_index, sort_between, sort_from};
use crate::device::{Device, dispatch};
use crate::error::Result;
#[cfg(feature = "gpu")]
use crate::gpu::{DoubleBuffer, DoubleTable, Table, sort::SortBy};
use crate::memory::aliasing::{Part, Role, check_apart};
use crate::memory::buffer::Side;
use crate::memory::column::{Column, MovedColumn, part, row_bytes, widths};
use crate::memory::region::Region;
use crate::memory::slice::BufferSlice;
use crate::memory::slice_mut::{BufferSliceMut, ErasedMut};
use crate::memory::value::{Value, Width, width_of_double};
use crate::ops::gather::gather_columns;
use crate::ops::split::enqueue::{Check, check_permutations};
use crate::ops::workspace::Workspace;
use crate::request::order::Order;
use crate::request::policy::ONE_PASS;
#[cfg(feature = "gpu")]
use crate::runtime::Gpu;
use bytemuck::cast_slice_mut;
#[cfg(feature = "gpu")]
use cubecl::prelude::Runtime;
use std::fmt;

/// A value column of [`Sort::enqueue_double`]: its values, and a second buffer for as many.
pub struct DoubleColumn<'a>(DoubleKind<'a>);

enum DoubleKind<'a> {
    Values { width: Width, first: ErasedMut<'a>, second: ErasedMut<'a> },
    Permutation { first: BufferSliceMut<'a, u32>, second: BufferSliceMut<'a, u32> },
}

impl<'a> DoubleColumn<'a> {
    /// Values that travel with their keys, in the first buffer.
    pub fn new<V: Value>(first: impl Into<BufferSliceMut<'a, V>>, second: impl Into<BufferSliceMut<'a, V>>) -> Self {
        Self(DoubleKind::Values {
            width: const { width_of_double::<V>() },
            first: first.into().erase(),
            second: second.into().erase(),
        })
    }

    /// The permutation itself. What is in the buffers before does not matter.
    pub fn permutation(first: impl Into<BufferSliceMut<'a, u32>>, second: impl Into<BufferSliceMut<'a, u32>>) -> Self {
        Self(DoubleKind::Permutation { first: first.into(), second: second.into() })
    }
}

impl fmt::Debug for DoubleColumn<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            DoubleKind::Values { first, .. } => write!(f, "DoubleColumn({})", first.region),
            DoubleKind::Permutation { first, .. } => write!(f, "DoubleColumn(permutation, {})", first.region()),
        }
    }
}

impl Sort {
    /// Sorts from device buffers to device buffers, on the stream of the key output. The input stays as it is.
    ///
    /// On a GPU this returns when the work is submitted; nothing is copied to the host and nothing is waited for.
    /// (Except once: the first time that a kernel runs on a device it is compiled, and seen to run.) On the CPU it
    /// returns when the work is done. Digits in which all keys agree are skipped on the CPU only: a GPU would have to
    /// be asked, and waited for, before the next split is submitted; [`Sort::trimmed`] does that.
    ///
    /// ```
    /// use multisplit::{Column, Device, Sort};
    /// let (device, sort) = (Device::best(), Sort::new());
    /// let keys = device.upload(&[2.5f32, 0.5, 1.5])?;
    /// let values = device.upload(&[20u32, 0, 10])?;
    /// let (mut keys_out, mut values_out) = (device.alloc(3)?, device.alloc(3)?);
    /// let mut workspace = sort.workspace::<f32>(&device, 3, 1, 0)?;
    /// sort.enqueue(&keys, &mut keys_out, &mut [Column::new(&values, &mut values_out)], &mut workspace)?;
    /// assert_eq!(values_out.download()?, [0, 10, 20]);
    /// # Ok::<(), multisplit::Error>(())
    /// ```
    ///
    /// Input and output cannot be the same buffer:
    ///
    /// ```compile_fail
    /// # use multisplit::{Device, Sort};
    /// # let (device, sort) = (Device::cpu(), Sort::new());
    /// # let mut workspace = sort.workspace::<u32>(&device, 3, 0, 0)?;
    /// let mut keys = device.upload(&[2u32, 0, 1])?;
    /// sort.enqueue(&keys, &mut keys, &mut [], &mut workspace)?;
    /// # Ok::<(), multisplit::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::InvalidSort`](crate::Error::InvalidSort), [`Error::TooManyKeys`](crate::Error::TooManyKeys),
    /// [`Error::WrongDevice`](crate::Error::WrongDevice), [`Error::LengthMismatch`](crate::Error::LengthMismatch),
    /// [`Error::OutputTooSmall`](crate::Error::OutputTooSmall),
    /// [`Error::WorkspaceTooSmall`](crate::Error::WorkspaceTooSmall),
    /// [`Error::InvalidPermutation`](crate::Error::InvalidPermutation) if it is asked for twice, and what can go
    /// wrong on a device. Then nothing is written, unless the CPU runs out of memory half-way. [`Device::sync`] tells
    /// what only shows later.
    pub fn enqueue<'a, 'b, K: Key>(
        &self,
        keys: impl Into<BufferSlice<'a, K>>,
        keys_out: impl Into<BufferSliceMut<'b, K>>,
        columns: &mut [Column<'_>],
        workspace: &mut Workspace,
    ) -> Result<()> {
        self.enqueue_slices(keys.into(), keys_out.into(), columns, workspace)
    }

    fn enqueue_slices<K: Key>(
        &self,
        keys: BufferSlice<'_, K>,
        mut keys_out: BufferSliceMut<'_, K>,
        columns: &mut [Column<'_>],
        workspace: &mut Workspace,
    ) -> Result<()> {
        let n = keys.len();
        let order = self.order::<K>(n)?;
        Check { device: keys.device(), n }.rows(keys.region(), keys_out.region(), columns, workspace)?;
        let (mut columns, gathered) = part(columns)?;
        dispatch!(keys_out.device(),
        gpu => {
            let table = Table::between(gpu, keys.region(), keys_out.region(), &columns)?;
            let (digits, words) = (order.functions::<K>()?, order.words::<K>());
            (gpu.on::<K>()?.sort)(gpu, &SortBy::new(&digits, &words), n, &table, workspace.arena()?)
        },
        cpu => {
            let (narrow, wide) = widths(&columns);
            let scratch = workspace.scratch(cpu_bytes::<K>(n, rows_between(order, n), narrow, wide))?;
            run_on_cpu(order, keys, &mut keys_out, &mut columns, scratch)
        })?;
        gather_columns(n, &columns, gathered)
    }

    /// Sorts between two buffers, of which the first holds the keys, and says which holds the result: no other room
    /// for keys and values is needed, and what is in the other buffer afterwards is of no use. Value columns have two
    /// buffers as well, and their result is on the same side.
    ///
    /// Waits no more than [`Sort::enqueue`] does.
    ///
    /// ```
    /// use multisplit::{Device, Side, Sort};
    /// let (device, sort) = (Device::best(), Sort::new().descending());
    /// let (mut keys, mut other) = (device.upload(&[2u32, 9, 4])?, device.alloc(3)?);
    /// let mut workspace = sort.double_workspace::<u32>(&device, 3)?;
    /// let sorted = match sort.enqueue_double(&mut keys, &mut other, &mut [], &mut workspace)? {
    ///     Side::First => keys,
    ///     Side::Second => other,
    /// };
    /// assert_eq!(sorted.download()?, [9, 4, 2]);
    /// # Ok::<(), multisplit::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Sort::enqueue`].
    pub fn enqueue_double<'a, 'b, K: Key>(
        &self,
        first: impl Into<BufferSliceMut<'a, K>>,
        second: impl Into<BufferSliceMut<'b, K>>,
        columns: &mut [DoubleColumn<'_>],
        workspace: &mut Workspace,
    ) -> Result<Side> {
        self.enqueue_double_slices(first.into(), second.into(), columns, workspace)
    }

    fn enqueue_double_slices<K: Key>(
        &self,
        mut first: BufferSliceMut<'_, K>,
        mut second: BufferSliceMut<'_, K>,
        columns: &mut [DoubleColumn<'_>],
        workspace: &mut Workspace,
    ) -> Result<Side> {
        let n = first.len();
        let order = self.order::<K>(n)?;
        let check = Check { device: first.device(), n };
        check.output("the second buffer of keys", second.region())?;
        check.device("the workspace", workspace.device())?;
        for (i, column) in columns.iter().enumerate() {
            match &column.0 {
                DoubleKind::Values { first, second, .. } => {
                    check.input(format_args!("value column {i}"), first.region)?;
                    check.output(format_args!("the second buffer of value column {i}"), second.region)?;
                }
                DoubleKind::Permutation { first, second } => {
                    check.output("the permutation", first.region())?;
                    check.output("the second buffer of the permutation", second.region())?;
                }
            }
        }
        check_permutations(columns.iter().filter(|c| matches!(c.0, DoubleKind::Permutation { .. })).count())?;
        check_apart(doubled(first.region(), second.region(), columns))?;
        dispatch!(second.device(),
        gpu => {
            let (digits, words) = (order.functions::<K>()?, order.words::<K>());
            let side = if digits.len().is_multiple_of(2) { Side::First } else { Side::Second };
            let tracks = double_tracks(gpu, side, first.region(), second.region(), columns)?;
            (gpu.on::<K>()?.sort_double)(gpu, &SortBy::new(&digits, &words), n, &tracks, workspace.arena()?)?;
            Ok(side)
        },
        cpu => {
            let scratch = workspace.scratch(cpu_bytes::<K>(n, 0, 0, 0))?;
            run_double_on_cpu(order, &mut first, &mut second, columns, scratch)
        })
    }

    /// A workspace for [`Sort::enqueue`], of up to `n` keys with up to `narrow` columns of 4 bytes (the permutation is
    /// one) and `wide` of 8 bytes. It has room for all rows once more, unless the sort is by so few bits that one split
    /// does it.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory); and what is wrong with the sort itself.
    pub fn workspace<K: Key>(&self, device: &Device, n: usize, narrow: usize, wide: usize) -> Result<Workspace> {
        Workspace::with_bytes(device, self.workspace_bytes::<K>(device, n, narrow, wide)?)
    }

    /// The bytes that a workspace for [`Sort::enqueue`] must hold; see [`Sort::workspace`].
    ///
    /// # Errors
    /// What is wrong with the sort itself.
    pub fn workspace_bytes<K: Key>(&self, device: &Device, n: usize, narrow: usize, wide: usize) -> Result<usize> {
        let order = self.order::<K>(n)?;
        dispatch!(device,
            gpu => {
                let digits = order.functions::<K>()?;
                Ok((gpu.on::<K>()?.sort_needs)(gpu, &SortBy::new(&digits, &[]), n, n, (narrow, wide))?.bytes(gpu))
            },
            cpu => Ok(cpu_bytes::<K>(n, rows_between(order, n), narrow, wide)))
    }

    /// A workspace for [`Sort::enqueue_double`], which brings its own room for rows, of up to `n` keys with any
    /// columns.
    ///
    /// # Errors
    /// As [`Sort::workspace`].
    pub fn double_workspace<K: Key>(&self, device: &Device, n: usize) -> Result<Workspace> {
        Workspace::with_bytes(device, self.double_workspace_bytes::<K>(device, n)?)
    }

    /// The bytes that a workspace for [`Sort::enqueue_double`] must hold.
    ///
    /// # Errors
    /// What is wrong with the sort itself.
    pub fn double_workspace_bytes<K: Key>(&self, device: &Device, n: usize) -> Result<usize> {
        #[cfg(feature = "gpu")]
        let digits = self.order::<K>(n)?.functions::<K>()?;
        #[cfg(not(feature = "gpu"))]
        self.order::<K>(n)?;
        dispatch!(device,
            gpu => Ok((gpu.on::<K>()?.sort_needs)(gpu, &SortBy::new(&digits, &[]), n, 0, (0, 0))?.bytes(gpu)),
            cpu => Ok(cpu_bytes::<K>(n, 0, 0, 0)))
    }
}

/// Rows that wait between splits: none if there is only one split.
fn rows_between(order: Order, n: usize) -> usize {
    if order.count() > 1 { n } else { 0 }
}

/// Where the rows of a sort on the CPU wait: the bytes of the keys, of columns of 4 bytes, and of those of 8.
fn rooms<K>(rows: usize, narrow: usize, wide: usize) -> impl Iterator<Item = usize> {
    let columns = std::iter::repeat_n(4, narrow).chain(std::iter::repeat_n(8, wide));
    std::iter::once(size_of::<K>()).chain(columns).map(move |bytes| rows.saturating_mul(bytes))
}

/// The bytes that a sort on the CPU needs.
fn cpu_bytes<K>(n: usize, rows: usize, narrow: usize, wide: usize) -> usize {
    let splits = Scratch::bytes_for(n, ONE_PASS, 1, rayon::current_num_threads());
    rows.saturating_mul(row_bytes(size_of::<K>(), narrow, wide)).saturating_add(splits)
}

/// The buffers of a sort between two; both are written.
fn doubled<'a>(
    first: Region<'a>,
    second: Region<'a>,
    columns: &'a [DoubleColumn<'_>],
) -> impl Iterator<Item = (Role, Region<'a>)> + Clone {
    let of_column = |(i, column): (usize, &'a DoubleColumn<'_>)| -> [(Role, Region<'a>); 2] {
        match &column.0 {
            DoubleKind::Values { first, second, .. } => {
                [(Role::In(Part::Values(i)), first.region), (Role::Out(Part::Values(i)), second.region)]
            }
            DoubleKind::Permutation { first, second } => {
                [(Role::Out(Part::Permutation), first.region()), (Role::Out(Part::Permutation), second.region())]
            }
        }
    };
    let columns = columns.iter().enumerate().flat_map(of_column);
    [(Role::In(Part::Keys), first), (Role::Out(Part::Keys), second)].into_iter().chain(columns)
}

fn run_on_cpu<K: Key>(
    order: Order,
    keys: BufferSlice<'_, K>,
    keys_out: &mut BufferSliceMut<'_, K>,
    columns: &mut [MovedColumn<'_>],
    scratch: &mut Scratch,
) -> Result<()> {
    let n = keys.len();
    let (narrow, wide) = widths(columns);
    let bytes: Vec<usize> = rooms::<K>(rows_between(order, n), narrow, wide).collect();
    let mut spare = scratch.take_spare(keys.device(), bytes.iter().copied())?;
    let mut spares =
        spare.iter_mut().zip(&bytes).map(|(memory, &bytes)| &mut cast_slice_mut::<u64, u8>(memory)[..bytes]);
    let keys_room = cast_slice_mut(spares.next().unwrap_or_default());
    let mut narrow_rooms: Vec<&mut [u8]> = spares.by_ref().take(narrow).collect();
    let mut wide_rooms: Vec<&mut [u8]> = spares.collect();
    let mut room_of = |width| {
        let room = if width == Width::Wide { wide_rooms.pop() } else { narrow_rooms.pop() };
        room.unwrap_or_default()
    };
    let mut from = Input { keys: keys.as_slice().unwrap_or_default(), values: Vec::new() };
    let data = &mut keys_out.as_mut_slice().unwrap_or_default()[..n];
    let mut rows = Rows { keys: DoubleSlice { data, room: keys_room }, values: Vec::new() };
    for column in columns {
        match column {
            MovedColumn::Values { width, from: values, to } => {
                from.values.push(Source::Bytes(values.host));
                rows.values.push(Carried::new(*width, &mut to.host[..values.host.len()], room_of(*width)));
            }
            MovedColumn::Permutation { to } => {
                from.values.push(Source::Index);
                let to = &mut to.as_mut_slice().unwrap_or_default()[..n];
                rows.values.push(Carried::new(Width::Narrow, cast_slice_mut(to), room_of(Width::Narrow)));
            }
        }
    }
    let sorted = sort_from(order, &from, rows, scratch);
    scratch.give_back(spare);
    sorted
}

fn run_double_on_cpu<K: Key>(
    order: Order,
    first: &mut BufferSliceMut<'_, K>,
    second: &mut BufferSliceMut<'_, K>,
    columns: &mut [DoubleColumn<'_>],
    scratch: &mut Scratch,
) -> Result<Side> {
    let data = first.as_mut_slice().unwrap_or_default();
    let n = data.len();
    let room = &mut second.as_mut_slice().unwrap_or_default()[..n];
    let mut rows = Rows { keys: DoubleSlice { data, room }, values: Vec::new() };
    for column in columns {
        rows.values.push(match &mut column.0 {
            DoubleKind::Values { width, first, second } => {
                let room = &mut second.host[..first.host.len()];
                Carried::new(*width, first.host, room)
            }
            DoubleKind::Permutation { first, second } => {
                let data = &mut first.as_mut_slice().unwrap_or_default()[..n];
                fill_index(cast_slice_mut(data));
                let room = &mut second.as_mut_slice().unwrap_or_default()[..n];
                Carried::new(Width::Narrow, cast_slice_mut(data), cast_slice_mut(room))
            }
        });
    }
    sort_between(order, rows, scratch)
}

/// The ways of keys and columns between two buffers, to end on `side`.
#[cfg(feature = "gpu")]
fn double_tracks<R: Runtime>(
    gpu: &Gpu<R>,
    side: Side,
    first: Region<'_>,
    second: Region<'_>,
    columns: &[DoubleColumn<'_>],
) -> Result<DoubleTable> {
    let track = |width, index: bool, first: Region<'_>, second: Region<'_>| {
        let (first, second) = (first.writes(gpu)?, second.writes(gpu)?);
        let from = (!index).then(|| first.clone());
        let (to, spare) = if side == Side::First { (first, second) } else { (second, first) };
        Ok(DoubleBuffer { width, from, to, spare })
    };
    let of_column = |column: &DoubleColumn<'_>| match &column.0 {
        DoubleKind::Values { width, first, second } => track(*width, false, first.region, second.region),
        DoubleKind::Permutation { first, second } => track(Width::Narrow, true, first.region(), second.region()),
    };
    let keys = track(Width::Narrow, false, first, second)?;
    Ok(DoubleTable {
        in_place: side == Side::First,
        keys,
        columns: columns.iter().map(of_column).collect::<Result<_>>()?,
    })
}
