//! Sort: one split by the highest digit, then every bucket by itself, in the cache.
//!
//! Splits from the lowest digit to the highest, as GPUs do them, would read and write all rows once for each digit, and
//! memory is what a CPU waits for. So only the first split goes through memory ([`super::split`], by all threads); its
//! buckets fit the second-level cache, where threads sort one each from the lowest digit to the highest ([`lsd`]).
//! A bucket that does not fit is split again.
//!
//! Bits in which no two keys differ are not sorted by, whether at the ends of the key ([`trim`]) or, in a bucket, as a
//! whole digit.

mod differing_bits;
mod lsd;
mod rows;

pub(crate) use differing_bits::differing_bits;
pub(crate) use rows::{Carried, DoubleSlice, Input, Rows, Source, fill_index};

use super::{Column, Scratch};
use crate::bucket::BucketFn;
use crate::bucket::key::Key;
use crate::error::Result;
use crate::memory::allocate;
use crate::memory::buffer::Side;
use crate::request::order::Order;
use differing_bits::trim;
use rayon::prelude::*;

/// Inputs of at most this many rows are sorted by one thread.
const FEW_ROWS: usize = 1 << 15;

/// A bucket's rows and the room for them take at most this much: it should fit the second-level cache.
const CACHE_BYTES: usize = 2 << 20;

/// Sorts the input into `rows.data`. The room may be missing if there is one digit only.
pub(crate) fn sort_from<K: Key>(
    order: Order,
    from: &Input<'_, K>,
    mut rows: Rows<'_, K>,
    scratch: &mut Scratch,
) -> Result<()> {
    let order = trim(order, from.keys);
    if order.count() <= 1 {
        return split(order, from.keys, rows.columns_from(from)?, scratch).map(drop);
    }
    let few = from.keys.len() <= FEW_ROWS;
    let (rest, top) = order.top();
    // Rows go first to where the last of an even number of passes leaves them, too.
    let goal = after(if few { order.count() } else { rest.count() });
    if goal == Side::Second {
        rows = rows.swapped();
    }
    if few {
        rows.fill(from);
        return lsd::sort(order, rows, goal);
    }
    let offsets = split(top, from.keys, rows.columns_from(from)?, scratch)?;
    sort_buckets(rest, rows, &offsets, goal, scratch)
}

/// Sorts `rows.data`, into itself or into the room, and says which.
pub(crate) fn sort_between<K: Key>(order: Order, rows: Rows<'_, K>, scratch: &mut Scratch) -> Result<Side> {
    let order = trim(order, rows.keys.data);
    let (few, empty) = (rows.keys.data.len() <= FEW_ROWS, order.count() == 0);
    let goal = after(if few || empty { order.count() } else { 1 + order.top().0.count() });
    if few {
        lsd::sort(order, rows, goal)?;
    } else {
        sort_large(order, rows, goal, scratch)?;
    }
    Ok(goal)
}

/// The side that rows of the first are on after so many passes from one to the other.
fn after(passes: u32) -> Side {
    if passes.is_multiple_of(2) { Side::First } else { Side::Second }
}

/// Sorts `rows.data` into itself (the first side) or the room (the second), by all threads.
fn sort_large<K: Key>(order: Order, mut rows: Rows<'_, K>, goal: Side, scratch: &mut Scratch) -> Result<()> {
    if order.count() == 0 {
        rows.settle(goal);
        return Ok(());
    }
    let (rest, top) = order.top();
    let (keys, columns) = rows.columns_across()?;
    let offsets = split(top, keys, columns, scratch)?;
    sort_buckets(rest, rows.swapped(), &offsets, goal.other(), scratch)
}

/// Sorts each bucket by what is left of the key.
fn sort_buckets<K: Key>(
    order: Order,
    mut rows: Rows<'_, K>,
    offsets: &[usize],
    goal: Side,
    scratch: &mut Scratch,
) -> Result<()> {
    if order.count() == 0 {
        rows.settle(goal);
        return Ok(());
    }
    let most = CACHE_BYTES / (2 * rows.row_bytes());
    let (small, large) = rows.cut(offsets, most)?;
    small.into_par_iter().try_for_each(|rows| lsd::sort(order, rows, goal))?;
    for rows in large {
        sort_large(trim(order, rows.keys.data), rows, goal, scratch)?;
    }
    Ok(())
}

/// Splits by all bits of `order`, of which there are no more than a digit's; returns the offsets.
fn split<K: Key>(order: Order, keys: &[K], mut columns: Vec<Column<'_>>, scratch: &mut Scratch) -> Result<Vec<usize>> {
    let digit = order.function::<K>((order.start, order.end))?;
    let m = 1 << (order.end - order.start);
    let mut offsets = allocate::filled(m as usize + 1, || 0)?;
    let (keys, f) = (super::Keys::of(keys), super::each(|key: K| digit.bucket(key)));
    super::split::split(keys, &mut columns, m, &f, &mut offsets, scratch)?;
    Ok(offsets)
}
