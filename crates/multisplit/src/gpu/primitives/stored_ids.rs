//! Bucket ids that the prescan stores for the postscan, where computing one takes longer than reading it.
//!
//! The prescan loads 16 bytes of keys at a time and writes a word of ids for them: 8 bits for each of 4 keys, or 16
//! bits for each of 2.

use super::copy_barrier::{CopyBarrier, copy_barrier};
use super::cube;
use super::sizes::Part;
use super::tile::{copy, first_owned};
use crate::gpu::tuning::blueprint::Blueprint;
use cubecl::prelude::*;

/// The id of a load's key `e`, where it lies in their word.
#[cube]
pub(crate) fn id_in_word(id: u32, #[comptime] e: u32, #[comptime] bp: Blueprint) -> u32 {
    id << comptime!(e * bp.id_bits())
}

/// The ids of a tile, in shared memory.
#[derive(CubeType)]
pub(crate) struct StoredIds {
    words: SharedMemory<u32>,
    barrier: CopyBarrier,
    /// Which load comes: 0 for the first, 1 for the second, 0 for the third, ….
    turn: u32,
}

#[cube]
pub(crate) fn stored_ids(#[comptime] bp: Blueprint) -> StoredIds {
    StoredIds {
        // A unit reads one word beyond those of its ids.
        words: SharedMemory::new_aligned(comptime!(bp.id_words() as usize + 1), cube::ALIGN),
        barrier: copy_barrier(bp),
        turn: 0u32.runtime(),
    }
}

#[cube]
impl StoredIds {
    /// Brings the ids of a tile. Nobody may still need those here; the cube needs to wait.
    pub fn bring(&mut self, from: &Array<u32>, tile: Part, #[comptime] bp: Blueprint) {
        if comptime!(bp.copies) {
            if tile.len == comptime!(bp.tile()) {
                let first = tile.start / comptime!(bp.ids_per_word);
                copy::<u32>(from, first, &mut self.words, 0u32, comptime!(bp.id_words()), bp);
            } else {
                self.load(from, tile, bp);
            }
            self.barrier.expect();
        } else {
            self.load(from, tile, bp);
        }
    }

    /// Loads the ids of a tile, full or not.
    fn load(&mut self, from: &Array<u32>, tile: Part, #[comptime] bp: Blueprint) {
        let first = tile.start / comptime!(bp.ids_per_word);
        let words = tile.len.div_ceil(comptime!(bp.ids_per_word));
        let mut i = UNIT_POS_X;
        while i < words {
            self.words[i as usize] = from[(first + i) as usize];
            i += comptime!(bp.units());
        }
    }

    /// Waits for what was copied.
    pub fn wait(&mut self, #[comptime] bp: Blueprint) {
        self.barrier.wait(true.runtime(), self.turn, bp);
        self.turn = 1 - self.turn;
    }

    /// The ids of the consecutive elements that this unit owns: whole words are read, brought into line, and taken
    /// apart.
    pub fn owned(&self, #[comptime] bp: Blueprint) -> Sequence<u32> {
        let per_word = comptime!(bp.ids_per_word);
        let first = (first_owned(bp) / per_word) as usize;
        let shift = first_owned(bp) % per_word * comptime!(bp.id_bits());
        let mut ids = Sequence::<u32>::new();
        let mut low = self.words[first];
        #[unroll]
        for w in 0..comptime!(bp.items.div_ceil(per_word)) {
            let high = self.words[first + comptime!(w as usize + 1)];
            // In two steps: no shift may be as long as a word.
            let word = (low >> shift) | ((high << 1) << (31 - shift));
            #[unroll]
            for e in 0..comptime!(per_word.min(bp.items - w * per_word)) {
                ids.push((word >> comptime!(e * bp.id_bits())) & comptime!(bp.id_mask()));
            }
            low = high;
        }
        ids
    }
}
