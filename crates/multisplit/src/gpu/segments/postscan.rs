//! Postscan of segments that are longer than a tile: a cube sorts a tile by bucket and writes the runs to their places.
//!
//! Many cubes fit a multiprocessor, since there is room for one tile in each: while some load, others sort.

use super::tile_table::{Batch, CutTile, NOWHERE, wrong_planes};
use crate::gpu::function::AnyFn;
use crate::gpu::key::KeyWidth;
use crate::gpu::primitives::bucket_id::bucket_of;
use crate::gpu::primitives::bucket_runs::in_charge;
use crate::gpu::primitives::cube;
use crate::gpu::primitives::elements::{Rows, write_out};
use crate::gpu::primitives::rank_counters::counters;
use crate::gpu::primitives::tile_pipeline::{load_tile, pipeline};
use crate::gpu::primitives::tile_sort::sort_tile;
use crate::gpu::tuning::blueprint::Blueprint;
use cubecl::prelude::*;

/// `h` holds how many keys come before each tile's of each bucket, and at its end how many there are.
#[cube(launch_unchecked, address_type = "dynamic")]
pub(crate) fn postscan_segments(
    _width: &KeyWidth,
    from: &Rows,
    to: &mut Rows,
    h: &Array<u32>,
    result: &mut Array<u32>,
    table: &Array<u32>,
    status: &Array<Atomic<u32>>,
    f: &AnyFn,
    batch: &Batch,
    #[comptime] bp: Blueprint,
) {
    if wrong_planes(status, bp) {
        terminate!();
    }
    if batch.number() >= batch.tiles {
        terminate!();
    }
    let m = batch.m;
    let tile = batch.cut_tile(table);
    let mut pipeline = pipeline(bp);
    let mut counters = counters(bp);
    let loaded = load_tile(from, tile.part, false, bp);
    counters.clear(bp);
    let shifts = shifts(h, result, tile, m, bp);
    pipeline.take_in(&loaded, bp);
    cube::sync(bp);
    sort_tile(f, &mut pipeline, &mut counters, tile.part, m, false, bp);
    #[unroll(bp.unrolls())]
    for j in 0..comptime!(bp.items) {
        let at = UNIT_POS_X + j * comptime!(bp.units());
        if at < tile.part.len {
            let key = pipeline.keys[at as usize];
            let position = shifts[bucket_of(f, key, m, bp) as usize] + at;
            write_out(key, &pipeline.tiles, at as usize, to, position as usize, bp);
        }
    }
}

/// Final position of each bucket's keys less their place in the sorted tile. The first tile of a segment writes where
/// its buckets begin. Wait before using them.
#[cube]
fn shifts(
    h: &Array<u32>,
    result: &mut Array<u32>,
    tile: CutTile,
    m: u32,
    #[comptime] bp: Blueprint,
) -> SharedMemory<u32> {
    let mut shifts = SharedMemory::<u32>::new(comptime!(bp.capacity() as usize));
    let mut sums = cube::plane_sums(bp);
    let mut firsts = Sequence::<u32>::new();
    let mut lengths = Sequence::<u32>::new();
    #[unroll]
    for q in 0..comptime!(bp.buckets_per_unit()) {
        let bucket = in_charge(q, bp);
        let mut first = 0u32;
        let mut length = 0u32;
        if bucket < m {
            let counter = (tile.counter + bucket * tile.stride) as usize;
            first = h[counter];
            length = h[counter + 1] - first;
        }
        firsts.push(first);
        lengths.push(length);
    }
    let starts = cube::starts_of(&lengths, cube::exclusive_sum(cube::sum_of(&lengths), &mut sums, bp));
    #[unroll]
    for q in 0..comptime!(bp.buckets_per_unit()) {
        let bucket = in_charge(q, bp);
        if bucket < m {
            let position = firsts[comptime!(q as usize)] + tile.shift;
            shifts[bucket as usize] = position - starts[comptime!(q as usize)];
            if tile.place != NOWHERE {
                result[(tile.place + bucket) as usize] = position;
            }
        }
    }
    shifts
}
