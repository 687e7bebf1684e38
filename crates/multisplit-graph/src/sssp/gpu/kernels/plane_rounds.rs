//! A step where vertices have few arcs: each plane goes on by itself with the vertices that it finds.
//!
//! Such a step is latency and little else: a cube has a handful of vertices, with two or three arcs each. So a plane
//! takes a few vertices of the lists, and its lanes an arc each. Of the targets that have come nearer, in the buckets
//! that the step takes anyway, the arcs are its next round. A plane waits for its own lanes alone, and a round reads
//! memory once: a lane takes the minimum of its target's distance, and reads the target's arcs at the same time, in
//! case that it has come nearer. For that the arcs lie in [records](crate::sssp::gpu::records).

use super::distance::{bucket_of, plus, unreachable};
use super::graph::{Arc, Graph, Round, is_far};
use super::relax::Tile;
use super::shape::Shape;
use super::split_plan::{SplitPlan, entry_of, row};
use crate::sssp::gpu::records::{ARCS, MORE};
use crate::sssp::gpu::state::buckets::FAR_PILE;
use crate::sssp::gpu::state::control::NONE;
use cubecl::prelude::*;
use multisplit::between_cubes::load;
use multisplit::cubecl;

/// Arcs that a plane holds for a round: as many as a vertex may have, at least.
pub(crate) const ROOM: u32 = 64;

/// Vertices of the lists that a plane takes at once. They should find room.
const TAKEN: u32 = 16;

/// The arcs that planes hold: for each plane, those of this round and those of the next.
#[derive(CubeType)]
pub(crate) struct Held {
    /// Where the arc goes, or none.
    targets: SharedMemory<u32>,
    /// The distance after it.
    sums: SharedMemory<u32>,
    /// Where it comes from.
    parents: SharedMemory<u32>,
    /// How many each plane has for the next round, those included that found no room.
    counts: SharedMemory<Atomic<u32>>,
    /// Arcs that were relaxed.
    relaxed: SharedMemory<Atomic<u32>>,
}

/// Nothing yet. Units must wait for each other before they use it.
#[cube]
pub(crate) fn held(#[comptime] shape: Shape) -> Held {
    // Planes have 32 lanes.
    let planes = comptime!(if shape.planes { shape.units as usize / 32 } else { 1 });
    let room = comptime!(if shape.planes { 2 * planes * ROOM as usize } else { 1 });
    let held = Held {
        targets: SharedMemory::new(room),
        sums: SharedMemory::new(room),
        parents: SharedMemory::new(room),
        counts: SharedMemory::new(planes),
        relaxed: SharedMemory::new(1usize),
    };
    if comptime!(shape.planes) {
        if UNIT_POS_X < comptime!(shape.units / 32) {
            held.counts[UNIT_POS_X as usize].store(0u32);
        }
        if UNIT_POS_X == 0 {
            held.relaxed[0].store(0u32);
        }
    }
    held
}

/// The arcs of a vertex: those of its record, and how many more there are.
#[derive(CubeType)]
struct Arcs {
    record: Sequence<Arc>,
    /// How many of the record are taken: not those back to where the vertex was reached from.
    taken: u32,
    more: u32,
    /// All.
    degree: u32,
}

/// Reads the record of a vertex that was reached from `parent`.
#[cube]
fn arcs_of(graph: &Graph, vertex: u32, parent: u32) -> Arcs {
    let mut record = Sequence::<Arc>::new();
    let mut taken = 0u32;
    let mut degree = 0u32;
    #[unroll]
    for k in 0..ARCS {
        let arc = graph.arcs[(ARCS * vertex + k) as usize];
        degree += select(arc[0] < MORE, 1u32, 0u32);
        taken += select(arc[0] < MORE && arc[0] != parent, 1u32, 0u32);
        record.push(arc);
    }
    let last = record[comptime!(ARCS as usize - 1)][0];
    let more = select(last >= MORE && last != NONE, last - MORE, 0u32);
    Arcs { record, taken, more, degree: degree + more }
}

#[cube]
impl Held {
    /// Holds the arcs of a vertex for the next round of this plane, in this half, if there is room for all, and returns
    /// whether there is.
    fn push(
        &mut self,
        graph: &Graph,
        half: u32,
        vertex: u32,
        parent: u32,
        distance: u32,
        arcs: &Arcs,
        #[comptime] shape: Shape,
    ) -> bool {
        let planes = comptime!(shape.units / 32);
        let plane = UNIT_POS_X / PLANE_DIM;
        let begin = (half * planes + plane) * ROOM;
        let all = arcs.taken + arcs.more;
        let mut place = self.counts[plane as usize].fetch_add(all);
        let has_room = place + all <= ROOM;
        #[unroll]
        for k in 0..comptime!(ARCS as usize) {
            let arc = arcs.record[k];
            if arc[0] < MORE && arc[0] != parent {
                self.hold(begin, place, has_room, vertex, distance, arc, shape);
                place += 1;
            }
        }
        let rest = arcs.record[comptime!(ARCS as usize - 1)][1];
        let mut k = 0u32;
        while k < arcs.more {
            self.hold(begin, place + k, has_room, vertex, distance, graph.arcs[(rest + k) as usize], shape);
            k += 1;
        }
        has_room
    }

    /// Holds an arc, or nothing where not all arcs of a vertex have found room.
    fn hold(
        &mut self,
        begin: u32,
        place: u32,
        is_held: bool,
        vertex: u32,
        distance: u32,
        arc: Arc,
        #[comptime] shape: Shape,
    ) {
        if place < ROOM {
            let at = (begin + place) as usize;
            self.targets[at] = select(is_held, arc[0], NONE.runtime());
            self.sums[at] = plus(distance, arc[1], comptime!(shape.float));
            self.parents[at] = vertex;
        }
    }

    /// Ends a round: returns how many arcs this plane has for the next one. Its lanes wait for each other.
    fn take(&mut self) -> u32 {
        sync_plane();
        let mut count = 0u32;
        if UNIT_POS_X % PLANE_DIM == 0 {
            count = self.counts[(UNIT_POS_X / PLANE_DIM) as usize].swap(0u32);
        }
        plane_shuffle(count, 0u32).min(ROOM)
    }

    /// All arcs that planes of this cube have relaxed in this launch, once units have waited for each other.
    pub fn relaxed(&self, #[comptime] shape: Shape) -> u32 {
        let mut relaxed = 0u32;
        if comptime!(shape.planes) {
            let is_first = UNIT_POS_X == 0;
            if is_first {
                relaxed = self.relaxed[0].load();
            }
        }
        relaxed
    }
}

/// Relaxes the arcs of the buckets that are taken, and of what planes find in them, and scans the far pile. At the end
/// all units wait for each other.
#[cube]
pub(crate) fn take_by_planes(
    graph: &Graph,
    queued: &mut Array<u32>,
    control: &Array<Atomic<u32>>,
    plan: SplitPlan,
    tile: &mut Tile,
    held: &mut Held,
    starts: &SharedMemory<u32>,
    cubes: u32,
    most_rounds: u32,
    #[comptime] shape: Shape,
) {
    let units = comptime!(shape.units);
    let lane = UNIT_POS_X % PLANE_DIM;
    let plane = UNIT_POS_X / PLANE_DIM;
    let planes = cubes * (units / PLANE_DIM);
    let all = plan.taken + plan.pile;
    let mut relaxed = 0u32;
    // Neighbours in a list go to different cubes.
    let mut start = plane * cubes + CUBE_POS_X;
    while start < all {
        let i = start + lane * planes;
        let takes = lane < TAKEN;
        if takes && i < plan.taken {
            let entry = entry_of(plan, starts, i, shape);
            let vertex = queued[2 * entry];
            let distance = queued[2 * entry + 1];
            let arcs = arcs_of(graph, vertex, NONE.runtime());
            // Otherwise the entry is stale.
            if load(&graph.distances, vertex) >= distance {
                if held.push(graph, 0u32.runtime(), vertex, NONE.runtime(), distance, &arcs, shape) {
                    tile.queues.weigh(arcs.degree);
                    relaxed += arcs.degree;
                } else {
                    let bucket = bucket_of(distance, plan.round.scale, comptime!(shape.float));
                    put(tile, queued, control, vertex, distance, bucket, false.runtime(), plan.round, shape);
                }
            }
        } else if takes && i < all {
            let queue = comptime!(shape.lists + FAR_PILE).runtime();
            let entry = row(plan.rows, queue, plan.round.n) + (i - plan.taken) as usize;
            look_at_far(graph, tile, queued, control, queued[2 * entry], plan.window, plan.round, shape);
        }
        let mut half = 0u32;
        let mut rounds = 0u32;
        let mut count = held.take();
        while count > 0 {
            rounds += 1;
            let held_before = select(rounds < most_rounds, plan.round.kept_before, 0u32);
            let mut place = lane;
            while place < count {
                let at = ((half * comptime!(shape.units / 32) + plane) * ROOM + place) as usize;
                let target = held.targets[at];
                let sum = held.sums[at];
                let parent = held.parents[at];
                if target != NONE {
                    // Read at the same time as the minimum, which takes as long.
                    let arcs = arcs_of(graph, target, parent);
                    let old = graph.distances[target as usize].fetch_min(sum);
                    // No other vertex comes nearer by way of one whose arcs all lead back.
                    let others = arcs.taken + arcs.more;
                    if select(sum < old, others, 0u32) > 0 {
                        let bucket = bucket_of(sum, plan.round.scale, comptime!(shape.float));
                        let mut is_held = false;
                        if bucket < held_before {
                            is_held = held.push(graph, 1 - half, target, parent, sum, &arcs, shape);
                        }
                        if is_held {
                            relaxed += arcs.degree;
                        } else {
                            let old_bucket = bucket_of(old, plan.round.scale, comptime!(shape.float));
                            let is_piled = old < comptime!(unreachable(shape.float))
                                && is_far(old_bucket, plan.round.window, shape);
                            put(tile, queued, control, target, sum, bucket, is_piled, plan.round, shape);
                        }
                    } else {
                        relaxed += select(sum < old, arcs.degree, 0u32);
                    }
                }
                place += PLANE_DIM;
            }
            half = 1 - half;
            count = held.take();
        }
        start += planes * TAKEN;
    }
    let sum = plane_sum(relaxed);
    if lane == 0 {
        held.relaxed[0].fetch_add(sum);
    }
    sync_cube();
}

/// Puts a vertex into the list of its bucket, or into the far pile unless it is there already.
#[cube]
fn put(
    tile: &mut Tile,
    queued: &mut Array<u32>,
    control: &Array<Atomic<u32>>,
    vertex: u32,
    distance: u32,
    bucket: u32,
    is_piled: bool,
    round: Round,
    #[comptime] shape: Shape,
) {
    let mut queue = bucket % comptime!(shape.lists);
    let mut joins = true;
    if is_far(bucket, round.window, shape) {
        tile.queues.note(distance);
        queue = comptime!(shape.lists + FAR_PILE).runtime();
        joins = !is_piled;
    }
    if joins {
        tile.queues.push_anywhere(queue, vertex, distance, queued, control, round.n, shape);
    }
}

/// Puts a vertex of the far pile into a list if the window has reached it, and back into the pile otherwise, as when
/// cubes take tiles.
#[cube]
fn look_at_far(
    graph: &Graph,
    tile: &mut Tile,
    queued: &mut Array<u32>,
    control: &Array<Atomic<u32>>,
    vertex: u32,
    old_window: u32,
    round: Round,
    #[comptime] shape: Shape,
) {
    let distance = load(&graph.distances, vertex);
    let bucket = bucket_of(distance, round.scale, comptime!(shape.float));
    if distance < comptime!(unreachable(shape.float)) && is_far(bucket, old_window, shape) {
        // It was not in any list, so it joins one, or the pile.
        put(tile, queued, control, vertex, distance, bucket, false.runtime(), round, shape);
    }
}
