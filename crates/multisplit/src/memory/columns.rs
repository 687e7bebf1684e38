//! Value columns in host memory.

use super::value::{Value, Width};
use crate::error::{Error, Result};
use crate::memory::allocate::out_of_memory;
use crate::memory::large_pages;
use rayon::prelude::*;

/// Value columns in host memory, for the calls on slices: `()` for none, `&[V]` for one, tuples of slices for several.
pub trait Columns {
    /// The same columns, permuted.
    type Output;

    /// Makes the outputs, lets `run` fill them, and hands them over. `run` is given the columns that move with the
    /// keys, and the permutation if it is asked for or others are gathered by it afterwards.
    #[doc(hidden)]
    fn permute(self, n: usize, permutation: Option<&mut [u32]>, run: Run<'_>) -> Result<Self::Output>;

    /// Leaves all but the first `len` rows out.
    #[doc(hidden)]
    fn truncate(output: &mut Self::Output, len: usize);
}

/// Values per thread and step, at least.
const FEW: usize = 1 << 12;

/// A value column in host memory that moves with the keys.
#[doc(hidden)]
pub struct HostColumn<'a> {
    pub(crate) width: Width,
    pub(crate) from: &'a [u8],
    pub(crate) to: &'a mut [u8],
}

/// What moves keys and columns, and tells the permutation if it is asked to. It is called once. Behind a pointer, since
/// calls for all bucket functions share what is compiled here.
#[doc(hidden)]
pub type Run<'r> = &'r mut dyn FnMut(&mut [HostColumn<'_>], Option<&mut [u32]>) -> Result<()>;

/// A value column in host memory, of any width.
struct AnyColumn<'a> {
    /// How it moves; gathered if there is none.
    width: Option<Width>,
    /// Bytes of a value.
    bytes: usize,
    from: &'a [u8],
    to: &'a mut [u8],
}

fn column<'a, V: Value>(index: usize, n: usize, from: &'a [V], to: &'a mut Vec<V>) -> Result<AnyColumn<'a>> {
    if from.len() != n {
        let what = format!("value column {index}");
        return Err(Error::LengthMismatch { what, got: from.len(), keys: n });
    }
    *to = large_pages::zeroed_vec(n).map_err(|error| out_of_memory::<V>(n, error))?;
    let (from, to) = (bytemuck::cast_slice(from), bytemuck::cast_slice_mut(to));
    Ok(AnyColumn { width: V::WIDTH, bytes: size_of::<V>(), from, to })
}

/// Moves the columns that can move, and gathers the others.
fn move_or_gather(n: usize, columns: Vec<AnyColumn<'_>>, permutation: Option<&mut [u32]>, run: Run<'_>) -> Result<()> {
    let (mut moved, mut gathered) = (Vec::new(), Vec::new());
    for AnyColumn { width, bytes, from, to } in columns {
        match width {
            Some(width) => moved.push(HostColumn { width, from, to }),
            None => gathered.push((bytes, from, to)),
        }
    }
    if gathered.is_empty() {
        return run(&mut moved, permutation);
    }
    let mut own: Vec<u32>;
    let permutation = match permutation {
        Some(permutation) => permutation,
        None => {
            own = large_pages::zeroed_vec(n).map_err(|error| out_of_memory::<u32>(n, error))?;
            &mut own
        }
    };
    run(&mut moved, Some(permutation))?;
    for (bytes, from, to) in gathered {
        gather(bytes, from, permutation, to);
    }
    Ok(())
}

/// Brings values of so many bytes into the order of a permutation.
fn gather(bytes: usize, from: &[u8], permutation: &[u32], to: &mut [u8]) {
    if bytes == 0 {
        return;
    }
    let each = to.par_chunks_exact_mut(bytes).zip(permutation).with_min_len(FEW);
    each.for_each(|(to, &i)| to.copy_from_slice(&from[i as usize * bytes..][..bytes]));
}

impl Columns for () {
    type Output = ();

    fn permute(self, _n: usize, permutation: Option<&mut [u32]>, run: Run<'_>) -> Result<()> {
        run(&mut [], permutation)
    }

    fn truncate(_output: &mut (), _len: usize) {}
}

impl<V: Value> Columns for &[V] {
    type Output = Vec<V>;

    fn permute(self, n: usize, permutation: Option<&mut [u32]>, run: Run<'_>) -> Result<Vec<V>> {
        let mut out = Vec::new();
        move_or_gather(n, vec![column(0, n, self, &mut out)?], permutation, run)?;
        Ok(out)
    }

    fn truncate(output: &mut Vec<V>, len: usize) {
        output.truncate(len);
    }
}

impl<V: Value> Columns for &Vec<V> {
    type Output = Vec<V>;

    fn permute(self, n: usize, permutation: Option<&mut [u32]>, run: Run<'_>) -> Result<Vec<V>> {
        self.as_slice().permute(n, permutation, run)
    }

    fn truncate(output: &mut Vec<V>, len: usize) {
        output.truncate(len);
    }
}

impl<V: Value, const N: usize> Columns for &[V; N] {
    type Output = Vec<V>;

    fn permute(self, n: usize, permutation: Option<&mut [u32]>, run: Run<'_>) -> Result<Vec<V>> {
        self.as_slice().permute(n, permutation, run)
    }

    fn truncate(output: &mut Vec<V>, len: usize) {
        output.truncate(len);
    }
}

macro_rules! column_tuple {
    ($($V:ident $index:tt)*) => {
        impl<$($V: Value),*> Columns for ($(&[$V],)*) {
            type Output = ($(Vec<$V>,)*);

            fn permute(self, n: usize, permutation: Option<&mut [u32]>, run: Run<'_>) -> Result<Self::Output> {
                let mut out = ($(Vec::<$V>::new(),)*);
                let columns = vec![$(column($index, n, self.$index, &mut out.$index)?),*];
                move_or_gather(n, columns, permutation, run)?;
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
