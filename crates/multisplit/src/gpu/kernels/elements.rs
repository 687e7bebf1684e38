//! Elements on the move: a key and its values. Keys only is the case of no value columns, so this is all there is to
//! pairs.

use super::super::blueprint::Blueprint;
use super::super::cube::{Sharing, exchange};
use super::sizes::Part;
use cubecl::prelude::*;

/// An 8-byte value.
pub(crate) type Wide = Vector<u32, Const<2>>;

/// Keys and value columns, as input or as output.
#[derive(CubeType, CubeLaunch)]
pub(crate) struct Elements<K: CubePrimitive> {
    pub keys: Array<K>,
    /// 4-byte columns.
    pub narrow: Sequence<Array<u32>>,
    /// 8-byte columns.
    pub wide: Sequence<Array<Wide>>,
    /// In an output, one column of source indices if the permutation is wanted; else empty.
    pub permutation: Sequence<Array<u32>>,
}

/// Shared memory to reorder elements in: the keys' tile, and one per width of value that is in use.
#[derive(CubeType)]
pub(crate) struct Tiles<K: CubePrimitive> {
    pub keys: SharedMemory<K>,
    pub narrow: SharedMemory<u32>,
    pub wide: SharedMemory<Wide>,
}

/// Reserves the tiles. A width that is not in use takes one element.
#[cube]
pub(crate) fn tiles<K: CubePrimitive>(#[comptime] bp: Blueprint) -> Tiles<K> {
    let narrow = comptime!(if bp.narrow > 0 || bp.permutation { bp.tile() } else { 1 });
    let wide = comptime!(if bp.wide > 0 { bp.tile() } else { 1 });
    Tiles::<K> {
        keys: SharedMemory::new(comptime!(bp.tile() as usize)),
        narrow: SharedMemory::new(comptime!(narrow as usize)),
        wide: SharedMemory::new(comptime!(wide as usize)),
    }
}

/// The elements of a plane's windows that belong to this lane. `offset` is the lane's place in the tile.
#[cube]
pub(crate) fn load<E: CubePrimitive>(
    from: &Array<E>,
    tile: Part,
    offset: u32,
    #[comptime] full: bool,
    #[comptime] bp: Blueprint,
) -> Sequence<E> {
    let mut elements = Sequence::<E>::new();
    let first = tile.start + offset;
    #[unroll]
    for j in 0..comptime!(bp.items) {
        if comptime!(full) {
            elements.push(from[first as usize + comptime!((j * bp.plane) as usize)]);
        } else {
            // Lanes without an element read the last one. There is one even if this tile is empty: no kernel runs
            // without keys.
            let last = tile.start + tile.len - 1;
            elements.push(from[(first + comptime!(j * bp.plane)).min(last) as usize]);
        }
    }
    elements
}

/// Which of the places `first`, `first + step`, … lie within a tile of `len`.
#[cube]
pub(crate) fn within(first: u32, #[comptime] step: u32, len: u32, #[comptime] bp: Blueprint) -> Sequence<bool> {
    let mut valid = Sequence::<bool>::new();
    #[unroll]
    for j in 0..comptime!(bp.items) {
        valid.push(first + comptime!(j * step) < len);
    }
    valid
}

/// The source indices of a lane's elements.
#[cube]
fn indices(start: u32, offset: u32, #[comptime] bp: Blueprint) -> Sequence<u32> {
    let mut indices = Sequence::<u32>::new();
    #[unroll]
    for j in 0..comptime!(bp.items) {
        indices.push(start + offset + comptime!(j * bp.plane));
    }
    indices
}

/// Writes elements to their final positions.
#[cube]
pub(crate) fn scatter<E: CubePrimitive>(
    elements: &Sequence<E>,
    positions: &Sequence<u32>,
    valid: &Sequence<bool>,
    to: &mut Array<E>,
    #[comptime] full: bool,
    #[comptime] bp: Blueprint,
) {
    #[unroll]
    for j in 0..comptime!(bp.items as usize) {
        let position = positions[j] as usize;
        if comptime!(full) {
            to[position] = elements[j];
        } else if valid[j] {
            to[position] = elements[j];
        }
    }
}

/// Moves the values of a tile straight to the final positions of their keys (direct multisplit).
#[cube]
pub(crate) fn scatter_values<K: CubePrimitive>(
    from: &Elements<K>,
    to: &mut Elements<K>,
    tile: Part,
    offset: u32,
    positions: &Sequence<u32>,
    valid: &Sequence<bool>,
    #[comptime] full: bool,
    #[comptime] bp: Blueprint,
) {
    #[unroll]
    for c in 0..comptime!(bp.narrow as usize) {
        let values = load::<u32>(from.narrow.index(c), tile, offset, full, bp);
        scatter::<u32>(&values, positions, valid, to.narrow.index_mut(c), full, bp);
    }
    #[unroll]
    for c in 0..comptime!(bp.wide as usize) {
        let values = load::<Wide>(from.wide.index(c), tile, offset, full, bp);
        scatter::<Wide>(&values, positions, valid, to.wide.index_mut(c), full, bp);
    }
    if comptime!(bp.permutation) {
        let values = indices(tile.start, offset, bp);
        scatter::<u32>(&values, positions, valid, to.permutation.index_mut(0usize), full, bp);
    }
}

/// Where a tile's elements go: first within the tile, then in the output.
#[derive(CubeType)]
pub(crate) struct Route {
    /// Place in the tile of each element that this unit loaded.
    pub places: Sequence<u32>,
    /// Which elements this unit loaded exist.
    pub loaded: Sequence<bool>,
    /// Final position of each element that this unit holds after the exchange.
    pub positions: Sequence<u32>,
    /// Which of those exist.
    pub held: Sequence<bool>,
    /// Where this unit reads the reordered tile.
    pub first: u32,
}

/// Reorders one column's tile in shared memory and writes it out.
#[cube]
fn exchange_and_scatter<E: CubePrimitive>(
    elements: &Sequence<E>,
    to: &mut Array<E>,
    tile: &mut SharedMemory<E>,
    route: &Route,
    #[comptime] full: bool,
    #[comptime] sharing: Sharing,
    #[comptime] bp: Blueprint,
) {
    let moved = exchange::<E>(elements, &route.places, &route.loaded, tile, route.first, full, sharing, bp);
    scatter::<E>(&moved, &route.positions, &route.held, to, full, bp);
}

/// Moves the values of a tile along the route that their keys took (warp- and block-level multisplit).
#[cube]
pub(crate) fn reorder_values<K: CubePrimitive>(
    from: &Elements<K>,
    to: &mut Elements<K>,
    tiles: &mut Tiles<K>,
    tile: Part,
    offset: u32,
    route: &Route,
    #[comptime] full: bool,
    #[comptime] sharing: Sharing,
    #[comptime] bp: Blueprint,
) {
    #[unroll]
    for c in 0..comptime!(bp.narrow as usize) {
        let values = load::<u32>(from.narrow.index(c), tile, offset, full, bp);
        let to = to.narrow.index_mut(c);
        exchange_and_scatter::<u32>(&values, to, &mut tiles.narrow, route, full, sharing, bp);
    }
    #[unroll]
    for c in 0..comptime!(bp.wide as usize) {
        let values = load::<Wide>(from.wide.index(c), tile, offset, full, bp);
        let to = to.wide.index_mut(c);
        exchange_and_scatter::<Wide>(&values, to, &mut tiles.wide, route, full, sharing, bp);
    }
    if comptime!(bp.permutation) {
        let values = indices(tile.start, offset, bp);
        let to = to.permutation.index_mut(0usize);
        exchange_and_scatter::<u32>(&values, to, &mut tiles.narrow, route, full, sharing, bp);
    }
}
