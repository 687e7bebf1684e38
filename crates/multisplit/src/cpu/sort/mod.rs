//! Sort: one split by the highest bits, then every bucket by itself, in the cache.
//!
//! Splits from the lowest digit to the highest, as GPUs do them, would read and write all rows once for each digit, and
//! memory is what a CPU waits for. So only the first split goes through memory ([`super::split`], by all threads); its
//! buckets fit the second-level cache, where threads sort one each ([`in_cache`]). A bucket that does not fit is split
//! again.
//!
//! A bucket moves to a room and back. Neighbouring buckets are a batch of one thread and use the same room, which stays
//! in the cache: rooms of their own would have to be read from memory and written back.
//!
//! Bits in which no two keys differ are not sorted by, whether at the ends of the key ([`trim`]) or, in a bucket, as a
//! whole digit.

mod batches;
mod differing_bits;
mod in_cache;
mod lsd;
mod rank;
mod rows;

pub(crate) use differing_bits::differing_bits;
pub(crate) use rows::{Carried, DoubleSlice, Input, Rows, Source, fill_index};

use super::{Column, Scratch};
use crate::bucket::key::Key;
use crate::error::Result;
use crate::memory::allocate;
use crate::memory::buffer::Side;
use crate::request::order::Order;
use batches::Batch;
use bytemuck::cast_slice;
use differing_bits::trim;
use lsd::Counters;
use rank::{Bits, Float, Ranking, is_float};
use rayon::prelude::*;

/// Inputs of at most this many rows are sorted by one thread.
const FEW_ROWS: usize = 1 << 15;

/// A bucket's rows and the room for them take at most this much: about what the second-level cache holds.
const CACHE_BYTES: usize = 5 << 19;

/// Buckets that a split makes at least, and rows that they should have if there are more of them: the passes within
/// fewer rows are not faster, and a split into fewer buckets is.
const MIN_BUCKETS: usize = 1 << 4;
const BUCKET_ROWS: usize = 1 << 12;

/// Batches for each thread, so that a thread that is held up can leave some to the others.
const BATCHES_PER_THREAD: usize = 4;

/// The sorts of keys of one kind, each in a module of its name. They are compiled in this crate, not in each one that
/// sorts.
macro_rules! sorts {
    ($($name:ident $Bits:ty),*) => {$(
        mod $name {
            use super::*;

            #[inline(never)]
            pub(super) fn sort_from(
                by: Ranking,
                keys: &[$Bits],
                values: &[Source<'_>],
                rows: Rows<'_, $Bits>,
                scratch: &mut Scratch,
            ) -> Result<()> {
                sort_bits_from(by, keys, values, rows, scratch)
            }

            #[inline(never)]
            pub(super) fn sort_between(by: Ranking, rows: Rows<'_, $Bits>, scratch: &mut Scratch) -> Result<Side> {
                sort_bits_between(by, rows, scratch)
            }
        }
    )*};
}
sorts!(u8s u8, u16s u16, f16s Float<u16>, u32s u32, f32s Float<u32>, u64s u64, f64s Float<u64>);

/// Sorts the input into `rows.data`. The room may be missing if there is one digit only.
pub(crate) fn sort_from<K: Key>(
    order: Order,
    from: &Input<'_, K>,
    rows: Rows<'_, K>,
    scratch: &mut Scratch,
) -> Result<()> {
    let (by, keys) = (Ranking::of::<K>(order), from.keys);
    match (size_of::<K>(), is_float::<K>()) {
        (1, _) => u8s::sort_from(by, cast_slice(keys), &from.values, rows.cast(), scratch),
        (2, false) => u16s::sort_from(by, cast_slice(keys), &from.values, rows.cast(), scratch),
        (2, true) => f16s::sort_from(by, cast_slice(keys), &from.values, rows.cast(), scratch),
        (4, false) => u32s::sort_from(by, cast_slice(keys), &from.values, rows.cast(), scratch),
        (4, true) => f32s::sort_from(by, cast_slice(keys), &from.values, rows.cast(), scratch),
        (_, false) => u64s::sort_from(by, cast_slice(keys), &from.values, rows.cast(), scratch),
        (_, true) => f64s::sort_from(by, cast_slice(keys), &from.values, rows.cast(), scratch),
    }
}

/// Sorts `rows.data`, into itself or into the room, and says which.
pub(crate) fn sort_between<K: Key>(order: Order, rows: Rows<'_, K>, scratch: &mut Scratch) -> Result<Side> {
    let by = Ranking::of::<K>(order);
    match (size_of::<K>(), is_float::<K>()) {
        (1, _) => u8s::sort_between(by, rows.cast(), scratch),
        (2, false) => u16s::sort_between(by, rows.cast(), scratch),
        (2, true) => f16s::sort_between(by, rows.cast(), scratch),
        (4, false) => u32s::sort_between(by, rows.cast(), scratch),
        (4, true) => f32s::sort_between(by, rows.cast(), scratch),
        (_, false) => u64s::sort_between(by, rows.cast(), scratch),
        (_, true) => f64s::sort_between(by, rows.cast(), scratch),
    }
}

fn sort_bits_from<B: Bits>(
    by: Ranking,
    keys: &[B],
    values: &[Source<'_>],
    mut rows: Rows<'_, B>,
    scratch: &mut Scratch,
) -> Result<()> {
    let by = trim(&by, keys);
    if by.order.count() <= 1 {
        return split(&by, keys, rows.columns_from(keys, values)?, scratch).map(drop);
    }
    if keys.len() <= FEW_ROWS {
        rows.fill(keys, values);
        in_cache::sort(&by, &mut rows, 0..keys.len(), Side::First, Side::First, &mut Counters::new());
        return Ok(());
    }
    let (top, rest) = by.cut_top(split_bits(&by, keys.len()));
    let offsets = split(&top, keys, rows.columns_from(keys, values)?, scratch)?;
    sort_buckets(&rest, rows, &offsets, Side::First, scratch)
}

fn sort_bits_between<B: Bits>(by: Ranking, mut rows: Rows<'_, B>, scratch: &mut Scratch) -> Result<Side> {
    let by = trim(&by, rows.keys.data);
    let n = rows.keys.data.len();
    if n <= FEW_ROWS || by.bits() == 0 {
        in_cache::sort(&by, &mut rows, 0..n, Side::First, Side::First, &mut Counters::new());
        return Ok(Side::First);
    }
    sort_large(&by, rows, Side::Second, scratch)?;
    Ok(Side::Second)
}

/// Sorts `rows.data` into itself (the first side) or the room (the second), by all threads.
fn sort_large<B: Bits>(by: &Ranking, mut rows: Rows<'_, B>, goal: Side, scratch: &mut Scratch) -> Result<()> {
    if by.bits() == 0 {
        rows.settle(&(0..rows.keys.data.len()), Side::First, goal);
        return Ok(());
    }
    let (top, rest) = by.cut_top(split_bits(by, rows.keys.data.len()));
    let (keys, columns) = rows.columns_across()?;
    let offsets = split(&top, keys, columns, scratch)?;
    sort_buckets(&rest, rows.swapped(), &offsets, goal.other(), scratch)
}

/// Sorts each bucket by what is left of the key.
fn sort_buckets<B: Bits>(
    by: &Ranking,
    mut rows: Rows<'_, B>,
    offsets: &[usize],
    goal: Side,
    scratch: &mut Scratch,
) -> Result<()> {
    if by.bits() == 0 {
        rows.settle(&(0..rows.keys.data.len()), Side::First, goal);
        return Ok(());
    }
    let most = CACHE_BYTES / (2 * rows.row_bytes());
    let batch_rows = rows.keys.data.len() / (rayon::current_num_threads() * BATCHES_PER_THREAD);
    let (batches, large) = rows.cut(offsets, most, batch_rows)?;
    let sort_batch = |counters: &mut Counters, batch| sort_batch(by, batch, goal, counters);
    batches.into_par_iter().try_for_each_init(Counters::new, sort_batch)?;
    for rows in large {
        sort_large(&trim(by, rows.keys.data), rows, goal, scratch)?;
    }
    Ok(())
}

/// Sorts one bucket after the other.
fn sort_batch<B: Bits>(by: &Ranking, batch: Batch<'_, '_, B>, goal: Side, counters: &mut Counters) -> Result<()> {
    let Batch { mut rows, offsets } = batch;
    for ends in offsets.windows(2) {
        let n = ends[1] - ends[0];
        // All have the same room, unless it is where they go.
        let mut bucket = match goal {
            Side::First => rows.take_first_data(n)?,
            Side::Second => rows.take_first(n)?,
        };
        in_cache::sort(by, &mut bucket, 0..n, Side::First, goal, counters);
    }
    Ok(())
}

/// How many bits to split n rows by.
fn split_bits(by: &Ranking, n: usize) -> u32 {
    by.order.most_bits().min((n / BUCKET_ROWS).max(MIN_BUCKETS).ilog2())
}

/// Splits by all bits of `by`, of which there are no more than a digit's; returns the offsets.
fn split<B: Bits>(by: &Ranking, keys: &[B], mut columns: Vec<Column<'_>>, scratch: &mut Scratch) -> Result<Vec<usize>> {
    let (digit, m) = (by.window(), 1 << by.bits());
    let mut offsets = allocate::filled(m as usize + 1, || 0)?;
    let (keys, f) = (super::Keys::of(keys), super::function::each_repeatable(move |key: B| digit.of(key) as u32));
    super::split::split(keys, &mut columns, m, &f, &mut offsets, scratch)?;
    Ok(offsets)
}
