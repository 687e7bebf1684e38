//! The table being sorted, on two sides between which it moves.

use crate::cpu::Column;
use crate::error::Result;
use crate::memory::allocate;
use crate::memory::buffer::Side;
use crate::memory::value::Width;
use bytemuck::{Pod, cast_slice, cast_slice_mut};
use rayon::prelude::*;
use std::mem::{swap, take};

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

    fn settle(&mut self, goal: Side) {
        if goal == Side::Second {
            copy(self.data, self.room);
        }
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

    pub(super) fn swapped(mut self) -> Self {
        self.keys.swap();
        self.values.iter_mut().for_each(Carried::swap);
        self
    }

    /// Copies rows that are sorted to the room, if that is where they should be.
    pub(super) fn settle(&mut self, goal: Side) {
        self.keys.settle(goal);
        for column in &mut self.values {
            match column {
                Carried::Narrow(sides) => sides.settle(goal),
                Carried::Wide(sides) => sides.settle(goal),
            }
        }
    }

    /// Takes the input as it is.
    pub(super) fn fill(&mut self, from: &Input<'_, K>) {
        copy(from.keys, self.keys.data);
        for (column, source) in self.values.iter_mut().zip(&from.values) {
            match (column, source) {
                (Carried::Narrow(sides), Source::Bytes(from)) => copy(cast_slice(from), sides.data),
                (Carried::Wide(sides), Source::Bytes(from)) => copy(cast_slice(from), sides.data),
                (Carried::Narrow(sides), Source::Index) => fill_index(sides.data),
                (Carried::Wide(_), Source::Index) => {}
            }
        }
    }

    /// The columns of a split from the input to the data.
    pub(super) fn columns_from<'b>(&'b mut self, from: &'b Input<'_, K>) -> Result<Vec<Column<'b>>> {
        let mut columns = allocate::with_room(1 + self.values.len())?;
        columns.push(Column::of_keys(from.keys, self.keys.data));
        columns.extend(self.values.iter_mut().zip(&from.values).filter_map(|(column, source)| {
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

    /// The table cut at the inner offsets: the parts of at most `most` rows, and the larger ones. Parts of one row or
    /// none, which are sorted, are among the former.
    pub(super) fn cut(mut self, offsets: &[usize], most: usize) -> Result<(Vec<Self>, Vec<Self>)> {
        let lengths = || offsets.windows(2).map(|pair| pair[1] - pair[0]);
        let many = lengths().filter(|&n| n > most).count();
        let (mut small, mut large) = (allocate::with_room(lengths().count() - many)?, allocate::with_room(many)?);
        for n in lengths() {
            let values = allocate::collect(self.values.iter_mut().map(|column| column.take_first(n)))?;
            let part = Self { keys: self.keys.take_first(n), values };
            if n <= most { small.push(part) } else { large.push(part) }
        }
        Ok((small, large))
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
