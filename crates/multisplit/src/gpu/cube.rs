//! What one cube (block) can do: wait for its units, scan over them.

use super::blueprint::Blueprint;
use super::plane;
use cubecl::prelude::*;

/// Exclusive prefix sum of `value` over the units of the cube. `totals` holds one word per plane; wait before using it
/// again.
#[cube]
pub(crate) fn exclusive_sum(value: u32, totals: &mut SharedMemory<u32>, #[comptime] bp: Blueprint) -> u32 {
    let inclusive = plane::inclusive_sum(value, bp);
    let mut before = inclusive - value;
    if comptime!(bp.planes > 1) {
        let mine = plane::plane(bp);
        if plane::lane(bp) == comptime!(bp.plane - 1) {
            totals[mine as usize] = inclusive;
        }
        sync_cube();
        #[unroll]
        for other in 0..comptime!(bp.planes) {
            before += select(mine > other, totals[other as usize], 0u32);
        }
    }
    before
}

/// Waits for the units of this cube, and makes what they wrote to shared memory visible.
#[cube]
pub(crate) fn sync(#[comptime] bp: Blueprint) {
    if comptime!(bp.planes == 1) {
        plane::sync(bp);
    } else {
        sync_cube();
    }
}
