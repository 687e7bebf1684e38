//! Value columns between device buffers.

use super::buffer::{Buffer, ErasedBuffer};
use super::value::{Value, Width, width_on_device};

/// A value column on its way through a split between device buffers: where it comes from, and where it goes.
pub struct Column<'a>(pub(crate) ColumnKind<'a>);

pub(crate) enum ColumnKind<'a> {
    Values { width: Width, from: &'a dyn ErasedBuffer, to: &'a mut dyn ErasedBuffer },
    Permutation { to: &'a mut Buffer<u32> },
}

impl<'a> Column<'a> {
    /// Values that travel with their keys, out of one buffer into another.
    ///
    /// ```compile_fail
    /// # use multisplit::{Column, Device};
    /// # let device = Device::cpu();
    /// let mut values = device.upload(&[1u32, 2, 3])?;
    /// let column = Column::new(&values, &mut values); // not in place
    /// # drop(column);
    /// # Ok::<(), multisplit::Error>(())
    /// ```
    pub fn new<V: Value>(from: &'a Buffer<V>, to: &'a mut Buffer<V>) -> Self {
        Self(ColumnKind::Values { width: const { width_on_device::<V>() }, from, to })
    }

    /// The permutation itself: `to[i]` becomes the index that output element `i` had in the input. There is no input
    /// column; the indices are made up on the way.
    pub fn permutation(to: &'a mut Buffer<u32>) -> Self {
        Self(ColumnKind::Permutation { to })
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
