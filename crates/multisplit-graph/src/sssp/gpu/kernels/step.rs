//! A step of the search, or several.
//!
//! While vertices are near, a step is a round: it relaxes their arcs. When none is, a step *advances*: it raises the
//! limit of what is near, looks for what is near now in the far pile and in the next bucket, relaxes that at once,
//! and leaves the rest in the next pile.
//!
//! All cubes work out alike what there is to do ([`plan()`]), from words that do not change before the next launch.
//! If it is little, the first cube does it alone, and goes on to the next steps as long as they are as small: within
//! a cube, a barrier is enough. So a graph of large diameter does not take a launch per round.

use super::distance::plus;
use super::graph::{Graph, Round};
use super::relax::{Tile, tile};
use super::shape::Shape;
use super::steps::{arcs_before, leave, peek};
use crate::sssp::gpu::state::control::{
    ARCS, BOUNDS, BUCKET, BUCKETS, CURRENT, GENERATION, HEAD, HUBS, LIMIT, MAX_BUCKETS, NEAR, NEAR_MARK, NONE, PILE,
    PILE_MARK, PILE_SLOT, PILES, QUEUES, REST, ROUND, SLOT, SLOTS, STARTS, TO_HUBS, TO_NEAR, TO_PILE,
};
use cubecl::prelude::*;
use multisplit::cubecl;

/// What a plan reads: the slot of the step, what is said of buckets, the slot of the pile; then the bucket that is
/// taken, where it begins and where it ends.
const WORDS_OF_SLOT: u32 = ARCS + 1;
const WORDS_OF_BUCKETS: u32 = REST - BUCKETS + 1;
const WORDS_OF_PILE: u32 = WORDS_OF_SLOT + WORDS_OF_BUCKETS;
const CHOSEN: u32 = WORDS_OF_PILE + PILE_SLOT;

/// The run-time numbers of a launch.
#[derive(CubeType, CubeLaunch)]
pub(crate) struct Orders {
    /// Launches before this one.
    pub launch: u32,
    /// Vertices.
    pub n: u32,
    /// How far beyond the least distance that waits the next limit is.
    pub reach: u32,
    /// With so many vertices in the far pile, the search waits for the host to reorganise it instead of advancing.
    pub patience: u32,
    /// Where cubes count the arcs that they have looked at.
    pub tally: u32,
}

/// What a step has to do.
#[derive(CubeType, Clone, Copy)]
struct Plan {
    near: u32,
    hubs: u32,
    /// Vertices of the far pile, and of a bucket, to look through; where that begins.
    pile: u32,
    segment: u32,
    segment_start: u32,
    /// The mark of what still waits in that bucket.
    segment_mark: u32,
    pile_from: u32,
    /// What was near before: a vertex of the pile that has come so near was taken since.
    old_limit: u32,
    next_bucket: u32,
    round: Round,
    /// Where the next step, and the pile that this one fills, are counted.
    next: u32,
    next_pile: u32,
    /// Whether there is anything to do.
    active: bool,
    /// Whether one cube should do it.
    small: bool,
}

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
    let mut before = 0u32;
    if UNIT_POS_X == 0 {
        before = arcs_before(control, words, orders.tally, shape);
        tile.words[0] = peek(control, words, CURRENT + orders.launch % 2, true, shape);
    }
    sync_cube();
    let mut number = tile.words[0];
    let mut taken = 0u32;
    let mut going = true;
    while going {
        going = false;
        let plan = plan(control, words, &mut tile, &chosen, number, taken == 0, orders, shape);
        if plan.active && (plan.small || taken == 0) && (CUBE_POS_X == 0 || !plan.small) {
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
            tile.queues.write(queued, control, orders.n, shape);
            if UNIT_POS_X == 0 {
                tile.queues.tell(control, plan.next_pile + 1, plan.next + ARCS);
            }
            number += 1;
            taken += 1;
            if plan.small && taken < comptime!(shape.solo_steps) {
                going = true;
                // What was written to queues and words is read by other units of this cube.
                sync_storage();
                sync_cube();
            }
        }
    }
    if UNIT_POS_X == 0 {
        leave(control, orders.launch, number, orders.tally, before, tile.relaxed);
    }
}

/// Works out what step `number` has to do. All units wait for each other.
#[cube]
fn plan(
    control: &Array<Atomic<u32>>,
    words: &Array<u32>,
    tile: &mut Tile,
    chosen: &SharedMemory<Atomic<u32>>,
    number: u32,
    is_first: bool,
    orders: &Orders,
    #[comptime] shape: Shape,
) -> Plan {
    let slot = HEAD + number % SLOTS * SLOT;
    // A unit for each word. Nobody needs what was read before.
    sync_cube();
    if UNIT_POS_X < WORDS_OF_SLOT + WORDS_OF_BUCKETS {
        let of_slot = UNIT_POS_X < WORDS_OF_SLOT;
        let word = select(of_slot, slot + UNIT_POS_X, BUCKETS + UNIT_POS_X - WORDS_OF_SLOT);
        tile.words[UNIT_POS_X as usize] = peek(control, words, word, is_first, shape);
    }
    sync_cube();
    let near = tile.words[NEAR as usize];
    let hubs = tile.words[HUBS as usize];
    let limit = tile.words[LIMIT as usize];
    let pile_number = tile.words[PILE as usize];
    let round = tile.words[ROUND as usize];
    let next_bucket = tile.words[BUCKET as usize];
    let buckets = tile.words[WORDS_OF_SLOT as usize];
    let marks = tile.words[comptime!(WORDS_OF_SLOT + GENERATION - BUCKETS) as usize] % 2 * MAX_BUCKETS;
    let advances = near + hubs == 0;
    if advances && UNIT_POS_X < PILE_SLOT {
        let pile_slot = PILES + pile_number % SLOTS * PILE_SLOT;
        tile.words[(WORDS_OF_PILE + UNIT_POS_X) as usize] =
            peek(control, words, pile_slot + UNIT_POS_X, is_first, shape);
    }

    // The first bucket that something waits in, or something in the pile belongs to.
    if UNIT_POS_X == 0 {
        chosen[0].store(NONE);
    }
    sync_cube();
    let waiting = select(advances, tile.words[WORDS_OF_PILE as usize], 0u32);
    let least = select(advances, tile.words[comptime!(WORDS_OF_PILE + 1) as usize], NONE.runtime());
    if advances && UNIT_POS_X >= next_bucket && UNIT_POS_X < buckets {
        let start = peek(control, words, STARTS + UNIT_POS_X, is_first, shape);
        let end = peek(control, words, STARTS + 1 + UNIT_POS_X, is_first, shape);
        if end > start || (waiting > 0 && least <= tile.bounds[UNIT_POS_X as usize]) {
            chosen[0].fetch_min(UNIT_POS_X);
        }
    }
    sync_cube();
    if UNIT_POS_X == 0 {
        let bucket = chosen[0].load();
        tile.words[CHOSEN as usize] = bucket;
        if bucket != NONE {
            tile.words[comptime!(CHOSEN + 1) as usize] = peek(control, words, STARTS + bucket, is_first, shape);
            tile.words[comptime!(CHOSEN + 2) as usize] = peek(control, words, STARTS + 1 + bucket, is_first, shape);
        }
    }
    sync_cube();
    let bucket = tile.words[CHOSEN as usize];

    let mut new_limit = limit;
    let mut segment_start = 0u32;
    let mut segment = 0u32;
    let mut new_bucket = next_bucket;
    if advances {
        let mut rest = NONE.runtime();
        if bucket != NONE {
            segment_start = tile.words[comptime!(CHOSEN + 1) as usize];
            segment = tile.words[comptime!(CHOSEN + 2) as usize] - segment_start;
            new_bucket = bucket + 1;
            rest = tile.words[comptime!(WORDS_OF_SLOT + REST - BUCKETS) as usize];
        }
        // Without buckets, or in the last one, which has no end: as far as it reaches from the least one.
        new_limit = plus(least.min(rest), orders.reach, comptime!(shape.float));
        if bucket != NONE && bucket + 1 < buckets {
            new_limit = tile.bounds[bucket as usize];
        }
    }
    let work = near + waiting + segment;
    let has_work = work + hubs > 0;
    let waits = advances && waiting >= orders.patience;
    let pile_to = pile_number + select(advances, 1u32, 0u32);
    let next = HEAD + (number + 1) % SLOTS * SLOT;
    let next_pile = PILES + pile_to % SLOTS * PILE_SLOT;
    if UNIT_POS_X < QUEUES {
        let is_pile = UNIT_POS_X == TO_PILE;
        tile.queues.rows[UNIT_POS_X as usize] = 2 * UNIT_POS_X + select(is_pile, pile_to, number + 1) % 2;
        tile.queues.befores[UNIT_POS_X as usize] = 0u32;
        tile.queues.counters[UNIT_POS_X as usize] = select(is_pile, next_pile, next + UNIT_POS_X);
    }
    Plan {
        near,
        hubs,
        pile: waiting,
        segment,
        segment_start,
        segment_mark: marks + buckets - select(bucket == NONE, 0u32, bucket),
        pile_from: pile_number,
        old_limit: limit,
        next_bucket: new_bucket,
        round: Round {
            number: round,
            limit: new_limit,
            marks,
            buckets,
            window: 0u32.runtime(),
            scale: 0f32.runtime(),
            kept_before: 0u32.runtime(),
            n: orders.n,
        },
        next,
        next_pile,
        active: has_work && !waits,
        small: work <= comptime!(shape.solo) && hubs == 0 && tile.words[ARCS as usize] <= comptime!(shape.solo_arcs),
    }
}

/// Writes what the next step has to know, and clears what the one after it will count. For one unit.
#[cube]
fn prepare_next(control: &Array<Atomic<u32>>, plan: Plan, number: u32) {
    let next = plan.next;
    control[(next + LIMIT) as usize].store(plan.round.limit);
    control[(next + ROUND) as usize].store(plan.round.number + 1);
    control[(next + BUCKET) as usize].store(plan.next_bucket);
    let after = HEAD + (number + 2) % SLOTS * SLOT;
    control[(after + NEAR) as usize].store(0u32);
    control[(after + HUBS) as usize].store(0u32);
    control[(after + ARCS) as usize].store(0u32);
    let mut pile = plan.pile_from;
    if plan.near + plan.hubs == 0 {
        pile += 1;
        let after = PILES + (pile + 1) % SLOTS * PILE_SLOT;
        control[after as usize].store(0u32);
        control[(after + 1) as usize].store(NONE);
    }
    control[(next + PILE) as usize].store(pile);
}

/// Near vertices, in tiles that are as small as makes work for all cubes.
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
    let size = ((plan.near - 1) / cubes + 1).min(comptime!(shape.units));
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
        let total = tile.load(first, arcs, distance, shape);
        tile.queues.settle(queued, control, plan.round.n, shape);
        let chunk = comptime!(shape.chunk()).runtime();
        tile.walk(graph, queued, control, plan.round, total, 0u32.runtime(), chunk, shape);
        start += cubes * size;
    }
}

/// Looks through the far pile and a bucket: what is near now is relaxed at once.
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
    let size = ((all.max(1) - 1) / cubes + 1).min(comptime!(shape.units));
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
        let total = tile.load(first, arcs, distance, shape);
        tile.queues.settle(queued, control, plan.round.n, shape);
        let chunk = comptime!(shape.chunk()).runtime();
        tile.walk(graph, queued, control, plan.round, total, 0u32.runtime(), chunk, shape);
        start += cubes * size;
    }
}
