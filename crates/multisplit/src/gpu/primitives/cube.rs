//! What one cube (block) can do: wait for its units, scan over them.

use super::plane;
use crate::gpu::tuning::blueprint::Blueprint;
use cubecl::prelude::*;

/// Where large arrays in shared memory begin: at the first bank. A plane that reads or writes 16 bytes per lane takes
/// one turn more elsewhere.
pub(crate) const ALIGN: usize = 128;

/// Room for a sum of each plane.
///
/// It is aligned so that 16 bytes read at once are all its own. Otherwise the compiler reads some of a neighbour's as
/// well: nothing uses them, but compute-sanitizer reports a race.
#[cube]
pub(crate) fn plane_sums(#[comptime] bp: Blueprint) -> SharedMemory<u32> {
    SharedMemory::new_aligned(comptime!(bp.planes as usize), 16usize)
}

/// Exclusive prefix sum of `value` over the units of the cube. `totals` holds one word per plane; wait before using it
/// again.
#[cube]
pub(crate) fn exclusive_sum(value: u32, totals: &mut SharedMemory<u32>, #[comptime] bp: Blueprint) -> u32 {
    let within_plane = begin_sum(value, totals, bp);
    if comptime!(bp.planes > 1) {
        sync_cube();
    }
    end_sum(within_plane, totals, bp)
}

/// The first half of an exclusive prefix sum: that over the units of the plane.
#[cube]
pub(crate) fn begin_sum(value: u32, totals: &mut SharedMemory<u32>, #[comptime] bp: Blueprint) -> u32 {
    let inclusive = plane::inclusive_sum(value, bp);
    if comptime!(bp.planes > 1) && plane::lane(bp) == comptime!(bp.plane - 1) {
        totals[plane::plane(bp) as usize] = inclusive;
    }
    inclusive - value
}

/// The second half, to be called when the cube has waited after the first.
#[cube]
pub(crate) fn end_sum(within_plane: u32, totals: &SharedMemory<u32>, #[comptime] bp: Blueprint) -> u32 {
    let mut before = within_plane;
    if comptime!(bp.planes > 1) {
        let mine = plane::plane(bp);
        #[unroll(bp.unrolls())]
        for other in 0..comptime!(bp.planes) {
            before += select(mine > other, totals[other as usize], 0u32);
        }
    }
    before
}

/// What a unit's entries add up to.
#[cube]
pub(crate) fn sum_of(entries: &Sequence<u32>) -> u32 {
    let mut sum = 0u32;
    #[unroll]
    for q in 0..entries.len() {
        sum += entries[q];
    }
    sum
}

/// Where each of a unit's entries starts, if the first does at `start`.
#[cube]
pub(crate) fn starts_of(entries: &Sequence<u32>, start: u32) -> Sequence<u32> {
    let mut starts = Sequence::<u32>::new();
    let mut before = 0u32;
    #[unroll]
    for q in 0..entries.len() {
        // A new value each time: `before` itself goes on changing.
        starts.push(start + before);
        before += entries[q];
    }
    starts
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
