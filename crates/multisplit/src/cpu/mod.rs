//! The CPU back end: a stable split of a table's rows into at most 256 buckets.
//!
//! Three steps, named as in the GPU literature:
//!
//! 1. *prescan*: the rows are cut into chunks, and every chunk counts how many of its keys go to
//!    each bucket ([`prescan`]);
//! 2. *scan*: exclusive prefix sums over (bucket, chunk), bucket-major, give every chunk the place
//!    where its part of every bucket begins ([`scan`]);
//! 3. *postscan*: every chunk reads its keys again and moves its rows ([`postscan`]), through
//!    write-combining buffers so that memory sees whole cache lines ([`combine`]).
//!
//! The result is the one stable split there is, so it cannot depend on the number of threads.
//! Tables that fit in the first-level cache take a simpler way ([`direct`]).
//!
//! Bucket ids are computed in both passes rather than stored between them. Storing them would cost
//! a byte written and a byte read for each key and a buffer of n bytes; computing them again costs
//! a few vector instructions for any cheap bucket function. The price is that a careless bucket
//! function might answer differently the second time. Memory safety does not rest on it: a chunk
//! never writes outside the ranges that the scan gave it, so such a function gets a table in which
//! some rows are missing, and nothing worse.

mod combine;
#[cfg(target_arch = "x86_64")]
mod compress;
mod direct;
mod ids;
mod place;
mod plan;
mod postscan;
mod prescan;
mod scan;
mod scratch;
mod simd;
mod stream;
mod table;
#[cfg(test)]
mod tests;
mod typed;

pub(crate) use scratch::Scratch;
pub(crate) use table::Column;

use plan::Plan;
use rayon::prelude::*;
use scratch::Chunk;
use simd::Level;
use table::Shared;

/// The most buckets this back end knows: ids are bytes inside it.
pub(crate) const MAX_BUCKETS: usize = 256;

/// Splits the rows stably into `m` buckets (1 ..= 256) by `bucket(key)`.
///
/// `keys` are only read; to move them, pass them as a column as well. Every column has
/// `keys.len()` rows. `offsets` has `m + 1` entries and receives the bucket boundaries. Returns
/// how many keys had `bucket(key) >= m`; those go to bucket `m - 1`.
///
/// `bucket` must be a function of the key alone: it is called more than once for each key, from
/// several threads, in no particular order.
pub(crate) fn split<K: Copy + Send + Sync>(
    keys: &[K],
    columns: &mut [Column<'_>],
    m: u32,
    bucket: impl Fn(K) -> u32 + Sync,
    offsets: &mut [usize],
    scratch: &mut Scratch,
) -> u64 {
    split_at(Level::detect(), keys, columns, m, bucket, offsets, scratch)
}

/// [`split`] with a given set of vector instructions, so that tests can try each.
fn split_at<K: Copy + Send + Sync>(
    level: Level,
    keys: &[K],
    columns: &mut [Column<'_>],
    m: u32,
    bucket: impl Fn(K) -> u32 + Sync,
    offsets: &mut [usize],
    scratch: &mut Scratch,
) -> u64 {
    let m = (m as usize).clamp(1, MAX_BUCKETS);
    debug_assert_eq!(offsets.len(), m + 1);
    debug_assert!(columns.iter().all(|column| column.rows() == keys.len()));
    // Changes nothing for a caller who keeps the promise about lengths.
    let n = columns.iter().fold(keys.len(), |n, c| n.min(c.rows()));
    let keys = &keys[..n];

    let plan = Plan::new(n, m, columns.len(), rayon::current_num_threads(), level);
    if plan.direct() {
        return direct::split(keys, columns, m, bucket, offsets);
    }
    let chunks = scratch.lend(&plan);
    for_each_chunk(chunks, |index, chunk| {
        let keys = &keys[plan.rows_of(index)];
        level.run(prescan::Count { keys, m, bucket: &bucket, chunk });
    });
    scan::scan(chunks, m, offsets);

    let columns: Vec<Shared<'_>> = columns.iter_mut().map(|c| c.share(n)).collect();
    for_each_chunk(chunks, |index, chunk| {
        let rows = plan.rows_of(index);
        let (plan, columns, bucket) = (&plan, &columns[..], &bucket);
        // SAFETY: each chunk of this split is scattered once, right after the scan of exactly
        // these chunks, whose counts add up to the n rows that every column has.
        let scatter = unsafe { postscan::Scatter::new(keys, rows, columns, plan, bucket, chunk) };
        level.run(scatter);
    });
    chunks.iter().map(|chunk| chunk.strays).sum()
}

/// Runs `work` on every chunk; a lone chunk stays on the calling thread, so that a small split
/// never waits for a worker to wake up.
fn for_each_chunk(chunks: &mut [Chunk], work: impl Fn(usize, &mut Chunk) + Sync) {
    match chunks {
        [only] => work(0, only),
        _ => chunks.par_iter_mut().enumerate().for_each(|(index, chunk)| work(index, chunk)),
    }
}
