//! Ranks keys by a digit of their bucket id, with counters of each unit's own.
//!
//! A unit owns consecutive keys of the tile and a counter for each value of the digit, so that keys are counted with
//! one atomic each that meets nobody else's: no vote, and no order to keep among lanes. Then one exclusive prefix sum
//! over all counters, digit by digit and unit by unit, turns counts into places in the tile: how many keys have smaller
//! digits, or the same digit and an earlier unit. A second atomic per key takes the place and leaves the next one.
//!
//! Shared memory bounds this, so two counters share a word: that of a unit in the first half of the cube and that of
//! the unit which stands in the same place in the second half. So an increment is a constant of the unit, and the lanes
//! of a plane are always on different banks.
//!
//! The counters of one value are a [row](super::rows); each pass has rows of its own, and planes scan whole rows.

use super::super::blueprint::{Blueprint, Pass};
use super::super::{cube, plane};
use super::rows::{BOTH, HALF, read, rows, scan_row, write};
use super::words::{Words, clear, read_word};
use cubecl::prelude::*;

/// The most words of counters that a unit keeps in registers during the scan; more are read again.
const KEPT: u32 = 16;

/// The most rows of a plane that are scanned without a loop.
const UNROLLED: u32 = 8;

/// Shared memory to rank in.
#[derive(CubeType)]
pub(crate) struct Counters {
    words: Words,
    /// Keys in the rows of each plane.
    sums: SharedMemory<u32>,
}

#[cube]
pub(crate) fn counters(#[comptime] bp: Blueprint) -> Counters {
    Counters {
        words: SharedMemory::new_aligned(comptime!(bp.counter_words() as usize), cube::ALIGN),
        sums: SharedMemory::new(comptime!(bp.planes as usize)),
    }
}

#[cube]
impl Counters {
    /// The word with this unit's counter of a value.
    pub fn word(&self, value: u32, #[comptime] pass: Pass) -> u32 {
        let columns = comptime!(pass.bp.columns());
        (value + comptime!(pass.first_row())) * columns + UNIT_POS_X % columns
    }

    /// Adds a key to this unit's counter in a word.
    pub fn count(&self, word: u32, #[comptime] bp: Blueprint) {
        self.words[word as usize].fetch_add(one(bp));
    }

    /// After the scan: the place of this unit's next key in a word.
    pub fn take(&self, word: u32, #[comptime] bp: Blueprint) -> u32 {
        let places = self.words[word as usize].fetch_add(one(bp));
        (places >> select(is_first_half(bp), 0u32, HALF)) & comptime!((1u32 << HALF) - 1)
    }

    /// Adds a key of a bucket to a sum over all units. Sums take the place of counters.
    pub fn add(&self, bucket: u32, #[comptime] bp: Blueprint) {
        let lanes = comptime!(bp.sum_lanes());
        self.words[(bucket * lanes + UNIT_POS_X % lanes) as usize].fetch_add(1u32);
    }

    /// The sum of a bucket, when the cube has waited.
    pub fn sum(&self, bucket: u32, #[comptime] bp: Blueprint) -> u32 {
        let lanes = comptime!(bp.sum_lanes());
        let mut sum = 0u32;
        #[unroll]
        for other in 0..lanes {
            // Every unit begins at another bank.
            sum += read_word(&self.words, bucket * lanes + (UNIT_POS_X + other) % lanes, bp);
        }
        sum
    }

    /// Sets all counters to 0. Wait before counting.
    pub fn clear(&mut self, #[comptime] bp: Blueprint) {
        clear(&self.words, comptime!(bp.counter_words()), bp);
    }

    /// Turns counts into places. Wait before and after.
    pub fn scan(&mut self, #[comptime] pass: Pass) {
        if comptime!(rows(pass) <= UNROLLED) { self.scan_few_rows(pass) } else { self.scan_many_rows(pass) }
    }

    fn scan_few_rows(&mut self, #[comptime] pass: Pass) {
        let bp = comptime!(pass.bp);
        let rows = comptime!(rows(pass));
        let mine = plane::plane(bp);
        let mut counts = Sequence::<Sequence<u32>>::new();
        let mut firsts = Sequence::<u32>::new();
        let mut sum = 0u32;
        #[unroll]
        for row in 0..rows {
            let words = read(&self.words, mine * rows + row, pass);
            let scanned = scan_row(&words, bp);
            firsts.push(scanned.first(sum));
            sum += scanned.keys();
            if comptime!(rows * bp.row_words() <= KEPT) {
                counts.push(words);
            }
        }
        let before = self.sum_before(sum, bp);
        #[unroll]
        for row in 0..rows {
            let number = mine * rows + row;
            let place = firsts[comptime!(row as usize)] + before * BOTH;
            if comptime!(rows * bp.row_words() <= KEPT) {
                write(&mut self.words, number, place, counts.index(comptime!(row as usize)), pass);
            } else {
                let counts = read(&self.words, number, pass);
                write(&mut self.words, number, place, &counts, pass);
            }
        }
    }

    /// Few planes with many rows each would make a kernel that takes long to compile, so this one loops. It scans every
    /// row twice.
    fn scan_many_rows(&mut self, #[comptime] pass: Pass) {
        let bp = comptime!(pass.bp);
        let first = plane::plane(bp) * comptime!(rows(pass));
        let end = first + comptime!(rows(pass));
        let mut sum = 0u32;
        let mut row = first;
        while row < end {
            let words = read(&self.words, row, pass);
            sum += scan_row(&words, bp).keys();
            row += 1;
        }
        let mut before = self.sum_before(sum, bp);
        let mut row = first;
        while row < end {
            let words = read(&self.words, row, pass);
            let scanned = scan_row(&words, bp);
            write(&mut self.words, row, scanned.first(before), &words, pass);
            before += scanned.keys();
            row += 1;
        }
    }

    /// Keys in the rows of all planes before this one, which has `sum`.
    fn sum_before(&mut self, sum: u32, #[comptime] bp: Blueprint) -> u32 {
        let mine = plane::plane(bp);
        if plane::lane(bp) == 0 {
            self.sums[mine as usize] = sum;
        }
        cube::sync(bp);
        let mut before = 0u32;
        #[unroll]
        for other in 0..comptime!(bp.planes) {
            before += select(mine > other, self.sums[other as usize], 0u32);
        }
        before
    }
}

/// Whether this unit's counters are the low halves of their words.
#[cube]
fn is_first_half(#[comptime] bp: Blueprint) -> bool {
    UNIT_POS_X < comptime!(bp.columns())
}

/// What a key adds to a word.
#[cube]
fn one(#[comptime] bp: Blueprint) -> u32 {
    select(is_first_half(bp), 1u32, comptime!(1u32 << HALF))
}
