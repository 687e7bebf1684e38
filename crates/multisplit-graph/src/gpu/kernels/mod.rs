//! The kernels of shortest paths.
//!
//! [`step`] is the search: it takes what is near and relaxes the arcs ([`relax`]), tile by tile; what comes nearer
//! goes to queues by way of shared memory ([`queues`]). [`split_step`] is the same for vertices that wait in the
//! lists of many buckets; there a cube may go on with what it has found ([`kept`]). [`start`] is what comes before;
//! [`reorganise`] is what strategies that sort the far pile have in between.

pub(crate) mod kept;
pub(crate) mod queues;
pub(crate) mod relax;
pub(crate) mod reorganise;
pub(crate) mod split_step;
pub(crate) mod start;
pub(crate) mod step;

use super::buckets::LAST_BUCKET;
use super::control::{CURRENT, LAUNCHED, NONE};
use cubecl::prelude::*;
use multisplit::cubecl;

/// What changes the generated code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Shape {
    /// Units per cube: a power of two, at least 64.
    pub units: u32,
    /// Arcs per unit that are relaxed at once.
    pub items: u32,
    /// A vertex with so many arcs is shared by all cubes.
    pub hub: u32,
    /// Up to so many vertices, with up to so many arcs, are left to one cube, which takes several steps in one launch.
    pub solo: u32,
    pub solo_arcs: u32,
    /// The most steps of such a launch; fewer than there are slots.
    pub solo_steps: u32,
    /// Whether weights are of type `f32`.
    pub float: bool,
    /// Whether distances may be read without an atomic operation while others lower them.
    pub glimpses: bool,
    /// Buckets with a list of their own; none for strategies that know near and far. A power of two.
    pub lists: u32,
    /// Queues that vertices are put into.
    pub queues: u32,
    /// Vertices that wait in shared memory for a queue: a chunk and a tile at least.
    pub capacity: u32,
}

impl Shape {
    /// Arcs that a cube relaxes at once.
    pub const fn chunk(&self) -> u32 {
        self.units * self.items
    }

    /// Whether vertices wait in the lists of many buckets. Then an entry of a queue is two words, the vertex and the
    /// distance that it had; otherwise it is the vertex.
    pub const fn has_lists(&self) -> bool {
        self.lists > 0
    }

    /// With more than this, there may not be room for another chunk and another tile.
    pub const fn full(&self) -> u32 {
        self.capacity - self.chunk() - self.units
    }
}

/// A distance after an arc, both as numbers that order alike: [`Weight::plus`](crate::Weight::plus). Bits of numbers
/// from 0 on order like the numbers, and sums that do not fit are unreachable by themselves: infinite, or brought
/// back here.
#[cube]
pub(crate) fn plus(distance: u32, weight: u32, #[comptime] float: bool) -> u32 {
    if comptime!(float) {
        u32::reinterpret(f32::reinterpret(distance) + f32::reinterpret(weight))
    } else {
        let sum = distance + weight;
        select(sum < distance, NONE.runtime(), sum)
    }
}

/// The distance of what was not reached, as a number that orders alike.
pub(crate) const fn unreachable(float: bool) -> u32 {
    if float { f32::INFINITY.to_bits() } else { u32::MAX }
}

/// The bucket of a distance: a greater distance has none that is less.
#[cube]
pub(crate) fn bucket_of(distance: u32, scale: f32, #[comptime] float: bool) -> u32 {
    let buckets = if comptime!(float) { f32::reinterpret(distance) * scale } else { f32::cast_from(distance) * scale };
    u32::cast_from(buckets.min(comptime!(LAST_BUCKET as f32)))
}

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
