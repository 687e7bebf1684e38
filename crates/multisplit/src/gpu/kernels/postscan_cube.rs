//! Postscan of block-level multisplit: the whole cube reorders one large tile.
//!
//! Larger tiles mean longer runs per bucket and better coalescing, for any number of buckets. Within a plane the rank
//! of a key comes from ballots; between windows and planes from a histogram per plane in shared memory, where the
//! first peer of each bucket reserves room for all of them.

use super::super::{blueprint::Blueprint, cube, plane};
use super::elements::{Elements, Tiles, load, place, place_values, tiles, within, write_out};
use super::sizes::{Part, Sizes};
use super::{bucket_of, wrong_plane_size};
use crate::bucket::BucketFn;
use cubecl::prelude::*;

/// Elements that a unit writes out at once.
const WRITES: u32 = 4;

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
    let mut scratch = Scratch {
        counts: SharedMemory::new(comptime!((bp.planes * bp.capacity()) as usize)),
        next: SharedMemory::new(comptime!(bp.capacity() as usize)),
        shift: SharedMemory::new(comptime!(bp.capacity() as usize)),
        sums: SharedMemory::new(comptime!(bp.planes as usize)),
    };
    start_buckets(g, totals, result, &mut scratch, sizes, bp);

    let chunk = sizes.chunk(CUBE_POS_X);
    let tile = comptime!(bp.tile());
    let mut done = 0u32;
    while done + tile <= chunk.len {
        let part = Part { start: chunk.start + done, len: tile.runtime() };
        move_tile::<F>(from, to, f, &mut tiles, &mut scratch, part, sizes.m, true, bp);
        done += tile;
    }
    if done < chunk.len {
        let part = Part { start: chunk.start + done, len: chunk.len - done };
        move_tile::<F>(from, to, f, &mut tiles, &mut scratch, part, sizes.m, false, bp);
    }
}

/// Final position of each bucket's first key in this chunk. The first cube writes the offsets.
#[cube]
fn start_buckets(
    g: &Array<u32>,
    totals: &Array<u32>,
    result: &mut Array<u32>,
    scratch: &mut Scratch,
    sizes: &Sizes,
    #[comptime] bp: Blueprint,
) {
    let per_unit = comptime!(bp.buckets_per_unit());
    let m = sizes.m;
    let mut entries = Sequence::<u32>::new();
    let mut sum = 0u32;
    #[unroll]
    for q in 0..per_unit {
        let bucket = UNIT_POS_X * per_unit + q;
        let mut total = 0u32;
        if bucket < m {
            total = totals[bucket as usize];
        }
        sum += total;
        entries.push(total);
    }
    let mut base = cube::exclusive_sum(sum, &mut scratch.sums, bp);
    #[unroll]
    for q in 0..per_unit {
        let bucket = UNIT_POS_X * per_unit + q;
        if bucket < m {
            scratch.next[bucket as usize] = base + g[(bucket * CUBE_COUNT_X + CUBE_POS_X) as usize];
            if CUBE_POS_X == 0 {
                result[bucket as usize] = base;
            }
        }
        base += entries[comptime!(q as usize)];
    }
    if CUBE_POS_X == 0 && UNIT_POS_X == 0 {
        result[m as usize] = sizes.n;
        result[(m + 1) as usize] = totals[m as usize];
    }
}

#[cube]
fn move_tile<F: BucketFn>(
    from: &Elements<F::Key>,
    to: &mut Elements<F::Key>,
    f: &F,
    tiles: &mut Tiles<F::Key>,
    scratch: &mut Scratch,
    tile: Part,
    m: u32,
    #[comptime] full: bool,
    #[comptime] bp: Blueprint,
) {
    let offset = plane::plane(bp) * comptime!(bp.plane_tile()) + plane::lane(bp);
    let keys = load::<F::Key>(&from.keys, tile, offset, full, bp);
    let valid = within(offset, comptime!(bp.plane), tile.len, bp);
    let ranks = rank::<F>(&keys, &valid, f, scratch, m, full, bp);
    place_buckets(scratch, bp);

    let mine = plane::plane(bp) * comptime!(bp.capacity());
    let mut places = Sequence::<u32>::new();
    #[unroll]
    for j in 0..comptime!(bp.items as usize) {
        let bucket = bucket_of::<F>(f, keys[j], m);
        places.push(ranks[j] + scratch.counts[(mine + bucket) as usize].load());
    }
    place::<F::Key>(&keys, &places, &valid, &mut tiles.keys, full, bp);
    place_values::<F::Key>(from, tiles, tile, offset, &places, &valid, full, bp);
    sync_cube();

    // Neighbours in the tile are neighbours in the output. Unrolled a little: enough to keep stores in flight, and
    // not so far that their addresses fill the registers.
    let mut at = UNIT_POS_X;
    while at < tile.len {
        #[unroll]
        for j in 0..WRITES {
            let place = at + comptime!(j * bp.units());
            if place < tile.len {
                let bucket = bucket_of::<F>(f, tiles.keys[place as usize], m);
                write_out::<F::Key>(tiles, to, place, scratch.shift[bucket as usize] + place, bp);
            }
        }
        at += comptime!(WRITES * bp.units());
    }
    sync_cube();
}

/// Rank of each key among the keys of its bucket that its plane has seen in this tile.
#[cube]
fn rank<F: BucketFn>(
    keys: &Sequence<F::Key>,
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
        let bucket = bucket_of::<F>(f, keys[j], m);
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
