//! Values: what travels with a key.

use crate::buffer::Buffer;
use crate::error::{Error, Result};
use bytemuck::Pod;

/// A value that travels with its key: any plain type of 4 or 8 bytes.
///
/// Larger ones are better left where they are: split an index ([`argsplit`](crate::argsplit)) and gather, or call
/// [`split_rows`](crate::split_rows), which does that.
///
/// ```compile_fail
/// // 12 bytes: the width is checked when the program is compiled.
/// let rows = [[0u32; 3]; 2];
/// let f = multisplit::bucket::Identity::new(2);
/// multisplit::split_pairs(&multisplit::Device::cpu(), &[1u32, 0], &rows[..], &f).unwrap();
/// ```
pub trait Value: Pod + Send + Sync {
    /// The value's width.
    #[doc(hidden)]
    const WIDTH: Width = match size_of::<Self>() {
        4 => Width::Narrow,
        8 => Width::Wide,
        _ => panic!("values must be of 4 or 8 bytes; split an index and gather larger ones (`split_rows`)"),
    };
}

impl<T: Pod + Send + Sync> Value for T {}

/// Width of a value.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Width {
    /// 4 bytes.
    Narrow,
    /// 8 bytes.
    Wide,
}

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

/// A buffer whose element type is forgotten.
pub(crate) trait ErasedBuffer {
    fn len(&self) -> usize;
    fn device(&self) -> &crate::Device;
    /// The memory of a CPU buffer, as bytes.
    fn host(&self) -> &[u8];
    /// The memory of a CPU buffer, as bytes.
    fn host_mut(&mut self) -> &mut [u8];
    /// The memory of a GPU buffer.
    #[cfg(feature = "gpu")]
    fn handle(&self) -> Option<&cubecl::server::Handle>;
}

/// Value columns in host memory, for the calls on slices: `()` for none, `&[V]` for one, tuples of slices for several.
pub trait Columns {
    /// The same columns, permuted.
    type Output;

    /// Makes the outputs, lets `run` fill them, and hands them over.
    #[doc(hidden)]
    fn permute(self, n: usize, run: impl FnOnce(&mut [HostColumn<'_>]) -> Result<()>) -> Result<Self::Output>;
}

/// One value column in host memory.
#[doc(hidden)]
pub struct HostColumn<'a> {
    pub(crate) width: Width,
    pub(crate) from: &'a [u8],
    pub(crate) to: &'a mut [u8],
}

fn host_column<'a, V: Value>(index: usize, n: usize, from: &'a [V], to: &'a mut Vec<V>) -> Result<HostColumn<'a>> {
    if from.len() != n {
        let what = format!("value column {index}");
        return Err(Error::LengthMismatch { what, got: from.len(), keys: n });
    }
    to.resize(n, V::zeroed());
    Ok(HostColumn { width: V::WIDTH, from: bytemuck::cast_slice(from), to: bytemuck::cast_slice_mut(to) })
}

impl Columns for () {
    type Output = ();

    fn permute(self, _n: usize, run: impl FnOnce(&mut [HostColumn<'_>]) -> Result<()>) -> Result<()> {
        run(&mut [])
    }
}

impl<V: Value> Columns for &[V] {
    type Output = Vec<V>;

    fn permute(self, n: usize, run: impl FnOnce(&mut [HostColumn<'_>]) -> Result<()>) -> Result<Vec<V>> {
        let mut out = Vec::new();
        run(&mut [host_column(0, n, self, &mut out)?])?;
        Ok(out)
    }
}

impl<V: Value> Columns for &Vec<V> {
    type Output = Vec<V>;

    fn permute(self, n: usize, run: impl FnOnce(&mut [HostColumn<'_>]) -> Result<()>) -> Result<Vec<V>> {
        self.as_slice().permute(n, run)
    }
}

impl<V: Value, const N: usize> Columns for &[V; N] {
    type Output = Vec<V>;

    fn permute(self, n: usize, run: impl FnOnce(&mut [HostColumn<'_>]) -> Result<()>) -> Result<Vec<V>> {
        self.as_slice().permute(n, run)
    }
}

macro_rules! column_tuple {
    ($($V:ident $index:tt)*) => {
        impl<$($V: Value),*> Columns for ($(&[$V],)*) {
            type Output = ($(Vec<$V>,)*);

            fn permute(
                self,
                n: usize,
                run: impl FnOnce(&mut [HostColumn<'_>]) -> Result<()>,
            ) -> Result<Self::Output> {
                let mut out = ($(Vec::<$V>::new(),)*);
                run(&mut [$(host_column($index, n, self.$index, &mut out.$index)?),*])?;
                Ok(out)
            }
        }
    };
}

column_tuple!(A 0);
column_tuple!(A 0 B 1);
column_tuple!(A 0 B 1 C 2);
column_tuple!(A 0 B 1 C 2 D 3);
column_tuple!(A 0 B 1 C 2 D 3 E 4);
column_tuple!(A 0 B 1 C 2 D 3 E 4 F 5);
column_tuple!(A 0 B 1 C 2 D 3 E 4 F 5 G 6);
column_tuple!(A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7);
