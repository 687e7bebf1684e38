//! A stable split into at most 256 buckets.
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
//! The bucket ids are stored between the passes, a byte for each row. Computing them again would
//! need no memory, but even for a multiplication and a shift it takes longer than writing and
//! reading them (5 to 10 % of the split of 2^24 keys of 4 bytes; with a binary search, splits took twice as long), it
//! may be any slow function for all we know, and a careless one might answer differently the second time. Memory
//! safety rests on nothing that the caller supplies.
//!
//! Keys of 4 bytes alone are computed again after all where the function is this crate's and cheap, and where the
//! memory for ids would be new: to have it cleared takes as long. So such splits, and sorts, take little more memory
//! than their input and output.

#[cfg(target_arch = "x86_64")]
mod block_counter;
mod combine;
#[cfg(target_arch = "x86_64")]
mod compress;
pub(super) mod direct;
mod ids;
#[cfg(target_arch = "x86_64")]
mod one_hot;
mod outlet;
#[cfg(target_arch = "x86_64")]
mod pack;
mod place;
#[cfg(target_arch = "x86_64")]
mod planes;
mod postscan;
pub(super) mod prescan;
mod scan;

use super::function::{Function, Keys};
use super::plan::{ChunkPlan, MAX_BUCKETS};
use super::primitives::simd::Level;
use super::scratch::{Chunk, Scratch};
use super::table::{Column, Shared};
use crate::error::Result;
use postscan::Ids;
use rayon::prelude::*;
use std::ops::Range;

/// Splits the rows stably into `m` buckets (1 ..= 256) by `f`.
///
/// `keys` are only read; to move them, pass them as a column as well. Every column has
/// `keys.len()` rows. `offsets` has `m + 1` entries and receives the bucket boundaries. Returns
/// how many keys had an id of `m` or more; those go to bucket `m - 1`.
///
/// `f` is called from several threads, in no particular order, and once for each key; where
/// keys are out of range, it is called once more to count them. Nothing is written if memory runs out.
pub(super) fn split(
    keys: Keys<'_>,
    columns: &mut [Column<'_>],
    m: u32,
    f: &dyn Function,
    offsets: &mut [usize],
    scratch: &mut Scratch,
) -> Result<u64> {
    split_at(Level::detect(), keys, columns, m, f, offsets, scratch)
}

/// [`split`] with a given set of vector instructions, so that tests can try each.
pub(super) fn split_at(
    level: Level,
    keys: Keys<'_>,
    columns: &mut [Column<'_>],
    m: u32,
    f: &dyn Function,
    offsets: &mut [usize],
    scratch: &mut Scratch,
) -> Result<u64> {
    let m = (m as usize).clamp(1, MAX_BUCKETS);
    debug_assert_eq!(offsets.len(), m + 1);
    debug_assert!(columns.iter().all(|column| column.rows() == keys.len()));
    // Changes nothing for a caller who keeps the promise about lengths.
    let n = columns.iter().fold(keys.len(), |n, c| n.min(c.rows()));
    let keys = keys.range(0..n);

    let plan = ChunkPlan::new(n, m, columns.len(), rayon::current_num_threads(), level);
    if plan.direct() {
        return Ok(direct::split(level, keys, columns, 0..n, m, f, offsets, &mut direct::DirectScratch::new()));
    }
    let (chunks, mut ids) = scratch.chunks(&plan, f.is_repeatable() && is_narrow(columns))?;
    let columns: Vec<Shared<'_>> = crate::memory::allocate::collect(columns.iter_mut().map(|c| c.share(n)))?;
    for_each_chunk(&plan, chunks, ids.as_deref_mut(), &|rows, chunk, ids| {
        level.run(prescan::Count { f, keys: keys.range(rows), ids, m, level, chunk });
    });
    scan::scan(chunks, m, offsets);

    for_each_chunk(&plan, chunks, ids, &|rows, chunk, ids| {
        let ids = ids.map_or_else(|| Ids::Computed(f, keys.range(rows.clone())), |ids| Ids::Stored(ids));
        // SAFETY: stored ids are from the prescan, which leaves none above m - 1. Each chunk of this
        // split is scattered once, right after the scan of exactly these chunks, whose counts add
        // up to the n rows that every column has.
        let scatter = unsafe { postscan::Scatter::new(ids, rows, &columns, &plan, chunk) };
        level.run(scatter);
    });
    Ok(chunks.iter().map(|chunk| chunk.out_of_range).sum())
}

/// Whether rows are so narrow that an id for each would be more than a tenth of the input and the output.
fn is_narrow(columns: &[Column<'_>]) -> bool {
    matches!(columns, [only] if only.width() <= 4)
}

/// What is done with the rows of a chunk, and with their ids.
type Work<'a> = &'a (dyn Fn(Range<usize>, &mut Chunk, Option<&mut [u8]>) + Sync);

/// Runs `work` on every chunk with its rows and their ids, if there are any; a lone chunk stays on the calling
/// thread, so that a small split never waits for a worker to wake up.
fn for_each_chunk(plan: &ChunkPlan, chunks: &mut [Chunk], ids: Option<&mut [u8]>, work: Work<'_>) {
    match (chunks, ids) {
        ([only], ids) => work(plan.rows_of(0), only, ids),
        (chunks, Some(ids)) => chunks
            .par_iter_mut()
            .zip(ids.par_chunks_mut(plan.chunk_rows))
            .enumerate()
            .for_each(|(index, (chunk, ids))| work(plan.rows_of(index), chunk, Some(ids))),
        (chunks, None) => {
            let each = |(index, chunk)| work(plan.rows_of(index), chunk, None);
            chunks.par_iter_mut().enumerate().for_each(each);
        }
    }
}
