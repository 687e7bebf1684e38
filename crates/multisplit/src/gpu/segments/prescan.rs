//! Prescan of segments that are longer than a tile: cubes count their tiles in shared memory.
//!
//! Counts are laid out segment by segment, in each bucket by bucket, and in each tile by tile, so that one exclusive
//! prefix sum over all of them ([`super::scan`]) tells how many keys come before each tile's of each bucket.
//! Segments begin anywhere, so keys are loaded one by one, neighbours together.

use super::tile_table::{Batch, report_out_of_range, wrong_planes};
use crate::gpu::function::AnyFn;
use crate::gpu::key::{AnyKey, KeyWidth};
use crate::gpu::primitives::bucket_id::up_to;
use crate::gpu::primitives::shared_atomics::{Words, clear};
use crate::gpu::primitives::tile::{fetch, first_fetched};
use crate::gpu::primitives::{cube, plane};
use crate::gpu::split::prescan::sum_of_shares;
use crate::gpu::tuning::blueprint::Blueprint;
use cubecl::prelude::*;

/// All planes of a cube share its tile: `bp.sharers` is `bp.planes`.
#[cube(launch_unchecked, address_type = "dynamic")]
pub(crate) fn prescan_segments(
    _width: &KeyWidth,
    keys: &Array<AnyKey>,
    h: &mut Array<u32>,
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
    // One entry more than there are buckets: keys without a valid one.
    let rows = m + 1;
    let tile = batch.cut_tile(table);
    let counts = Words::new_aligned(comptime!(bp.prescan_words() as usize), cube::ALIGN);
    clear(&counts, comptime!(bp.prescan_words()), bp);
    let fetched = fetch::<AnyKey>(keys, tile.part, false, bp);
    let mut ids = Sequence::<u32>::new();
    #[unroll]
    for j in 0..comptime!(bp.items as usize) {
        ids.push(up_to(f.bucket(fetched[j]), m, bp));
    }
    cube::sync(bp);
    let mine = plane::plane(bp) * rows;
    #[unroll]
    for j in 0..comptime!(bp.items) {
        if first_fetched(bp) + comptime!(j * bp.plane) < tile.part.len {
            counts[(mine + ids[comptime!(j as usize)]) as usize].fetch_add(1u32);
        }
    }
    cube::sync(bp);
    let mut row = UNIT_POS_X;
    while row < m {
        let mut sum = sum_of_shares(&counts, 0u32.runtime(), row, rows, bp);
        // Nested, since the first is decided when the kernel is compiled.
        #[allow(clippy::collapsible_if)]
        if comptime!(!bp.in_range) {
            // Keys without a valid bucket are moved to the last one.
            if row == m - 1 {
                let out_of_range = sum_of_shares(&counts, 0u32.runtime(), m, rows, bp);
                if batch.counts > 0 {
                    report_out_of_range(status, out_of_range);
                }
                sum += out_of_range;
            }
        }
        h[(tile.counter + row * tile.stride) as usize] = sum;
        row += comptime!(bp.units());
    }
}
