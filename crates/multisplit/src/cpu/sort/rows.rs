//! The table being sorted, on two sides between which it moves.

use crate::cpu::Column;
use crate::error::Result;
use crate::memory::allocate;
use crate::memory::buffer::Side;
use crate::memory::value::Width;
use bytemuck::{Pod, cast_slice, cast_slice_mut};
use rayon::prelude::*;
use std::mem::{swap, take};
use std::ops::{Range, RangeInclusive};

/// Elements that one thread copies.
const PART: usize = 1 << 16;

/// One column: its rows, and room for as many.
pub(crate) struct DoubleSlice<'a, T> {
    pub data: &'a mut [T],
    pub room: &'a mut [T],
}

impl<'a, T: Copy + Send + Sync> DoubleSlice<'a, T> {
    fn swap(&mut self) {
        swap(&mut self.data, &mut self.room);
    }

    /// Takes the first `n` rows away.
    fn take_first(&mut self, n: usize) -> Self {
        let (data, data_rest) = take(&mut self.data).split_at_mut(n);
        let (room, room_rest) = take(&mut self.room).split_at_mut(n);
        (self.data, self.room) = (data_rest, room_rest);
        Self { data, room }
    }

    /// What is on a side.
    pub(super) fn side(&self, side: Side) -> &[T] {
        if side == Side::First { self.data } else { self.room }
    }

    pub(super) fn side_mut(&mut self, side: Side) -> &mut [T] {
        if side == Side::First { self.data } else { self.room }
    }

    /// Some rows of a side, and where they would be on the other.
    pub(super) fn toward_other(&mut self, at: Side, rows: &Range<usize>) -> (&[T], &mut [T]) {
        let (from, to) =
            if at == Side::First { (&mut *self.data, &mut *self.room) } else { (&mut *self.room, &mut *self.data) };
        (&from[rows.clone()], &mut to[rows.clone()])
    }

    /// Takes the first `n` rows away, and uses the beginning of the room for them.
    fn take_first_data(&mut self, n: usize) -> DoubleSlice<'_, T> {
        let (data, rest) = take(&mut self.data).split_at_mut(n);
        self.data = rest;
        DoubleSlice { data, room: &mut self.room[..n] }
    }

    fn copy_from(&mut self, at: Side, rows: &Range<usize>) {
        let (from, to) = self.toward_other(at, rows);
        copy(from, to);
    }
}

/// A value column.
pub(crate) enum Carried<'a> {
    Narrow(DoubleSlice<'a, [u8; 4]>),
    Wide(DoubleSlice<'a, [u8; 8]>),
}

impl<'a> Carried<'a> {
    pub(crate) fn new(width: Width, data: &'a mut [u8], room: &'a mut [u8]) -> Self {
        match width {
            Width::Narrow => Self::Narrow(DoubleSlice { data: cast_slice_mut(data), room: cast_slice_mut(room) }),
            Width::Wide => Self::Wide(DoubleSlice { data: cast_slice_mut(data), room: cast_slice_mut(room) }),
        }
    }

    fn swap(&mut self) {
        match self {
            Self::Narrow(sides) => sides.swap(),
            Self::Wide(sides) => sides.swap(),
        }
    }

    fn take_first(&mut self, n: usize) -> Self {
        match self {
            Self::Narrow(sides) => Self::Narrow(sides.take_first(n)),
            Self::Wide(sides) => Self::Wide(sides.take_first(n)),
        }
    }

    fn take_first_data(&mut self, n: usize) -> Carried<'_> {
        match self {
            Self::Narrow(sides) => Carried::Narrow(sides.take_first_data(n)),
            Self::Wide(sides) => Carried::Wide(sides.take_first_data(n)),
        }
    }
}

/// A table whose rows are in the data of its columns.
pub(crate) struct Rows<'a, K> {
    pub keys: DoubleSlice<'a, K>,
    pub values: Vec<Carried<'a>>,
}

/// What a value column is made from.
pub(crate) enum Source<'a> {
    Bytes(&'a [u8]),
    /// The number of the row.
    Index,
}

/// A table to be sorted into another.
pub(crate) struct Input<'a, K> {
    pub keys: &'a [K],
    /// As many as the other table has.
    pub values: Vec<Source<'a>>,
}

impl<'a, K: Pod + Send + Sync> Rows<'a, K> {
    /// Bytes of a row.
    pub(super) fn row_bytes(&self) -> usize {
        let value = |column: &Carried<'_>| if matches!(column, Carried::Wide(_)) { 8 } else { 4 };
        size_of::<K>() + self.values.iter().map(value).sum::<usize>()
    }

    /// The same rows with keys of another type of the same width.
    pub(super) fn cast<U: Pod>(self) -> Rows<'a, U> {
        let DoubleSlice { data, room } = self.keys;
        let keys = DoubleSlice { data: cast_slice_mut(data), room: cast_slice_mut(room) };
        Rows { keys, values: self.values }
    }

    pub(super) fn swapped(mut self) -> Self {
        self.keys.swap();
        self.values.iter_mut().for_each(Carried::swap);
        self
    }

    /// Copies some rows from one side to the other, if they are not where they should be.
    pub(super) fn settle(&mut self, rows: &Range<usize>, at: Side, goal: Side) {
        if at == goal {
            return;
        }
        self.keys.copy_from(at, rows);
        for column in &mut self.values {
            match column {
                Carried::Narrow(sides) => sides.copy_from(at, rows),
                Carried::Wide(sides) => sides.copy_from(at, rows),
            }
        }
    }

    /// Takes the input as it is.
    pub(super) fn fill(&mut self, keys: &[K], values: &[Source<'_>]) {
        copy(keys, self.keys.data);
        for (column, source) in self.values.iter_mut().zip(values) {
            match (column, source) {
                (Carried::Narrow(sides), Source::Bytes(from)) => copy(cast_slice(from), sides.data),
                (Carried::Wide(sides), Source::Bytes(from)) => copy(cast_slice(from), sides.data),
                (Carried::Narrow(sides), Source::Index) => fill_index(sides.data),
                (Carried::Wide(_), Source::Index) => {}
            }
        }
    }

    /// The columns of a split from the input to the data.
    pub(super) fn columns_from<'b>(&'b mut self, keys: &'b [K], values: &'b [Source<'_>]) -> Result<Vec<Column<'b>>> {
        let mut columns = allocate::with_room(1 + self.values.len())?;
        columns.push(Column::of_keys(keys, self.keys.data));
        columns.extend(self.values.iter_mut().zip(values).filter_map(|(column, source)| {
            match (column, source) {
                (Carried::Narrow(sides), Source::Bytes(from)) => {
                    Some(Column::W4 { from: cast_slice(from), to: sides.data })
                }
                (Carried::Wide(sides), Source::Bytes(from)) => {
                    Some(Column::W8 { from: cast_slice(from), to: sides.data })
                }
                (Carried::Narrow(sides), Source::Index) => Some(Column::Index { first: 0, to: sides.data }),
                // Numbers of rows are narrow.
                (Carried::Wide(_), Source::Index) => None,
            }
        }));
        Ok(columns)
    }

    /// The keys, and the columns of a split from the data to the room.
    pub(super) fn columns_across(&mut self) -> Result<(&[K], Vec<Column<'_>>)> {
        let keys = &*self.keys.data;
        let mut columns = allocate::with_room(1 + self.values.len())?;
        columns.push(Column::of_keys(keys, self.keys.room));
        columns.extend(self.values.iter_mut().map(|column| match column {
            Carried::Narrow(sides) => Column::W4 { from: sides.data, to: sides.room },
            Carried::Wide(sides) => Column::W8 { from: sides.data, to: sides.room },
        }));
        Ok((keys, columns))
    }

    /// Takes the first `n` rows away.
    pub(super) fn take_first(&mut self, n: usize) -> Result<Self> {
        let values = allocate::collect(self.values.iter_mut().map(|column| column.take_first(n)))?;
        Ok(Self { keys: self.keys.take_first(n), values })
    }

    /// Takes the first `n` rows away, and uses the beginning of the room for them.
    pub(super) fn take_first_data(&mut self, n: usize) -> Result<Rows<'_, K>> {
        let values = allocate::collect(self.values.iter_mut().map(|column| column.take_first_data(n)))?;
        Ok(Rows { keys: self.keys.take_first_data(n), values })
    }
}

/// Moves the last of some values of a side before the others, in every column.
pub(super) fn rotate_values(columns: &mut [Carried<'_>], rows: RangeInclusive<usize>, side: Side) {
    for column in columns {
        match column {
            Carried::Narrow(sides) => sides.side_mut(side)[rows.clone()].rotate_right(1),
            Carried::Wide(sides) => sides.side_mut(side)[rows.clone()].rotate_right(1),
        }
    }
}

/// The numbers of the rows.
pub(crate) fn fill_index(to: &mut [[u8; 4]]) {
    to.par_chunks_mut(PART).enumerate().for_each(|(part, to)| {
        for (i, to) in to.iter_mut().enumerate() {
            *to = ((part * PART + i) as u32).to_ne_bytes();
        }
    });
}

fn copy<T: Copy + Send + Sync>(from: &[T], to: &mut [T]) {
    if from.len() <= PART {
        return to.copy_from_slice(from);
    }
    to.par_chunks_mut(PART).zip(from.par_chunks(PART)).for_each(|(to, from)| to.copy_from_slice(from));
}
