//! The steps of one launch: the control words that they begin with, and those that they leave.

use super::shape::Shape;
use crate::sssp::gpu::state::control::{CURRENT, LAUNCHED, NONE};
use cubecl::prelude::*;
use multisplit::cubecl;

/// A control word. CubeCL reads an atomic on CUDA by adding nothing to it, and all cubes would stand in line for
/// that; in the first step of a launch nobody has changed it yet, so that it can be read as it is.
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

/// The arcs that this cube has walked in launches before, modulo 2^32. For one unit, at the start: it is there at the
/// end.
#[cube]
pub(crate) fn arcs_before(
    control: &Array<Atomic<u32>>,
    words: &Array<u32>,
    tally: u32,
    #[comptime] shape: Shape,
) -> u32 {
    peek(control, words, tally + 2 * CUBE_POS_X, true, shape)
}

/// What a launch leaves behind: the step that comes next, and two words of each cube for the arcs that it has walked.
/// For one unit of each.
#[cube]
pub(crate) fn leave(
    control: &Array<Atomic<u32>>,
    launch: u32,
    number: u32,
    tally: u32,
    arcs_before: u32,
    relaxed: u32,
) {
    if relaxed > 0 {
        let word = tally + 2 * CUBE_POS_X;
        control[word as usize].store(arcs_before + relaxed);
        if relaxed > NONE - arcs_before {
            control[(word + 1) as usize].fetch_add(1u32);
        }
    }
    if CUBE_POS_X == 0 {
        control[(CURRENT + (launch + 1) % 2) as usize].store(number);
        control[LAUNCHED as usize].store(launch + 1);
    }
}
