//! What the kernels of a segmented split share: which tile a cube has, and where it says what went wrong.
//!
//! A table says of each tile where it lies and where its counts go ([`super::deal`]). A tile is of one segment, and a
//! cube takes one tile, or several where segments are small. Tiles of like size are a batch, and a launch.

use crate::gpu::primitives::sizes::Part;
use crate::gpu::tuning::blueprint::Blueprint;
use cubecl::prelude::*;

/// Words of the table for a segment that is a tile: where it begins, how long it is, where its offsets go.
pub(crate) const WHOLE: u32 = 3;
/// Words of the table for a tile of a longer segment: the same, then what [`CutTile`] adds to it.
pub(crate) const CUT: u32 = 6;
/// Words for a segment that is cut, where such are listed: the same, then how many tiles and keys of others come
/// before.
pub(crate) const LISTED: u32 = 5;
/// Instead of where offsets go, for tiles that are not the first of their segment.
pub(crate) const NOWHERE: u32 = u32::MAX;

/// Words of the status that kernels of one split add to: keys without a valid bucket, and a flag that is raised when a
/// kernel ran with another plane size than it was compiled for.
pub(crate) const STATUS: usize = 2;

/// The tiles of one launch.
#[derive(CubeType, CubeLaunch)]
pub(crate) struct Batch {
    /// Buckets.
    pub m: u32,
    /// Where their entries begin in the table.
    pub first: u32,
    /// Tiles.
    pub tiles: u32,
    /// Whether this launch counts keys without a valid bucket; only one of several with the same keys does.
    pub counts: u32,
}

/// A tile of a segment that has several, or one.
#[derive(CubeType, Clone, Copy)]
pub(crate) struct CutTile {
    pub part: Part,
    /// Where the offsets of its segment go, if it is the first tile of it.
    pub place: u32,
    /// Where its count of bucket 0 is.
    pub counter: u32,
    /// Tiles of its segment: how far the count of the next bucket is.
    pub stride: u32,
    /// Final position of a key less its place among the keys of all segments that are cut.
    pub shift: u32,
}

#[cube]
impl Batch {
    /// The number of this cube's tile, or first tile, which there may not be.
    pub fn number(&self) -> u32 {
        CUBE_POS_Y * CUBE_COUNT_X + CUBE_POS_X
    }

    /// How far its next tile is.
    pub fn step(&self) -> u32 {
        CUBE_COUNT_X * CUBE_COUNT_Y
    }

    /// The tile of this cube, of a segment that is cut.
    pub fn cut_tile(&self, table: &Array<u32>) -> CutTile {
        let entry = (self.first + self.number() * CUT) as usize;
        CutTile {
            part: Part { start: table[entry], len: table[entry + 1] },
            place: table[entry + 2],
            counter: table[entry + 3],
            stride: table[entry + 4],
            shift: table[entry + 5],
        }
    }
}

/// Raises the flag and says so if planes are not what the kernel was compiled for: its results would be wrong.
#[cube]
pub(crate) fn wrong_planes(status: &Array<Atomic<u32>>, #[comptime] bp: Blueprint) -> bool {
    let wrong = PLANE_DIM != comptime!(bp.plane);
    if wrong && UNIT_POS_X == 0 {
        status[1].store(1u32);
    }
    wrong
}

/// Adds to the number of keys without a valid bucket.
#[cube]
pub(crate) fn report_out_of_range(status: &Array<Atomic<u32>>, out_of_range: u32) {
    if out_of_range > 0 {
        status[0].fetch_add(out_of_range);
    }
}

/// Ends a result of so many offsets as every split does: the number of keys, what went wrong. The status is ready for
/// the next split.
#[cube(launch_unchecked, address_type = "dynamic")]
pub(crate) fn finish(result: &mut Array<u32>, status: &Array<Atomic<u32>>, n: u32, offsets: u32) {
    if UNIT_POS_X == 0 {
        let end = offsets as usize;
        result[end] = n;
        result[end + 1] = status[0].load();
        result[end + 2] = status[1].load();
        status[0].store(0u32);
        status[1].store(0u32);
    }
}
