//! Value columns: every method moves them the same way as the keys, so this is all there is to pairs.

use super::super::blueprint::Blueprint;
use super::super::cube::{Sharing, exchange};
use super::load_tile;
use cubecl::prelude::*;

/// An 8-byte value.
pub(crate) type Wide = Vector<u32, Const<2>>;

/// The value columns of one launch. Keys only: both empty.
#[derive(CubeType, CubeLaunch)]
pub(crate) struct Columns {
    pub narrow: Sequence<Array<u32>>,
    pub wide: Sequence<Array<Wide>>,
    /// Empty among the inputs; in the outputs, one column of source indices if the permutation is wanted.
    pub permutation: Sequence<Array<u32>>,
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

/// Moves every value column of a tile straight to its final positions (direct multisplit).
#[cube]
pub(crate) fn scatter_columns(
    from: &Columns,
    to: &mut Columns,
    positions: &Sequence<u32>,
    valid: &Sequence<bool>,
    start: u32,
    offset: u32,
    len: u32,
    #[comptime] full: bool,
    #[comptime] bp: Blueprint,
) {
    #[unroll]
    for c in 0..comptime!(bp.narrow as usize) {
        let values = load_tile::<u32>(from.narrow.index(c), start, offset, len, full, bp);
        scatter::<u32>(&values, positions, valid, to.narrow.index_mut(c), full, bp);
    }
    #[unroll]
    for c in 0..comptime!(bp.wide as usize) {
        let values = load_tile::<Wide>(from.wide.index(c), start, offset, len, full, bp);
        scatter::<Wide>(&values, positions, valid, to.wide.index_mut(c), full, bp);
    }
    if comptime!(bp.permutation) {
        let values = indices(start, offset, bp);
        scatter::<u32>(&values, positions, valid, to.permutation.index_mut(0usize), full, bp);
    }
}

/// Shared memory to reorder value columns in: one tile per width in use, shared by all columns of that width.
#[derive(CubeType)]
pub(crate) struct ColumnTiles {
    narrow: SharedMemory<u32>,
    wide: SharedMemory<Wide>,
}

/// Reserves the tiles. A width that is not in use takes one element.
#[cube]
pub(crate) fn column_tiles(#[comptime] bp: Blueprint) -> ColumnTiles {
    let narrow = comptime!(if bp.narrow > 0 || bp.permutation { bp.tile() } else { 1 });
    let wide = comptime!(if bp.wide > 0 { bp.tile() } else { 1 });
    ColumnTiles {
        narrow: SharedMemory::new(comptime!(narrow as usize)),
        wide: SharedMemory::new(comptime!(wide as usize)),
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
pub(crate) fn exchange_and_scatter<E: CubePrimitive>(
    elements: &Sequence<E>,
    to: &mut Array<E>,
    tile: &mut SharedMemory<E>,
    route: &Route,
    #[comptime] step: u32,
    #[comptime] full: bool,
    #[comptime] sharing: Sharing,
    #[comptime] bp: Blueprint,
) {
    let moved = exchange::<E>(elements, &route.places, &route.loaded, tile, route.first, step, full, sharing, bp);
    scatter::<E>(&moved, &route.positions, &route.held, to, full, bp);
}

/// Moves every value column of a tile along the route its keys took (warp- and block-level multisplit).
#[cube]
pub(crate) fn reorder_columns(
    from: &Columns,
    to: &mut Columns,
    tiles: &mut ColumnTiles,
    route: &Route,
    start: u32,
    offset: u32,
    len: u32,
    #[comptime] step: u32,
    #[comptime] full: bool,
    #[comptime] sharing: Sharing,
    #[comptime] bp: Blueprint,
) {
    #[unroll]
    for c in 0..comptime!(bp.narrow as usize) {
        let values = load_tile::<u32>(from.narrow.index(c), start, offset, len, full, bp);
        let to = to.narrow.index_mut(c);
        exchange_and_scatter::<u32>(&values, to, &mut tiles.narrow, route, step, full, sharing, bp);
    }
    #[unroll]
    for c in 0..comptime!(bp.wide as usize) {
        let values = load_tile::<Wide>(from.wide.index(c), start, offset, len, full, bp);
        let to = to.wide.index_mut(c);
        exchange_and_scatter::<Wide>(&values, to, &mut tiles.wide, route, step, full, sharing, bp);
    }
    if comptime!(bp.permutation) {
        let values = indices(start, offset, bp);
        let to = to.permutation.index_mut(0usize);
        exchange_and_scatter::<u32>(&values, to, &mut tiles.narrow, route, step, full, sharing, bp);
    }
}
