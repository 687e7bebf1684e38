//! Values that follow their keys through shared memory.

use super::elements::{Columns, Tiles, Wide};
use super::sizes::Part;
use super::tile::{copy, copy_once, fetch, first_fetched, first_owned, owned, stage, stage_part};
use crate::gpu::tuning::blueprint::Blueprint;
use cubecl::prelude::*;

/// This unit's part of all columns of a tile.
#[derive(CubeType)]
pub(crate) struct Values {
    narrow: Sequence<Sequence<u32>>,
    wide: Sequence<Sequence<Wide>>,
    permutation: Sequence<Sequence<u32>>,
}

/// Loads the columns of a tile.
#[cube]
pub(crate) fn fetch_columns(from: &Columns, tile: Part, #[comptime] full: bool, #[comptime] bp: Blueprint) -> Values {
    let mut values = no_values();
    #[unroll]
    for c in 0..comptime!(bp.narrow as usize) {
        values.narrow.push(fetch::<u32>(from.narrow.index(c), tile, full, bp));
    }
    #[unroll]
    for c in 0..comptime!(bp.wide as usize) {
        values.wide.push(fetch::<Wide>(from.wide.index(c), tile, full, bp));
    }
    values
}

/// Loads the columns of a tile that need not be full, and numbers its elements where the permutation is wanted.
#[cube]
pub(crate) fn fetch_rows(from: &Columns, tile: Part, #[comptime] bp: Blueprint) -> Values {
    let mut values = fetch_columns(from, tile, false, bp);
    if comptime!(bp.permutation) {
        let first = tile.start + first_fetched(bp);
        let mut indices = Sequence::<u32>::new();
        #[unroll]
        for j in 0..comptime!(bp.items) {
            indices.push(first + comptime!(j * bp.plane));
        }
        values.permutation.push(indices);
    }
    values
}

/// Puts them into the tiles that begin at `first`.
#[cube]
pub(crate) fn stage_columns(values: &Values, tiles: &mut Tiles, first: u32, #[comptime] bp: Blueprint) {
    #[unroll]
    for c in 0..comptime!(bp.narrow as usize) {
        stage::<u32>(values.narrow.index(c), tiles.narrow.index_mut(c), first, bp);
    }
    #[unroll]
    for c in 0..comptime!(bp.wide as usize) {
        stage::<Wide>(values.wide.index(c), tiles.wide.index_mut(c), first, bp);
    }
}

/// Puts the columns of a tile that is not full into the tiles that begin at `first`.
#[cube]
pub(crate) fn stage_part_of_columns(
    from: &Columns,
    tile: Part,
    tiles: &mut Tiles,
    first: u32,
    #[comptime] bp: Blueprint,
) {
    #[unroll]
    for c in 0..comptime!(bp.narrow as usize) {
        stage_part::<u32>(from.narrow.index(c), tile, tiles.narrow.index_mut(c), first, bp);
    }
    #[unroll]
    for c in 0..comptime!(bp.wide as usize) {
        stage_part::<Wide>(from.wide.index(c), tile, tiles.wide.index_mut(c), first, bp);
    }
}

/// Starts to copy the columns of a full tile to the tiles that begin at `first`.
#[cube]
pub(crate) fn copy_columns(from: &Columns, tile: Part, tiles: &mut Tiles, first: u32, #[comptime] bp: Blueprint) {
    #[unroll]
    for c in 0..comptime!(bp.narrow as usize) {
        copy::<u32>(from.narrow.index(c), tile.start, tiles.narrow.index_mut(c), first, comptime!(bp.tile()), bp);
    }
    #[unroll]
    for c in 0..comptime!(bp.wide as usize) {
        copy::<Wide>(from.wide.index(c), tile.start, tiles.wide.index_mut(c), first, comptime!(bp.tile()), bp);
    }
}

/// The same, in a loop; see [`copy_once`].
#[cube]
pub(crate) fn copy_columns_once(
    from: &Columns,
    tile: Part,
    tiles: &mut Tiles,
    first: u32,
    aligned: bool,
    #[comptime] bp: Blueprint,
) {
    #[unroll]
    for c in 0..comptime!(bp.narrow as usize) {
        copy_once::<u32>(from.narrow.index(c), tile.start, tiles.narrow.index_mut(c), first, aligned, bp);
    }
    #[unroll]
    for c in 0..comptime!(bp.wide as usize) {
        copy_once::<Wide>(from.wide.index(c), tile.start, tiles.wide.index_mut(c), first, aligned, bp);
    }
}

/// The values that this unit owns of the tiles that begin at `first`, which hold the input from `start` on.
#[cube]
pub(crate) fn owned_columns(
    tiles: &Tiles,
    first: u32,
    start: u32,
    first_sort: bool,
    #[comptime] bp: Blueprint,
) -> Values {
    let mut values = no_values();
    #[unroll]
    for c in 0..comptime!(bp.narrow as usize) {
        values.narrow.push(owned::<u32>(tiles.narrow.index(c), first, bp));
    }
    #[unroll]
    for c in 0..comptime!(bp.wide as usize) {
        values.wide.push(owned::<Wide>(tiles.wide.index(c), first, bp));
    }
    if comptime!(bp.permutation) {
        // When they are sorted first, elements are where they came; then the tile says where they did.
        let tile = tiles.permutation.index(0usize);
        let first = first + first_owned(bp);
        let start = start + first_owned(bp);
        let mut indices = Sequence::<u32>::new();
        #[unroll]
        for j in 0..comptime!(bp.items) {
            indices.push(if comptime!(bp.passes() == 1) {
                start + j
            } else {
                select(first_sort, start + j, tile[(first + j) as usize])
            });
        }
        values.permutation.push(indices);
    }
    values
}

/// Puts the values of this unit's `j`-th key to its place.
#[cube]
pub(crate) fn put_values(
    values: &Values,
    #[comptime] j: usize,
    place: usize,
    tiles: &mut Tiles,
    #[comptime] bp: Blueprint,
) {
    #[unroll]
    for c in 0..comptime!(bp.narrow as usize) {
        let (tile, values) = (tiles.narrow.index_mut(c), values.narrow.index(c));
        tile[place] = values[j];
    }
    #[unroll]
    for c in 0..comptime!(bp.wide as usize) {
        let (tile, values) = (tiles.wide.index_mut(c), values.wide.index(c));
        tile[place] = values[j];
    }
    if comptime!(bp.permutation) {
        let (tile, values) = (tiles.permutation.index_mut(0usize), values.permutation.index(0usize));
        tile[place] = values[j];
    }
}

/// No values at all.
#[cube]
pub(crate) fn no_values() -> Values {
    Values { narrow: Sequence::new(), wide: Sequence::new(), permutation: Sequence::new() }
}
