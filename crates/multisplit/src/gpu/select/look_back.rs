//! Sums over all tiles before one, in a single launch: decoupled look-back.
//!
//! A tile publishes its own sum, and later the sum of itself and all tiles before it. A plane looks at the tiles before
//! its own, one for each lane, and adds up what they have published until it meets one that knows all before it.
//!
//! Tiles are numbered in the order in which cubes begin, so those before one are being worked on, or are done. Even so
//! no cube depends on another to go on: after enough looks, a plane counts the tile that it waits for itself.

use crate::gpu::function::AnyFn;
use crate::gpu::key::AnyKey;
use crate::gpu::primitives::sizes::{Part, Sizes};
use crate::gpu::primitives::{plane, relaxed};
use crate::gpu::tuning::blueprint::Blueprint;
use cubecl::prelude::*;

/// Words that tiles publish in, 0 before the launch: the next number, then a row of the tiles' own sums, then one of
/// the sums up to each tile. A sum is published as one more, so that none is 0. (The sum of all keys would not fit if
/// there were 2^32 - 1; nobody reads that of the last tile.)
#[derive(CubeType, CubeLaunch)]
pub(crate) struct TileSums {
    pub words: Array<Atomic<u32>>,
}

/// How many words there are for so many tiles.
pub(crate) const fn words(tiles: usize) -> usize {
    1 + 2 * tiles
}

/// The bucket whose keys are counted.
const KEPT: u32 = 0;

#[cube]
impl TileSums {
    /// The next number, for one unit.
    pub fn draw(&self) -> u32 {
        self.words[0].fetch_add(1u32)
    }

    /// Publishes a tile's own sum.
    pub fn publish(&self, tile: u32, sum: u32) {
        self.words[(1 + tile) as usize].store(sum + 1);
    }

    /// Publishes the sum of a tile and all before it.
    pub fn publish_total(&self, tile: u32, tiles: u32, sum: u32) {
        self.words[(1 + tiles + tile) as usize].store(sum + 1);
    }

    /// Keys of all tiles before one that are kept. For one plane; `patience` says how often it looks in vain.
    pub fn before(
        &self,
        tile: u32,
        keys: &Array<AnyKey>,
        f: &AnyFn,
        sizes: &Sizes,
        patience: u32,
        #[comptime] bp: Blueprint,
    ) -> u32 {
        let lane = plane::lane(bp);
        let mut sum = 0u32;
        // Tiles that are still to be added.
        let mut end = tile;
        let mut patience = patience;
        while end > 0 {
            let looks = lane < end;
            let at = 1 + select(looks, end - 1 - lane, 0u32);
            let own = relaxed::load(&self.words, at, bp);
            let total = relaxed::load(&self.words, at + sizes.chunks, bp);
            // Where there is no tile, 0 is all there is before the first.
            let ends = !looks || total != 0;
            let last = first_or_plane(ends, bp);
            let missing = first_or_plane(!ends && own == 0, bp);
            let reach = missing.min(last + 1);
            let here = select(ends, select(looks, total, 1u32), own) - 1;
            sum += plane_sum(select(lane < reach, here, 0u32));
            if reach > last {
                end = 0u32;
            } else if reach > 0 {
                end -= reach;
            } else if patience > 0 {
                patience -= 1;
            } else {
                end -= 1;
                sum += count_tile(keys, f, sizes.chunk(end), bp);
            }
        }
        sum
    }
}

/// The first lane that says yes, or as many as there are lanes.
#[cube]
fn first_or_plane(yes: bool, #[comptime] bp: Blueprint) -> u32 {
    let lanes = plane::ballot(yes, bp);
    select(plane::count(&lanes, bp) > 0, plane::first(&lanes, bp), comptime!(bp.plane))
}

/// Keys of a tile that are kept, counted by one plane.
#[cube]
fn count_tile(keys: &Array<AnyKey>, f: &AnyFn, tile: Part, #[comptime] bp: Blueprint) -> u32 {
    let mut count = 0u32;
    let mut at = plane::lane(bp);
    while at < tile.len {
        count += u32::cast_from(f.bucket(keys[(tile.start + at) as usize]) == KEPT);
        at += comptime!(bp.plane);
    }
    plane_sum(count)
}
