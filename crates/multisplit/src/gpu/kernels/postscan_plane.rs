//! Postscan of warp-level multisplit: each plane reorders its tile in shared memory before it writes.
//!
//! A local multisplit within the tile: keys of a bucket become neighbours, so that the final writes coalesce.

use super::super::{blueprint::Blueprint, cube::Sharing, cube::exchange, plane};
use super::elements::{Elements, Route, Tiles, load, reorder_values, scatter, tiles, within};
use super::sizes::{Part, Sizes};
use super::{bucket_of, first_positions, plane_chunk, wrong_plane_size};
use crate::bucket::BucketFn;
use cubecl::prelude::*;

#[cube(launch_unchecked, address_type = "dynamic")]
pub(crate) fn postscan_plane<F: BucketFn>(
    from: &Elements<F::Key>,
    to: &mut Elements<F::Key>,
    g: &Array<u32>,
    totals: &Array<u32>,
    result: &mut Array<u32>,
    f: &F,
    sizes: &Sizes,
    #[comptime] bp: Blueprint,
) {
    if wrong_plane_size(result, sizes.m, bp) {
        terminate!();
    }
    let mut tiles = tiles::<F::Key>(bp);
    let chunk = sizes.chunk(plane_chunk(bp));
    let mut next = first_positions(g, totals, result, sizes, bp);
    // Every plane takes the same number of rounds, with or without keys: where planes have no barrier of their own,
    // they wait for the cube.
    let mut done = 0u32;
    while done < sizes.chunk_size {
        let before = done.min(chunk.len);
        let left = (chunk.len - before).min(comptime!(bp.plane_tile()));
        let part = Part { start: chunk.start + before, len: left };
        move_tile::<F>(from, to, f, &mut tiles, part, sizes.m, &mut next, bp);
        done += comptime!(bp.plane_tile());
    }
}

/// `next`: where the next key of the bucket that this lane is in charge of goes.
#[cube]
fn move_tile<F: BucketFn>(
    from: &Elements<F::Key>,
    to: &mut Elements<F::Key>,
    f: &F,
    tiles: &mut Tiles<F::Key>,
    tile: Part,
    m: u32,
    next: &mut u32,
    #[comptime] bp: Blueprint,
) {
    let lane = plane::lane(bp);
    let full = comptime!(false);
    let sharing = comptime!(Sharing::Plane);
    let keys = load::<F::Key>(&from.keys, tile, lane, full, bp);
    let loaded = within(lane, comptime!(bp.plane), tile.len, bp);

    // Rank of each key among the tile's keys of its bucket.
    let mut ranks = Sequence::<u32>::new();
    let mut mine = 0u32; // keys so far of the bucket this lane is in charge of
    #[unroll]
    for j in 0..comptime!(bp.items as usize) {
        let bucket = bucket_of::<F>(f, keys[j], m);
        let votes = plane::vote(bucket, loaded[j], full, bp);
        ranks.push(plane_shuffle(mine, bucket) + plane::count_below(&votes.peers, lane, bp));
        mine += plane::count(&votes.voters, bp);
    }

    // Buckets one after the other in the tile.
    let bucket_start = plane::inclusive_sum(mine, bp) - mine;
    let tile_start = plane::plane(bp) * comptime!(bp.plane_tile());
    let mut places = Sequence::<u32>::new();
    #[unroll]
    for j in 0..comptime!(bp.items as usize) {
        let bucket = bucket_of::<F>(f, keys[j], m);
        places.push(tile_start + ranks[j] + plane_shuffle(bucket_start, bucket));
    }
    let first = tile_start + lane;
    let moved = exchange::<F::Key>(&keys, &places, &loaded, &mut tiles.keys, first, full, sharing, bp);

    // A key's place in the tile tells its rank, hence its final position.
    let shift = *next - bucket_start;
    let mut positions = Sequence::<u32>::new();
    #[unroll]
    for j in 0..comptime!(bp.items) {
        let bucket = bucket_of::<F>(f, moved[comptime!(j as usize)], m);
        positions.push(plane_shuffle(shift, bucket) + lane + comptime!(j * bp.plane));
    }
    let held = within(lane, comptime!(bp.plane), tile.len, bp);
    scatter::<F::Key>(&moved, &positions, &held, &mut to.keys, full, bp);
    let route = Route { places, loaded, positions, held, first };
    reorder_values::<F::Key>(from, to, tiles, tile, lane, &route, full, sharing, bp);
    *next += mine;
}
