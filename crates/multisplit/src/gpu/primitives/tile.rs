//! Tiles in shared memory, and the two ways through them: along, as they are loaded and written, and across, as units
//! own consecutive elements.
//!
//! Shared memory serves the lanes of a plane at once if all are on different banks. Along they always are; across they
//! are if units own odd numbers of elements.

use super::async_copy;
use super::elements::load;
use super::plane;
use super::sizes::Part;
use crate::gpu::tuning::blueprint::Blueprint;
use cubecl::prelude::*;

/// This unit's part of a tile, as a plane loads it: every lane the neighbour of the next.
#[cube]
pub(crate) fn fetch<E: CubePrimitive>(
    from: &Array<E>,
    tile: Part,
    #[comptime] full: bool,
    #[comptime] bp: Blueprint,
) -> Sequence<E> {
    load::<E>(from, tile, first_fetched(bp), full, bp)
}

/// Puts what was fetched into the tile that begins at `first`.
#[cube]
pub(crate) fn stage<E: CubePrimitive>(
    fetched: &Sequence<E>,
    tiles: &mut SharedMemory<E>,
    first: u32,
    #[comptime] bp: Blueprint,
) {
    let first = (first + first_fetched(bp)) as usize;
    #[unroll]
    for j in 0..comptime!(bp.items as usize) {
        tiles[first + comptime!(j * bp.plane as usize)] = fetched[j];
    }
}

/// Puts a tile that is not full to where `first` is, in little code.
#[cube]
pub(crate) fn stage_part<E: CubePrimitive>(
    from: &Array<E>,
    tile: Part,
    tiles: &mut SharedMemory<E>,
    first: u32,
    #[comptime] bp: Blueprint,
) {
    let mut at = UNIT_POS_X;
    while at < tile.len {
        tiles[(first + at) as usize] = from[(tile.start + at) as usize];
        at += comptime!(bp.units());
    }
}

/// Each plane fetches what its units own.
#[cube]
pub(crate) fn first_fetched(#[comptime] bp: Blueprint) -> u32 {
    plane::plane(bp) * comptime!(bp.plane_tile()) + plane::lane(bp)
}

/// Starts to copy `len` elements, whole copies of them, from `start` on to where `first` is. They are there when the
/// cube has waited at a barrier that this unit arrived at afterwards.
#[cube]
pub(crate) fn copy<E: CubePrimitive>(
    from: &Array<E>,
    start: u32,
    tiles: &mut SharedMemory<E>,
    first: u32,
    #[comptime] len: u32,
    #[comptime] bp: Blueprint,
) {
    let size = E::type_size();
    let step = comptime!(async_copy::BYTES / size);
    let at = UNIT_POS_X as usize * step;
    let (source, target) = (start as usize + at, first as usize + at);
    let round = comptime!(bp.units() as usize * step);
    #[unroll]
    for i in 0..comptime!((len as usize).div_ceil(round)) {
        let done = comptime!(i * round);
        if comptime!(done + round <= len as usize) {
            async_copy::start(from, source + done, tiles, target + done, async_copy::BYTES);
        } else if at + done < comptime!(len as usize) {
            async_copy::start(from, source + done, tiles, target + done, async_copy::BYTES);
        }
    }
}

/// The same for a full tile, in a loop: it takes longer, and is little code. The tile begins at a multiple of 16 bytes
/// if it is `aligned`, else anywhere.
#[cube]
pub(crate) fn copy_once<E: CubePrimitive>(
    from: &Array<E>,
    start: u32,
    tiles: &mut SharedMemory<E>,
    first: u32,
    aligned: bool,
    #[comptime] bp: Blueprint,
) {
    let size = E::type_size();
    if aligned {
        copy_by::<E>(from, start, tiles, first, async_copy::BYTES, bp);
    } else if comptime!(size >= async_copy::LEAST_BYTES) {
        copy_by::<E>(from, start, tiles, first, size, bp);
    } else {
        let tile = Part { start, len: comptime!(bp.tile()).runtime() };
        stage::<E>(&fetch::<E>(from, tile, true, bp), tiles, first, bp);
    }
}

#[cube]
fn copy_by<E: CubePrimitive>(
    from: &Array<E>,
    start: u32,
    tiles: &mut SharedMemory<E>,
    first: u32,
    #[comptime] bytes: usize,
    #[comptime] bp: Blueprint,
) {
    let size = E::type_size();
    let step = comptime!(bytes / size);
    let end = comptime!(bp.tile() as usize);
    let mut at = UNIT_POS_X as usize * step;
    while at < end {
        async_copy::start(from, start as usize + at, tiles, first as usize + at, bytes);
        at += comptime!(bp.units() as usize * step);
    }
}

/// The consecutive elements that this unit owns of the tile that begins at `first`.
#[cube]
pub(crate) fn owned<E: CubePrimitive>(tiles: &SharedMemory<E>, first: u32, #[comptime] bp: Blueprint) -> Sequence<E> {
    let mut elements = Sequence::<E>::new();
    let first = (first + first_owned(bp)) as usize;
    #[unroll]
    for j in 0..comptime!(bp.items as usize) {
        elements.push(tiles[first + j]);
    }
    elements
}

/// The first element of a tile that this unit owns.
#[cube]
pub(crate) fn first_owned(#[comptime] bp: Blueprint) -> u32 {
    UNIT_POS_X * comptime!(bp.items)
}
