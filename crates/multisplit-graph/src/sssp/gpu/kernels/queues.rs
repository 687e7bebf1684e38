//! Vertices that a cube has found wait in shared memory until there are enough for an atomic add that reserves room in
//! a queue.
//!
//! This is a multisplit of the vertices by queue, at the paper's block level: a histogram in shared memory gives each
//! vertex its rank, one addition per cube reserves room in every queue, and a scatter writes the vertices. Order does
//! not matter here, so atomic adds may give the ranks.

use super::shape::Shape;
use crate::sssp::gpu::state::control::{NONE, OVERFULL};
use cubecl::prelude::*;
use multisplit::cubecl;

/// Bits of a rank in a ticket; above them is the queue.
const RANK_BITS: u32 = 16;

#[derive(CubeType)]
pub(crate) struct Queues {
    waiting: SharedMemory<u32>,
    /// Where entries are a vertex and its distance: the distance.
    distances: SharedMemory<u32>,
    /// For each that waits: the queue that it goes to, and its rank among those that do.
    tickets: SharedMemory<u32>,
    /// How many wait for each queue, and in all.
    counts: SharedMemory<Atomic<u32>>,
    /// The counts when they were last read. CubeCL reads an atomic on CUDA by adding 0 to it, one unit after the other.
    seen: SharedMemory<u32>,
    rooms: SharedMemory<u32>,
    /// For each queue: the row of the array of queues that it is in, how many are there before this step, and the
    /// control word that counts those of this step. A plan sets them.
    pub rows: SharedMemory<u32>,
    pub befores: SharedMemory<u32>,
    pub counters: SharedMemory<u32>,
    /// The least distance of vertices that went to the far pile.
    least: SharedMemory<Atomic<u32>>,
    /// Arcs to report at the end of the step: with lists, those of vertices that were taken; otherwise, those of
    /// vertices that went to the near queues.
    arcs: SharedMemory<Atomic<u32>>,
}

/// Empty queues. Units must wait for each other before they use them.
#[cube]
pub(crate) fn queues(#[comptime] shape: Shape) -> Queues {
    let room = comptime!(shape.capacity as usize);
    let queues = Queues {
        waiting: SharedMemory::new(room),
        distances: SharedMemory::new(comptime!(if shape.has_lists() { room } else { 1 })),
        tickets: SharedMemory::new(room),
        counts: SharedMemory::new(comptime!(shape.queues as usize + 1)),
        seen: SharedMemory::new(comptime!(shape.queues as usize + 1)),
        rooms: SharedMemory::new(comptime!(shape.queues as usize)),
        rows: SharedMemory::new(comptime!(shape.queues as usize)),
        befores: SharedMemory::new(comptime!(shape.queues as usize)),
        counters: SharedMemory::new(comptime!(shape.queues as usize)),
        least: SharedMemory::new(1usize),
        arcs: SharedMemory::new(1usize),
    };
    if UNIT_POS_X <= comptime!(shape.queues) {
        queues.counts[UNIT_POS_X as usize].store(0u32);
    }
    if UNIT_POS_X == 0 {
        queues.least[0].store(NONE);
        queues.arcs[0].store(0u32);
    }
    queues
}

#[cube]
impl Queues {
    /// Puts a vertex, of this distance, into a queue.
    pub fn push(&mut self, queue: u32, vertex: u32, distance: u32, #[comptime] shape: Shape) {
        let rank = self.counts[queue as usize].fetch_add(1u32);
        let place = self.counts[comptime!(shape.queues as usize)].fetch_add(1u32);
        self.waiting[place as usize] = vertex;
        if comptime!(shape.has_lists()) {
            self.distances[place as usize] = distance;
        }
        self.tickets[place as usize] = (queue << RANK_BITS) | rank;
    }

    /// Puts a vertex into a queue, as [`push`](Self::push) does, in memory if there is no room in shared memory.
    pub fn push_anywhere(
        &mut self,
        queue: u32,
        vertex: u32,
        distance: u32,
        queued: &mut Array<u32>,
        control: &Array<Atomic<u32>>,
        n: u32,
        #[comptime] shape: Shape,
    ) {
        let place = self.counts[comptime!(shape.queues as usize)].fetch_add(1u32);
        if place < comptime!(shape.capacity) {
            let rank = self.counts[queue as usize].fetch_add(1u32);
            self.waiting[place as usize] = vertex;
            self.distances[place as usize] = distance;
            self.tickets[place as usize] = (queue << RANK_BITS) | rank;
        } else {
            let counter = self.counters[queue as usize];
            let place = control[counter as usize].fetch_add(1u32) + self.befores[queue as usize];
            if place < n {
                let entry = self.rows[queue as usize] as usize * n as usize + place as usize;
                queued[2 * entry] = vertex;
                queued[2 * entry + 1] = distance;
            } else {
                control[OVERFULL as usize].store(1u32);
            }
        }
    }

    /// Records that a vertex at this distance waits in the far pile.
    pub fn note(&self, distance: u32) {
        self.least[0].fetch_min(distance);
    }

    /// Waits for all units, and writes out what waits if there is no room for another chunk and another tile.
    pub fn settle(&mut self, queued: &mut Array<u32>, control: &Array<Atomic<u32>>, n: u32, #[comptime] shape: Shape) {
        sync_cube();
        if UNIT_POS_X == 0 {
            self.seen[comptime!(shape.queues as usize)] = self.counts[comptime!(shape.queues as usize)].load();
        }
        sync_cube();
        if self.seen[comptime!(shape.queues as usize)] > comptime!(shape.full()) {
            self.write(queued, control, n, shape);
        }
    }

    /// Writes out all that waits. All units must have pushed, and waited.
    fn write(&mut self, queued: &mut Array<u32>, control: &Array<Atomic<u32>>, n: u32, #[comptime] shape: Shape) {
        if UNIT_POS_X <= comptime!(shape.queues) {
            let count = self.counts[UNIT_POS_X as usize].load();
            self.seen[UNIT_POS_X as usize] = count;
            if UNIT_POS_X < comptime!(shape.queues) && count > 0 {
                let counter = self.counters[UNIT_POS_X as usize];
                let room = control[counter as usize].fetch_add(count);
                self.rooms[UNIT_POS_X as usize] = room + self.befores[UNIT_POS_X as usize];
            }
        }
        sync_cube();
        // Those that found no room here are in memory already.
        let count = self.seen[comptime!(shape.queues as usize)].min(comptime!(shape.capacity));
        let mut i = UNIT_POS_X;
        while i < count {
            let ticket = self.tickets[i as usize];
            let queue = (ticket >> RANK_BITS) as usize;
            let place = self.rooms[queue] + (ticket & comptime!((1u32 << RANK_BITS) - 1));
            // A row has room for every vertex once. With lists, a vertex has an entry for every time that it came
            // nearer, so the row can overflow, and the host must know.
            if place < n {
                let entry = self.rows[queue] as usize * n as usize + place as usize;
                if comptime!(shape.has_lists()) {
                    queued[2 * entry] = self.waiting[i as usize];
                    queued[2 * entry + 1] = self.distances[i as usize];
                } else {
                    queued[entry] = self.waiting[i as usize];
                }
            } else {
                control[OVERFULL as usize].store(1u32);
            }
            i += comptime!(shape.units);
        }
        sync_cube();
        if UNIT_POS_X <= comptime!(shape.queues) {
            self.counts[UNIT_POS_X as usize].store(0u32);
        }
        sync_cube();
    }

    /// Adds to the arcs that [`finish`](Self::finish) reports.
    pub fn weigh(&self, arcs: u32) {
        self.arcs[0].fetch_add(arcs);
    }

    /// Ends a step: writes out all that waits, and tells control words the least distance of the far pile and the arcs
    /// that were weighed. All units must have pushed, and waited.
    pub fn finish(
        &mut self,
        queued: &mut Array<u32>,
        control: &Array<Atomic<u32>>,
        n: u32,
        least_word: u32,
        arcs_word: u32,
        #[comptime] shape: Shape,
    ) {
        self.write(queued, control, n, shape);
        if UNIT_POS_X == 0 {
            let least = self.least[0].load();
            if least < NONE {
                control[least_word as usize].fetch_min(least);
            }
            let arcs = self.arcs[0].load();
            if arcs > 0 {
                control[arcs_word as usize].fetch_add(arcs);
            }
            self.least[0].store(NONE);
            self.arcs[0].store(0u32);
        }
    }
}
