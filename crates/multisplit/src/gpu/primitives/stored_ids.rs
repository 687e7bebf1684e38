//! Labels: bucket ids that the prescan keeps for the postscan, where the function takes longer than to read them.
//!
//! The prescan loads 16 bytes of keys at a time and writes a word of labels for them: 8 bits for each of 4 keys, or 16
//! bits for each of 2.

use super::copy_barrier::{CopyBarrier, copy_barrier};
use super::cube;
use super::sizes::Part;
use super::tile::{copy, first_owned};
use crate::gpu::tuning::blueprint::Blueprint;
use cubecl::prelude::*;

/// The label of a load's key `e`, where it lies in their word.
#[cube]
pub(crate) fn label(id: u32, #[comptime] e: u32, #[comptime] bp: Blueprint) -> u32 {
    id << comptime!(e * bp.label_bits())
}

/// The labels of a tile, in shared memory.
#[derive(CubeType)]
pub(crate) struct Labels {
    words: SharedMemory<u32>,
    barrier: CopyBarrier,
    /// Which load comes: 0 for the first, 1 for the second, 0 for the third, ….
    turn: u32,
}

#[cube]
pub(crate) fn labels(#[comptime] bp: Blueprint) -> Labels {
    Labels {
        // A unit reads one word beyond those of its labels.
        words: SharedMemory::new_aligned(comptime!(bp.label_words() as usize + 1), cube::ALIGN),
        barrier: copy_barrier(bp),
        turn: 0u32.runtime(),
    }
}

#[cube]
impl Labels {
    /// Brings the labels of a tile. Nobody may still need those here; the cube needs to wait.
    pub fn bring(&mut self, from: &Array<u32>, tile: Part, #[comptime] bp: Blueprint) {
        if comptime!(bp.copies) {
            if tile.len == comptime!(bp.tile()) {
                let first = tile.start / comptime!(bp.labels);
                copy::<u32>(from, first, &mut self.words, 0u32, comptime!(bp.label_words()), bp);
            } else {
                self.load(from, tile, bp);
            }
            self.barrier.expect();
        } else {
            self.load(from, tile, bp);
        }
    }

    /// Loads the labels of a tile, full or not.
    fn load(&mut self, from: &Array<u32>, tile: Part, #[comptime] bp: Blueprint) {
        let first = tile.start / comptime!(bp.labels);
        let words = tile.len.div_ceil(comptime!(bp.labels));
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

    /// The labels of the consecutive elements that this unit owns: whole words are read, brought into line, and taken
    /// apart.
    pub fn owned(&self, #[comptime] bp: Blueprint) -> Sequence<u32> {
        let per_word = comptime!(bp.labels);
        let first = (first_owned(bp) / per_word) as usize;
        let shift = first_owned(bp) % per_word * comptime!(bp.label_bits());
        let mut labels = Sequence::<u32>::new();
        let mut low = self.words[first];
        #[unroll]
        for w in 0..comptime!(bp.items.div_ceil(per_word)) {
            let high = self.words[first + comptime!(w as usize + 1)];
            // In two steps: no shift may be as long as a word.
            let word = (low >> shift) | ((high << 1) << (31 - shift));
            #[unroll]
            for e in 0..comptime!(per_word.min(bp.items - w * per_word)) {
                labels.push((word >> comptime!(e * bp.label_bits())) & comptime!(bp.label_mask()));
            }
            low = high;
        }
        labels
    }
}
