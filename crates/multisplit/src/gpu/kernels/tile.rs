//! A tile in shared memory, and the two ways through it: along, as planes load it and the cube writes it, and across, as
//! units own consecutive elements.
//!
//! Shared memory serves the lanes of a plane at once if all are on different banks. So after each 32 elements a place is
//! left out ([`apart`]); then neither way two lanes meet on a bank.

use super::super::blueprint::Blueprint;
use super::super::plane;
use super::elements::load;
use super::sizes::Part;
use cubecl::prelude::*;

/// Where an element lies.
#[cube]
pub(crate) fn apart(place: u32) -> u32 {
    place + place / 32
}

/// Where the element lies that is `distance` after `place`.
#[cube]
pub(crate) fn apart_by(place: u32, #[comptime] distance: u32) -> u32 {
    if comptime!(distance.is_multiple_of(32)) {
        apart(place) + comptime!(distance + distance / 32)
    } else {
        apart(place + distance)
    }
}

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

/// Puts what was fetched into the tile. The plane needs to wait before it is [`owned`].
#[cube]
pub(crate) fn stage<E: CubePrimitive>(fetched: &Sequence<E>, tile: &mut SharedMemory<E>, #[comptime] bp: Blueprint) {
    #[unroll]
    for j in 0..comptime!(bp.items) {
        let at = apart_by(first_fetched(bp), comptime!(j * bp.plane));
        tile[at as usize] = fetched[comptime!(j as usize)];
    }
}

/// Each plane fetches what its units own, so that only planes need to wait.
#[cube]
fn first_fetched(#[comptime] bp: Blueprint) -> u32 {
    plane::plane(bp) * comptime!(bp.plane_tile()) + plane::lane(bp)
}

/// The consecutive elements that this unit owns.
#[cube]
pub(crate) fn owned<E: CubePrimitive>(tile: &SharedMemory<E>, #[comptime] bp: Blueprint) -> Sequence<E> {
    let mut elements = Sequence::<E>::new();
    let first = first_owned(bp);
    #[unroll]
    for j in 0..comptime!(bp.items) {
        if comptime!(32 % bp.items == 0) {
            // No place is left out among them.
            elements.push(tile[(apart(first) + j) as usize]);
        } else {
            elements.push(tile[apart(first + j) as usize]);
        }
    }
    elements
}

/// Puts a unit's elements back, to places that are [`apart`].
#[cube]
pub(crate) fn put<E: CubePrimitive>(
    elements: &Sequence<E>,
    places: &Sequence<u32>,
    tile: &mut SharedMemory<E>,
    #[comptime] bp: Blueprint,
) {
    #[unroll]
    for j in 0..comptime!(bp.items as usize) {
        let place = places[j] as usize;
        tile[place] = elements[j];
    }
}

/// The first element that this unit owns.
#[cube]
pub(crate) fn first_owned(#[comptime] bp: Blueprint) -> u32 {
    UNIT_POS_X * comptime!(bp.items)
}
