//! What a cube has found waits in shared memory until it is worth an atomic add for the room in a queue.

use super::Shape;
use crate::gpu::control::NONE;
use cubecl::prelude::*;
use multisplit::cubecl;

/// The queues: near vertices, those of them with very many arcs, and the far pile.
pub(crate) const TO_NEAR: u32 = 0;
pub(crate) const TO_HUBS: u32 = 1;
pub(crate) const TO_PILE: u32 = 2;
const QUEUES: u32 = 3;

/// Where the queues are. Near vertices and hubs share an array: those from the front, these from the back.
#[derive(CubeType, Clone, Copy)]
pub(crate) struct Places {
    /// Where in the control words they are counted.
    pub counts: u32,
    pub pile_count: u32,
    /// Which half of the near array, and of the pile array.
    pub near_half: u32,
    pub pile_half: u32,
    /// Entries of a half.
    pub n: u32,
}

#[derive(CubeType)]
pub(crate) struct Queues {
    waiting: SharedMemory<u32>,
    counts: SharedMemory<Atomic<u32>>,
    /// The same at the last look. CubeCL reads an atomic on CUDA by adding nothing to it, one unit after the other.
    seen: SharedMemory<u32>,
    rooms: SharedMemory<u32>,
    /// The least distance of what went to the far pile.
    least: SharedMemory<Atomic<u32>>,
}

/// Empty ones. Wait before they are used.
#[cube]
pub(crate) fn queues(#[comptime] shape: Shape) -> Queues {
    let queues = Queues {
        waiting: SharedMemory::new(comptime!((QUEUES * shape.capacity()) as usize)),
        counts: SharedMemory::new(comptime!(QUEUES as usize)),
        seen: SharedMemory::new(comptime!(QUEUES as usize)),
        rooms: SharedMemory::new(comptime!(QUEUES as usize)),
        least: SharedMemory::new(1usize),
    };
    if UNIT_POS_X < QUEUES {
        queues.counts[UNIT_POS_X as usize].store(0u32);
    }
    if UNIT_POS_X == 0 {
        queues.least[0].store(NONE);
    }
    queues
}

#[cube]
impl Queues {
    pub fn push(&mut self, queue: u32, vertex: u32, #[comptime] shape: Shape) {
        let place = self.counts[queue as usize].fetch_add(1u32);
        self.waiting[(queue * comptime!(shape.capacity()) + place) as usize] = vertex;
    }

    /// Something of this distance waits in the far pile.
    pub fn note(&self, distance: u32) {
        self.least[0].fetch_min(distance);
    }

    /// Waits for the cube, and makes room for a chunk and a tile if there is none.
    pub fn settle(
        &mut self,
        near: &mut Array<u32>,
        pile: &mut Array<u32>,
        control: &Array<Atomic<u32>>,
        places: Places,
        #[comptime] shape: Shape,
    ) {
        sync_cube();
        if UNIT_POS_X < QUEUES {
            self.seen[UNIT_POS_X as usize] = self.counts[UNIT_POS_X as usize].load();
        }
        sync_cube();
        let (near_count, hub_count) = (self.seen[TO_NEAR as usize], self.seen[TO_HUBS as usize]);
        if near_count.max(hub_count).max(self.seen[TO_PILE as usize]) > comptime!(shape.full()) {
            self.write(near, pile, control, places, shape);
        }
    }

    /// Writes out all that waits. All units must have pushed, and waited.
    pub fn write(
        &mut self,
        near: &mut Array<u32>,
        pile: &mut Array<u32>,
        control: &Array<Atomic<u32>>,
        places: Places,
        #[comptime] shape: Shape,
    ) {
        if UNIT_POS_X < QUEUES {
            let count = self.counts[UNIT_POS_X as usize].load();
            self.seen[UNIT_POS_X as usize] = count;
            if count > 0 {
                let counter = select(UNIT_POS_X == TO_PILE, places.pile_count, places.counts + UNIT_POS_X);
                self.rooms[UNIT_POS_X as usize] = control[counter as usize].fetch_add(count);
            }
        }
        sync_cube();
        let near_base = places.near_half as usize * places.n as usize;
        let pile_base = places.pile_half as usize * places.n as usize;
        #[unroll]
        for queue in 0..QUEUES {
            let count = self.seen[queue as usize];
            let room = self.rooms[queue as usize];
            let mut i = UNIT_POS_X;
            while i < count {
                let vertex = self.waiting[(i + comptime!(queue * shape.capacity())) as usize];
                let place = (room + i) as usize;
                if comptime!(queue == TO_NEAR) {
                    near[near_base + place] = vertex;
                } else if comptime!(queue == TO_HUBS) {
                    near[near_base + (places.n - 1 - room - i) as usize] = vertex;
                } else {
                    pile[pile_base + place] = vertex;
                }
                i += comptime!(shape.units);
            }
        }
        sync_cube();
        if UNIT_POS_X < QUEUES {
            self.counts[UNIT_POS_X as usize].store(0u32);
        }
        sync_cube();
    }

    /// Tells the far pile what its least distance is. For one unit, after all have waited.
    pub fn tell_least(&self, control: &Array<Atomic<u32>>, places: Places) {
        let least = self.least[0].load();
        if least < NONE {
            control[(places.pile_count + 1) as usize].fetch_min(least);
        }
        self.least[0].store(NONE);
    }
}
