//! Value columns between device buffers.

use crate::buffer::{Buffer, ErasedBuffer};
use crate::value::{Value, Width};

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
        Self(ColumnKind::Values { width: V::WIDTH, from, to })
    }

    /// The permutation itself: `to[i]` becomes the index that output element `i` had in the input. There is no input
    /// column; the indices are made up on the way.
    pub fn permutation(to: &'a mut Buffer<u32>) -> Self {
        Self(ColumnKind::Permutation { to })
    }
}
