//! The sort of what fits the cache, from the lowest digit to the highest.

use super::rows::{Carried, Rows};
use crate::bucket::key::Key;
use crate::bucket::{BucketFn, Digit};
use crate::cpu::plan::MAX_BUCKETS;
use crate::error::Result;
use crate::memory::buffer::Side;
use crate::request::order::Order;
use std::mem::swap;

type Counts = [u32; MAX_BUCKETS];

/// The most digits of a key: 64 bits, 4 at a time.
const MAX_DIGITS: usize = 16;

/// Sorts `rows.data` into itself (the first side) or the room (the second), on the calling thread.
///
/// The digits of all passes are counted in one go. One that is the same in all keys takes no pass.
pub(super) fn sort<K: Key>(order: Order, mut rows: Rows<'_, K>, goal: Side) -> Result<()> {
    let n = rows.keys.data.len();
    let mut digits = [order.function::<K>((order.start, order.start))?; MAX_DIGITS];
    let digits = &mut digits[..order.count() as usize];
    for (i, digit) in (0..).zip(&mut *digits) {
        *digit = order.function(order.digit(i))?;
    }
    let mut at = Side::First;
    if n > 1 {
        let mut counts = [[0; MAX_BUCKETS]; MAX_DIGITS];
        count(digits, rows.keys.data, &mut counts);
        let first = rows.keys.data[0];
        for (digit, counts) in digits.iter().zip(&counts) {
            if counts[digit.bucket(first) as usize] as usize != n {
                pass(digit, begins(*counts), &mut rows);
                at = at.other();
            }
        }
    }
    if at != goal {
        rows.settle(Side::Second);
    }
    Ok(())
}

fn count<K: Key>(digits: &[Digit<K>], keys: &[K], counts: &mut [Counts]) {
    // Few keys at a time, so that they are read from the first-level cache for each digit but the first.
    for keys in keys.chunks(1024) {
        for (&digit, counts) in digits.iter().zip(&mut *counts) {
            count_digit(digit, counts, keys);
        }
    }
}

/// The digit is a copy: behind a reference, its fields would be read again after every write. So it is in [`scatter`].
#[inline(never)]
fn count_digit<K: Key>(digit: Digit<K>, counts: &mut Counts, keys: &[K]) {
    keys.iter().for_each(|&key| counts[digit.bucket(key) as usize % MAX_BUCKETS] += 1);
}

/// Where each digit's rows begin.
fn begins(mut counts: Counts) -> Counts {
    let mut sum = 0;
    for count in &mut counts {
        sum += std::mem::replace(count, sum);
    }
    counts
}

/// Moves all rows to the other side, values first: they go where their keys will.
fn pass<K: Key>(digit: &Digit<K>, begins: Counts, rows: &mut Rows<'_, K>) {
    let keys = &mut rows.keys;
    for column in &mut rows.values {
        match column {
            Carried::Narrow(sides) => {
                scatter(*digit, begins, keys.data, sides.data, sides.room);
                swap(&mut sides.data, &mut sides.room);
            }
            Carried::Wide(sides) => {
                scatter(*digit, begins, keys.data, sides.data, sides.room);
                swap(&mut sides.data, &mut sides.room);
            }
        }
    }
    scatter(*digit, begins, keys.data, keys.data, keys.room);
    swap(&mut keys.data, &mut keys.room);
}

/// A function of its own, so that all its variables live in registers.
#[inline(never)]
fn scatter<K: Key, T: Copy>(digit: Digit<K>, mut next: Counts, keys: &[K], from: &[T], to: &mut [T]) {
    for (&key, &value) in keys.iter().zip(from) {
        let next = &mut next[digit.bucket(key) as usize % MAX_BUCKETS];
        if let Some(to) = to.get_mut(*next as usize) {
            *to = value;
        }
        *next += 1;
    }
}
