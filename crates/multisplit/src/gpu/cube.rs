//! What one cube (block) can do: scan over its units, and exchange a tile's elements through shared memory.

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

/// Who shares a tile, and so who must wait for whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Sharing {
    /// A plane reorders its own tile.
    Plane,
    /// The whole cube reorders one tile.
    Cube,
}

/// Waits for everyone who shares the tile.
#[cube]
pub(crate) fn sync_sharers(#[comptime] sharing: Sharing, #[comptime] bp: Blueprint) {
    if comptime!(matches!(sharing, Sharing::Plane)) {
        plane::sync(bp);
    } else {
        sync_cube();
    }
}

/// Reorders a tile: element j of this unit goes to `places[j]`; back come the elements at `first` and every so many
/// places after it as there are sharers. Elements with `valid[j]` false (in a partial tile) are not written.
#[cube]
pub(crate) fn exchange<E: CubePrimitive>(
    elements: &Sequence<E>,
    places: &Sequence<u32>,
    valid: &Sequence<bool>,
    tile: &mut SharedMemory<E>,
    first: u32,
    #[comptime] full: bool,
    #[comptime] sharing: Sharing,
    #[comptime] bp: Blueprint,
) -> Sequence<E> {
    #[unroll]
    for j in 0..comptime!(bp.items as usize) {
        let place = places[j] as usize;
        if comptime!(full) {
            tile[place] = elements[j];
        } else if valid[j] {
            tile[place] = elements[j];
        }
    }
    sync_sharers(sharing, bp);
    let step = comptime!(match sharing {
        Sharing::Plane => bp.plane,
        Sharing::Cube => bp.units(),
    });
    let mut moved = Sequence::<E>::new();
    #[unroll]
    for j in 0..comptime!(bp.items) {
        moved.push(tile[(first + comptime!(j * step)) as usize]);
    }
    // The tile is about to be written again: by the next column, or by the next tile.
    sync_sharers(sharing, bp);
    moved
}
