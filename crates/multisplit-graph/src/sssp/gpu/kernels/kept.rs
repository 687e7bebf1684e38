//! Vertices that a cube has found and takes itself, in the same step: those of buckets that the step takes anyway.
//!
//! A step costs a launch, and several round trips to memory to find out what there is to do. Where vertices have few
//! arcs, that is nearly all it costs. So a cube goes on by itself for a few rounds, and the search has fewer steps.

use super::shape::Shape;
use cubecl::prelude::*;
use multisplit::cubecl;

#[derive(CubeType)]
pub(crate) struct Kept {
    vertices: SharedMemory<u32>,
    distances: SharedMemory<u32>,
    count: SharedMemory<Atomic<u32>>,
    /// The count when it was last read.
    seen: SharedMemory<u32>,
}

/// Keeps nothing yet. Units must wait for each other before they use it.
#[cube]
pub(crate) fn kept(#[comptime] shape: Shape) -> Kept {
    // Strategies without lists keep nothing.
    let room = comptime!(if shape.has_lists() { shape.units as usize } else { 1 });
    let kept = Kept {
        vertices: SharedMemory::new(room),
        distances: SharedMemory::new(room),
        count: SharedMemory::new(1usize),
        seen: SharedMemory::new(1usize),
    };
    if UNIT_POS_X == 0 {
        kept.count[0].store(0u32);
    }
    kept
}

#[cube]
impl Kept {
    /// Keeps a vertex if there is a unit to take it, and returns whether there is.
    pub fn push(&mut self, vertex: u32, distance: u32, #[comptime] shape: Shape) -> bool {
        let place = self.count[0].fetch_add(1u32);
        let has_room = place < comptime!(shape.units);
        if has_room {
            self.vertices[place as usize] = vertex;
            self.distances[place as usize] = distance;
        }
        has_room
    }

    /// Returns how many vertices are kept, one for each of the first units, and forgets them. All units must have
    /// pushed and waited; they wait for each other here.
    pub fn take(&mut self, #[comptime] shape: Shape) -> u32 {
        if UNIT_POS_X == 0 {
            self.seen[0] = self.count[0].swap(0u32).min(comptime!(shape.units));
        }
        sync_cube();
        self.seen[0]
    }

    /// This unit's vertex. It is valid until units wait for each other again.
    pub fn vertex(&self) -> u32 {
        self.vertices[UNIT_POS_X as usize]
    }

    /// The distance that it was kept with.
    pub fn distance(&self) -> u32 {
        self.distances[UNIT_POS_X as usize]
    }
}
