//! Value columns in host memory.

use super::value::{Value, Width};
use crate::error::{Error, Result};
use crate::memory::allocate::out_of_memory;
use crate::memory::large_pages;

/// Value columns in host memory, for the calls on slices: `()` for none, `&[V]` for one, tuples of slices for several.
pub trait Columns {
    /// The same columns, permuted.
    type Output;

    /// Makes the outputs, lets `run` fill them, and hands them over.
    #[doc(hidden)]
    fn permute(self, n: usize, run: impl FnOnce(&mut [HostColumn<'_>]) -> Result<()>) -> Result<Self::Output>;

    /// Leaves all but the first `len` rows out.
    #[doc(hidden)]
    fn truncate(output: &mut Self::Output, len: usize);
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
    *to = large_pages::zeroed_vec(n).map_err(|error| out_of_memory::<V>(n, &error))?;
    Ok(HostColumn { width: V::WIDTH, from: bytemuck::cast_slice(from), to: bytemuck::cast_slice_mut(to) })
}

impl Columns for () {
    type Output = ();

    fn permute(self, _n: usize, run: impl FnOnce(&mut [HostColumn<'_>]) -> Result<()>) -> Result<()> {
        run(&mut [])
    }

    fn truncate(_output: &mut (), _len: usize) {}
}

impl<V: Value> Columns for &[V] {
    type Output = Vec<V>;

    fn permute(self, n: usize, run: impl FnOnce(&mut [HostColumn<'_>]) -> Result<()>) -> Result<Vec<V>> {
        let mut out = Vec::new();
        run(&mut [host_column(0, n, self, &mut out)?])?;
        Ok(out)
    }

    fn truncate(output: &mut Vec<V>, len: usize) {
        output.truncate(len);
    }
}

impl<V: Value> Columns for &Vec<V> {
    type Output = Vec<V>;

    fn permute(self, n: usize, run: impl FnOnce(&mut [HostColumn<'_>]) -> Result<()>) -> Result<Vec<V>> {
        self.as_slice().permute(n, run)
    }

    fn truncate(output: &mut Vec<V>, len: usize) {
        output.truncate(len);
    }
}

impl<V: Value, const N: usize> Columns for &[V; N] {
    type Output = Vec<V>;

    fn permute(self, n: usize, run: impl FnOnce(&mut [HostColumn<'_>]) -> Result<()>) -> Result<Vec<V>> {
        self.as_slice().permute(n, run)
    }

    fn truncate(output: &mut Vec<V>, len: usize) {
        output.truncate(len);
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

            fn truncate(output: &mut Self::Output, len: usize) {
                $(output.$index.truncate(len);)*
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
