//! Sorts a tile by a digit of the bucket id, with counters of each unit's own.
//!
//! A unit owns consecutive keys and a column of counters that nobody else writes, so that counting a key and learning
//! how many equal ones the unit had before takes one load and one store, no vote and no atomic. Four counters share a
//! word while they count, since a unit has few keys. Then one exclusive prefix sum over all counters, digit by digit and
//! unit by unit, turns each into a place in the tile: how many keys have smaller digits, or the same digit and an
//! earlier unit. Two places share a word.
//!
//! With `V` values of the digit, the counter of `d` is byte `d / (V/4)` of row `d % (V/4)`, and its place is half
//! `d / (V/2)` of row `d % (V/2)`. So the even bytes of a row become the halves of the same row, and the odd bytes
//! those of the row that is V/4 further on. (Of two values only, each has an even byte.)
//!
//! Keys stay in shared memory, and both walks over them are loops: unrolled, with the keys in registers, they took
//! twice the registers and so ran on half the units.
//!
//! Shared memory serves the lanes of a plane at once if all are on different banks. So whatever is walked along and
//! across has gaps ([`apart`]), and a unit's counters are all on one bank.

use super::super::blueprint::{Blueprint, Digit, Pass};
use super::super::cube;
use super::bucket_of;
use super::order::Order;
use crate::bucket::BucketFn;
use cubecl::prelude::*;

/// Bits of a rank among the keys of one unit.
const RANK_BITS: u32 = 8;

/// Shared memory to rank in.
#[derive(CubeType)]
pub(crate) struct Ranker {
    /// A column of counters for each unit.
    counters: SharedMemory<u32>,
    /// The ranks of a group of keys in each word.
    ranks: SharedMemory<u32>,
    /// For the scan over units.
    low_sums: SharedMemory<u32>,
    high_sums: SharedMemory<u32>,
}

#[cube]
pub(crate) fn ranker(#[comptime] bp: Blueprint) -> Ranker {
    Ranker {
        counters: SharedMemory::new(comptime!(bp.counter_words() as usize)),
        ranks: SharedMemory::new(comptime!(bp.rank_words() as usize)),
        low_sums: SharedMemory::new(comptime!(bp.planes as usize)),
        high_sums: SharedMemory::new(comptime!(bp.planes as usize)),
    }
}

/// Where something lies in shared memory that is walked along and across: after each 32 words, one is left out, so that
/// neither way two lanes meet on a bank.
#[cube]
pub(crate) fn apart(place: u32) -> u32 {
    place + place / 32
}

#[cube]
impl Ranker {
    /// Counts the keys of a tile, which lie [`apart`].
    pub fn count<F: BucketFn>(&mut self, keys: &SharedMemory<F::Key>, f: &F, m: u32, len: u32, #[comptime] pass: Pass) {
        let (bp, digit, full) = comptime!((pass.bp, pass.digit(), pass.full));
        let mine = apart(UNIT_POS_X);
        let mut even = 0u32;
        let mut odd = 0u32;
        if comptime!(!digit.counts_in_registers()) {
            #[unroll]
            for row in 0..comptime!(digit.count_rows()) {
                self.counters[(mine + comptime!(row * bp.counter_row())) as usize] = 0u32;
            }
        }
        let own = UNIT_POS_X * comptime!(bp.items);
        let mut group = 0u32;
        while group < comptime!(bp.groups()) {
            let first = own + group * comptime!(bp.group());
            let keys = group_of::<F::Key>(keys, first, bp);
            let digits = digits::<F>(&keys, f, m, pass);
            let mut ranks = 0u32;
            #[unroll]
            for e in 0..comptime!(bp.group()) {
                let value = digits[comptime!(e as usize)];
                let mut one = 1u32 << (position(value, digit) & 24);
                if comptime!(!full) {
                    one = select(first + e < len, one, 0u32);
                }
                let rank = self.add(value, one, &mut even, &mut odd, digit, bp);
                ranks |= rank << comptime!(e * RANK_BITS);
            }
            self.ranks[(group * comptime!(bp.units()) + UNIT_POS_X) as usize] = ranks;
            group += 1;
        }
        if comptime!(digit.counts_in_registers()) {
            self.counters[mine as usize] = even;
        }
        if comptime!(digit.count_rows() == 2) {
            self.counters[(mine + comptime!(bp.counter_row())) as usize] = odd;
        }
    }

    /// Adds to this unit's counter of a digit, and returns what it was. The counters of few digits are in registers.
    fn add(
        &mut self,
        value: u32,
        one: u32,
        even: &mut u32,
        odd: &mut u32,
        #[comptime] digit: Digit,
        #[comptime] bp: Blueprint,
    ) -> u32 {
        let shift = position(value, digit) & 24;
        let mask = comptime!((1u32 << RANK_BITS) - 1);
        if comptime!(digit.count_rows() == 1) {
            let rank = (*even >> shift) & mask;
            *even += one;
            rank
        } else if comptime!(digit.count_rows() == 2) {
            let is_odd = value & 1 == 1;
            let rank = (select(is_odd, *odd, *even) >> shift) & mask;
            *even += select(is_odd, 0u32, one);
            *odd += select(is_odd, one, 0u32);
            rank
        } else {
            let row = value & comptime!(digit.count_rows() - 1);
            let at = (apart(UNIT_POS_X) + row * comptime!(bp.counter_row())) as usize;
            let before = self.counters[at];
            self.counters[at] = before + one;
            (before >> shift) & mask
        }
    }

    /// Turns counts into places, for all units.
    pub fn scan(&mut self, #[comptime] pass: Pass) {
        let (bp, digit) = comptime!((pass.bp, pass.digit()));
        let rows = comptime!(digit.count_rows());
        let mut words = Sequence::<u32>::new();
        let mut low = 0u32;
        let mut high = 0u32;
        #[unroll]
        for i in 0..rows {
            let word = self.counters[beside(i, rows, bp) as usize];
            low += even_bytes(word);
            high += even_bytes(word >> 8);
            words.push(word);
        }
        let low = cube::exclusive_sum_and_total(low, &mut self.low_sums, bp);
        let high = cube::exclusive_sum_and_total(high, &mut self.high_sums, bp);
        // The digits' values in order: low half of low, low half of high, high half of low, high half of high.
        let first = low.total & 0xffff;
        let second = first + (high.total & 0xffff);
        let third = second + (low.total >> 16);
        let mut low_place = low.before + (second << 16);
        let mut high_place = high.before + first + (third << 16);
        #[unroll]
        for i in 0..rows {
            let at = beside(i, rows, bp);
            let word = words[comptime!(i as usize)];
            self.counters[at as usize] = low_place;
            low_place += even_bytes(word);
            if comptime!(digit.place_rows() > rows) {
                self.counters[(at + comptime!(rows * bp.counter_row())) as usize] = high_place;
                high_place += even_bytes(word >> 8);
            }
        }
    }

    /// Moves the keys to their places, where they lie [`apart`] once more if another pass follows.
    pub fn place<F: BucketFn>(
        &self,
        from: &SharedMemory<F::Key>,
        to: &mut SharedMemory<F::Key>,
        order: &mut Order,
        f: &F,
        m: u32,
        len: u32,
        #[comptime] pass: Pass,
    ) {
        let (bp, digit, full) = comptime!((pass.bp, pass.digit(), pass.full));
        let mine = apart(UNIT_POS_X);
        let mut even = 0u32;
        let mut odd = 0u32;
        if comptime!(digit.places_in_registers()) {
            even = self.counters[mine as usize];
        }
        if comptime!(digit.place_rows() == 2) {
            odd = self.counters[(mine + comptime!(bp.counter_row())) as usize];
        }
        let own = UNIT_POS_X * comptime!(bp.items);
        let mut group = 0u32;
        while group < comptime!(bp.groups()) {
            let first = own + group * comptime!(bp.group());
            let ranks = self.ranks[(group * comptime!(bp.units()) + UNIT_POS_X) as usize];
            let keys = group_of::<F::Key>(from, first, bp);
            let digits = digits::<F>(&keys, f, m, pass);
            let mut places = Sequence::<u32>::new();
            #[unroll]
            for e in 0..comptime!(bp.group()) {
                let value = digits[comptime!(e as usize)];
                let word = self.places(value, even, odd, digit, bp);
                let rank = (ranks >> comptime!(e * RANK_BITS)) & comptime!((1u32 << RANK_BITS) - 1);
                places.push(((word >> (position(value, digit) & 16)) & 0xffff) + rank);
            }
            #[unroll]
            for e in 0..comptime!(bp.group()) {
                let key = keys[comptime!(e as usize)];
                let place = places[comptime!(e as usize)];
                if full || first + e < len {
                    if comptime!(pass.is_last()) {
                        to[place as usize] = key;
                    } else {
                        to[apart(place) as usize] = key;
                    }
                    order.write(apart(first) + e, place, pass);
                }
            }
            group += 1;
        }
    }

    /// The word of this unit that holds the place of a digit.
    fn places(&self, value: u32, even: u32, odd: u32, #[comptime] digit: Digit, #[comptime] bp: Blueprint) -> u32 {
        if comptime!(digit.place_rows() == 1) {
            even
        } else if comptime!(digit.place_rows() == 2) {
            select(value & 1 == 1, odd, even)
        } else {
            let row = value & comptime!(digit.place_rows() - 1);
            self.counters[(apart(UNIT_POS_X) + row * comptime!(bp.counter_row())) as usize]
        }
    }

    /// Where the keys of a bucket start in the tile, after the scan of an only pass.
    pub fn start(&self, bucket: u32, #[comptime] bp: Blueprint) -> u32 {
        let digit = comptime!(bp.digit(0));
        let row = bucket & comptime!(digit.place_rows() - 1);
        (self.counters[(row * comptime!(bp.counter_row())) as usize] >> (position(bucket, digit) & 16)) & 0xffff
    }
}

/// A group of a unit's keys. All are read before anything else is done: a compiler cannot tell that what is written in
/// between is not among them.
#[cube]
fn group_of<K: CubePrimitive>(keys: &SharedMemory<K>, first: u32, #[comptime] bp: Blueprint) -> Sequence<K> {
    let mut group = Sequence::<K>::new();
    #[unroll]
    for e in 0..comptime!(bp.group()) {
        group.push(keys[(apart(first) + e) as usize]);
    }
    group
}

/// What a pass sorts keys by.
#[cube]
fn digits<F: BucketFn>(keys: &Sequence<F::Key>, f: &F, m: u32, #[comptime] pass: Pass) -> Sequence<u32> {
    let (bp, digit) = comptime!((pass.bp, pass.digit()));
    let mut digits = Sequence::<u32>::new();
    #[unroll]
    for e in 0..comptime!(bp.group()) {
        let bucket = bucket_of::<F>(f, keys[comptime!(e as usize)], m);
        if comptime!(bp.passes() == 1) {
            digits.push(bucket);
        } else {
            digits.push((bucket >> digit.shift) & comptime!(digit.values() - 1));
        }
    }
    digits
}

/// A digit scaled to 32 values: multiples of 8 are its byte in a word of counters, of 16 its half in a word of places.
#[cube]
fn position(value: u32, #[comptime] digit: Digit) -> u32 {
    if comptime!(digit.bits <= 5) {
        value << comptime!(5u32.saturating_sub(digit.bits))
    } else {
        value >> comptime!(digit.bits.saturating_sub(5))
    }
}

/// Bytes 0 and 2 as halves of a word.
#[cube]
fn even_bytes(word: u32) -> u32 {
    word & 0x00ff_00ff
}

/// The `i`-th of the consecutive counters that this unit adds up.
#[cube]
fn beside(#[comptime] i: u32, #[comptime] rows: u32, #[comptime] bp: Blueprint) -> u32 {
    let units = comptime!(bp.units());
    let first = UNIT_POS_X * rows;
    if comptime!(units.is_multiple_of(rows) && rows <= 32) {
        // All in one row and one group of 32, since there are a power of two of them.
        first / units * comptime!(bp.counter_row()) + apart(first % units) + i
    } else {
        (first + i) / units * comptime!(bp.counter_row()) + apart((first + i) % units)
    }
}
