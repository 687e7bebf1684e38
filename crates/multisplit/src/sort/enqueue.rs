//! Sorts between device buffers: nothing is copied to or from the host, nothing is waited for.

use super::workspace::SortWorkspace;
use super::{Order, Sort};
use crate::buffer::{Buffer, ErasedBuffer};
use crate::column::{Column, ColumnKind};
use crate::cpu::sort::{Carried, Input, Rows, Sides, Source, fill_index, sort_between, sort_from};
use crate::device::{Device, dispatch};
use crate::error::{Error, Result};
#[cfg(feature = "gpu")]
use crate::gpu::sort::{self as on_gpu, Track};
use crate::key::Key;
use crate::overlap::{Part, Role, check_apart, moved};
use crate::value::{Value, Width};
use crate::workspace::WorkspaceMemory;
use bytemuck::cast_slice_mut;

/// One of two buffers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The first, which held the input.
    First,
    /// The second.
    Second,
}

impl Side {
    pub(crate) fn other(self) -> Self {
        match self {
            Self::First => Self::Second,
            Self::Second => Self::First,
        }
    }
}

/// A value column of [`Sort::enqueue_double`]: its values, and a second buffer for as many.
pub struct DoubleColumn<'a>(DoubleKind<'a>);

enum DoubleKind<'a> {
    Values { width: Width, first: &'a mut dyn ErasedBuffer, second: &'a mut dyn ErasedBuffer },
    Permutation { first: &'a mut Buffer<u32>, second: &'a mut Buffer<u32> },
}

impl<'a> DoubleColumn<'a> {
    /// Values that travel with their keys, in the first buffer.
    pub fn new<V: Value>(first: &'a mut Buffer<V>, second: &'a mut Buffer<V>) -> Self {
        Self(DoubleKind::Values { width: V::WIDTH, first, second })
    }

    /// The permutation itself. What is in the buffers before does not matter.
    pub fn permutation(first: &'a mut Buffer<u32>, second: &'a mut Buffer<u32>) -> Self {
        Self(DoubleKind::Permutation { first, second })
    }
}

impl Sort {
    /// Sorts from device buffers to device buffers. The input stays as it is.
    ///
    /// On a GPU this returns when the work is submitted; nothing is copied to the host and nothing is waited for.
    /// (Except once: the first time that a kernel runs on a device it is compiled, and seen to run.) On the CPU it returns
    /// when the work is done. Digits in which all keys agree are skipped on the CPU only: a GPU would have to be asked,
    /// and waited for, before the next split is submitted; [`Sort::trimmed`] does that.
    ///
    /// ```
    /// use multisplit::{Column, Device, Sort};
    /// let (device, sort) = (Device::best(), Sort::new());
    /// let keys = device.upload(&[2.5f32, 0.5, 1.5])?;
    /// let values = device.upload(&[20u32, 0, 10])?;
    /// let (mut keys_out, mut values_out) = (device.alloc(3)?, device.alloc(3)?);
    /// let mut workspace = sort.workspace(&device, 3, 1, 0)?;
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
    /// # let mut workspace = sort.workspace(&device, 3, 0, 0)?;
    /// let mut keys = device.upload(&[2u32, 0, 1])?;
    /// sort.enqueue(&keys, &mut keys, &mut [], &mut workspace)?;
    /// # Ok::<(), multisplit::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::InvalidSort`], [`Error::TooManyKeys`], [`Error::WrongDevice`], [`Error::LengthMismatch`],
    /// [`Error::OutputTooSmall`], [`Error::WorkspaceTooSmall`], [`Error::InvalidPermutation`] if it is asked for twice, and
    /// what can go wrong on a device. Then nothing is written. [`SortWorkspace::check`] tells what only shows later.
    pub fn enqueue<K: Key>(
        &self,
        keys: &Buffer<K>,
        keys_out: &mut Buffer<K>,
        columns: &mut [Column<'_>],
        workspace: &mut SortWorkspace<K>,
    ) -> Result<()> {
        let n = keys.len();
        let order = self.order::<K>(n)?;
        let check = Check { device: keys.device(), n };
        check.device("the workspace", &workspace.device)?;
        check.output("the key output".into(), keys_out)?;
        let (mut narrow, mut wide) = (0, 0);
        for (i, column) in columns.iter().enumerate() {
            match &column.0 {
                ColumnKind::Values { width, from, to } => {
                    check.input(format!("value column {i}"), *from)?;
                    check.output(format!("the output of value column {i}"), &**to)?;
                    *if *width == Width::Wide { &mut wide } else { &mut narrow } += 1;
                }
                ColumnKind::Permutation { to } => {
                    check.output("the permutation".into(), &**to)?;
                    narrow += 1;
                }
            }
        }
        check_permutations(columns.iter().filter(|c| matches!(c.0, ColumnKind::Permutation { .. })).count())?;
        check_apart(moved(keys, keys_out, columns))?;
        if order.count() > 1 {
            workspace.room.check(n, narrow, wide)?;
        }
        dispatch!(keys.device(),
            gpu => {
                let (track, tracks) = tracks(keys, keys_out, columns, workspace);
                let (reports, memory) = (&mut workspace.reports, &workspace.memory);
                on_gpu::enqueue(gpu, &order.functions::<K>()?, n, track, tracks, reports, memory)
            },
            cpu => run_on_cpu(order, keys, keys_out, columns, workspace))
    }

    /// Sorts between two buffers, of which the first holds the keys, and says which holds the result: no other room for
    /// keys and values is needed, and what is in the other buffer afterwards is of no use. Value columns have two buffers
    /// as well, and their result is on the same side.
    ///
    /// Waits no more than [`Sort::enqueue`] does.
    ///
    /// ```
    /// use multisplit::{Device, Side, Sort};
    /// let (device, sort) = (Device::best(), Sort::new().descending());
    /// let (mut keys, mut other) = (device.upload(&[2u32, 9, 4])?, device.alloc(3)?);
    /// let mut workspace = sort.double_workspace(&device, 3)?;
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
    pub fn enqueue_double<K: Key>(
        &self,
        first: &mut Buffer<K>,
        second: &mut Buffer<K>,
        columns: &mut [DoubleColumn<'_>],
        workspace: &mut SortWorkspace<K>,
    ) -> Result<Side> {
        let n = first.len();
        let order = self.order::<K>(n)?;
        let check = Check { device: first.device(), n };
        check.device("the workspace", &workspace.device)?;
        check.output("the second buffer of keys".into(), second)?;
        for (i, column) in columns.iter().enumerate() {
            match &column.0 {
                DoubleKind::Values { first, second, .. } => {
                    check.input(format!("value column {i}"), &**first)?;
                    check.output(format!("the second buffer of value column {i}"), &**second)?;
                }
                DoubleKind::Permutation { first, second } => {
                    check.output("the permutation".into(), &**first)?;
                    check.output("the second buffer of the permutation".into(), &**second)?;
                }
            }
        }
        check_permutations(columns.iter().filter(|c| matches!(c.0, DoubleKind::Permutation { .. })).count())?;
        check_apart(doubled(first, second, columns))?;
        dispatch!(first.device().clone(),
            gpu => {
                let digits = order.functions::<K>()?;
                let side = if digits.len().is_multiple_of(2) { Side::First } else { Side::Second };
                let (track, tracks) = double_tracks(side, first, second, columns);
                on_gpu::enqueue(gpu, &digits, n, track, tracks, &mut workspace.reports, &workspace.memory)?;
                Ok(side)
            },
            cpu => run_double_on_cpu(order, first, second, columns, workspace))
    }
}

/// The buffers of a sort between two; both are written.
fn doubled<'a>(
    first: &'a dyn ErasedBuffer,
    second: &'a dyn ErasedBuffer,
    columns: &'a [DoubleColumn<'_>],
) -> impl Iterator<Item = (Role, &'a dyn ErasedBuffer)> + Clone {
    let of_column = |(i, column): (usize, &'a DoubleColumn<'_>)| -> [(Role, &'a dyn ErasedBuffer); 2] {
        match &column.0 {
            DoubleKind::Values { first, second, .. } => {
                [(Role::In(Part::Values(i)), &**first), (Role::Out(Part::Values(i)), &**second)]
            }
            DoubleKind::Permutation { first, second } => {
                [(Role::Out(Part::Permutation), &**first), (Role::Out(Part::Permutation), &**second)]
            }
        }
    };
    let columns = columns.iter().enumerate().flat_map(of_column);
    [(Role::In(Part::Keys), first), (Role::Out(Part::Keys), second)].into_iter().chain(columns)
}

/// What all buffers of a call must agree with: the keys.
struct Check<'a> {
    device: &'a Device,
    n: usize,
}

impl Check<'_> {
    fn device(&self, what: &str, device: &Device) -> Result<()> {
        if device.is_same(self.device) {
            return Ok(());
        }
        let (got, expected) = (device.name().into(), self.device.name().into());
        Err(Error::WrongDevice { what: what.into(), got, expected })
    }

    /// As long as the keys.
    fn input(&self, what: String, buffer: &dyn ErasedBuffer) -> Result<()> {
        self.device(&what, buffer.device())?;
        let (got, keys) = (buffer.len(), self.n);
        if got == keys { Ok(()) } else { Err(Error::LengthMismatch { what, got, keys }) }
    }

    /// With room for as many.
    fn output(&self, what: String, buffer: &dyn ErasedBuffer) -> Result<()> {
        self.device(&what, buffer.device())?;
        let (got, needed) = (buffer.len(), self.n);
        if got >= needed { Ok(()) } else { Err(Error::OutputTooSmall { what, got, needed }) }
    }
}

fn check_permutations(count: usize) -> Result<()> {
    if count > 1 { Err(Error::InvalidPermutation("it was asked for twice".into())) } else { Ok(()) }
}

fn run_on_cpu<K: Key>(
    order: Order,
    keys: &Buffer<K>,
    keys_out: &mut Buffer<K>,
    columns: &mut [Column<'_>],
    workspace: &mut SortWorkspace<K>,
) -> Result<()> {
    let n = keys.len();
    // Without room there is one digit, which needs none.
    let rows = n.min(workspace.room.keys.len());
    let room = &mut workspace.room;
    let (mut narrow, mut wide) = (room.narrow.iter_mut(), room.wide.iter_mut());
    let mut room_of = |width| {
        let bytes: &mut [u8] = match width {
            Width::Narrow => narrow.next().map(ErasedBuffer::host_mut),
            Width::Wide => wide.next().map(ErasedBuffer::host_mut),
        }
        .unwrap_or_default();
        let size = if width == Width::Wide { 8 } else { 4 };
        let used = bytes.len().min(n * size);
        &mut bytes[..used]
    };
    let mut from = Input { keys: keys.as_slice().unwrap_or_default(), values: Vec::new() };
    let data = &mut keys_out.as_mut_slice().unwrap_or_default()[..n];
    let keys_room = &mut room.keys.as_mut_slice().unwrap_or_default()[..rows];
    let mut rows = Rows { keys: Sides { data, room: keys_room }, values: Vec::new() };
    for column in columns {
        match &mut column.0 {
            ColumnKind::Values { width, from: values, to } => {
                let bytes = values.host();
                from.values.push(Source::Bytes(bytes));
                rows.values.push(Carried::new(*width, &mut to.host_mut()[..bytes.len()], room_of(*width)));
            }
            ColumnKind::Permutation { to } => {
                from.values.push(Source::Index);
                let to = &mut to.as_mut_slice().unwrap_or_default()[..n];
                rows.values.push(Carried::new(Width::Narrow, cast_slice_mut(to), room_of(Width::Narrow)));
            }
        }
    }
    match &mut workspace.memory {
        WorkspaceMemory::Host(scratch) => sort_from(order, &from, rows, scratch),
        #[cfg(feature = "gpu")]
        WorkspaceMemory::Gpu(_) => Ok(()),
    }
}

fn run_double_on_cpu<K: Key>(
    order: Order,
    first: &mut Buffer<K>,
    second: &mut Buffer<K>,
    columns: &mut [DoubleColumn<'_>],
    workspace: &mut SortWorkspace<K>,
) -> Result<Side> {
    let data = first.as_mut_slice().unwrap_or_default();
    let n = data.len();
    let room = &mut second.as_mut_slice().unwrap_or_default()[..n];
    let mut rows = Rows { keys: Sides { data, room }, values: Vec::new() };
    for column in columns {
        rows.values.push(match &mut column.0 {
            DoubleKind::Values { width, first, second } => {
                let data = first.host_mut();
                let room = &mut second.host_mut()[..data.len()];
                Carried::new(*width, data, room)
            }
            DoubleKind::Permutation { first, second } => {
                let data = &mut first.as_mut_slice().unwrap_or_default()[..n];
                fill_index(cast_slice_mut(data));
                let room = &mut second.as_mut_slice().unwrap_or_default()[..n];
                Carried::new(Width::Narrow, cast_slice_mut(data), cast_slice_mut(room))
            }
        });
    }
    match &mut workspace.memory {
        WorkspaceMemory::Host(scratch) => sort_between(order, rows, scratch),
        #[cfg(feature = "gpu")]
        WorkspaceMemory::Gpu(_) => Ok(Side::First),
    }
}

/// The ways of keys and columns from the input to the output, by way of the workspace's room. (Where one split does it,
/// there may be no room; the output stands in for it.)
#[cfg(feature = "gpu")]
fn tracks<K: Key>(
    keys: &Buffer<K>,
    keys_out: &Buffer<K>,
    columns: &[Column<'_>],
    workspace: &SortWorkspace<K>,
) -> (Option<Track>, Vec<Track>) {
    let room = &workspace.room;
    let (mut narrow, mut wide) = (room.narrow.iter(), room.wide.iter());
    let mut room_of = |width| match width {
        Width::Narrow => narrow.next().and_then(|buffer| buffer.handle()).cloned(),
        Width::Wide => wide.next().and_then(|buffer| buffer.handle()).cloned(),
    };
    let track = keys.handle().zip(keys_out.handle()).map(|(from, to)| {
        let room = room.keys.handle().unwrap_or(to).clone();
        Track { width: Width::Narrow, from: Some(from.clone()), to: to.clone(), room }
    });
    let of_column = |column: &Column<'_>| match &column.0 {
        ColumnKind::Values { width, from, to } => {
            let (from, to) = (from.handle()?.clone(), to.handle()?.clone());
            Some(Track { width: *width, from: Some(from), room: room_of(*width).unwrap_or_else(|| to.clone()), to })
        }
        ColumnKind::Permutation { to } => {
            let (width, to) = (Width::Narrow, to.handle()?.clone());
            Some(Track { width, from: None, room: room_of(width).unwrap_or_else(|| to.clone()), to })
        }
    };
    (track, columns.iter().filter_map(of_column).collect())
}

/// The ways of keys and columns between two buffers, to end on `side`.
#[cfg(feature = "gpu")]
fn double_tracks<K: Key>(
    side: Side,
    first: &Buffer<K>,
    second: &Buffer<K>,
    columns: &[DoubleColumn<'_>],
) -> (Option<Track>, Vec<Track>) {
    use cubecl::server::Handle;
    let track = |width, index: bool, first: Option<&Handle>, second: Option<&Handle>| {
        let (first, second) = (first?.clone(), second?.clone());
        let from = (!index).then(|| first.clone());
        let (to, room) = if side == Side::First { (first, second) } else { (second, first) };
        Some(Track { width, from, to, room })
    };
    let of_column = |column: &DoubleColumn<'_>| match &column.0 {
        DoubleKind::Values { width, first, second } => track(*width, false, first.handle(), second.handle()),
        DoubleKind::Permutation { first, second } => track(Width::Narrow, true, first.handle(), second.handle()),
    };
    let keys = track(Width::Narrow, false, first.handle(), second.handle());
    (keys, columns.iter().filter_map(of_column).collect())
}
