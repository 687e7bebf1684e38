//! Postscan of block-level multisplit by stored bucket ids, for functions that take long.
//!
//! What is sorted is a word per element: its bucket id, and its place in the tile as it came. Keys and values stay
//! where they are until they are written, so that there need be room for one tile only: they come while their words
//! are sorted. The ids of the next tile come as soon as those of this one are in registers.

use crate::gpu::key::KeyWidth;
use crate::gpu::primitives::bucket_runs::{BucketRuns, fetch_bounds, runs};
use crate::gpu::primitives::cube;
use crate::gpu::primitives::elements::{Rows, write_out, write_unroll};
use crate::gpu::primitives::plane_check::wrong_plane_size;
use crate::gpu::primitives::rank_counters::{Counters, counters};
use crate::gpu::primitives::sizes::{Part, Sizes};
use crate::gpu::primitives::stored_ids::{StoredIds, stored_ids};
use crate::gpu::primitives::tile::{first_owned, owned};
use crate::gpu::primitives::tile_pipeline::{TilePipeline, pipeline};
use crate::gpu::primitives::tile_scheduler::{scheduler, tile_of};
use crate::gpu::primitives::tile_sort::digit_of;
use crate::gpu::tuning::blueprint::Blueprint;
use cubecl::prelude::*;

/// Where the id begins in a word; places in a tile have fewer bits.
const ID_SHIFT: u32 = 16;

/// `ids` are those that the prescan stored. `totals` also holds the numbers that cubes draw.
#[cube(launch_unchecked, address_type = "dynamic")]
pub(crate) fn postscan_stored_ids(
    _width: &KeyWidth,
    ids: &Array<u32>,
    from: &Rows,
    to: &mut Rows,
    g: &Array<u32>,
    totals: &Array<Atomic<u32>>,
    result: &mut Array<u32>,
    sizes: &Sizes,
    #[comptime] bp: Blueprint,
) {
    if wrong_plane_size(result, sizes.m, bp) {
        terminate!();
    }
    let mut stored = stored_ids(bp);
    let mut words = SharedMemory::<u32>::new_aligned(comptime!(bp.tile() as usize), cube::ALIGN);
    let mut pipeline = pipeline(comptime!(bp.without_permutation()));
    let mut counters = counters(bp);
    counters.clear(bp);
    let mut scheduler = scheduler(totals, sizes);
    let mut runs = runs(totals, result, sizes, bp);
    let mut number = scheduler.number();
    // Chunks are tiles.
    let first = tile_of(number, sizes.chunks);
    if number < sizes.chunks {
        stored.bring(ids, sizes.chunk(first), bp);
    }
    let bounds = fetch_bounds(g, first, sizes, bp);
    let second = scheduler.draw(totals, sizes);
    let lengths = runs.approach(&bounds, first, sizes, bp);
    cube::sync(bp);
    scheduler.announce(second);
    runs.enter(&bounds, &lengths, sizes, bp);
    cube::sync(bp);
    while number < sizes.chunks {
        let here = sizes.chunk(tile_of(number, sizes.chunks));
        number = scheduler.number();
        let next = tile_of(number, sizes.chunks);
        pipeline.bring(from, here, comptime!(bp.without_permutation()));
        stored.wait(bp);
        let own = words_of(&stored, here.len, bp);
        let counted = count(&own, &counters, 0u32.runtime(), bp);
        cube::sync(bp);
        if number < sizes.chunks {
            stored.bring(ids, sizes.chunk(next), bp);
        }
        finish(&own, &counted, &mut words, &mut counters, bp);
        let following = scheduler.draw(totals, sizes);
        let bounds = fetch_bounds(g, next, sizes, bp);
        counters.clear(bp);
        pipeline.wait(true.runtime(), bp);
        write_tile(to, &pipeline, &words, &runs, here, bp);
        pipeline.turn_over();
        let lengths = runs.approach(&bounds, next, sizes, bp);
        scheduler.announce(following);
        cube::sync(bp);
        runs.enter(&bounds, &lengths, sizes, bp);
    }
}

/// The words of the elements that this unit owns.
#[cube]
fn words_of(stored: &StoredIds, len: u32, #[comptime] bp: Blueprint) -> Sequence<u32> {
    let own = stored.owned(bp);
    let mut words = Sequence::<u32>::new();
    #[unroll]
    for j in 0..comptime!(bp.items) {
        let place = first_owned(bp) + j;
        // What is beyond the end of the input comes last, in every pass, and is not written.
        let id = select(place < len, own[comptime!(j as usize)], comptime!(bp.capacity() - 1));
        words.push((id << ID_SHIFT) + place);
    }
    words
}

/// Counts this unit's words by one digit of the id, and tells with which counters.
#[cube]
fn count(own: &Sequence<u32>, counters: &Counters, pass: u32, #[comptime] bp: Blueprint) -> Sequence<u32> {
    let first_word = counters.first_word(pass, bp);
    let mut counted = Sequence::<u32>::new();
    #[unroll]
    for j in 0..comptime!(bp.items as usize) {
        counted.push(counters.count(digit_of(own[j] >> ID_SHIFT, pass, bp), first_word, bp));
    }
    counted
}

/// Puts words that were counted to their places.
#[cube]
fn place(
    own: &Sequence<u32>,
    counted: &Sequence<u32>,
    words: &mut SharedMemory<u32>,
    counters: &mut Counters,
    pass: u32,
    #[comptime] bp: Blueprint,
) {
    counters.scan(pass, bp);
    cube::sync(bp);
    #[unroll]
    for j in 0..comptime!(bp.items as usize) {
        let place = counters.take(counted[j]);
        words[place as usize] = own[j];
    }
    cube::sync(bp);
}

/// Finishes a sort whose first pass is counted, and waits.
#[cube]
fn finish(
    own: &Sequence<u32>,
    counted: &Sequence<u32>,
    words: &mut SharedMemory<u32>,
    counters: &mut Counters,
    #[comptime] bp: Blueprint,
) {
    place(own, counted, words, counters, 0u32.runtime(), bp);
    if comptime!(bp.passes() == 2) {
        let own = owned::<u32>(words, 0u32, bp);
        let counted = count(&own, counters, 1u32.runtime(), bp);
        cube::sync(bp);
        place(&own, &counted, words, counters, 1u32.runtime(), bp);
    }
}

/// Writes the elements of a tile to the output, in the order of its sorted words.
#[cube]
fn write_tile(
    to: &mut Rows,
    pipeline: &TilePipeline,
    words: &SharedMemory<u32>,
    runs: &BucketRuns,
    tile: Part,
    #[comptime] bp: Blueprint,
) {
    let count = comptime!(write_unroll(bp));
    let round = comptime!(count * bp.units());
    let rounds = comptime!(bp.items / count);
    for i in 0..rounds {
        write_some(to, pipeline, words, runs, tile, UNIT_POS_X + i * round, count, bp);
    }
    let place = UNIT_POS_X + comptime!(rounds * round);
    write_some(to, pipeline, words, runs, tile, place, comptime!(bp.items % count), bp);
}

/// Writes a few elements, of which this unit's first is the `place`-th of the sorted words.
#[cube]
fn write_some(
    to: &mut Rows,
    pipeline: &TilePipeline,
    words: &SharedMemory<u32>,
    runs: &BucketRuns,
    tile: Part,
    place: u32,
    #[comptime] count: u32,
    #[comptime] bp: Blueprint,
) {
    #[unroll]
    for j in 0..count {
        let place = place + comptime!(j * bp.units());
        if place < tile.len {
            let word = words[place as usize];
            let came = word & comptime!((1u32 << ID_SHIFT) - 1);
            let at = came as usize;
            let position = runs.position(word >> ID_SHIFT, place) as usize;
            let moved = comptime!(bp.without_permutation());
            write_out(pipeline.keys[at], &pipeline.tiles, at, to, position, moved);
            if comptime!(bp.permutation) {
                let permutation = to.columns.permutation.index_mut(0usize);
                permutation[position] = tile.start + came;
            }
        }
    }
}
