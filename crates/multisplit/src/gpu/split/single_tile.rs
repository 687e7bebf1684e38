//! Block-level multisplit of what fits one tile: one cube, one launch, no H.
//!
//! The tile sorted by bucket is the output. What remains is to count the buckets, for the offsets. It may be all of the
//! input (here), or one of many segments ([`crate::gpu::segments::single_tile`]).

use crate::bucket::{BucketFn, BucketFnExpand};
use crate::gpu::primitives::cube;
use crate::gpu::primitives::elements::{Rows, write_out};
use crate::gpu::primitives::plane_check::lower_flag;
use crate::gpu::primitives::plane_check::wrong_plane_size;
use crate::gpu::primitives::rank_counters::counters;
use crate::gpu::primitives::shared_atomics::Words;
use crate::gpu::primitives::sizes::{Part, Sizes};
use crate::gpu::primitives::tile_pipeline::{load_tile, pipeline};
use crate::gpu::primitives::tile_sort::sort_tile;
use crate::gpu::tuning::blueprint::Blueprint;
use cubecl::prelude::*;

#[cube(launch_unchecked, address_type = "dynamic")]
pub(crate) fn split_tile<F: BucketFn>(
    from: &Rows<F::Key>,
    to: &mut Rows<F::Key>,
    result: &mut Array<u32>,
    f: &F,
    sizes: &Sizes,
    #[comptime] bp: Blueprint,
) {
    let (n, m) = (sizes.n, sizes.m);
    if wrong_plane_size(result, m, bp) {
        terminate!();
    }
    lower_flag(result, m);
    let counts = SharedMemory::<Atomic<u32>>::new(comptime!((bp.capacity() + 1) as usize));
    let whole = Part { start: 0u32.runtime(), len: n };
    split_part::<F>(from, to, result, &counts, f, whole, 0u32.runtime(), m, bp);
    if UNIT_POS_X == 0 {
        result[m as usize] = n;
        result[(m + 1) as usize] = counts[m as usize].load();
    }
}

/// Splits a part of the input, at most a tile and not empty, in its place. Where its buckets begin is written to
/// `result` from `place` on. `counts` are the cube's own, one more than there may be buckets; the last says how many
/// keys had no valid one.
#[cube]
pub(crate) fn split_part<F: BucketFn>(
    from: &Rows<F::Key>,
    to: &mut Rows<F::Key>,
    result: &mut Array<u32>,
    counts: &Words,
    f: &F,
    part: Part,
    place: u32,
    m: u32,
    #[comptime] bp: Blueprint,
) {
    let mut pipeline = pipeline::<F::Key>(bp);
    let mut counters = counters(bp);
    counters.clear(bp);
    let loaded = load_tile::<F::Key>(from, part, false, bp);
    pipeline.take_in(&loaded, bp);
    let mut bucket = UNIT_POS_X;
    while bucket <= m {
        counts[bucket as usize].store(0u32);
        bucket += comptime!(bp.units());
    }
    cube::sync(bp);
    count::<F>(&pipeline.keys, f, counts, part.len, m, bp);
    cube::sync(bp);
    write_offsets(result, counts, place, part.start, m, bp);
    sort_tile::<F>(f, &mut pipeline, &mut counters, part, m, false, bp);
    #[unroll]
    for j in 0..comptime!(bp.items) {
        let at = UNIT_POS_X + comptime!(j * bp.units());
        if at < part.len {
            let (at, position) = (at as usize, (part.start + at) as usize);
            write_out::<F::Key>(pipeline.keys[at], &pipeline.tiles, at, to, position, bp);
        }
    }
}

/// Counts the keys of each bucket, and those without a valid one.
#[cube]
pub(super) fn count<F: BucketFn>(
    keys: &SharedMemory<F::Key>,
    f: &F,
    counts: &Words,
    n: u32,
    m: u32,
    #[comptime] bp: Blueprint,
) {
    let mut place = UNIT_POS_X;
    while place < n {
        let id = f.bucket(keys[place as usize]);
        counts[id.min(m - 1) as usize].fetch_add(1u32);
        if id >= m {
            counts[m as usize].fetch_add(1u32);
        }
        place += comptime!(bp.units());
    }
}

/// Writes where the buckets of a part begin that itself does at `start`, from `place` on.
#[cube]
fn write_offsets(result: &mut Array<u32>, counts: &Words, place: u32, start: u32, m: u32, #[comptime] bp: Blueprint) {
    let mut sums = cube::plane_sums(bp);
    let first = UNIT_POS_X * comptime!(bp.buckets_per_unit());
    let mut entries = Sequence::<u32>::new();
    #[unroll]
    for q in 0..comptime!(bp.buckets_per_unit()) {
        let mut count = 0u32;
        if first + q < m {
            count = counts[(first + q) as usize].load();
        }
        entries.push(count);
    }
    let offsets = cube::starts_of(&entries, start + cube::exclusive_sum(cube::sum_of(&entries), &mut sums, bp));
    #[unroll]
    for q in 0..comptime!(bp.buckets_per_unit()) {
        if first + q < m {
            result[(place + first + q) as usize] = offsets[comptime!(q as usize)];
        }
    }
}
