//! Value columns between device buffers.

use super::slice::{BufferSlice, Erased};
use super::slice_mut::{BufferSliceMut, ErasedMut};
use super::value::{Value, Width, width_on_device};
use std::fmt;

/// A value column on its way through a split between device buffers: where it comes from, and where it goes.
pub struct Column<'a>(pub(crate) ColumnKind<'a>);

pub(crate) enum ColumnKind<'a> {
    Values { width: Width, from: Erased<'a>, to: ErasedMut<'a> },
    Permutation { to: BufferSliceMut<'a, u32> },
}

impl<'a> Column<'a> {
    /// Values that travel with their keys, out of one buffer into another, or between slices of buffers.
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
        Self(ColumnKind::Values {
            width: const { width_on_device::<V>() },
            from: from.into().erase(),
            to: to.into().erase(),
        })
    }

    /// The permutation itself: `to[i]` becomes the index that output element `i` had in the input. There is no input
    /// column; the indices are made up on the way.
    pub fn permutation(to: impl Into<BufferSliceMut<'a, u32>>) -> Self {
        Self(ColumnKind::Permutation { to: to.into() })
    }
}

impl fmt::Debug for Column<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            ColumnKind::Values { to, .. } => write!(f, "Column(to {})", to.region),
            ColumnKind::Permutation { to } => write!(f, "Column(permutation to {})", to.region()),
        }
    }
}

/// How many columns of 4 bytes there are, the permutation among them, and of 8.
pub(crate) fn widths(columns: &[Column<'_>]) -> (usize, usize) {
    let is_wide = |column: &&Column<'_>| matches!(column.0, ColumnKind::Values { width: Width::Wide, .. });
    let wide = columns.iter().filter(is_wide).count();
    (columns.len() - wide, wide)
}

/// Bytes of a key of `key` bytes with so many columns of 4 and of 8 bytes.
pub(crate) fn row_bytes(key: usize, narrow: usize, wide: usize) -> usize {
    key.saturating_add(narrow.saturating_mul(4)).saturating_add(wide.saturating_mul(8))
}
