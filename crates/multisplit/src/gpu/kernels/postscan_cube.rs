//! Postscan of block-level multisplit: the whole cube reorders one large tile.
//!
//! Larger tiles mean longer runs per bucket and better coalescing, for any number of buckets. Each unit takes
//! consecutive keys of the tile and ranks them with counters of its own ([`super::rank`]). The counters of many
//! buckets would take longer to scan than the keys to count, so then the tile is sorted twice: by the low half of the
//! bucket id, then by the high half.

use super::super::blueprint::{Blueprint, Pass};
use super::super::cube;
use super::elements::{Columns, Tiles, load, place_values, tiles, within, write_out};
use super::order::{Order, order};
use super::rank::{Ranker, apart, ranker};
use super::sizes::{Part, Sizes};
use super::{bucket_of, wrong_plane_size};
use crate::bucket::BucketFn;
use cubecl::prelude::*;

/// Elements that a unit writes out at once.
const WRITES: u32 = 4;

/// The buckets' runs in a tile, and where they go.
#[derive(CubeType)]
struct Runs {
    /// Final position of the bucket's next key.
    next: SharedMemory<u32>,
    /// Final position less place in the tile.
    shift: SharedMemory<u32>,
    /// Where the bucket's run in the tile begins and ends, where that is not known from the counters.
    start: SharedMemory<u32>,
    end: SharedMemory<u32>,
}

#[cube]
impl Runs {
    /// The bucket's run in this tile is `start..end`.
    fn advance(&mut self, bucket: u32, start: u32, end: u32) {
        let next = self.next[bucket as usize];
        self.shift[bucket as usize] = next - start;
        self.next[bucket as usize] = next + end - start;
    }
}

/// All the shared memory of a cube.
#[derive(CubeType)]
struct Scratch<K: CubePrimitive> {
    /// Two tiles of keys: sorted from the one into the other, and back if there are two passes.
    even: SharedMemory<K>,
    odd: SharedMemory<K>,
    ranker: Ranker,
    order: Order,
    tiles: Tiles,
    runs: Runs,
}

#[cube(launch_unchecked, address_type = "dynamic")]
pub(crate) fn postscan_cube<F: BucketFn>(
    keys: &Array<F::Key>,
    from: &Columns,
    keys_out: &mut Array<F::Key>,
    to: &mut Columns,
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
    let runs = Runs {
        next: SharedMemory::new(comptime!(bp.capacity() as usize)),
        shift: SharedMemory::new(comptime!(bp.capacity() as usize)),
        start: SharedMemory::new(comptime!(bp.boundary_words() as usize)),
        end: SharedMemory::new(comptime!(bp.boundary_words() as usize)),
    };
    let mut scratch = Scratch::<F::Key> {
        even: SharedMemory::new(comptime!(bp.apart_tile() as usize)),
        odd: SharedMemory::new(comptime!(bp.apart_tile() as usize)),
        ranker: ranker(bp),
        order: order(bp),
        tiles: tiles(bp),
        runs,
    };
    start_buckets(g, totals, result, &mut scratch.runs, sizes, bp);

    let chunk = sizes.chunk(CUBE_POS_X);
    let tile = comptime!(bp.tile());
    let m = sizes.m;
    let mut done = 0u32;
    if tile <= chunk.len {
        let first = load::<F::Key>(keys, chunk, UNIT_POS_X, comptime!(bp.units()), true, bp);
        stage::<F::Key>(&first, &mut scratch.even, bp);
    }
    while done + tile <= chunk.len {
        let part = Part { start: chunk.start + done, len: tile.runtime() };
        sort_tile::<F>(from, f, &mut scratch, part, m, true, bp);
        // The next keys are on their way while this tile is written; after the last tile, its own once more.
        done += tile;
        let more = done + tile <= chunk.len;
        let next = Part { start: select(more, chunk.start + done, part.start), len: tile.runtime() };
        let next = load::<F::Key>(keys, next, UNIT_POS_X, comptime!(bp.units()), true, bp);
        write_tile::<F>(keys_out, to, f, &scratch, tile.runtime(), m, bp);
        if comptime!(bp.passes() == 2) {
            // The sorted keys lie where the next ones go.
            cube::sync(bp);
        }
        if more {
            stage::<F::Key>(&next, &mut scratch.even, bp);
        }
    }
    if done < chunk.len {
        let part = Part { start: chunk.start + done, len: chunk.len - done };
        let last = load::<F::Key>(keys, part, UNIT_POS_X, comptime!(bp.units()), false, bp);
        stage::<F::Key>(&last, &mut scratch.even, bp);
        sort_tile::<F>(from, f, &mut scratch, part, m, false, bp);
        write_tile::<F>(keys_out, to, f, &scratch, part.len, m, bp);
    }
}

/// Final position of each bucket's first key in this chunk. The first cube writes the offsets.
#[cube]
fn start_buckets(
    g: &Array<u32>,
    totals: &Array<u32>,
    result: &mut Array<u32>,
    runs: &mut Runs,
    sizes: &Sizes,
    #[comptime] bp: Blueprint,
) {
    let mut sums = SharedMemory::<u32>::new(comptime!(bp.planes as usize));
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
    let mut base = cube::exclusive_sum(sum, &mut sums, bp);
    #[unroll]
    for q in 0..per_unit {
        let bucket = UNIT_POS_X * per_unit + q;
        if bucket < m {
            runs.next[bucket as usize] = base + g[(bucket * CUBE_COUNT_X + CUBE_POS_X) as usize];
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

/// Puts loaded keys where they are sorted from.
#[cube]
fn stage<K: CubePrimitive>(loaded: &Sequence<K>, to: &mut SharedMemory<K>, #[comptime] bp: Blueprint) {
    #[unroll]
    for j in 0..comptime!(bp.items) {
        to[apart(UNIT_POS_X + comptime!(j * bp.units())) as usize] = loaded[comptime!(j as usize)];
    }
}

/// Sorts the staged keys by bucket, brings the values to the places of their keys, and finds out where the buckets' runs
/// go.
#[cube]
fn sort_tile<F: BucketFn>(
    from: &Columns,
    f: &F,
    scratch: &mut Scratch<F::Key>,
    tile: Part,
    m: u32,
    #[comptime] full: bool,
    #[comptime] bp: Blueprint,
) {
    let Scratch { even, odd, ranker, order, tiles, runs } = scratch;
    cube::sync(bp);
    sort::<F>(even, odd, ranker, order, f, m, tile.len, comptime!(Pass { bp, number: 0, full }));
    if comptime!(bp.passes() == 1) {
        run_starts(ranker, runs, tile.len, bp);
    } else {
        cube::sync(bp);
        sort::<F>(odd, even, ranker, order, f, m, tile.len, comptime!(Pass { bp, number: 1, full }));
        clear_boundaries(runs, bp);
        cube::sync(bp);
        find_boundaries::<F>(even, runs, f, tile.len, m, bp);
        cube::sync(bp);
        run_boundaries(runs, bp);
    }
    cube::sync(bp);
    move_values(from, tiles, order, tile, full, bp);
}

/// Sorts a tile by one digit of the bucket id.
#[cube]
fn sort<F: BucketFn>(
    from: &SharedMemory<F::Key>,
    to: &mut SharedMemory<F::Key>,
    ranker: &mut Ranker,
    order: &mut Order,
    f: &F,
    m: u32,
    len: u32,
    #[comptime] pass: Pass,
) {
    ranker.count::<F>(from, f, m, len, pass);
    cube::sync(comptime!(pass.bp));
    ranker.scan(pass);
    cube::sync(comptime!(pass.bp));
    ranker.place::<F>(from, to, order, f, m, len, pass);
}

/// Writes a sorted tile to the output: neighbours in the tile are neighbours there.
#[cube]
fn write_tile<F: BucketFn>(
    keys_out: &mut Array<F::Key>,
    to: &mut Columns,
    f: &F,
    scratch: &Scratch<F::Key>,
    len: u32,
    m: u32,
    #[comptime] bp: Blueprint,
) {
    let Scratch { even, odd, tiles, runs, .. } = scratch;
    let sorted = if comptime!(bp.passes() == 1) { odd } else { even };
    // Unrolled a little: enough to keep stores in flight, and not so far that their addresses fill the registers.
    let mut at = UNIT_POS_X;
    while at < len {
        #[unroll]
        for j in 0..WRITES {
            let place = at + comptime!(j * bp.units());
            if place < len {
                let bucket = bucket_of::<F>(f, sorted[place as usize], m);
                let position = runs.shift[bucket as usize] + place;
                write_out::<F::Key>(sorted, tiles, keys_out, to, place, position, bp);
            }
        }
        at += comptime!(WRITES * bp.units());
    }
}

/// Sets the shifts of the buckets and moves their next positions on, given where their runs are in the tile.
#[cube]
fn run_starts(ranker: &Ranker, runs: &mut Runs, len: u32, #[comptime] bp: Blueprint) {
    let mut bucket = UNIT_POS_X;
    while bucket < comptime!(bp.capacity()) {
        let start = ranker.start(bucket, bp);
        let mut end = len;
        if bucket < comptime!(bp.capacity() - 1) {
            end = ranker.start(bucket + 1, bp);
        }
        runs.advance(bucket, start, end);
        bucket += comptime!(bp.units());
    }
}

/// No bucket has a run.
#[cube]
fn clear_boundaries(runs: &mut Runs, #[comptime] bp: Blueprint) {
    let mut bucket = UNIT_POS_X;
    while bucket < comptime!(bp.capacity()) {
        runs.start[bucket as usize] = 0u32;
        runs.end[bucket as usize] = 0u32;
        bucket += comptime!(bp.units());
    }
}

/// A run begins where the bucket differs from the one before.
#[cube]
fn find_boundaries<F: BucketFn>(
    sorted: &SharedMemory<F::Key>,
    runs: &mut Runs,
    f: &F,
    len: u32,
    m: u32,
    #[comptime] bp: Blueprint,
) {
    let mut place = UNIT_POS_X;
    while place < len {
        let bucket = bucket_of::<F>(f, sorted[place as usize], m);
        if place > 0 {
            let before = bucket_of::<F>(f, sorted[(place - 1) as usize], m);
            if before != bucket {
                runs.end[before as usize] = place;
                runs.start[bucket as usize] = place;
            }
        }
        if place == len - 1 {
            runs.end[bucket as usize] = len;
        }
        place += comptime!(bp.units());
    }
}

/// As [`run_starts`], from the boundaries.
#[cube]
fn run_boundaries(runs: &mut Runs, #[comptime] bp: Blueprint) {
    let mut bucket = UNIT_POS_X;
    while bucket < comptime!(bp.capacity()) {
        let start = runs.start[bucket as usize];
        let end = runs.end[bucket as usize];
        runs.advance(bucket, start, end);
        bucket += comptime!(bp.units());
    }
}

/// Brings the values to the places that their keys have.
#[cube]
fn move_values(
    from: &Columns,
    tiles: &mut Tiles,
    order: &Order,
    tile: Part,
    #[comptime] full: bool,
    #[comptime] bp: Blueprint,
) {
    if comptime!(bp.has_columns()) {
        let valid = within(UNIT_POS_X, comptime!(bp.units()), tile.len, bp);
        let places = order.read(&valid, full, bp);
        place_values(from, tiles, tile, UNIT_POS_X, comptime!(bp.units()), &places, &valid, full, bp);
        cube::sync(bp);
    }
}
