//! Value columns between device buffers.

use super::aliasing::{Part, Role};
use super::region::Region;
use super::slice::{BufferSlice, Erased};
use super::slice_mut::{BufferSliceMut, ErasedMut};
use super::value::{Value, Width};
use crate::error::{Error, Result};
use std::fmt;

/// A value column on its way through a split between device buffers: where it comes from, and where it goes.
pub struct Column<'a>(pub(crate) ColumnKind<'a>);

pub(crate) enum ColumnKind<'a> {
    Moved(MovedColumn<'a>),
    Gathered(GatheredColumn<'a>),
}

/// A column that moves with the keys.
pub(crate) enum MovedColumn<'a> {
    Values { width: Width, from: Erased<'a>, to: ErasedMut<'a> },
    Permutation { to: BufferSliceMut<'a, u32> },
}

/// Values of other sizes, which are gathered by the permutation.
pub(crate) struct GatheredColumn<'a> {
    /// Bytes of a value.
    pub bytes: usize,
    pub from: Erased<'a>,
    pub to: ErasedMut<'a>,
}

impl<'a> Column<'a> {
    /// Values that travel with their keys, out of one buffer into another, or between slices of buffers. Those of 4 and
    /// 8 bytes move with the keys. Others are gathered by the permutation, which the call must be asked for, too
    /// ([`Column::permutation`]); a workspace need not count them.
    ///
    /// ```compile_fail
    /// # use multisplit::{Column, Device};
    /// # let device = Device::cpu();
    /// let mut values = device.upload(&[1u32, 2, 3])?;
    /// let column = Column::new(&values, &mut values); // not in place
    /// # drop(column);
    /// # Ok::<(), multisplit::Error>(())
    /// ```
    pub fn new<V: Value>(from: impl Into<BufferSlice<'a, V>>, to: impl Into<BufferSliceMut<'a, V>>) -> Self {
        let (from, to) = (from.into().erase(), to.into().erase());
        Self(match V::WIDTH {
            Some(width) => ColumnKind::Moved(MovedColumn::Values { width, from, to }),
            None => ColumnKind::Gathered(GatheredColumn { bytes: size_of::<V>(), from, to }),
        })
    }

    /// Rows of `bytes` bytes each, one after the other, for rows whose size is known at run time alone. They are gathered
    /// by the permutation, which the call must be asked for, too.
    ///
    /// ```
    /// use multisplit::{Column, Device, Multisplit, bucket::Identity};
    /// let (device, f) = (Device::best(), Identity::new(2));
    /// let split = Multisplit::by(&f);
    /// let keys = device.upload(&[1u32, 0])?;
    /// let rows = device.upload(b"onetwo")?;
    /// let (mut keys_out, mut rows_out, mut permutation) = (device.alloc(2)?, device.alloc(6)?, device.alloc(2)?);
    /// let (mut offsets, mut workspace) = (split.offsets(&device)?, split.workspace(&device, 2, 1)?);
    /// let columns = &mut [Column::rows(&rows, &mut rows_out, 3), Column::permutation(&mut permutation)];
    /// split.enqueue(&keys, &mut keys_out, columns, &mut offsets, &mut workspace)?;
    /// assert_eq!(rows_out.download()?, b"twoone");
    /// # Ok::<(), multisplit::Error>(())
    /// ```
    pub fn rows(from: impl Into<BufferSlice<'a, u8>>, to: impl Into<BufferSliceMut<'a, u8>>, bytes: usize) -> Self {
        let (mut from, mut to) = (from.into().erase(), to.into().erase());
        // Rows without bytes are as many as there are.
        let rows = |len: usize| len.checked_div(bytes).unwrap_or(len);
        (from.region.len, to.region.len) = (rows(from.region.len), rows(to.region.len));
        Self(ColumnKind::Gathered(GatheredColumn { bytes, from, to }))
    }

    /// The permutation itself: `to[i]` becomes the index that output element `i` had in the input. There is no input
    /// column; the indices are made up on the way.
    pub fn permutation(to: impl Into<BufferSliceMut<'a, u32>>) -> Self {
        Self(ColumnKind::Moved(MovedColumn::Permutation { to: to.into() }))
    }
}

impl fmt::Debug for Column<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            ColumnKind::Moved(MovedColumn::Values { to, .. }) | ColumnKind::Gathered(GatheredColumn { to, .. }) => {
                write!(f, "Column(to {})", to.region)
            }
            ColumnKind::Moved(MovedColumn::Permutation { to }) => write!(f, "Column(permutation to {})", to.region()),
        }
    }
}

/// Tells the columns that move from those that are gathered by the permutation, which must be among the first.
pub(crate) fn part<'a>(columns: &'a mut [Column<'_>]) -> Result<(Vec<MovedColumn<'a>>, Vec<GatheredColumn<'a>>)> {
    let (mut moved, mut gathered) = (Vec::new(), Vec::new());
    for column in columns {
        match &mut column.0 {
            ColumnKind::Moved(MovedColumn::Values { width, from, to }) => {
                moved.push(MovedColumn::Values { width: *width, from: *from, to: to.reborrow() });
            }
            ColumnKind::Moved(MovedColumn::Permutation { to }) => {
                moved.push(MovedColumn::Permutation { to: to.into() });
            }
            ColumnKind::Gathered(GatheredColumn { bytes, from, to }) => {
                gathered.push(GatheredColumn { bytes: *bytes, from: *from, to: to.reborrow() });
            }
        }
    }
    match gathered.first() {
        Some(column) if !moved.iter().any(|column| matches!(column, MovedColumn::Permutation { .. })) => {
            Err(Error::PermutationNeeded { bytes: column.bytes })
        }
        _ => Ok((moved, gathered)),
    }
}

/// How many columns of 4 bytes there are, the permutation among them, and of 8.
pub(crate) fn widths(columns: &[MovedColumn<'_>]) -> (usize, usize) {
    let is_wide = |column: &&MovedColumn<'_>| matches!(column, MovedColumn::Values { width: Width::Wide, .. });
    let wide = columns.iter().filter(is_wide).count();
    (columns.len() - wide, wide)
}

/// Bytes of a key of `key` bytes with so many columns of 4 and of 8 bytes.
pub(crate) fn row_bytes(key: usize, narrow: usize, wide: usize) -> usize {
    key.saturating_add(narrow.saturating_mul(4)).saturating_add(wide.saturating_mul(8))
}

/// The buffers of a call that moves keys and columns.
pub(crate) fn moved<'a>(
    keys: Region<'a>,
    keys_out: Region<'a>,
    columns: &'a [Column<'_>],
) -> impl Iterator<Item = (Role, Region<'a>)> + Clone {
    let of_column = |(i, column): (usize, &'a Column<'_>)| -> [Option<(Role, Region<'a>)>; 2] {
        match &column.0 {
            ColumnKind::Moved(MovedColumn::Values { from, to, .. })
            | ColumnKind::Gathered(GatheredColumn { from, to, .. }) => {
                [Some((Role::In(Part::Values(i)), from.region)), Some((Role::Out(Part::Values(i)), to.region))]
            }
            ColumnKind::Moved(MovedColumn::Permutation { to }) => {
                [None, Some((Role::Out(Part::Permutation), to.region()))]
            }
        }
    };
    let columns = columns.iter().enumerate().flat_map(of_column).flatten();
    [(Role::In(Part::Keys), keys), (Role::Out(Part::Keys), keys_out)].into_iter().chain(columns)
}
