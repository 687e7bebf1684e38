//! The steps of one launch, which all searches take alike.

use super::meeting::meet;
use super::relax::Tile;
use super::shape::Shape;
use crate::sssp::gpu::state::control::{CURRENT, LAUNCHED, NONE};
use cubecl::prelude::*;
use multisplit::cubecl;

/// The steps that this cube takes in one launch: the first, and further ones as long as they are small.
#[derive(CubeType)]
pub(crate) struct Steps {
    /// The number of the current step.
    pub number: u32,
    /// Whether there may be a step to take.
    pub going: bool,
    /// Steps that this cube has taken, and those of them that it took alone.
    taken: u32,
    alone: u32,
    /// The arcs that this cube relaxed in earlier launches, modulo 2^32. For unit 0 only.
    arcs_before: u32,
}

/// Begins with the step where the last launch ended. All units wait for each other.
#[cube]
pub(crate) fn steps(
    control: &Array<Atomic<u32>>,
    words: &Array<u32>,
    tile: &mut Tile,
    launch: u32,
    tally: u32,
    #[comptime] shape: Shape,
) -> Steps {
    let mut arcs_before = 0u32;
    if UNIT_POS_X == 0 {
        // It is read here, early, for the end of the launch.
        arcs_before = peek(control, words, tally + 2 * CUBE_POS_X, true, shape);
        tile.words[0] = peek(control, words, CURRENT + launch % 2, true, shape);
    }
    sync_cube();
    Steps { number: tile.words[0], going: true.runtime(), taken: 0u32.runtime(), alone: 0u32.runtime(), arcs_before }
}

#[cube]
impl Steps {
    /// Whether the current step is the first of the launch.
    pub fn is_first(&self) -> bool {
        self.taken == 0
    }

    /// Whether this cube takes a step that is planned so: `active` if there is anything to do, `small` if the first
    /// cube should do it alone. Otherwise the launch is over.
    pub fn takes(&mut self, active: bool, small: bool, #[comptime] shape: Shape) -> bool {
        self.going = false;
        active && (small || self.taken_alone(shape) == 0) && (CUBE_POS_X == 0 || !small)
    }

    /// Steps that this cube has taken alone, or any where a launch has no other after one with all cubes.
    fn taken_alone(&self, #[comptime] shape: Shape) -> u32 {
        if comptime!(shape.meets) { self.alone } else { self.taken }
    }

    /// Ends a step that this cube has taken. After a small one it goes on, up to the most steps of a launch.
    pub fn finish(&mut self, small: bool, #[comptime] shape: Shape) {
        self.number += 1;
        self.taken += 1;
        if comptime!(shape.meets) && small {
            self.alone += 1;
        }
        if small && self.taken_alone(shape) < comptime!(shape.solo_steps) {
            self.going = true;
            // What was written to queues and words is read by other units of this cube.
            sync_storage();
            sync_cube();
        }
    }

    /// Where launches take several steps with all cubes: waits until all have ended this step, unless it was small, or
    /// the last of so many. The launch goes on if they have.
    pub fn meet(
        &mut self,
        control: &Array<Atomic<u32>>,
        tile: &mut Tile,
        word: u32,
        small: bool,
        most: u32,
        #[comptime] shape: Shape,
    ) {
        if comptime!(shape.meets) {
            let waits = !small && self.taken < most;
            if waits {
                self.going = meet(control, word, &mut tile.words);
            }
        }
    }

    /// Writes what the launch leaves behind: the number of the next step, and two words of each cube for the arcs that
    /// it has relaxed.
    pub fn leave(&self, control: &Array<Atomic<u32>>, launch: u32, tally: u32, relaxed: u32) {
        if UNIT_POS_X == 0 {
            if relaxed > 0 {
                let word = tally + 2 * CUBE_POS_X;
                control[word as usize].store(self.arcs_before + relaxed);
                if relaxed > NONE - self.arcs_before {
                    control[(word + 1) as usize].fetch_add(1u32);
                }
            }
            if CUBE_POS_X == 0 {
                control[(CURRENT + (launch + 1) % 2) as usize].store(self.number);
                control[LAUNCHED as usize].store(launch + 1);
            }
        }
    }
}

/// Reads a control word. CubeCL reads an atomic on CUDA by adding 0 to it, and all cubes would queue for that. In the
/// first step of a launch no cube has changed the word yet, so it is read without an atomic operation.
#[cube]
pub(crate) fn peek(
    control: &Array<Atomic<u32>>,
    words: &Array<u32>,
    word: u32,
    is_first: bool,
    #[comptime] shape: Shape,
) -> u32 {
    if comptime!(shape.glimpses) {
        let mut value = words[word as usize];
        if !is_first {
            value = control[word as usize].load();
        }
        value
    } else {
        control[word as usize].load()
    }
}
