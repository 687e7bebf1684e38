//! The kernels of shortest paths.
//!
//! [`step`] is the search: it takes what is near and relaxes the arcs ([`relax`]), tile by tile; what comes nearer goes to
//! queues by way of shared memory ([`queues`]). [`start`] is what comes before; [`reorganise`] is what strategies that sort
//! the far pile have in between.

pub(crate) mod queues;
pub(crate) mod relax;
pub(crate) mod reorganise;
pub(crate) mod start;
pub(crate) mod step;

use super::control::NONE;
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
    /// Up to so many vertices are left to one cube, which takes several steps in one launch.
    pub solo: u32,
    /// The most steps of such a launch; fewer than there are slots.
    pub solo_steps: u32,
    /// Whether weights are of type `f32`.
    pub float: bool,
}

impl Shape {
    /// Arcs that a cube relaxes at once.
    pub const fn chunk(&self) -> u32 {
        self.units * self.items
    }

    /// Vertices that wait in shared memory for each queue.
    pub const fn capacity(&self) -> u32 {
        2 * self.chunk()
    }

    /// With more than this, there may not be room for another chunk and another tile.
    pub const fn full(&self) -> u32 {
        self.capacity() - self.chunk() - self.units
    }
}

/// A distance after an arc, both as numbers that order alike: [`Weight::plus`](crate::Weight::plus). Bits of numbers from 0
/// on order like the numbers, and sums that do not fit are unreachable by themselves: infinite, or brought back here.
#[cube]
pub(crate) fn plus(distance: u32, weight: u32, #[comptime] float: bool) -> u32 {
    if comptime!(float) {
        u32::reinterpret(f32::reinterpret(distance) + f32::reinterpret(weight))
    } else {
        let sum = distance + weight;
        select(sum < distance, NONE.runtime(), sum)
    }
}
