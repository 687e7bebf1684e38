//! Deals segments out to tiles on the device: writes the table that [`Deal::table`](super::deal::Deal::table) is.
//!
//! A cube has a part of the segments, and each of its units consecutive ones. The host says where the part's entries of
//! each class begin. Units count theirs, prefix sums over the units tell them where each unit's begin, and they write
//! them. Segments that are cut are listed, since one may have very many tiles; another launch has a unit for each tile.
//! Nothing depends on what planes can do: there are few segments, compared with keys.

use super::tile_table::{CUT, LISTED, NOWHERE, WHOLE};
use crate::gpu::primitives::device_scan::{part_of_cube, scan_units};
use crate::gpu::primitives::sizes::Part;
use cubecl::prelude::*;

/// Consecutive segments per unit.
pub(crate) const RUN: u32 = 8;

/// `offsets` are those of so many segments, and `bases` are a [`Deal`](super::deal::Deal)'s, of parts of `RUN` segments
/// for each unit. `limits` are the most keys of a segment of each class that fits a tile. Where all segments are
/// `equal`, `length` is their length, and offsets are not read.
#[cube(launch_unchecked, address_type = "dynamic")]
pub(crate) fn deal_segments(
    offsets: &Array<u32>,
    bases: &Array<u32>,
    table: &mut Array<u32>,
    limits: &Sequence<u32>,
    segments: u32,
    length: u32,
    tile: u32,
    m: u32,
    #[comptime] equal: bool,
    #[comptime] units: u32,
) {
    let cut = comptime!(limits.len() as u32);
    let rows = comptime!(cut + 3);
    let part = part_of_cube(segments, comptime!(units * RUN));
    let first = (UNIT_POS_X * RUN).min(part.len);
    let end = (first + RUN).min(part.len);
    // A row for each class, then one each for tiles and keys of segments that are cut. Units have a column each.
    let mut places = SharedMemory::<u32>::new(comptime!((rows * units) as usize));
    let mut scan = SharedMemory::<u32>::new(comptime!(units as usize));
    for row in 0..rows {
        places[(row * units + UNIT_POS_X) as usize] = 0u32;
    }
    for i in first..end {
        let segment = segment_of(offsets, part.start + i, length, equal);
        let len = segment.len;
        let class = class_of(len, limits);
        let column = (class * units + UNIT_POS_X) as usize;
        if class < cut {
            places[column] += WHOLE;
        } else {
            places[column] += LISTED;
            places[column + comptime!(units as usize)] += len / tile + u32::cast_from(len % tile > 0);
            places[column + comptime!(2 * units as usize)] += len;
        }
    }
    for row in 0..rows {
        let column = (row * units + UNIT_POS_X) as usize;
        let mine = places[column];
        let inclusive = scan_units(mine, &mut scan, units);
        places[column] = bases[(CUBE_POS_X * rows + row) as usize] + inclusive - mine;
        // The next row is scanned in the same place.
        sync_cube();
    }
    for i in first..end {
        let number = part.start + i;
        let segment = segment_of(offsets, number, length, equal);
        let len = segment.len;
        let class = class_of(len, limits);
        let column = (class * units + UNIT_POS_X) as usize;
        let entry = places[column];
        let at = entry as usize;
        table[at] = segment.start;
        table[at + 1] = len;
        table[at + 2] = number * m;
        if class < cut {
            places[column] = entry + WHOLE;
        } else {
            places[column] = entry + LISTED;
            let (tiles, keys) = (column + comptime!(units as usize), column + comptime!(2 * units as usize));
            table[at + 3] = places[tiles];
            table[at + 4] = places[keys];
            places[tiles] += len / tile + u32::cast_from(len % tile > 0);
            places[keys] += len;
        }
    }
}

/// Where a segment lies.
#[cube]
fn segment_of(offsets: &Array<u32>, number: u32, length: u32, #[comptime] equal: bool) -> Part {
    if comptime!(equal) {
        Part { start: number * length, len: length }
    } else {
        let start = offsets[number as usize];
        Part { start, len: offsets[(number + 1) as usize] - start }
    }
}

/// The class of a segment: how many of the limits it exceeds.
#[cube]
fn class_of(len: u32, limits: &Sequence<u32>) -> u32 {
    let mut class = 0u32;
    #[unroll]
    for i in 0..limits.len() {
        class += u32::cast_from(len > limits[i]);
    }
    class
}

/// The run-time numbers of [`cut_segments`].
#[derive(CubeType, CubeLaunch)]
pub(crate) struct Cutting {
    /// Where the list of segments begins in the table.
    pub list: u32,
    /// Segments in it.
    pub segments: u32,
    /// Where the entries of tiles begin.
    pub first: u32,
    /// Tiles of all segments together.
    pub tiles: u32,
    /// Keys of a tile.
    pub tile: u32,
    /// Buckets.
    pub m: u32,
}

/// Writes the entries of the tiles of segments that are cut. A unit has one tile, and looks in the list for the segment
/// that it is of.
#[cube(launch_unchecked, address_type = "dynamic")]
pub(crate) fn cut_segments(table: &mut Array<u32>, cutting: &Cutting, #[comptime] units: u32) {
    let number = (CUBE_POS_Y * CUBE_COUNT_X + CUBE_POS_X) * units + UNIT_POS_X;
    if number < cutting.tiles {
        // The last segment that has no more tiles before it: not before `low`, and before `high`.
        let mut low = 0u32;
        let mut high = cutting.segments;
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            if table[(cutting.list + middle * LISTED + 3) as usize] <= number {
                low = middle;
            } else {
                high = middle;
            }
        }
        let listed = (cutting.list + low * LISTED) as usize;
        let (start, len, place) = (table[listed], table[listed + 1], table[listed + 2]);
        let (tiles, keys) = (table[listed + 3], table[listed + 4]);
        let tile = number - tiles;
        let skipped = tile * cutting.tile;
        let entry = (cutting.first + number * CUT) as usize;
        table[entry] = start + skipped;
        table[entry + 1] = cutting.tile.min(len - skipped);
        table[entry + 2] = select(tile == 0, place, NOWHERE.runtime());
        table[entry + 3] = cutting.m * tiles + tile;
        table[entry + 4] = len / cutting.tile + u32::cast_from(len % cutting.tile > 0);
        table[entry + 5] = start - keys;
    }
}
