//! The kernel of the search with lists, where vertices wait in one list for each of many buckets. A launch takes one
//! step, or several.
//!
//! A step takes the nearest buckets, as many as give the device enough work, and relaxes the arcs of their vertices. It
//! splits the vertices that come nearer into the lists of their buckets as it writes them, so that no pass of its own
//! is needed for that. The limit of what is near is chosen anew in every step, from the number of vertices in each
//! list, and may decrease again. When all lists together have too little, the step scans the far pile as well: the
//! window of buckets moves on, and vertices of the pile that are in it now go to the lists.
//!
//! An entry of a list is a vertex and the distance that it had. A vertex that has come nearer since has another entry,
//! and the first one is stale. So no step needs to know where a vertex waits, and no entry is removed: the only atomic
//! operations of a step are lowering a distance and reserving room in a list.
//!
//! All cubes work out the same [plan](super::split_plan), as in [`step`](super::step).

use super::distance::{bucket_of, unreachable};
use super::graph::{Graph, Round, glimpse, is_far};
use super::plane_rounds::{held, take_by_planes};
use super::relax::{Tile, tile, tile_size};
use super::shape::Shape;
use super::split_plan::{SplitOrders, SplitPlan, entry_of, meeting, prepare_next_split, row, split_plan};
use super::steps::steps;
use crate::sssp::gpu::state::buckets::{ARCS, FAR_PILE, HUB_QUEUE, LEAST};
use cubecl::prelude::*;
use multisplit::cubecl;

#[cube(launch_unchecked, address_type = "dynamic")]
pub(crate) fn split_step(
    graph: &Graph,
    queued: &mut Array<u32>,
    control: &Array<Atomic<u32>>,
    words: &Array<u32>,
    orders: &SplitOrders,
    #[comptime] shape: Shape,
) {
    let mut tile = tile(shape);
    // Where the vertices of each bucket of the window begin among those that are taken.
    let mut starts = SharedMemory::<u32>::new(comptime!(shape.lists as usize));
    let mut held = held(shape);
    let mut steps = steps(control, words, &mut tile, orders.launch, orders.tally, shape);
    while steps.going {
        let number = steps.number;
        let plan = split_plan(control, words, &mut tile, &mut starts, number, steps.is_first(), orders, shape);
        if steps.takes(plan.active, plan.small, shape) {
            let cubes = select(plan.small, 1u32, CUBE_COUNT_X);
            if CUBE_POS_X == 0 {
                prepare_next_split(control, &tile, plan, number, shape);
            }
            if comptime!(shape.planes) {
                take_by_planes(
                    graph,
                    queued,
                    control,
                    plan,
                    &mut tile,
                    &mut held,
                    &starts,
                    cubes,
                    orders.rounds,
                    shape,
                );
            } else {
                take_lists(graph, queued, control, plan, &mut tile, &starts, cubes, orders.rounds, shape);
            }
            if comptime!(!shape.planes) {
                let hubs = row(plan.rows, comptime!(shape.lists + HUB_QUEUE).runtime(), orders.n);
                let mut round = plan.round;
                round.kept_before = 0u32.runtime();
                tile.share(graph, queued, control, round, hubs, plan.hubs, cubes, shape);
            }
            tile.queues.finish(queued, control, orders.n, plan.next + LEAST, plan.next + ARCS, shape);
            steps.finish(plan.small, shape);
            steps.meet(control, &mut tile, meeting(number), plan.small, orders.steps, shape);
        }
    }
    let relaxed = tile.relaxed + held.relaxed(shape);
    steps.leave(control, orders.launch, orders.tally, relaxed);
}

/// Relaxes the arcs of the buckets that are taken, and scans the far pile. Tiles are as small as it takes for every
/// cube to have one. A tile may be followed by others, of vertices that it has brought near.
#[cube]
fn take_lists(
    graph: &Graph,
    queued: &mut Array<u32>,
    control: &Array<Atomic<u32>>,
    plan: SplitPlan,
    tile: &mut Tile,
    starts: &SharedMemory<u32>,
    cubes: u32,
    most_rounds: u32,
    #[comptime] shape: Shape,
) {
    let all = plan.taken + plan.pile;
    let n = plan.round.n;
    let size = tile_size(all, cubes, shape);
    let mut start = CUBE_POS_X;
    while start < all {
        let i = start + UNIT_POS_X * cubes;
        let mut is_listed = UNIT_POS_X < size && i < plan.taken;
        let mut vertex = 0u32;
        let mut distance = 0u32;
        if is_listed {
            let entry = entry_of(plan, starts, i, shape);
            vertex = queued[2 * entry];
            distance = queued[2 * entry + 1];
        } else if UNIT_POS_X < size && i < all {
            let entry = row(plan.rows, comptime!(shape.lists + FAR_PILE).runtime(), n) + (i - plan.taken) as usize;
            look_at_far(graph, tile, queued[2 * entry], plan.window, plan.round, shape);
        }
        let mut rounds = 0u32;
        let mut going = true;
        while going {
            rounds += 1;
            let mut first = 0u32;
            let mut arcs = 0u32;
            if is_listed {
                let begin_arcs = graph.offsets[vertex as usize];
                let degree = graph.offsets[vertex as usize + 1] - begin_arcs;
                // Otherwise the entry is stale.
                if glimpse(graph, vertex as usize, shape) >= distance {
                    if degree >= comptime!(shape.hub) {
                        // All cubes share it, in the next step.
                        tile.queues.push(comptime!(shape.lists + HUB_QUEUE).runtime(), vertex, distance, shape);
                    } else {
                        first = begin_arcs;
                        arcs = degree;
                    }
                }
            }
            let total = tile.load(queued, control, n, first, arcs, distance, shape);
            if UNIT_POS_X == 0 && rounds == 1 {
                tile.queues.weigh(total);
            }
            let mut round = plan.round;
            round.kept_before = select(rounds < most_rounds, round.kept_before, 0u32);
            let chunk = comptime!(shape.chunk()).runtime();
            tile.walk(graph, queued, control, round, total, 0u32.runtime(), chunk, shape);
            let kept = tile.kept.take(shape);
            going = kept > 0;
            is_listed = UNIT_POS_X < kept;
            if is_listed {
                vertex = tile.kept.vertex();
                distance = tile.kept.distance();
            }
        }
        start += cubes * size;
    }
}

/// Puts a vertex of the far pile into a list if the window has reached it, and back into the pile otherwise. A vertex
/// that came nearer meanwhile is in a list already, or was. Its current distance must be read, since a vertex that
/// comes nearer within the pile gets no other entry there.
#[cube]
fn look_at_far(graph: &Graph, tile: &mut Tile, vertex: u32, old_window: u32, round: Round, #[comptime] shape: Shape) {
    let distance = graph.distances[vertex as usize].load();
    let bucket = bucket_of(distance, round.scale, comptime!(shape.float));
    if distance < comptime!(unreachable(shape.float)) && is_far(bucket, old_window, shape) {
        if is_far(bucket, round.window, shape) {
            tile.queues.note(distance);
            tile.queues.push(comptime!(shape.lists + FAR_PILE).runtime(), vertex, distance, shape);
        } else {
            tile.list(vertex, distance, distance, round, shape);
        }
    }
}
