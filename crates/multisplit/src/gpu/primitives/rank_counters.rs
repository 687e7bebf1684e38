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
//! The counters of one value are a [row](super::rank_rows); each pass has rows of its own, and planes scan whole rows.

use super::rank_rows::{BOTH, HALF, read, row, rows, scan_row, write};
use super::shared_atomics::{Words, clear, read_word};
use super::{cube, plane};
use crate::gpu::tuning::blueprint::Blueprint;
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
    /// Where this unit's counters are in a row.
    column: u32,
    /// What a key adds to a word.
    one: u32,
    /// Where this unit's counters are in a word.
    shift: u32,
}

#[cube]
pub(crate) fn counters(#[comptime] bp: Blueprint) -> Counters {
    let columns = comptime!(bp.columns());
    let is_first_half = UNIT_POS_X < columns;
    Counters {
        words: SharedMemory::new_aligned(comptime!(bp.counter_words() as usize), cube::ALIGN),
        sums: cube::plane_sums(bp),
        column: UNIT_POS_X % columns,
        one: select(is_first_half, 1u32, comptime!(1u32 << HALF)),
        shift: select(is_first_half, 0u32, HALF),
    }
}

#[cube]
impl Counters {
    /// The word with this unit's counter of the first value, in a pass.
    pub fn first_word(&self, pass: u32, #[comptime] bp: Blueprint) -> u32 {
        self.column + pass * comptime!(bp.digit_values() * bp.columns())
    }

    /// Counts a key by its value of a digit, and tells in which word.
    pub fn count(&self, value: u32, first_word: u32, #[comptime] bp: Blueprint) -> u32 {
        let word = value * comptime!(bp.columns()) + first_word;
        self.words[word as usize].fetch_add(self.one);
        word
    }

    /// After the scan: the place of this unit's next key in a word.
    pub fn take(&self, word: u32) -> u32 {
        let places = self.words[word as usize].fetch_add(self.one);
        (places >> self.shift) & comptime!((1u32 << HALF) - 1)
    }

    /// Adds a key of a bucket to a sum over all units. Sums take the place of counters.
    pub fn add(&self, bucket: u32, #[comptime] bp: Blueprint) {
        let lanes = comptime!(bp.sum_lanes());
        self.words[(bucket * lanes + UNIT_POS_X % lanes) as usize].fetch_add(1u32);
    }

    /// The sum of a bucket, when the cube has waited.
    pub fn sum(&self, bucket: u32, #[comptime] bp: Blueprint) -> u32 {
        let lanes = comptime!(bp.sum_lanes());
        let first = bucket * lanes;
        let mut sum = 0u32;
        // Every unit begins at another bank.
        for other in UNIT_POS_X..UNIT_POS_X + lanes {
            sum += read_word(&self.words, first + other % lanes, bp);
        }
        sum
    }

    /// Sets all counters to 0. Wait before counting.
    pub fn clear(&mut self, #[comptime] bp: Blueprint) {
        clear(&self.words, comptime!(bp.counter_words()), bp);
    }

    /// Turns counts into places. Wait before and after.
    pub fn scan(&mut self, pass: u32, #[comptime] bp: Blueprint) {
        if comptime!(rows(bp) <= bp.unroll(UNROLLED)) {
            self.scan_few_rows(pass, bp)
        } else {
            self.scan_many_rows(pass, bp)
        }
    }

    fn scan_few_rows(&mut self, pass: u32, #[comptime] bp: Blueprint) {
        let rows = comptime!(rows(bp));
        let first = row(plane::plane(bp) * rows, pass, bp);
        let mut counts = Sequence::<Sequence<u32>>::new();
        let mut firsts = Sequence::<u32>::new();
        let mut sum = 0u32;
        #[unroll]
        for i in 0..rows {
            let words = read(&self.words, first.behind(i, bp), bp);
            let scanned = scan_row(&words, bp);
            firsts.push(scanned.first(sum));
            sum += scanned.keys();
            if comptime!(rows * bp.row_words() <= KEPT) {
                counts.push(words);
            }
        }
        let before = self.sum_before(sum, bp);
        #[unroll]
        for i in 0..rows {
            let row = first.behind(i, bp);
            let place = firsts[comptime!(i as usize)] + before * BOTH;
            if comptime!(rows * bp.row_words() <= KEPT) {
                write(&mut self.words, row, place, counts.index(comptime!(i as usize)), bp);
            } else {
                let counts = read(&self.words, row, bp);
                write(&mut self.words, row, place, &counts, bp);
            }
        }
    }

    /// Few planes with many rows each would make a kernel that takes long to compile, so this one loops. It scans every
    /// row twice.
    fn scan_many_rows(&mut self, pass: u32, #[comptime] bp: Blueprint) {
        let first = plane::plane(bp) * comptime!(rows(bp));
        let end = first + comptime!(rows(bp));
        let mut sum = 0u32;
        for number in first..end {
            let words = read(&self.words, row(number, pass, bp), bp);
            sum += scan_row(&words, bp).keys();
        }
        let mut before = self.sum_before(sum, bp);
        for number in first..end {
            let row = row(number, pass, bp);
            let words = read(&self.words, row, bp);
            let scanned = scan_row(&words, bp);
            write(&mut self.words, row, scanned.first(before), &words, bp);
            before += scanned.keys();
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
        #[unroll(bp.unrolls())]
        for other in 0..comptime!(bp.planes) {
            before += select(mine > other, self.sums[other as usize], 0u32);
        }
        before
    }
}
