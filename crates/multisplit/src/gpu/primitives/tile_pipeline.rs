//! How tiles come into shared memory.
//!
//! While a tile is sorted and written the next one is on its way. Where the device can copy to shared memory by
//! itself, it does: there is room for two tiles, and units do not spend registers on it. Elsewhere units load the
//! next tile while they write this one, keep it in registers, and put it in this one's place.

use super::copy_barrier::{CopyBarrier, copy_barrier};
use super::cube;
use super::elements::{Rows, Tiles, tiles};
use super::payload::{
    Values, copy_columns, copy_columns_once, fetch_columns, no_values, stage_columns, stage_part_of_columns,
};
use super::sizes::Part;
use super::tile::{copy, copy_once, fetch, stage, stage_part};
use crate::gpu::key::AnyKey;
use crate::gpu::tuning::blueprint::Blueprint;
use cubecl::prelude::*;

/// Shared memory for tiles.
#[derive(CubeType)]
pub(crate) struct TilePipeline {
    pub keys: SharedMemory<AnyKey>,
    pub tiles: Tiles,
    /// 0 for the first tile, 1 for the second, 0 for the third, …; where there is room for two, the one that it is in.
    turn: u32,
    barrier: CopyBarrier,
}

/// A unit's part of a tile on its way through registers.
#[derive(CubeType)]
pub(crate) struct Loaded {
    keys: Sequence<AnyKey>,
    values: Values,
}

/// Loads a tile to registers.
#[cube]
pub(crate) fn load_tile(from: &Rows, tile: Part, #[comptime] full: bool, #[comptime] bp: Blueprint) -> Loaded {
    Loaded { keys: fetch::<AnyKey>(&from.keys, tile, full, bp), values: fetch_columns(&from.columns, tile, full, bp) }
}

/// Loads the next tile to registers, unless it is being copied.
#[cube]
pub(crate) fn load_ahead(from: &Rows, tile: Part, #[comptime] bp: Blueprint) -> Loaded {
    if comptime!(bp.copies) {
        Loaded { keys: Sequence::new(), values: no_values() }
    } else {
        load_tile(from, tile, true, bp)
    }
}

#[cube]
pub(crate) fn pipeline(#[comptime] bp: Blueprint) -> TilePipeline {
    TilePipeline {
        keys: SharedMemory::new_aligned(comptime!(bp.tile_room() as usize), cube::ALIGN),
        tiles: tiles(comptime!(bp.tile_room()), bp),
        turn: 0u32.runtime(),
        barrier: copy_barrier(bp),
    }
}

#[cube]
impl TilePipeline {
    /// Where the present tile begins in shared memory.
    pub fn first(&self, #[comptime] bp: Blueprint) -> u32 {
        if comptime!(bp.tile_room() > bp.tile()) { self.turn * comptime!(bp.tile()) } else { 0u32.runtime() }
    }

    /// Puts a loaded tile here. Nobody may still need what is here; wait before it is sorted.
    pub fn take_in(&mut self, loaded: &Loaded, #[comptime] bp: Blueprint) {
        let first = self.first(bp);
        stage::<AnyKey>(&loaded.keys, &mut self.keys, first, bp);
        stage_columns(&loaded.values, &mut self.tiles, first, bp);
    }

    /// Brings a tile, which begins at a multiple of 16 bytes and need not be full, to where the present one is. Nobody
    /// may still need what is here; the cube needs to wait.
    pub fn bring(&mut self, from: &Rows, tile: Part, #[comptime] bp: Blueprint) {
        let here = self.first(bp);
        if tile.len < comptime!(bp.tile()) {
            stage_part::<AnyKey>(&from.keys, tile, &mut self.keys, here, bp);
            stage_part_of_columns(&from.columns, tile, &mut self.tiles, here, bp);
        } else if comptime!(bp.copies) {
            self.copy(here, from, tile, bp);
        } else {
            self.load(from, tile, bp);
        }
        if comptime!(bp.copies) {
            self.barrier.expect();
        }
    }

    /// Brings the first of several full tiles, in little code. It begins at a multiple of 16 bytes if it is `aligned`,
    /// else anywhere.
    pub fn bring_first(&mut self, from: &Rows, tile: Part, aligned: bool, #[comptime] bp: Blueprint) {
        if comptime!(bp.copies) {
            let here = self.first(bp);
            copy_once::<AnyKey>(&from.keys, tile.start, &mut self.keys, here, aligned, bp);
            copy_columns_once(&from.columns, tile, &mut self.tiles, here, aligned, bp);
            self.barrier.expect();
        } else {
            self.load(from, tile, bp);
        }
    }

    /// Loads a full tile and puts it here.
    fn load(&mut self, from: &Rows, tile: Part, #[comptime] bp: Blueprint) {
        let loaded = load_tile(from, tile, true, bp);
        self.take_in(&loaded, bp);
    }

    /// Waits for the tile that comes here by copies, if one does. The cube still needs to.
    pub fn wait(&self, comes: bool, #[comptime] bp: Blueprint) {
        self.barrier.wait(comes, self.turn, bp);
    }

    /// Starts to copy the next tile, a full one, if that is how they come.
    pub fn copy_ahead(&mut self, from: &Rows, tile: Part, #[comptime] bp: Blueprint) {
        if comptime!(bp.copies) {
            let there = comptime!(bp.tile()) - self.first(bp);
            self.copy(there, from, tile, bp);
            self.barrier.expect();
        }
    }

    /// Starts to copy a full tile. All units must have waited for the copies before.
    fn copy(&mut self, first: u32, from: &Rows, tile: Part, #[comptime] bp: Blueprint) {
        copy::<AnyKey>(&from.keys, tile.start, &mut self.keys, first, comptime!(bp.tile()), bp);
        copy_columns(&from.columns, tile, &mut self.tiles, first, bp);
    }

    /// The next tile is the present one.
    pub fn turn_over(&mut self) {
        self.turn = 1 - self.turn;
    }

    /// Goes on to the next tile, which is loaded or on its way, if one comes. The cube needs to wait.
    pub fn go_on(&mut self, loaded: &Loaded, comes: bool, #[comptime] bp: Blueprint) {
        if comptime!(bp.copies) {
            self.turn_over();
        } else {
            // Somebody may still need the present one.
            cube::sync(bp);
            self.take_in(loaded, bp);
        }
        self.wait(comes, bp);
    }
}
