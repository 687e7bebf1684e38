//! Postscan of warp-level multisplit: each plane reorders its tile in shared memory before it writes.
//!
//! A local multisplit within the tile: keys of a bucket become neighbours, so that the final writes coalesce.

use super::super::{blueprint::Blueprint, cube::Sharing, cube::exchange, plane};
use super::columns::{ColumnTiles, Columns, Route, column_tiles, reorder_columns, scatter};
use super::{bucket_base, bucket_of, chunk_start, load_tile, valid_in_tile, wrong_plane_size};
use crate::bucket::BucketFn;
use cubecl::prelude::*;

#[cube(launch_unchecked, address_type = "dynamic")]
pub(crate) fn postscan_plane<F: BucketFn>(
    keys: &Array<F::Key>,
    keys_out: &mut Array<F::Key>,
    values: &Columns,
    values_out: &mut Columns,
    g: &Array<u32>,
    totals: &Array<u32>,
    result: &mut Array<u32>,
    f: &F,
    n: u32,
    m: u32,
    chunks: u32,
    chunk_size: u32,
    #[comptime] bp: Blueprint,
) {
    if wrong_plane_size(result, m, bp) {
        terminate!();
    }
    let mut key_tile = SharedMemory::<F::Key>::new(comptime!(bp.tile() as usize));
    let mut value_tiles = column_tiles(bp);
    let lane = plane::lane(bp);
    let columns = CUBE_COUNT_X * comptime!(bp.planes);
    let column = CUBE_POS_X * comptime!(bp.planes) + plane::plane(bp);
    let start = chunk_start(column, chunks, chunk_size, n);
    let len = chunk_size.min(n - start);

    let mut next = bucket_base(totals, result, m, n, bp);
    if lane < m {
        next += g[(lane * columns + column) as usize];
    }
    // Every plane takes the same number of rounds, with or without keys: where planes have no barrier of their own,
    // they wait for the cube.
    let mut done = 0u32;
    while done < chunk_size {
        let left = len - done.min(len);
        move_tile::<F>(
            keys,
            keys_out,
            values,
            values_out,
            f,
            &mut key_tile,
            &mut value_tiles,
            start + done.min(len),
            left,
            m,
            &mut next,
            bp,
        );
        done += comptime!(bp.plane_tile());
    }
}

#[cube]
fn move_tile<F: BucketFn>(
    keys: &Array<F::Key>,
    keys_out: &mut Array<F::Key>,
    values: &Columns,
    values_out: &mut Columns,
    f: &F,
    key_tile: &mut SharedMemory<F::Key>,
    value_tiles: &mut ColumnTiles,
    start: u32,
    len: u32,
    m: u32,
    next: &mut u32,
    #[comptime] bp: Blueprint,
) {
    let lane = plane::lane(bp);
    let tile_start = plane::plane(bp) * comptime!(bp.plane_tile());
    let tile = load_tile::<F::Key>(keys, start, lane, len, false, bp);
    let loaded = valid_in_tile(lane, len, bp);

    // Rank of each key among the tile's keys of its bucket.
    let mut ranks = Sequence::<u32>::new();
    let mut mine = 0u32; // keys so far of the bucket this lane is in charge of
    #[unroll]
    for j in 0..comptime!(bp.items as usize) {
        let bucket = bucket_of::<F>(f, tile[j], m);
        let votes = plane::vote(bucket, loaded[j], false, bp);
        ranks.push(plane_shuffle(mine, bucket) + plane::count_below(&votes.peers, lane, bp));
        mine += plane::count(&votes.voters, bp);
    }

    // Buckets one after the other in the tile.
    let bucket_start = plane::inclusive_sum(mine, bp) - mine;
    let mut places = Sequence::<u32>::new();
    #[unroll]
    for j in 0..comptime!(bp.items as usize) {
        let bucket = bucket_of::<F>(f, tile[j], m);
        places.push(tile_start + ranks[j] + plane_shuffle(bucket_start, bucket));
    }
    let first = tile_start + lane;
    let moved = exchange::<F::Key>(
        &tile,
        &places,
        &loaded,
        key_tile,
        first,
        comptime!(bp.plane),
        false,
        comptime!(Sharing::Plane),
        bp,
    );

    // A key's place in the tile tells its rank, hence its final position.
    let mut positions = Sequence::<u32>::new();
    let shift = *next - bucket_start;
    #[unroll]
    for j in 0..comptime!(bp.items) {
        let bucket = bucket_of::<F>(f, moved[comptime!(j as usize)], m);
        positions.push(plane_shuffle(shift, bucket) + lane + comptime!(j * bp.plane));
    }
    let held = valid_in_tile(lane, len, bp);
    scatter::<F::Key>(&moved, &positions, &held, keys_out, false, bp);
    let route = Route { places, loaded, positions, held, first };
    reorder_columns(
        values,
        values_out,
        value_tiles,
        &route,
        start,
        lane,
        len,
        comptime!(bp.plane),
        false,
        comptime!(Sharing::Plane),
        bp,
    );
    *next += mine;
}
