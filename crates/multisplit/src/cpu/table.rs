//! The table being permuted: the caller's columns, and the form in which chunks share them.

use crate::bucket::key::Key;
use crate::request::outputs::Outputs;
use std::marker::PhantomData;
use std::mem::take;
use std::ops::Range;

/// One column of the table being permuted. Bytes, so that any plain type of that width fits and
/// alignment never matters.
pub(crate) enum Column<'a> {
    W1 {
        from: &'a [[u8; 1]],
        to: &'a mut [[u8; 1]],
    },
    W2 {
        from: &'a [[u8; 2]],
        to: &'a mut [[u8; 2]],
    },
    W4 {
        from: &'a [[u8; 4]],
        to: &'a mut [[u8; 4]],
    },
    W8 {
        from: &'a [[u8; 8]],
        to: &'a mut [[u8; 8]],
    },
    /// No input: the element's own index (n <= 2^32 - 1), counted from `first` on.
    Index {
        first: u32,
        to: &'a mut [[u8; 4]],
    },
}

impl<'a> Column<'a> {
    /// The columns of a call on slices, the keys first.
    pub(crate) fn all<K: Key>(keys: &'a [K], to: Outputs<'a, '_, K>) -> Vec<Self> {
        let mut columns = vec![Column::of_keys(keys, to.keys)];
        columns.extend(to.columns.iter_mut().map(|c| Column::of_values(c.width, c.from, c.to)));
        columns.extend(to.permutation.map(Column::of_index));
        columns
    }

    /// The bytes of its input, if it has one. They are borrowed for longer than the column.
    pub(super) fn input(&self) -> &'a [u8] {
        match *self {
            Column::W1 { from, .. } => from.as_flattened(),
            Column::W2 { from, .. } => from.as_flattened(),
            Column::W4 { from, .. } => from.as_flattened(),
            Column::W8 { from, .. } => from.as_flattened(),
            Column::Index { .. } => &[],
        }
    }

    /// Rows that both sides of the column have.
    pub(super) fn rows(&self) -> usize {
        match self {
            Column::W1 { from, to } => from.len().min(to.len()),
            Column::W2 { from, to } => from.len().min(to.len()),
            Column::W4 { from, to } => from.len().min(to.len()),
            Column::W8 { from, to } => from.len().min(to.len()),
            Column::Index { to, .. } => to.len(),
        }
    }

    /// Bytes of a row.
    pub(super) fn width(&self) -> usize {
        match self {
            Column::W1 { .. } => 1,
            Column::W2 { .. } => 2,
            Column::W4 { .. } | Column::Index { .. } => 4,
            Column::W8 { .. } => 8,
        }
    }

    /// Some rows of the column.
    pub(super) fn part(&mut self, rows: Range<usize>) -> Column<'_> {
        match self {
            Column::W1 { from, to } => Column::W1 { from: &from[rows.clone()], to: &mut to[rows] },
            Column::W2 { from, to } => Column::W2 { from: &from[rows.clone()], to: &mut to[rows] },
            Column::W4 { from, to } => Column::W4 { from: &from[rows.clone()], to: &mut to[rows] },
            Column::W8 { from, to } => Column::W8 { from: &from[rows.clone()], to: &mut to[rows] },
            Column::Index { first, to } => Column::Index { first: *first + rows.start as u32, to: &mut to[rows] },
        }
    }

    /// Takes the first `n` rows away.
    pub(super) fn take_first(&mut self, n: usize) -> Column<'a> {
        match self {
            Column::W1 { from, to } => Column::W1 { from: first_of(from, n), to: first_of_mut(to, n) },
            Column::W2 { from, to } => Column::W2 { from: first_of(from, n), to: first_of_mut(to, n) },
            Column::W4 { from, to } => Column::W4 { from: first_of(from, n), to: first_of_mut(to, n) },
            Column::W8 { from, to } => Column::W8 { from: first_of(from, n), to: first_of_mut(to, n) },
            Column::Index { first, to } => {
                let taken = Column::Index { first: *first, to: first_of_mut(to, n) };
                *first += n as u32;
                taken
            }
        }
    }

    /// The first `n` rows of the column, in the form that chunks can share.
    pub(super) fn share(&mut self, n: usize) -> Shared<'_> {
        match self {
            Column::W1 { from, to } => Shared::W1(&from[..n], Target::new(&mut to[..n])),
            Column::W2 { from, to } => Shared::W2(&from[..n], Target::new(&mut to[..n])),
            Column::W4 { from, to } => Shared::W4(&from[..n], Target::new(&mut to[..n])),
            Column::W8 { from, to } => Shared::W8(&from[..n], Target::new(&mut to[..n])),
            Column::Index { first, to } => Shared::Index(*first, Target::new(&mut to[..n])),
        }
    }
}

/// Takes the first `n` elements of a slice away.
fn first_of<'a, T>(slice: &mut &'a [T], n: usize) -> &'a [T] {
    let (first, rest) = slice.split_at(n);
    *slice = rest;
    first
}

/// [`first_of`] for slices that can be written to.
fn first_of_mut<'a, T>(slice: &mut &'a mut [T], n: usize) -> &'a mut [T] {
    let (first, rest) = take(slice).split_at_mut(n);
    *slice = rest;
    first
}

/// What rows are made of.
///
/// # Safety
///
/// A type whose values are any bytes, without padding or alignment, and whose size is a power of
/// two and at most 8.
pub(crate) unsafe trait Cell: Copy + Send + Sync {}

// SAFETY: arrays of bytes.
unsafe impl Cell for [u8; 1] {}
// SAFETY: likewise.
unsafe impl Cell for [u8; 2] {}
// SAFETY: likewise.
unsafe impl Cell for [u8; 4] {}
// SAFETY: likewise.
unsafe impl Cell for [u8; 8] {}

/// A column whose output several chunks write at once.
pub(super) enum Shared<'a> {
    W1(&'a [[u8; 1]], Target<'a, [u8; 1]>),
    W2(&'a [[u8; 2]], Target<'a, [u8; 2]>),
    W4(&'a [[u8; 4]], Target<'a, [u8; 4]>),
    W8(&'a [[u8; 8]], Target<'a, [u8; 8]>),
    Index(u32, Target<'a, [u8; 4]>),
}

/// An output slice that several threads write, each to rows of its own. It gives out nothing but
/// an address, so it is the writer who must see to that.
#[derive(Clone, Copy)]
pub(super) struct Target<'a, W> {
    start: *mut W,
    borrow: PhantomData<&'a mut [W]>,
}

// SAFETY: a target lets safe code do nothing with the rows; a thread that writes to them needs
// unsafe code, which has to argue that no other thread touches the same rows.
unsafe impl<W: Cell> Sync for Target<'_, W> {}
// SAFETY: as above.
unsafe impl<W: Cell> Send for Target<'_, W> {}

impl<'a, W: Cell> Target<'a, W> {
    fn new(to: &'a mut [W]) -> Target<'a, W> {
        Target { start: to.as_mut_ptr(), borrow: PhantomData }
    }

    /// The address of a row; good for access only if there is such a row.
    #[inline(always)]
    pub(super) fn at(&self, row: usize) -> *mut W {
        self.start.wrapping_add(row)
    }
}
