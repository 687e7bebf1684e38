//! Elements on the move: a key and its values. Keys only is the case of no value columns, so this is all there is to
//! pairs.

use super::sizes::Part;
use super::{cube, plane};
use crate::gpu::key::AnyKey;
use crate::gpu::tuning::blueprint::Blueprint;
use cubecl::prelude::*;

/// An 8-byte value.
pub(crate) type Wide = Vector<u32, Const<2>>;

/// Elements that a unit writes at once; it loops over the others, which makes less code to compile.
pub(crate) const fn write_unroll(bp: Blueprint) -> u32 {
    bp.unroll(8)
}

/// Keys and what goes with them, as input or as output.
#[derive(CubeType, CubeLaunch)]
pub(crate) struct Rows {
    pub keys: Array<AnyKey>,
    pub columns: Columns,
}

/// What goes with the keys.
#[derive(CubeType, CubeLaunch)]
pub(crate) struct Columns {
    /// 4-byte columns.
    pub narrow: Sequence<Array<u32>>,
    /// 8-byte columns.
    pub wide: Sequence<Array<Wide>>,
    /// In an output, one column of source indices if the permutation is wanted; else empty.
    pub permutation: Sequence<Array<u32>>,
}

/// Shared memory to reorder values in: a tile for each column.
#[derive(CubeType)]
pub(crate) struct Tiles {
    pub narrow: Sequence<SharedMemory<u32>>,
    pub wide: Sequence<SharedMemory<Wide>>,
    pub permutation: Sequence<SharedMemory<u32>>,
}

/// Reserves tiles of `len` elements.
#[cube]
pub(crate) fn tiles(#[comptime] len: u32, #[comptime] bp: Blueprint) -> Tiles {
    let mut narrow = Sequence::<SharedMemory<u32>>::new();
    #[unroll]
    for _ in 0..comptime!(bp.narrow) {
        narrow.push(SharedMemory::<u32>::new_aligned(comptime!(len as usize), cube::ALIGN));
    }
    let mut wide = Sequence::<SharedMemory<Wide>>::new();
    #[unroll]
    for _ in 0..comptime!(bp.wide) {
        wide.push(SharedMemory::<Wide>::new_aligned(comptime!(len as usize), cube::ALIGN));
    }
    let mut permutation = Sequence::<SharedMemory<u32>>::new();
    if comptime!(bp.permutation) {
        permutation.push(SharedMemory::<u32>::new(comptime!(len as usize)));
    }
    Tiles { narrow, wide, permutation }
}

/// The elements `offset`, `offset + plane`, … of a tile: the lanes of a plane load neighbours.
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
            // Units without an element read the last one. There is one even if this tile is empty: no kernel runs
            // without keys.
            let last = tile.start + tile.len - 1;
            elements.push(from[(first + comptime!(j * bp.plane)).min(last) as usize]);
        }
    }
    elements
}

/// Which of the same elements lie within a tile of `len`.
#[cube]
pub(crate) fn within(offset: u32, len: u32, #[comptime] bp: Blueprint) -> Sequence<bool> {
    let mut valid = Sequence::<bool>::new();
    #[unroll]
    for j in 0..comptime!(bp.items) {
        valid.push(offset + comptime!(j * bp.plane) < len);
    }
    valid
}

/// The source indices of the same elements.
#[cube]
fn indices(start: u32, offset: u32, #[comptime] bp: Blueprint) -> Sequence<u32> {
    let mut indices = Sequence::<u32>::new();
    #[unroll]
    for j in 0..comptime!(bp.items) {
        indices.push(start + offset + comptime!(j * bp.plane));
    }
    indices
}

/// Writes elements to their positions: in the output, or in a tile.
#[cube]
pub(crate) fn scatter<E: CubePrimitive, L: ListMut<E>>(
    elements: &Sequence<E>,
    positions: &Sequence<u32>,
    valid: &Sequence<bool>,
    to: &mut L,
    #[comptime] full: bool,
    #[comptime] bp: Blueprint,
) {
    #[unroll]
    for j in 0..comptime!(bp.items as usize) {
        if full || valid[j] {
            to.write(positions[j] as usize, elements[j]);
        }
    }
}

/// Moves the values of a plane's tile to the positions of their keys, column by column: in the output, or in tiles.
#[cube]
pub(crate) fn scatter_values<N: ListMut<u32>, W: ListMut<Wide>>(
    from: &Columns,
    narrow: &mut Sequence<N>,
    wide: &mut Sequence<W>,
    permutation: &mut Sequence<N>,
    tile: Part,
    positions: &Sequence<u32>,
    valid: &Sequence<bool>,
    #[comptime] full: bool,
    #[comptime] bp: Blueprint,
) {
    let lane = plane::lane(bp);
    #[unroll]
    for c in 0..comptime!(bp.narrow as usize) {
        let values = load::<u32>(from.narrow.index(c), tile, lane, full, bp);
        scatter::<u32, N>(&values, positions, valid, narrow.index_mut(c), full, bp);
    }
    #[unroll]
    for c in 0..comptime!(bp.wide as usize) {
        let values = load::<Wide>(from.wide.index(c), tile, lane, full, bp);
        scatter::<Wide, W>(&values, positions, valid, wide.index_mut(c), full, bp);
    }
    if comptime!(bp.permutation) {
        let values = indices(tile.start, lane, bp);
        scatter::<u32, N>(&values, positions, valid, permutation.index_mut(0usize), full, bp);
    }
}

/// Writes a key, and its values from `at` in their tiles, to its final position.
#[cube]
pub(crate) fn write_out(
    key: AnyKey,
    tiles: &Tiles,
    at: usize,
    to: &mut Rows,
    position: usize,
    #[comptime] bp: Blueprint,
) {
    to.keys[position] = key;
    let to = &mut to.columns;
    #[unroll]
    for c in 0..comptime!(bp.narrow as usize) {
        let (tile, to) = (tiles.narrow.index(c), to.narrow.index_mut(c));
        to[position] = tile[at];
    }
    #[unroll]
    for c in 0..comptime!(bp.wide as usize) {
        let (tile, to) = (tiles.wide.index(c), to.wide.index_mut(c));
        to[position] = tile[at];
    }
    if comptime!(bp.permutation) {
        let (tile, to) = (tiles.permutation.index(0usize), to.permutation.index_mut(0usize));
        to[position] = tile[at];
    }
}

/// A row on its way from the input to the output.
#[derive(CubeType)]
pub(crate) struct Row {
    pub key: AnyKey,
    narrow: Sequence<u32>,
    wide: Sequence<Wide>,
}

/// Loads a row.
#[cube]
pub(crate) fn fetch_row(from: &Rows, at: usize, #[comptime] bp: Blueprint) -> Row {
    let mut narrow = Sequence::<u32>::new();
    #[unroll]
    for c in 0..comptime!(bp.narrow as usize) {
        let column = from.columns.narrow.index(c);
        narrow.push(column[at]);
    }
    let mut wide = Sequence::<Wide>::new();
    #[unroll]
    for c in 0..comptime!(bp.wide as usize) {
        let column = from.columns.wide.index(c);
        wide.push(column[at]);
    }
    Row { key: from.keys[at], narrow, wide }
}

/// Writes a row, which was loaded from `at`, to its final position.
#[cube]
pub(crate) fn write_row(row: &Row, at: u32, to: &mut Rows, position: usize, #[comptime] bp: Blueprint) {
    to.keys[position] = row.key;
    let to = &mut to.columns;
    #[unroll]
    for c in 0..comptime!(bp.narrow as usize) {
        let to = to.narrow.index_mut(c);
        to[position] = row.narrow[c];
    }
    #[unroll]
    for c in 0..comptime!(bp.wide as usize) {
        let to = to.wide.index_mut(c);
        to[position] = row.wide[c];
    }
    if comptime!(bp.permutation) {
        let to = to.permutation.index_mut(0usize);
        to[position] = at;
    }
}
