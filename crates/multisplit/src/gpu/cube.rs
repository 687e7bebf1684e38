//! What one cube (block) can do: scan over its units.

use super::blueprint::Blueprint;
use super::plane;
use cubecl::prelude::*;

/// Exclusive prefix sum of `value` over the units of the cube. `totals` holds one word per plane; wait before using it
/// again.
#[cube]
pub(crate) fn exclusive_sum(value: u32, totals: &mut SharedMemory<u32>, #[comptime] bp: Blueprint) -> u32 {
    let inclusive = plane::inclusive_sum(value, bp);
    let mut sum = inclusive - value;
    if comptime!(bp.planes > 1) {
        let mine = plane::plane(bp);
        if plane::lane(bp) == comptime!(bp.plane - 1) {
            totals[mine as usize] = inclusive;
        }
        sync_cube();
        #[unroll]
        for before in 0..comptime!(bp.planes - 1) {
            sum += select(mine > before, totals[before as usize], 0u32);
        }
    }
    sum
}
