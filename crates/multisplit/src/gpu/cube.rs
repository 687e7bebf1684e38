//! What one cube (block) can do: wait for its units, scan over them.

use super::blueprint::Blueprint;
use super::plane;
use cubecl::prelude::*;

/// Exclusive prefix sum of `value` over the units of the cube. `totals` holds one word per plane; wait before using it
/// again.
#[cube]
pub(crate) fn exclusive_sum(value: u32, totals: &mut SharedMemory<u32>, #[comptime] bp: Blueprint) -> u32 {
    exclusive_sum_and_total(value, totals, bp).before
}

/// What [`exclusive_sum_and_total`] returns.
#[derive(CubeType)]
pub(crate) struct Sums {
    /// The sum of the units before.
    pub before: u32,
    /// The sum of all units.
    pub total: u32,
}

/// As [`exclusive_sum`], with the sum of all units.
#[cube]
pub(crate) fn exclusive_sum_and_total(value: u32, totals: &mut SharedMemory<u32>, #[comptime] bp: Blueprint) -> Sums {
    let inclusive = plane::inclusive_sum(value, bp);
    if comptime!(bp.planes == 1) {
        Sums { before: inclusive - value, total: plane_shuffle(inclusive, comptime!(bp.plane - 1)) }
    } else {
        let mine = plane::plane(bp);
        if plane::lane(bp) == comptime!(bp.plane - 1) {
            totals[mine as usize] = inclusive;
        }
        sync_cube();
        let mut before = inclusive - value;
        let mut total = 0u32;
        #[unroll]
        for other in 0..comptime!(bp.planes) {
            let sum = totals[other as usize];
            before += select(mine > other, sum, 0u32);
            total += sum;
        }
        Sums { before, total }
    }
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
