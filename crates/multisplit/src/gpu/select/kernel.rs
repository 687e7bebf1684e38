//! Selection in one pass: the keys are read once, and only what is kept is written.

use super::look_back::TileSums;
use crate::gpu::function::AnyFn;
use crate::gpu::key::{AnyKey, KeyWidth};
use crate::gpu::primitives::elements::{Rows, write_out};
use crate::gpu::primitives::payload::{owned_columns, put_values};
use crate::gpu::primitives::sizes::Sizes;
use crate::gpu::primitives::tile::{first_owned, owned};
use crate::gpu::primitives::tile_pipeline::{load_tile, pipeline};
use crate::gpu::primitives::{cube, plane};
use crate::gpu::tuning::blueprint::Blueprint;
use cubecl::prelude::*;

/// Buckets of a selection: what is kept, and what is not.
pub(crate) const BUCKETS: u32 = 2;

/// What the result holds of a selection that has not ended.
const UNFINISHED: u32 = u32::MAX;

/// Makes everything ready for [`select_tiles`]: words to publish in, and the result.
#[cube(launch_unchecked, address_type = "dynamic")]
pub(crate) fn begin_selection(words: &mut Array<u32>, result: &mut Array<u32>, len: u32, n: u32) {
    if ABSOLUTE_POS < len as usize {
        words[ABSOLUTE_POS] = 0;
    }
    if ABSOLUTE_POS == 0 {
        result[0] = 0;
        result[1] = UNFINISHED;
        result[2] = n;
        result[3] = 0;
        result[4] = 0;
    }
}

/// A cube for each tile. The result is that of a split into two buckets.
#[cube(launch_unchecked, address_type = "dynamic")]
pub(crate) fn select_tiles(
    _width: &KeyWidth,
    from: &Rows,
    to: &mut Rows,
    tile_sums: &TileSums,
    result: &Array<Atomic<u32>>,
    f: &AnyFn,
    sizes: &Sizes,
    patience: u32,
    #[comptime] bp: Blueprint,
) {
    if PLANE_DIM != comptime!(bp.plane) {
        if UNIT_POS_X == 0 {
            result[4].store(1u32);
        }
        terminate!();
    }
    let mut number = SharedMemory::<u32>::new(1usize);
    if UNIT_POS_X == 0 {
        number[0] = tile_sums.draw();
    }
    cube::sync(bp);
    let index = number[0];
    if index >= sizes.chunks {
        terminate!();
    }
    let tile = sizes.chunk(index);
    let mut pipeline = pipeline(bp);
    let loaded = load_tile(from, tile, false, bp);
    pipeline.take_in(&loaded, bp);
    cube::sync(bp);

    // Each unit has consecutive keys, so that what it keeps stays in order.
    let own = owned::<AnyKey>(&pipeline.keys, 0u32, bp);
    let values = owned_columns(&pipeline.tiles, 0u32, tile.start, true, bp);
    // A bit for each, so that few registers are taken.
    let mut kept = 0u32;
    let mut out_of_range = 0u32;
    #[unroll]
    for j in 0..comptime!(bp.items) {
        let id = f.bucket(own[comptime!(j as usize)]);
        let is_here = first_owned(bp) + j < tile.len;
        kept |= u32::cast_from(is_here && id == 0) << j;
        if comptime!(!bp.in_range) {
            out_of_range += u32::cast_from(is_here && id >= BUCKETS);
        }
    }
    let mut sums = cube::plane_sums(bp);
    let mut total = SharedMemory::<u32>::new(1usize);
    let sum = kept.count_ones();
    let start = cube::exclusive_sum(sum, &mut sums, bp);
    if UNIT_POS_X == comptime!(bp.units() - 1) {
        total[0] = start + sum;
    }
    // From here on, everybody's elements are in registers.
    cube::sync(bp);
    let count = total[0];
    if UNIT_POS_X == 0 {
        tile_sums.publish(index, count);
    }
    let mut place = start;
    #[unroll]
    for j in 0..comptime!(bp.items as usize) {
        if (kept >> comptime!(j as u32)) & 1 == 1 {
            pipeline.keys[place as usize] = own[j];
            put_values(&values, j, place as usize, &mut pipeline.tiles, bp);
            place += 1;
        }
    }
    if comptime!(!bp.in_range) && out_of_range > 0 {
        result[3].fetch_add(out_of_range);
    }
    let mut before = SharedMemory::<u32>::new(1usize);
    if plane::plane(bp) == 0 {
        let sum = tile_sums.before(index, &from.keys, f, sizes, patience, bp);
        if UNIT_POS_X == 0 {
            tile_sums.publish_total(index, sizes.chunks, sum + count);
            before[0] = sum;
            if index == sizes.chunks - 1 {
                result[1].store(sum + count);
            }
        }
    }
    cube::sync(bp);
    #[unroll(bp.unrolls())]
    for j in 0..comptime!(bp.items) {
        let at = UNIT_POS_X + j * comptime!(bp.units());
        if at < count {
            let position = (before[0] + at) as usize;
            write_out(pipeline.keys[at as usize], &pipeline.tiles, at as usize, to, position, bp);
        }
    }
}
