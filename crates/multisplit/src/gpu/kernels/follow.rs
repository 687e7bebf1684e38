//! Values that follow their keys through a sort of the tile.

use super::super::blueprint::{Blueprint, Pass};
use super::super::cube;
use super::elements::{Columns, Tiles, Wide};
use super::sizes::Part;
use super::tile::{fetch, first_owned, owned, put, stage};
use cubecl::prelude::*;

/// This unit's part of all columns of a tile, on its way to shared memory.
#[derive(CubeType)]
pub(crate) struct Fetched {
    narrow: Sequence<Sequence<u32>>,
    wide: Sequence<Sequence<Wide>>,
}

/// Loads the columns of a tile.
#[cube]
pub(crate) fn fetch_columns(from: &Columns, tile: Part, #[comptime] full: bool, #[comptime] bp: Blueprint) -> Fetched {
    let mut narrow = Sequence::<Sequence<u32>>::new();
    #[unroll]
    for c in 0..comptime!(bp.narrow as usize) {
        narrow.push(fetch::<u32>(from.narrow.index(c), tile, full, bp));
    }
    let mut wide = Sequence::<Sequence<Wide>>::new();
    #[unroll]
    for c in 0..comptime!(bp.wide as usize) {
        wide.push(fetch::<Wide>(from.wide.index(c), tile, full, bp));
    }
    Fetched { narrow, wide }
}

/// Puts them there.
#[cube]
pub(crate) fn stage_columns(fetched: &Fetched, tiles: &mut Tiles, #[comptime] bp: Blueprint) {
    #[unroll]
    for c in 0..comptime!(bp.narrow as usize) {
        stage::<u32>(fetched.narrow.index(c), tiles.narrow.index_mut(c), bp);
    }
    #[unroll]
    for c in 0..comptime!(bp.wide as usize) {
        stage::<Wide>(fetched.wide.index(c), tiles.wide.index_mut(c), bp);
    }
}

/// Brings the values that this unit owns to the places of their keys.
#[cube]
pub(crate) fn follow(tiles: &mut Tiles, places: &Sequence<u32>, start: u32, #[comptime] pass: Pass) {
    let bp = comptime!(pass.bp);
    #[unroll]
    for c in 0..comptime!(bp.narrow as usize) {
        sort_column::<u32>(tiles.narrow.index_mut(c), places, pass);
    }
    #[unroll]
    for c in 0..comptime!(bp.wide as usize) {
        sort_column::<Wide>(tiles.wide.index_mut(c), places, pass);
    }
    if comptime!(bp.permutation && pass.number == 0) {
        let mut indices = Sequence::<u32>::new();
        #[unroll]
        for j in 0..comptime!(bp.items) {
            indices.push(start + first_owned(bp) + j);
        }
        put::<u32>(&indices, places, tiles.permutation.index_mut(0usize), bp);
    }
    if comptime!(bp.permutation && pass.number > 0) {
        sort_column::<u32>(tiles.permutation.index_mut(0usize), places, pass);
    }
}

#[cube]
fn sort_column<E: CubePrimitive>(tile: &mut SharedMemory<E>, places: &Sequence<u32>, #[comptime] pass: Pass) {
    let bp = comptime!(pass.bp);
    let own = owned::<E>(tile, bp);
    // Everybody's are in registers before the first is put back.
    cube::sync(bp);
    put::<E>(&own, places, tile, bp);
}
