//! Passes in the cache, from the lowest digit to the highest.

use super::rank::{Bits, Ranking, Window};
use super::rows::{Carried, DoubleSlice, Rows};
use crate::cpu::primitives::prefetch;
use crate::memory::buffer::Side;
use std::ops::Range;

/// The most bits of a digit. A line of the output for each of its values is more than the first-level cache holds; but
/// 2^16 rows have 20 bits to be sorted by, and a third pass takes longer.
pub(super) const MAX_DIGIT_BITS: u32 = 10;

/// The most digits that are counted in one go.
pub(super) const MAX_DIGITS: u32 = 8;

/// Keys that are counted at a time, so that they are read from the first-level cache for each digit but the first.
const FEW_KEYS: usize = 256;

const VALUES: usize = 1 << MAX_DIGIT_BITS;

/// Counters of each value of a digit.
type Counts = [u32; VALUES];

/// Counters of all digits, and those of the column that is moved. Their contents are left over from whatever came
/// before.
pub(super) struct Counters {
    digits: [Counts; MAX_DIGITS as usize],
    next: Counts,
}

impl Counters {
    pub(super) fn new() -> Self {
        Self { digits: [[0; VALUES]; MAX_DIGITS as usize], next: [0; VALUES] }
    }
}

/// Sorts some rows of side `at` by so many digits: at most [`MAX_DIGITS`], of at most [`MAX_DIGIT_BITS`] bits each.
/// Returns the side where they are then.
///
/// The digits of all passes are counted in one go. One that is the same in all keys takes no pass.
pub(super) fn sort<B: Bits>(
    by: &Ranking,
    digits: u32,
    rows: &mut Rows<'_, B>,
    range: &Range<usize>,
    mut at: Side,
    counters: &mut Counters,
) -> Side {
    let keys = &rows.keys.side(at)[range.clone()];
    let Some(&first) = keys.first() else { return at };
    let Counters { digits: counts, next } = counters;
    let windows: [Window; MAX_DIGITS as usize] = std::array::from_fn(|i| by.digit(i as u32, digits));
    let digits = &windows[..digits as usize];
    for (digit, counts) in digits.iter().zip(&mut *counts) {
        counts[..digit.values()].fill(0);
    }
    for keys in keys.chunks(FEW_KEYS) {
        prefetch::fetch(keys, prefetch::DISTANCE);
        for (&digit, counts) in digits.iter().zip(&mut *counts) {
            count(digit, counts, keys);
        }
    }
    for (&digit, counts) in digits.iter().zip(counts) {
        if counts[digit.of(first) as usize % VALUES] as usize != range.len() {
            prefix_sums(&mut counts[..digit.values()]);
            pass(digit, counts, next, rows, range, at);
            at = at.other();
        }
    }
    at
}

/// The digit is a copy: behind a reference, its fields would be read again after every write. So it is in [`scatter`].
#[inline(never)]
fn count<B: Bits>(digit: Window, counts: &mut Counts, keys: &[B]) {
    keys.iter().for_each(|&key| counts[digit.of(key) as usize % VALUES] += 1);
}

/// Turns counts into where each value's rows begin.
fn prefix_sums(counts: &mut [u32]) {
    let mut sum = 0;
    for count in counts {
        sum += std::mem::replace(count, sum);
    }
}

/// Moves rows from side `at` to the other, values first: they go where their keys will.
fn pass<B: Bits>(
    digit: Window,
    begins: &mut Counts,
    next: &mut Counts,
    rows: &mut Rows<'_, B>,
    range: &Range<usize>,
    at: Side,
) {
    for column in &mut rows.values {
        next[..digit.values()].copy_from_slice(&begins[..digit.values()]);
        let keys = &rows.keys.side(at)[range.clone()];
        match column {
            Carried::Narrow(sides) => move_column(digit, next, keys, sides, range, at),
            Carried::Wide(sides) => move_column(digit, next, keys, sides, range, at),
        }
    }
    let (from, to) = rows.keys.toward_other(at, range);
    scatter(digit, begins, from, from, to);
}

fn move_column<B: Bits, T: Copy + Send + Sync>(
    digit: Window,
    next: &mut Counts,
    keys: &[B],
    sides: &mut DoubleSlice<'_, T>,
    range: &Range<usize>,
    at: Side,
) {
    let (from, to) = sides.toward_other(at, range);
    scatter(digit, next, keys, from, to);
}

/// A function of its own, so that all its variables live in registers.
#[inline(never)]
fn scatter<B: Bits, T: Copy>(digit: Window, next: &mut Counts, keys: &[B], from: &[T], to: &mut [T]) {
    for (&key, &value) in keys.iter().zip(from) {
        let next = &mut next[digit.of(key) as usize % VALUES];
        if let Some(to) = to.get_mut(*next as usize) {
            *to = value;
        }
        *next += 1;
    }
}
