//! Postscan of warp-level multisplit: each plane reorders its tile in shared memory before it writes.
//!
//! A local multisplit within the tile: keys of a bucket become neighbours, so that the final writes coalesce.

use super::plane_positions::first_positions;
use super::plane_positions::plane_chunk;
use crate::gpu::function::AnyFn;
use crate::gpu::key::{AnyKey, KeyWidth};
use crate::gpu::primitives::bucket_id::bucket_of;
use crate::gpu::primitives::elements::{Rows, Tiles, Wide, load, scatter, scatter_values, tiles, within, write_out};
use crate::gpu::primitives::plane;
use crate::gpu::primitives::plane_check::wrong_plane_size;
use crate::gpu::primitives::sizes::{Part, Sizes};
use crate::gpu::tuning::blueprint::Blueprint;
use cubecl::prelude::*;

#[cube(launch_unchecked, address_type = "dynamic")]
pub(crate) fn postscan_plane(
    _width: &KeyWidth,
    from: &Rows,
    to: &mut Rows,
    g: &Array<u32>,
    totals: &Array<u32>,
    result: &mut Array<u32>,
    f: &AnyFn,
    sizes: &Sizes,
    #[comptime] bp: Blueprint,
) {
    if wrong_plane_size(result, sizes.m, bp) {
        terminate!();
    }
    let mut sorted = SharedMemory::<AnyKey>::new(comptime!(bp.tile() as usize));
    let mut tiles = tiles(comptime!(bp.tile()), bp);
    let chunk = sizes.chunk(plane_chunk(bp));
    let mut next = first_positions(g, totals, result, sizes, bp);
    // Every plane takes the same number of rounds, with or without keys: where planes have no barrier of their own,
    // they wait for the cube.
    let mut done = 0u32;
    while done < sizes.chunk_size {
        let before = done.min(chunk.len);
        let left = (chunk.len - before).min(comptime!(bp.plane_tile()));
        let part = Part { start: chunk.start + before, len: left };
        move_tile(from, to, f, &mut sorted, &mut tiles, part, sizes.m, &mut next, bp);
        done += comptime!(bp.plane_tile());
    }
}

/// `next`: where the next key of the bucket that this lane is in charge of goes.
#[cube]
fn move_tile(
    from: &Rows,
    to: &mut Rows,
    f: &AnyFn,
    sorted: &mut SharedMemory<AnyKey>,
    tiles: &mut Tiles,
    tile: Part,
    m: u32,
    next: &mut u32,
    #[comptime] bp: Blueprint,
) {
    let lane = plane::lane(bp);
    let full = comptime!(false);
    let keys = load::<AnyKey>(&from.keys, tile, lane, full, bp);
    let valid = within(lane, tile.len, bp);

    // Rank of each key among the tile's keys of its bucket.
    let mut ranks = Sequence::<u32>::new();
    let mut mine = 0u32; // keys so far of the bucket this lane is in charge of
    #[unroll]
    for j in 0..comptime!(bp.items as usize) {
        let bucket = bucket_of(f, keys[j], m, bp);
        let votes = plane::vote(bucket, valid[j], full, bp);
        ranks.push(plane_shuffle(mine, bucket) + plane::count_below(&votes.peers, lane, bp));
        mine += plane::count(&votes.voters, bp);
    }

    // Buckets one after the other in the tile.
    let bucket_start = plane::inclusive_sum(mine, bp) - mine;
    let tile_start = plane::plane(bp) * comptime!(bp.plane_tile());
    let mut places = Sequence::<u32>::new();
    #[unroll]
    for j in 0..comptime!(bp.items as usize) {
        let bucket = bucket_of(f, keys[j], m, bp);
        places.push(tile_start + ranks[j] + plane_shuffle(bucket_start, bucket));
    }
    scatter::<AnyKey, SharedMemory<AnyKey>>(&keys, &places, &valid, sorted, full, bp);
    let Tiles { narrow, wide, permutation } = tiles;
    scatter_values::<SharedMemory<u32>, SharedMemory<Wide>>(
        &from.columns,
        narrow,
        wide,
        permutation,
        tile,
        &places,
        &valid,
        full,
        bp,
    );
    plane::sync(bp);

    // A key's place in the tile tells its rank, hence its final position.
    let shift = *next - bucket_start;
    #[unroll]
    for j in 0..comptime!(bp.items) {
        let at = lane + comptime!(j * bp.plane);
        // Beyond the end the tile holds old keys; every lane takes part in the shuffle.
        let place = (tile_start + at) as usize;
        let key = sorted[place];
        let position = plane_shuffle(shift, bucket_of(f, key, m, bp)) + at;
        if at < tile.len {
            write_out(key, tiles, place, to, position as usize, bp);
        }
    }
    plane::sync(bp);
    *next += mine;
}
