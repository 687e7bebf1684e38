//! The sort of what fits the cache, on the calling thread.
//!
//! Among n random keys, the highest log2(n) bits and a few more tell almost all apart. So rows are sorted by that many
//! bits first, from the lowest digit to the highest ([`lsd`]), which takes two passes whatever the width of keys is.
//! (Bits that are the same in the first few keys do not count: text has three of them in each byte.)
//! Then a look at neighbours finds the *groups*: rows that agree in those bits, and are not in order yet. A small
//! group is sorted by insertion, and a larger one like all rows before, by the bits that are left.
//!
//! No row is sorted by the same bits twice, so that the passes over it are bounded by the bits of a key, whatever the
//! keys are. Rows that agree in all bits are one group that is in order.

use super::differing_bits::trim_few;
use super::lsd::{self, Counters};
use super::rank::{Bits, Ranking, Window};
use super::rows::{Rows, rotate_values};
use crate::memory::buffer::Side;
use std::ops::Range;

/// Groups of at most this many rows are sorted by insertion.
const FEW_ROWS: usize = 24;

/// Bits to sort by before insertion, beyond those that it takes to number the rows: one random key in ten or so then
/// agrees with another.
const SPARE_BITS: u32 = 3;

/// Sorts some rows of side `at` into side `goal`.
pub(super) fn sort<B: Bits>(
    by: &Ranking,
    rows: &mut Rows<'_, B>,
    range: Range<usize>,
    at: Side,
    goal: Side,
    counters: &mut Counters,
) {
    let keys = &rows.keys.side(at)[range.clone()];
    let (by, differing) = trim_few(by, keys);
    if by.bits() == 0 || first_inversion(by.window(), keys).is_none() {
        rows.settle(&range, at, goal);
    } else if range.len() <= FEW_ROWS {
        rows.settle(&range, at, goal);
        insert(by.window(), rows, range, goal);
    } else {
        let (top, digits) = first_digits(&by, differing, range.len());
        let at = lsd::sort(&top, digits, rows, &range, at, counters);
        rows.settle(&range, at, goal);
        if top.order.start > by.order.start {
            sort_groups(&by, &top, rows, range, goal, counters);
        }
    }
}

/// The highest bits, which tell most of n random keys apart, and how many digits they are sorted by. Bits that are the
/// same in the keys that were looked at count for nothing.
fn first_digits(by: &Ranking, differing: u64, n: usize) -> (Ranking, u32) {
    let rows = n.ilog2();
    let most = by.order.digit_bits.unwrap_or(lsd::MAX_DIGIT_BITS);
    // Counters take time as well: there are to be no more of them than rows.
    let most = most.min(rows).max(1);
    // Spare bits are no reason for one more pass.
    let digits = highest(differing, rows + 1, by.bits()).div_ceil(most).min(lsd::MAX_DIGITS);
    let bits = highest(differing, rows + 1 + SPARE_BITS, by.bits()).min(most * digits);
    (by.within(by.order.end - bits, by.order.end), digits)
}

/// How many of the highest of `all` bits have so many that differ: all, if there are not so many.
fn highest(differing: u64, wanted: u32, all: u32) -> u32 {
    (wanted..all).find(|bits| (differing >> (all - bits)).count_ones() >= wanted).unwrap_or(all)
}

/// Sorts the groups of rows that agree in the bits of `top`, by which they are sorted.
fn sort_groups<B: Bits>(
    by: &Ranking,
    top: &Ranking,
    rows: &mut Rows<'_, B>,
    range: Range<usize>,
    side: Side,
    counters: &mut Counters,
) {
    let (whole, prefix) = (by.window(), top.window());
    let rest = by.within(by.order.start, top.order.start);
    let mut start = range.start;
    loop {
        let keys = &rows.keys.side(side)[..range.end];
        let Some(inversion) = first_inversion(whole, &keys[start..]) else { return };
        let group = group_at(prefix, keys, start + inversion, start);
        start = group.end;
        if group.len() <= FEW_ROWS {
            insert(whole, rows, group, side);
        } else {
            sort(&rest, rows, group, side, side, counters);
        }
    }
}

/// The first row that comes before the one before it.
fn first_inversion<B: Bits>(window: Window, keys: &[B]) -> Option<usize> {
    let mut last = window.of(*keys.first()?);
    keys.iter().position(|&key| window.of(key) < std::mem::replace(&mut last, window.of(key)))
}

/// The rows around `at`, from `start` on, that agree in a window.
fn group_at<B: Bits>(prefix: Window, keys: &[B], at: usize, start: usize) -> Range<usize> {
    let same = |key: &&B| prefix.of(**key) == prefix.of(keys[at]);
    let before = keys[start..at].iter().rev().take_while(same).count();
    let after = keys[at..].iter().take_while(same).count();
    at - before..at + after
}

/// Sorts a few rows by insertion.
fn insert<B: Bits>(window: Window, rows: &mut Rows<'_, B>, range: Range<usize>, side: Side) {
    let keys = &mut rows.keys.side_mut(side)[range.clone()];
    for at in 1..keys.len() {
        let (key, rank, mut to) = (keys[at], window.of(keys[at]), at);
        while to > 0 && window.of(keys[to - 1]) > rank {
            keys[to] = keys[to - 1];
            to -= 1;
        }
        if to < at {
            keys[to] = key;
            rotate_values(&mut rows.values, range.start + to..=range.start + at, side);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::rows::{Carried, DoubleSlice};
    use super::*;
    use crate::request::order::Order;
    use test_support::Random;

    /// Sorts the inner rows of a table, from either side into either, and leaves the others alone.
    fn check(keys: &[u64], order: Order, at: Side, goal: Side) {
        let (n, by) = (keys.len(), Ranking::of::<u64>(order));
        let range = n / 8..n - n / 8;
        let index: Vec<[u8; 4]> = (0..n as u32).map(u32::to_ne_bytes).collect();
        let mut expected: Vec<usize> = range.clone().collect();
        expected.sort_by_key(|&i| by.window().of(keys[i]));

        let (mut keys_at, mut index_at) = ([keys.to_vec(), vec![7; n]], [index.clone(), vec![[7; 4]; n]]);
        if at == Side::Second {
            keys_at.reverse();
            index_at.reverse();
        }
        let ([data, room], [index_data, index_room]) = (&mut keys_at, &mut index_at);
        let column = Carried::Narrow(DoubleSlice { data: index_data, room: index_room });
        let mut rows = Rows { keys: DoubleSlice { data, room }, values: vec![column] };
        sort(&by, &mut rows, range.clone(), at, goal, &mut Counters::new());

        let side = usize::from(goal == Side::Second);
        let sorted: Vec<u64> = expected.iter().map(|&i| keys[i]).collect();
        let sorted_index: Vec<[u8; 4]> = expected.iter().map(|&i| index[i]).collect();
        assert_eq!(keys_at[side][range.clone()], sorted, "{n} keys");
        assert_eq!(index_at[side][range.clone()], sorted_index, "{n} keys");
        // Rows outside are as they were, on both sides.
        let outside = |i: &usize| !range.contains(i);
        let start = usize::from(at == Side::Second);
        assert!((0..n).filter(outside).all(|i| keys_at[start][i] == keys[i] && keys_at[1 - start][i] == 7));
        assert!((0..n).filter(outside).all(|i| index_at[start][i] == index[i] && index_at[1 - start][i] == [7; 4]));
    }

    #[test]
    fn bits_that_differ_count() {
        assert_eq!(highest(u64::MAX, 20, 64), 20);
        assert_eq!(highest(0x1f1f, 5, 13), 5);
        assert_eq!(highest(0x1f1f, 6, 13), 9);
        assert_eq!(highest(0x1f1f, 10, 13), 13);
        assert_eq!(highest(0x1f1f, 30, 13), 13);
        assert_eq!(highest(1, 1, 1), 1);
    }

    #[test]
    fn from_either_side_into_either() {
        let mut random = Random::new(1);
        let sides = [Side::First, Side::Second];
        let orders = [(0, 64, None), (5, 60, Some(4)), (8, 24, None), (30, 30, None)];
        for n in (0..80).chain([200, 1000, 5000]) {
            for common in [0, 16, 40, 56] {
                // Few different highest bits, and many different lowest ones.
                let mut key = || (random.next_u64() & 3) << 62 | random.next_u64() << common >> common;
                let keys: Vec<u64> = (0..n).map(|_| key()).collect();
                for (start, end, digit_bits) in orders {
                    let order = Order { start, end, digit_bits, descending: n % 2 == 1 };
                    sides.iter().for_each(|&at| sides.iter().for_each(|&goal| check(&keys, order, at, goal)));
                }
            }
        }
    }
}
