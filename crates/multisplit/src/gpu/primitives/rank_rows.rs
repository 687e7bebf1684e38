//! Rows of counters: a row holds the counters of one value of the digit, two units' in a word.
//!
//! A plane scans a whole row, each lane a few neighbouring words, both halves at once; the second half of a row comes
//! after all of its first.

use super::plane;
use super::shared_atomics::{Words, vectors};
use crate::gpu::tuning::blueprint::Blueprint;
use cubecl::prelude::*;

/// Bits of a counter: half a word.
pub(crate) const HALF: u32 = 16;
/// One in both halves.
pub(crate) const BOTH: u32 = (1 << HALF) + 1;

/// Rows of a pass that a plane scans.
pub(crate) const fn rows(bp: Blueprint) -> u32 {
    bp.digit_values().div_ceil(bp.planes)
}

/// The words of a row that this lane is in charge of.
#[derive(CubeType, Clone, Copy)]
pub(crate) struct RankRow {
    number: u32,
    /// The first of them, counted in what is read at once.
    first: usize,
}

/// A row of a pass.
#[cube]
pub(crate) fn row(number: u32, pass: u32, #[comptime] bp: Blueprint) -> RankRow {
    let first = (number + pass * comptime!(bp.digit_values())) * comptime!(bp.columns() / bp.row_vector())
        + plane::lane(bp) * comptime!(bp.row_words() / bp.row_vector());
    RankRow { number, first: first as usize }
}

#[cube]
impl RankRow {
    /// The row that is so many behind this one.
    pub fn behind(self, #[comptime] rows: u32, #[comptime] bp: Blueprint) -> RankRow {
        let words = comptime!(rows * (bp.columns() / bp.row_vector()));
        RankRow { number: self.number + rows, first: self.first + comptime!(words as usize) }
    }
}

/// The words that this lane is in charge of; 0 for those that there are not.
#[cube]
pub(crate) fn read(counters: &Words, row: RankRow, #[comptime] bp: Blueprint) -> Sequence<u32> {
    match comptime!(bp.row_vector()) {
        4 => read_vectors::<Const<4>>(counters, row, bp),
        2 => read_vectors::<Const<2>>(counters, row, bp),
        _ => {
            let mut words = Sequence::<u32>::new();
            #[unroll]
            for i in 0..comptime!(bp.row_words()) {
                let mut word = 0u32;
                if is_row(row, bp) && is_column(i, bp) {
                    word = counters[row.first + comptime!(i as usize)].load();
                }
                words.push(word);
            }
            words
        }
    }
}

#[cube]
fn read_vectors<N: Size>(counters: &Words, row: RankRow, #[comptime] bp: Blueprint) -> Sequence<u32> {
    let width = N::value().comptime();
    let vectors = vectors::<N>(counters);
    let mut words = Sequence::<u32>::new();
    #[unroll]
    for i in 0..comptime!(bp.row_words() as usize / width) {
        let vector = if comptime!(all_are_rows(bp)) {
            vectors[row.first + i]
        } else {
            let mut vector = Vector::<u32, N>::new(0u32);
            if is_row(row, bp) {
                vector = vectors[row.first + i];
            }
            vector
        };
        #[unroll]
        for e in 0..width {
            words.push(vector[e]);
        }
    }
    words
}

/// Writes places from `place` on, given what was counted.
#[cube]
pub(crate) fn write(counters: &mut Words, row: RankRow, place: u32, counts: &Sequence<u32>, #[comptime] bp: Blueprint) {
    match comptime!(bp.row_vector()) {
        4 => write_vectors::<Const<4>>(counters, row, place, counts, bp),
        2 => write_vectors::<Const<2>>(counters, row, place, counts, bp),
        _ => {
            let mut place = place;
            #[unroll]
            for i in 0..comptime!(bp.row_words()) {
                if is_row(row, bp) && is_column(i, bp) {
                    counters[row.first + comptime!(i as usize)].store(place);
                }
                place += counts[comptime!(i as usize)];
            }
        }
    }
}

#[cube]
fn write_vectors<N: Size>(
    counters: &mut Words,
    row: RankRow,
    place: u32,
    counts: &Sequence<u32>,
    #[comptime] bp: Blueprint,
) {
    let width = N::value().comptime();
    let mut vectors = vectors::<N>(counters);
    let mut place = place;
    #[unroll]
    for i in 0..comptime!(bp.row_words() as usize / width) {
        let mut vector = Vector::<u32, N>::empty();
        #[unroll]
        for e in 0..width {
            vector[e] = place;
            place += counts[comptime!(width * i + e)];
        }
        if comptime!(all_are_rows(bp)) {
            vectors[row.first + i] = vector;
        } else if is_row(row, bp) {
            vectors[row.first + i] = vector;
        }
    }
}

/// What a row of counters adds up to, both halves at once.
#[derive(CubeType)]
pub(crate) struct Scanned {
    /// Before the words of this lane.
    before: u32,
    /// In the whole row.
    total: u32,
}

/// Sums up a row, given the words that this lane is in charge of.
#[cube]
pub(crate) fn scan_row(words: &Sequence<u32>, #[comptime] bp: Blueprint) -> Scanned {
    let mut own = 0u32;
    #[unroll]
    for i in 0..comptime!(bp.row_words() as usize) {
        own += words[i];
    }
    let inclusive = plane::inclusive_sum(own, bp);
    Scanned { before: inclusive - own, total: plane_shuffle(inclusive, comptime!(bp.plane - 1)) }
}

#[cube]
impl Scanned {
    /// Keys of the row.
    pub fn keys(&self) -> u32 {
        (self.total & comptime!((1u32 << HALF) - 1)) + (self.total >> HALF)
    }

    /// The places of this lane's first word, if the row's first is `start`.
    pub fn first(&self, start: u32) -> u32 {
        self.before + start * BOTH + (self.total << HALF)
    }
}

/// Whether every plane has as many rows as the others.
const fn all_are_rows(bp: Blueprint) -> bool {
    bp.digit_values().is_multiple_of(bp.planes)
}

/// Whether there is such a row.
#[cube]
fn is_row(row: RankRow, #[comptime] bp: Blueprint) -> bool {
    comptime!(all_are_rows(bp)) || row.number < comptime!(bp.digit_values())
}

/// Whether a row has an `i`-th word for this lane.
#[cube]
fn is_column(#[comptime] i: u32, #[comptime] bp: Blueprint) -> bool {
    comptime!(bp.columns().is_multiple_of(bp.plane))
        || plane::lane(bp) * comptime!(bp.row_words()) + i < comptime!(bp.columns())
}
