//! The kernel of the near-far search. A launch takes one step, or several.
//!
//! While vertices are near, a step is a round: it relaxes their arcs. When none is, a step *advances*: it raises the
//! limit of what is near, scans the far pile and the next bucket for vertices within it, relaxes their arcs at once,
//! and leaves the rest in the next pile.
//!
//! All cubes work out the same [plan](super::plan). If there is little to do, the first cube does it alone, and goes on
//! to the next steps as long as they are as small: within a cube, a barrier is enough. So a graph of large diameter
//! does not take a launch per round.

use super::graph::Graph;
use super::plan::{Orders, Plan, plan, prepare_next};
use super::relax::{Tile, tile, tile_size};
use super::shape::Shape;
use super::steps::{peek, steps};
use crate::sssp::gpu::state::control::{ARCS, BOUNDS, MAX_BUCKETS, NEAR_MARK, PILE_MARK, TO_HUBS, TO_NEAR, TO_PILE};
use cubecl::prelude::*;
use multisplit::cubecl;

#[cube(launch_unchecked, address_type = "dynamic")]
pub(crate) fn step(
    graph: &Graph,
    queued: &mut Array<u32>,
    sorted: &Array<u32>,
    control: &Array<Atomic<u32>>,
    words: &Array<u32>,
    orders: &Orders,
    #[comptime] shape: Shape,
) {
    let mut tile = tile(shape);
    let chosen = SharedMemory::<Atomic<u32>>::new(1usize);
    if UNIT_POS_X < MAX_BUCKETS {
        tile.bounds[UNIT_POS_X as usize] = peek(control, words, BOUNDS + UNIT_POS_X, true, shape);
    }
    let mut steps = steps(control, words, &mut tile, orders.launch, orders.tally, shape);
    while steps.going {
        let number = steps.number;
        let plan = plan(control, words, &mut tile, &chosen, number, steps.is_first(), orders, shape);
        if steps.takes(plan.active, plan.small, shape) {
            let cubes = select(plan.small, 1u32, CUBE_COUNT_X);
            if CUBE_POS_X == 0 && UNIT_POS_X == 0 {
                prepare_next(control, plan, number);
            }
            if plan.near + plan.hubs > 0 {
                take_near(graph, queued, control, plan, number, &mut tile, cubes, shape);
                let hubs = (2 * TO_HUBS + number % 2) as usize * orders.n as usize;
                tile.share(graph, queued, control, plan.round, hubs, plan.hubs, cubes, shape);
            } else {
                advance(graph, queued, sorted, control, plan, &mut tile, cubes, shape);
            }
            tile.queues.finish(queued, control, orders.n, plan.next_pile + 1, plan.next + ARCS, shape);
            steps.finish(plan.small, shape);
        }
    }
    steps.leave(control, orders.launch, orders.tally, tile.relaxed);
}

/// Relaxes the arcs of the near vertices. Tiles are as small as it takes for every cube to have one.
#[cube]
fn take_near(
    graph: &Graph,
    queued: &mut Array<u32>,
    control: &Array<Atomic<u32>>,
    plan: Plan,
    number: u32,
    tile: &mut Tile,
    cubes: u32,
    #[comptime] shape: Shape,
) {
    let size = tile_size(plan.near, cubes, shape);
    let from = (2 * TO_NEAR + number % 2) as usize * plan.round.n as usize;
    let mut start = CUBE_POS_X;
    while start < plan.near {
        let i = start + UNIT_POS_X * cubes;
        let mut first = 0u32;
        let mut arcs = 0u32;
        let mut distance = 0u32;
        if UNIT_POS_X < size && i < plan.near {
            let vertex = queued[from + i as usize] as usize;
            distance = graph.distances[vertex].load();
            first = graph.offsets[vertex];
            arcs = graph.offsets[vertex + 1] - first;
        }
        tile.take(graph, queued, control, plan.round, first, arcs, distance, shape);
        start += cubes * size;
    }
}

/// Scans the far pile and a bucket. Relaxes the arcs of vertices that are near now, and leaves the others in the next
/// pile.
#[cube]
fn advance(
    graph: &Graph,
    queued: &mut Array<u32>,
    sorted: &Array<u32>,
    control: &Array<Atomic<u32>>,
    plan: Plan,
    tile: &mut Tile,
    cubes: u32,
    #[comptime] shape: Shape,
) {
    let all = plan.pile + plan.segment;
    let size = tile_size(all, cubes, shape);
    let from = (2 * TO_PILE + plan.pile_from % 2) as usize * plan.round.n as usize;
    let mut start = CUBE_POS_X;
    while start < all {
        let i = start + UNIT_POS_X * cubes;
        let mut first = 0u32;
        let mut arcs = 0u32;
        let mut distance = 0u32;
        if UNIT_POS_X < size && i < all {
            let of_pile = i < plan.pile;
            let mut vertex = queued[from + select(of_pile, i, 0u32) as usize];
            if !of_pile {
                vertex = sorted[(plan.segment_start + i - plan.pile) as usize];
            }
            distance = graph.distances[vertex as usize].load();
            // It may have come so near, in the meantime, that it was taken, or put somewhere else.
            let mut waits = of_pile && distance > plan.old_limit;
            if !of_pile {
                waits = graph.marks[vertex as usize].load() == plan.segment_mark;
            }
            if waits {
                if distance > plan.round.limit {
                    tile.queues.note(distance);
                    let mut joins = of_pile;
                    if !of_pile {
                        joins = graph.marks[vertex as usize].fetch_max(PILE_MARK) < PILE_MARK;
                    }
                    if joins {
                        tile.queues.push(TO_PILE.runtime(), vertex, distance, shape);
                    }
                } else {
                    first = graph.offsets[vertex as usize];
                    let degree = graph.offsets[vertex as usize + 1] - first;
                    if degree >= comptime!(shape.hub) {
                        // All cubes share it, in the next step.
                        tile.queue(graph, vertex, distance, plan.round.number + 1, shape);
                    } else {
                        let mark = NEAR_MARK + plan.round.number;
                        let old = graph.marks[vertex as usize].fetch_max(mark);
                        if old < mark {
                            arcs = degree;
                        }
                    }
                }
            }
        }
        tile.take(graph, queued, control, plan.round, first, arcs, distance, shape);
        start += cubes * size;
    }
}
