//! Load-balanced relaxation. A cube takes a tile of vertices, one per unit, scans their degrees in shared memory, and
//! distributes all their arcs evenly over its units. A unit finds the vertex that an arc belongs to by binary search.
//!
//! So a vertex costs as much as it has arcs, and the largest degree of a tile delays no unit. Vertices with more arcs
//! than one cube should relax (hubs) are in a tile of every cube, and each cube relaxes its share.

use super::distance::{bucket_of, plus, unreachable};
use super::graph::{Graph, Round, glimpse, is_far};
use super::kept::{Kept, kept};
use super::queues::{Queues, queues};
use super::shape::Shape;
use crate::sssp::gpu::state::buckets::FAR_PILE;
use crate::sssp::gpu::state::control::{MAX_BUCKETS, NEAR_MARK, NONE, PILE_MARK, TO_HUBS, TO_NEAR, TO_PILE};
use cubecl::prelude::*;
use multisplit::between_cubes::load;
use multisplit::cubecl;

/// Control words that a step reads.
const READ_WORDS: u32 = 48;

#[derive(CubeType)]
pub(crate) struct Tile {
    /// The arcs before those of each vertex, in the tile.
    before: SharedMemory<u32>,
    /// The number of its first arc, and its distance.
    first: SharedMemory<u32>,
    distance: SharedMemory<u32>,
    sums: SharedMemory<u32>,
    /// The largest distance of each bucket.
    pub bounds: SharedMemory<u32>,
    /// Control words, read by one unit each.
    pub words: SharedMemory<u32>,
    pub queues: Queues,
    pub kept: Kept,
    /// Arcs that this cube has relaxed.
    pub relaxed: u32,
}

/// How many vertices a tile has when cubes share so many: as few as it takes for every cube to have a tile. Of none, it
/// is any number.
#[cube]
pub(crate) fn tile_size(vertices: u32, cubes: u32, #[comptime] shape: Shape) -> u32 {
    ((vertices - 1) / cubes + 1).min(comptime!(shape.units))
}

#[cube]
pub(crate) fn tile(#[comptime] shape: Shape) -> Tile {
    Tile {
        before: SharedMemory::new(comptime!(shape.units as usize)),
        first: SharedMemory::new(comptime!(shape.units as usize)),
        distance: SharedMemory::new(comptime!(shape.units as usize)),
        // Planes have four lanes at least.
        sums: SharedMemory::new(comptime!((shape.units / 4) as usize)),
        bounds: SharedMemory::new(comptime!(MAX_BUCKETS as usize)),
        words: SharedMemory::new(comptime!(READ_WORDS as usize)),
        queues: queues(shape),
        kept: kept(shape),
        relaxed: 0u32.runtime(),
    }
}

#[cube]
impl Tile {
    /// Relaxes the arcs of a tile. Each unit brings a vertex: `arcs` arcs from number `first` on, or none.
    pub fn take(
        &mut self,
        graph: &Graph,
        queued: &mut Array<u32>,
        control: &Array<Atomic<u32>>,
        round: Round,
        first: u32,
        arcs: u32,
        distance: u32,
        #[comptime] shape: Shape,
    ) {
        let total = self.load(queued, control, round.n, first, arcs, distance, shape);
        let chunk = comptime!(shape.chunk()).runtime();
        self.walk(graph, queued, control, round, total, 0u32.runtime(), chunk, shape);
    }

    /// Sets this unit's vertex: `arcs` arcs from number `first` on, or none. Returns the arcs of the tile. All units
    /// wait for each other.
    pub fn load(
        &mut self,
        queued: &mut Array<u32>,
        control: &Array<Atomic<u32>>,
        n: u32,
        first: u32,
        arcs: u32,
        distance: u32,
        #[comptime] shape: Shape,
    ) -> u32 {
        self.first[UNIT_POS_X as usize] = first;
        self.distance[UNIT_POS_X as usize] = distance;
        let within = plane_inclusive_sum(arcs);
        let plane = UNIT_POS_X / PLANE_DIM;
        if UNIT_POS_X % PLANE_DIM == PLANE_DIM - 1 {
            self.sums[plane as usize] = within;
        }
        sync_cube();
        let mut before = within - arcs;
        let mut total = 0u32;
        let mut other = 0u32;
        while other < comptime!(shape.units) / PLANE_DIM {
            let sum = self.sums[other as usize];
            before += select(other < plane, sum, 0u32);
            total += sum;
            other += 1;
        }
        self.before[UNIT_POS_X as usize] = before;
        self.queues.settle(queued, control, n, shape);
        total
    }

    /// Relaxes the arcs of the tile, in chunks: that from `start` on, and every `stride` arcs.
    pub fn walk(
        &mut self,
        graph: &Graph,
        queued: &mut Array<u32>,
        control: &Array<Atomic<u32>>,
        round: Round,
        total: u32,
        start: u32,
        stride: u32,
        #[comptime] shape: Shape,
    ) {
        let mut chunk = start;
        while chunk < total {
            self.relaxed += (total - chunk).min(comptime!(shape.chunk()));
            if chunk + comptime!(shape.units) < total {
                self.relax(graph, round, chunk, total, comptime!(shape.items), shape);
            } else if chunk + UNIT_POS_X / PLANE_DIM * PLANE_DIM < total {
                // One arc per unit at most, and none for most planes in steps where little is near.
                self.relax(graph, round, chunk, total, 1u32, shape);
            }
            self.queues.settle(queued, control, round.n, shape);
            chunk += stride;
        }
    }

    /// Relaxes the arcs from number `chunk` on, so many per unit, as far as the tile has any.
    fn relax(
        &mut self,
        graph: &Graph,
        round: Round,
        chunk: u32,
        total: u32,
        #[comptime] items: u32,
        #[comptime] shape: Shape,
    ) {
        // All reads of one kind come before those of the next, so that they overlap.
        let mut targets = Sequence::<u32>::new();
        let mut sums = Sequence::<u32>::new();
        let mut known = Sequence::<u32>::new();
        #[unroll]
        for j in 0..items {
            let i = chunk + UNIT_POS_X + comptime!(j * shape.units);
            let at = i.min(total - 1);
            let owner = self.owner(at, shape);
            let arc = graph.arcs[(self.first[owner as usize] + at - self.before[owner as usize]) as usize];
            let sum = plus(self.distance[owner as usize], arc[1], comptime!(shape.float));
            targets.push(arc[0]);
            sums.push(select(i < total, sum, NONE.runtime()));
        }
        #[unroll]
        for j in 0..comptime!(items as usize) {
            // If it is out of date, the atomic minimum below corrects it.
            known.push(glimpse(graph, targets[j] as usize, shape));
        }
        #[unroll]
        for j in 0..comptime!(items as usize) {
            let target = targets[j];
            let sum = sums[j];
            // Most arcs lower nothing, and reading is cheaper than an atomic minimum.
            if sum < known[j] {
                let old = graph.distances[target as usize].fetch_min(sum);
                if sum < old {
                    if comptime!(shape.has_lists()) {
                        self.list(target, sum, old, round, shape);
                    } else {
                        self.file(graph, target, sum, round, shape);
                    }
                }
            }
        }
    }

    /// Relaxes the arcs of hubs, which are listed from entry `from` on. Every cube loads all of them, and relaxes its
    /// share of the arcs. So all cubes must load the same arcs, even of a vertex that has come nearer since and waits
    /// elsewhere.
    pub fn share(
        &mut self,
        graph: &Graph,
        queued: &mut Array<u32>,
        control: &Array<Atomic<u32>>,
        round: Round,
        from: usize,
        hubs: u32,
        cubes: u32,
        #[comptime] shape: Shape,
    ) {
        let mut start = 0u32;
        while start < hubs {
            let i = start + UNIT_POS_X;
            let mut first = 0u32;
            let mut arcs = 0u32;
            let mut distance = 0u32;
            if i < hubs {
                let entry = from + i as usize;
                let vertex = queued[if comptime!(shape.has_lists()) { 2 * entry } else { entry }] as usize;
                if comptime!(shape.meets) {
                    // It may have come nearer in this launch, and must be relaxed with that distance at least.
                    distance = load(&graph.distances, vertex as u32);
                } else {
                    distance = glimpse(graph, vertex, shape);
                }
                first = graph.offsets[vertex];
                arcs = graph.offsets[vertex + 1] - first;
            }
            let total = self.load(queued, control, round.n, first, arcs, distance, shape);
            let chunk = comptime!(shape.chunk()).runtime();
            self.walk(graph, queued, control, round, total, CUBE_POS_X * chunk, cubes * chunk, shape);
            start += comptime!(shape.units);
        }
    }

    /// The vertex of an arc: the last one with no more than `arc` arcs before it.
    fn owner(&self, arc: u32, #[comptime] shape: Shape) -> u32 {
        let mut owner = 0u32;
        #[unroll]
        for bit in 0..comptime!(shape.units.trailing_zeros()) {
            let probe = owner + comptime!(shape.units >> (bit + 1));
            owner = select(self.before[probe as usize] <= arc, probe, owner);
        }
        owner
    }

    /// Puts a vertex that has come nearer into the near queue or the far pile, unless it waits there already.
    fn file(&mut self, graph: &Graph, vertex: u32, distance: u32, round: Round, #[comptime] shape: Shape) {
        if distance <= round.limit {
            self.queue(graph, vertex, distance, round.number + 1, shape);
        } else {
            self.queues.note(distance);
            let mark = graph.marks[vertex as usize].load();
            let mut joins = mark == 0;
            if mark > round.marks && mark <= round.marks + round.buckets {
                // It waits in a bucket. Does it belong into an earlier one?
                let bucket = round.marks + round.buckets - mark;
                joins = bucket > 0 && distance <= self.bounds[bucket.max(1) as usize - 1];
            }
            if joins {
                let old = graph.marks[vertex as usize].fetch_max(PILE_MARK);
                if old < PILE_MARK {
                    self.queues.push(TO_PILE.runtime(), vertex, distance, shape);
                }
            }
        }
    }

    /// Puts a vertex, whose distance was `old`, into the list of its bucket.
    ///
    /// It may be in that list already, or in another, with a greater distance: such an entry is stale, and need not be
    /// found. The far pile is scanned again and again, so a vertex is there only once: one that was far before is in
    /// the pile already.
    pub fn list(&mut self, vertex: u32, distance: u32, old: u32, round: Round, #[comptime] shape: Shape) {
        let bucket = bucket_of(distance, round.scale, comptime!(shape.float));
        if is_far(bucket, round.window, shape) {
            self.queues.note(distance);
            let old_bucket = bucket_of(old, round.scale, comptime!(shape.float));
            let is_piled = old < comptime!(unreachable(shape.float)) && is_far(old_bucket, round.window, shape);
            if !is_piled {
                self.queues.push(comptime!(shape.lists + FAR_PILE).runtime(), vertex, distance, shape);
            }
        } else {
            let mut is_kept = false;
            if bucket < round.kept_before {
                is_kept = self.kept.push(vertex, distance, shape);
            }
            if !is_kept {
                self.queues.push(bucket % comptime!(shape.lists), vertex, distance, shape);
            }
        }
    }

    /// Puts a vertex into the near queue of a round.
    pub fn queue(&mut self, graph: &Graph, vertex: u32, distance: u32, number: u32, #[comptime] shape: Shape) {
        let mark = NEAR_MARK + number;
        let old = graph.marks[vertex as usize].fetch_max(mark);
        if old < mark {
            let arcs = graph.offsets[vertex as usize + 1] - graph.offsets[vertex as usize];
            if arcs > 0 {
                self.queues.weigh(arcs);
                self.queues.push(
                    select(arcs >= comptime!(shape.hub), TO_HUBS.runtime(), TO_NEAR.runtime()),
                    vertex,
                    distance,
                    shape,
                );
            }
        }
    }
}
