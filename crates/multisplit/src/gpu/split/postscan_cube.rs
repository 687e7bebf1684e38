//! Postscan of block-level multisplit: the whole cube reorders one large tile.
//!
//! Larger tiles mean longer runs per bucket and better coalescing, for any number of buckets.
//!
//! All tiles are full. The last one ends where the input does, so that it may have keys that the one before has too.
//! Both write them to the same places.

use crate::gpu::function::AnyFn;
use crate::gpu::key::KeyWidth;
use crate::gpu::primitives::bucket_id::bucket_of;
use crate::gpu::primitives::bucket_runs::{BucketRuns, fetch_bounds, in_charge, runs};
use crate::gpu::primitives::cube;
use crate::gpu::primitives::elements::{Rows, write_out, write_unroll};
use crate::gpu::primitives::next_digit::NextDigit;
use crate::gpu::primitives::plane_check::wrong_plane_size;
use crate::gpu::primitives::rank_counters::{Counters, counters};
use crate::gpu::primitives::sizes::{Part, Sizes};
use crate::gpu::primitives::tile_pipeline::{TilePipeline, load_ahead, pipeline};
use crate::gpu::primitives::tile_scheduler::{scheduler, tile_of};
use crate::gpu::primitives::tile_sort::sort_tile;
use crate::gpu::tuning::blueprint::Blueprint;
use cubecl::prelude::*;

/// Keys that a unit counts at once, of those that are in two tiles.
const fn overlap_unroll(bp: Blueprint) -> u32 {
    bp.unroll(4)
}

/// `totals` also holds the numbers that cubes draw.
#[cube(launch_unchecked, address_type = "dynamic")]
pub(crate) fn postscan_cube(
    _width: &KeyWidth,
    from: &Rows,
    to: &mut Rows,
    g: &Array<u32>,
    totals: &Array<Atomic<u32>>,
    result: &mut Array<u32>,
    next_digit: &mut NextDigit,
    f: &AnyFn,
    sizes: &Sizes,
    #[comptime] bp: Blueprint,
) {
    if wrong_plane_size(result, sizes.m, bp) {
        terminate!();
    }
    let mut pipeline = pipeline(bp);
    let mut counters = counters(bp);
    counters.clear(bp);
    let mut scheduler = scheduler(totals, sizes);
    let mut runs = runs(totals, result, sizes, bp);
    let mut number = scheduler.number();
    let first = tile_of(number, sizes.chunks);
    let overlap = sizes.overlap(first);
    let comes = number < sizes.chunks;
    if comes {
        pipeline.bring_first(from, sizes.tile(first), overlap == 0, bp);
    }
    let bounds = fetch_bounds(g, first, sizes, bp);
    let second = scheduler.draw(totals, sizes);
    pipeline.wait(comes, bp);
    cube::sync(bp);
    let bounds = bounds.extended_by(&count_overlap(f, &pipeline, &mut counters, overlap, sizes.m, bp), bp);
    let lengths = runs.approach(&bounds, first, sizes, bp);
    scheduler.announce(second);
    cube::sync(bp);
    runs.enter(&bounds, &lengths, sizes, bp);
    cube::sync(bp);
    while number < sizes.chunks {
        let here = sizes.tile(tile_of(number, sizes.chunks));
        number = scheduler.number();
        let index = tile_of(number, sizes.chunks);
        let next = sizes.tile(index);
        let comes = number < sizes.chunks;
        if comes {
            pipeline.copy_ahead(from, next, bp);
        }
        sort_tile(f, &mut pipeline, &mut counters, here, sizes.m, true, bp);
        let following = scheduler.draw(totals, sizes);
        let bounds = fetch_bounds(g, index, sizes, bp);
        // If no tile follows, this one stands in.
        let start = select(comes, next.start, here.start);
        let loaded = load_ahead(from, Part { start, len: here.len }, bp);
        counters.clear(bp);
        write_tile(to, next_digit, f, &pipeline, &runs, here.len, sizes.m, bp);
        pipeline.go_on(&loaded, comes, bp);
        let lengths = runs.approach(&bounds, index, sizes, bp);
        scheduler.announce(following);
        cube::sync(bp);
        runs.enter(&bounds, &lengths, sizes, bp);
    }
}

/// Counts the first `overlap` keys of the tile, for each of this unit's buckets. The counters must be clear, and are
/// again; wait before they are used.
#[cube]
fn count_overlap(
    f: &AnyFn,
    pipeline: &TilePipeline,
    counters: &mut Counters,
    overlap: u32,
    m: u32,
    #[comptime] bp: Blueprint,
) -> Sequence<u32> {
    let mut place = UNIT_POS_X;
    while place < overlap {
        let mut buckets = Sequence::<u32>::new();
        #[unroll]
        for e in 0..comptime!(overlap_unroll(bp)) {
            let at = (place + comptime!(e * bp.units())).min(overlap - 1);
            buckets.push(bucket_of(f, pipeline.keys[at as usize], m, bp));
        }
        #[unroll]
        for e in 0..comptime!(overlap_unroll(bp)) {
            if place + comptime!(e * bp.units()) < overlap {
                counters.add(buckets[comptime!(e as usize)], bp);
            }
        }
        place += comptime!(overlap_unroll(bp) * bp.units());
    }
    if overlap > 0 {
        cube::sync(bp);
    }
    let mut counts = Sequence::<u32>::new();
    #[unroll]
    for q in 0..comptime!(bp.buckets_per_unit()) {
        let bucket = in_charge(q, bp);
        let mut count = 0u32;
        if overlap > 0 && bucket < m {
            count = counters.sum(bucket, bp);
        }
        counts.push(count);
    }
    if overlap > 0 {
        cube::sync(bp);
        counters.clear(bp);
    }
    counts
}

/// Writes a sorted tile to the output: neighbours in the tile are neighbours there.
///
/// The number of rounds is a run-time value, so that NVRTC does not unroll the loop, which takes it a tenth of its
/// time. Passes of a sort that leave ids for the next are unrolled: those of 8-byte keys took 5 % longer without, on an
/// H200.
#[cube]
fn write_tile(
    to: &mut Rows,
    next_digit: &mut NextDigit,
    f: &AnyFn,
    sorted: &TilePipeline,
    runs: &BucketRuns,
    len: u32,
    m: u32,
    #[comptime] bp: Blueprint,
) {
    let first = sorted.first(bp);
    let count = comptime!(write_unroll(bp));
    let round = comptime!(count * bp.units());
    let rounds = if comptime!(bp.leaves_ids) { comptime!(bp.items / count).runtime() } else { len / round };
    for i in 0..rounds {
        let place = UNIT_POS_X + i * round;
        write_some(to, next_digit, f, sorted, runs, first, place, m, count, bp);
    }
    let place = UNIT_POS_X + comptime!(bp.items / count * round);
    write_some(to, next_digit, f, sorted, runs, first, place, m, comptime!(bp.items % count), bp);
}

/// Writes a few elements of a sorted tile that begins at `first`, of which this unit's first is at `place`.
#[cube]
fn write_some(
    to: &mut Rows,
    next_digit: &mut NextDigit,
    f: &AnyFn,
    sorted: &TilePipeline,
    runs: &BucketRuns,
    first: u32,
    place: u32,
    m: u32,
    #[comptime] count: u32,
    #[comptime] bp: Blueprint,
) {
    let first = (first + place) as usize;
    #[unroll]
    for j in 0..count {
        let at = first + comptime!((j * bp.units()) as usize);
        let key = sorted.keys[at];
        let position = runs.position(bucket_of(f, key, m, bp), place + comptime!(j * bp.units())) as usize;
        write_out(key, &sorted.tiles, at, to, position, bp);
        next_digit.leave(key, position, bp);
    }
}
