//! Postscan of block-level multisplit: the whole cube reorders one large tile.
//!
//! Larger tiles mean longer runs per bucket and better coalescing, for any number of buckets. Within a plane the rank
//! of a key comes from ballots; between windows and planes from a histogram per plane in shared memory, where the
//! first peer of each bucket reserves room for all of them.

use super::super::{blueprint::Blueprint, cube, cube::Sharing, cube::exchange, plane};
use super::columns::{ColumnTiles, Columns, Route, column_tiles, reorder_columns, scatter};
use super::{bucket_of, chunk_start, load_tile, valid_in_tile, wrong_plane_size};
use crate::bucket::BucketFn;
use cubecl::prelude::*;

/// Shared memory of a cube.
#[derive(CubeType)]
struct Scratch {
    /// Per plane and bucket: keys so far in the tile; then where the plane's keys of the bucket start in the tile.
    counts: SharedMemory<Atomic<u32>>,
    /// Per bucket: final position of the bucket's next key.
    next: SharedMemory<u32>,
    /// Per bucket: final position less place in the tile.
    shift: SharedMemory<u32>,
    /// For the scan over units.
    sums: SharedMemory<u32>,
}

#[cube(launch_unchecked, address_type = "dynamic")]
pub(crate) fn postscan_cube<F: BucketFn>(
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
    let mut scratch = Scratch {
        counts: SharedMemory::new(comptime!((bp.planes * bp.capacity()) as usize)),
        next: SharedMemory::new(comptime!(bp.capacity() as usize)),
        shift: SharedMemory::new(comptime!(bp.capacity() as usize)),
        sums: SharedMemory::new(comptime!(bp.planes as usize)),
    };
    start_buckets(g, totals, result, &mut scratch, m, n, bp);

    let start = chunk_start(CUBE_POS_X, chunks, chunk_size, n);
    let len = chunk_size.min(n - start);
    let mut done = 0u32;
    while done + comptime!(bp.tile()) <= len {
        let whole = comptime!(bp.tile()).runtime();
        move_tile::<F>(
            keys,
            keys_out,
            values,
            values_out,
            f,
            &mut key_tile,
            &mut value_tiles,
            &mut scratch,
            start + done,
            whole,
            m,
            true,
            bp,
        );
        done += comptime!(bp.tile());
    }
    if done < len {
        move_tile::<F>(
            keys,
            keys_out,
            values,
            values_out,
            f,
            &mut key_tile,
            &mut value_tiles,
            &mut scratch,
            start + done,
            len - done,
            m,
            false,
            bp,
        );
    }
}

/// Final position of each bucket's first key in this chunk; the first cube also writes the offsets.
#[cube]
fn start_buckets(
    g: &Array<u32>,
    totals: &Array<u32>,
    result: &mut Array<u32>,
    scratch: &mut Scratch,
    m: u32,
    n: u32,
    #[comptime] bp: Blueprint,
) {
    let mut entries = Sequence::<u32>::new();
    let mut sum = 0u32;
    #[unroll]
    for q in 0..comptime!(bp.buckets_per_unit()) {
        let bucket = UNIT_POS_X * comptime!(bp.buckets_per_unit()) + q;
        let mut total = 0u32;
        if bucket < m {
            total = totals[bucket as usize];
        }
        sum += total;
        entries.push(total);
    }
    let mut base = cube::exclusive_sum(sum, &mut scratch.sums, bp);
    #[unroll]
    for q in 0..comptime!(bp.buckets_per_unit()) {
        let bucket = UNIT_POS_X * comptime!(bp.buckets_per_unit()) + q;
        if bucket < m {
            scratch.next[bucket as usize] = base + g[(bucket * CUBE_COUNT_X + CUBE_POS_X) as usize];
            if CUBE_POS_X == 0 {
                result[bucket as usize] = base;
            }
        }
        base += entries[comptime!(q as usize)];
    }
    if CUBE_POS_X == 0 && UNIT_POS_X == 0 {
        result[m as usize] = n;
        result[(m + 1) as usize] = totals[m as usize];
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
    scratch: &mut Scratch,
    start: u32,
    len: u32,
    m: u32,
    #[comptime] full: bool,
    #[comptime] bp: Blueprint,
) {
    let offset = plane::plane(bp) * comptime!(bp.plane_tile()) + plane::lane(bp);
    let tile = load_tile::<F::Key>(keys, start, offset, len, full, bp);
    let loaded = valid_in_tile(offset, len, bp);
    let ranks = rank::<F>(&tile, &loaded, f, scratch, m, full, bp);
    place_buckets(scratch, bp);

    let mine = plane::plane(bp) * comptime!(bp.capacity());
    let mut places = Sequence::<u32>::new();
    #[unroll]
    for j in 0..comptime!(bp.items as usize) {
        let bucket = bucket_of::<F>(f, tile[j], m);
        places.push(ranks[j] + scratch.counts[(mine + bucket) as usize].load());
    }
    let first = UNIT_POS_X;
    let step = comptime!(bp.units());
    let moved = exchange::<F::Key>(&tile, &places, &loaded, key_tile, first, step, full, comptime!(Sharing::Cube), bp);

    let mut positions = Sequence::<u32>::new();
    let mut held = Sequence::<bool>::new();
    #[unroll]
    for j in 0..comptime!(bp.items) {
        let place = first + comptime!(j * bp.units());
        let bucket = bucket_of::<F>(f, moved[comptime!(j as usize)], m);
        positions.push(scratch.shift[bucket as usize] + place);
        held.push(place < len);
    }
    scatter::<F::Key>(&moved, &positions, &held, keys_out, full, bp);
    let route = Route { places, loaded, positions, held, first };
    reorder_columns(
        values,
        values_out,
        value_tiles,
        &route,
        start,
        offset,
        len,
        step,
        full,
        comptime!(Sharing::Cube),
        bp,
    );
    sync_cube();
}

/// Rank of each key among the keys of its bucket that its plane has seen in this tile.
#[cube]
fn rank<F: BucketFn>(
    tile: &Sequence<F::Key>,
    loaded: &Sequence<bool>,
    f: &F,
    scratch: &Scratch,
    m: u32,
    #[comptime] full: bool,
    #[comptime] bp: Blueprint,
) -> Sequence<u32> {
    let mut i = UNIT_POS_X;
    while i < comptime!(bp.planes * bp.capacity()) {
        scratch.counts[i as usize].store(0u32);
        i += comptime!(bp.units());
    }
    sync_cube();

    let lane = plane::lane(bp);
    let mine = plane::plane(bp) * comptime!(bp.capacity());
    let mut ranks = Sequence::<u32>::new();
    #[unroll]
    for j in 0..comptime!(bp.items as usize) {
        let bucket = bucket_of::<F>(f, tile[j], m);
        let votes = plane::vote(bucket, loaded[j], full, bp);
        let below = plane::count_below(&votes.peers, lane, bp);
        // The first peer reserves room for all. The shuffle makes every lane wait for the reservation, so that the
        // windows of a plane keep their order.
        let mut reserved = 0u32;
        if below == 0 && (full || loaded[j]) {
            reserved = scratch.counts[(mine + bucket) as usize].fetch_add(plane::count(&votes.peers, bp));
        }
        let leader = plane::first(&votes.peers, bp);
        ranks.push(plane_shuffle(reserved, leader) + below);
    }
    sync_cube();
    ranks
}

/// Turns the planes' counts into places in the tile, bucket by bucket and plane by plane, and moves the buckets' next
/// positions on.
#[cube]
fn place_buckets(scratch: &mut Scratch, #[comptime] bp: Blueprint) {
    let per_unit = comptime!(bp.buckets_per_unit());
    let mut totals = Sequence::<u32>::new();
    let mut sum = 0u32;
    #[unroll]
    for q in 0..per_unit {
        let bucket = UNIT_POS_X * per_unit + q;
        let mut total = 0u32;
        if bucket < comptime!(bp.capacity()) {
            #[unroll]
            for p in 0..comptime!(bp.planes) {
                let at = (bucket + comptime!(p * bp.capacity())) as usize;
                let count = scratch.counts[at].load();
                scratch.counts[at].store(total);
                total += count;
            }
        }
        sum += total;
        totals.push(total);
    }
    let mut place = cube::exclusive_sum(sum, &mut scratch.sums, bp);
    #[unroll]
    for q in 0..per_unit {
        let bucket = UNIT_POS_X * per_unit + q;
        let total = totals[comptime!(q as usize)];
        if bucket < comptime!(bp.capacity()) {
            #[unroll]
            for p in 0..comptime!(bp.planes) {
                let at = (bucket + comptime!(p * bp.capacity())) as usize;
                scratch.counts[at].store(scratch.counts[at].load() + place);
            }
            let next = scratch.next[bucket as usize];
            scratch.shift[bucket as usize] = next - place;
            scratch.next[bucket as usize] = next + total;
        }
        place += total;
    }
    sync_cube();
}
