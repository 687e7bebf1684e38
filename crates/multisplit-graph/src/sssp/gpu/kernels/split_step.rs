//! A step of the search, or several, where vertices wait in the lists of many buckets.
//!
//! A step takes the nearest buckets, as many as it takes to have enough work for the device, relaxes the arcs of
//! their vertices, and splits all that comes nearer into the lists of its buckets, as it is written: there is no pass
//! for it. So the limit of what is near is chosen anew in every step, by how much waits where, and can also come down
//! again. When all lists together have too little, the pile is looked through as well: the window moves on, and what
//! lies in it now goes to the lists.
//!
//! An entry of a list is a vertex and the distance that it had. If it has come nearer since, it is in a list once
//! more, and the entry is void. So nothing has to be known of where a vertex waits, and nothing is taken back: of all
//! that a step does, only lowering a distance and making room in a list are atomic.
//!
//! All cubes work out alike what there is to do ([`plan()`]), as in [`step`](super::step).

use super::distance::{bucket_of, unreachable};
use super::graph::{Graph, Round, glimpse, is_far};
use super::relax::{Tile, tile};
use super::shape::Shape;
use super::steps::{arcs_before, leave, peek};
use crate::sssp::gpu::state::buckets::{
    ADDED, ARCS, FAR_PILE, HUB_QUEUE, LEAST, LEFT, ROWS, SLOT, SLOTS, TOOK, WINDOW,
};
use crate::sssp::gpu::state::control::{CURRENT, HEAD, NONE};
use cubecl::prelude::*;
use multisplit::cubecl;

/// What is chosen, after the words of the slot: how many vertices are enough, how many are taken, how many arcs they
/// may have, the first bucket of the window that has some, that after the last one of which some are taken, and the
/// queues that are taken.
const ENOUGH: u32 = SLOT;
const TAKEN: u32 = SLOT + 1;
const FORESEEN: u32 = SLOT + 2;
const FIRST: u32 = SLOT + 3;
const END: u32 = SLOT + 4;
const MASK: u32 = SLOT + 5;

/// Where no more than one arc of so many brings a vertex nearer, little is relaxed too early, and more is enough for
/// a step: up to so many times as much.
const ARCS_PER_PUSH: f32 = 3.0;
const MOST_TIMES: f32 = 16.0;

/// The run-time numbers of a launch.
#[derive(CubeType, CubeLaunch)]
pub(crate) struct SplitOrders {
    /// Launches before this one.
    pub launch: u32,
    /// Vertices.
    pub n: u32,
    /// What makes a bucket of a distance.
    pub scale: f32,
    /// So many vertices, or so many arcs, are enough for a step.
    pub enough: u32,
    pub enough_arcs: u32,
    /// A cube takes what it has kept until so many tiles have come of one.
    pub rounds: u32,
    /// Where cubes count the arcs that they have looked at.
    pub tally: u32,
}

/// What a step has to do.
#[derive(CubeType, Clone, Copy)]
struct Plan {
    /// Vertices of the buckets that are taken, of the pile if it is looked through, and with very many arcs.
    taken: u32,
    pile: u32,
    hubs: u32,
    /// Queues that are taken, a bit each, and the rows to take them from.
    mask: u32,
    rows: u32,
    /// The window before this step; that of [`Round`] is the one after it.
    window: u32,
    round: Round,
    /// Where the next step is counted.
    next: u32,
    active: bool,
    /// Whether one cube should do it.
    small: bool,
}

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
    let mut before = 0u32;
    if UNIT_POS_X == 0 {
        before = arcs_before(control, words, orders.tally, shape);
        tile.words[0] = peek(control, words, CURRENT + orders.launch % 2, true, shape);
    }
    sync_cube();
    let mut number = tile.words[0];
    let mut steps = 0u32;
    let mut going = true;
    while going {
        going = false;
        let plan = plan(control, words, &mut tile, &mut starts, number, steps == 0, orders, shape);
        if plan.active && (plan.small || steps == 0) && (CUBE_POS_X == 0 || !plan.small) {
            let cubes = select(plan.small, 1u32, CUBE_COUNT_X);
            if CUBE_POS_X == 0 {
                prepare_next(control, &tile, plan, number, shape);
            }
            take_lists(graph, queued, control, plan, &mut tile, &starts, cubes, orders.rounds, shape);
            let hubs = row(plan.rows, comptime!(shape.lists + HUB_QUEUE).runtime(), orders.n);
            let mut round = plan.round;
            round.kept_before = 0u32.runtime();
            tile.share(graph, queued, control, round, hubs, plan.hubs, cubes, shape);
            tile.queues.write(queued, control, orders.n, shape);
            if UNIT_POS_X == 0 {
                tile.queues.tell(control, plan.next + LEAST, plan.next + ARCS);
            }
            number += 1;
            steps += 1;
            if plan.small && steps < comptime!(shape.solo_steps) {
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
    starts: &mut SharedMemory<u32>,
    number: u32,
    is_first: bool,
    orders: &SplitOrders,
    #[comptime] shape: Shape,
) -> Plan {
    let slot = HEAD + number % SLOTS * SLOT;
    sync_cube();
    if UNIT_POS_X < SLOT {
        tile.words[UNIT_POS_X as usize] = peek(control, words, slot + UNIT_POS_X, is_first, shape);
    }
    sync_cube();
    let rows = tile.words[ROWS as usize];
    let window = tile.words[WINDOW as usize];
    let piled = waiting(tile, comptime!(shape.lists + FAR_PILE).runtime(), orders.n);
    let hubs = waiting(tile, comptime!(shape.lists + HUB_QUEUE).runtime(), orders.n);
    if UNIT_POS_X == 0 {
        choose(tile, starts, orders, shape);
    }
    sync_cube();
    let enough = tile.words[ENOUGH as usize];
    let taken = tile.words[TAKEN as usize];
    let first = tile.words[FIRST as usize];
    let mut mask = tile.words[MASK as usize];
    let open = taken < enough;
    // Too little: all lists are taken, so that the window can move. But not beyond vertices that wait for all cubes.
    let moves = open && hubs == 0;
    let looks = moves && piled > 0;
    let mut new_window = window;
    if moves {
        let nearest = select(taken > 0, window + first, NONE.runtime());
        let least =
            bucket_of(tile.words[LEAST as usize].min(comptime!(NONE - 1)), orders.scale, comptime!(shape.float));
        new_window = nearest.min(select(looks, least, NONE.runtime()));
        if new_window == NONE {
            new_window = window;
        }
    }
    if looks {
        mask |= comptime!(1u32 << (shape.lists + FAR_PILE));
    }
    let next = HEAD + (number + 1) % SLOTS * SLOT;
    if UNIT_POS_X < comptime!(shape.queues) {
        let queue = UNIT_POS_X;
        let is_taken = (mask >> queue) & 1;
        tile.queues.rows[queue as usize] = 2 * queue + (((rows >> queue) & 1) ^ is_taken);
        tile.queues.befores[queue as usize] = select(is_taken == 1, 0u32, waiting(tile, queue, orders.n));
        tile.queues.counters[queue as usize] = next + ADDED + queue;
    }
    let pile = select(looks, piled, 0u32);
    sync_cube();
    Plan {
        taken,
        pile,
        hubs,
        mask,
        rows,
        window,
        round: Round {
            number,
            limit: 0u32.runtime(),
            marks: 0u32.runtime(),
            buckets: 0u32.runtime(),
            window: new_window,
            scale: orders.scale,
            kept_before: select(orders.rounds > 1 && taken > 0, window + tile.words[END as usize], 0u32),
            n: orders.n,
        },
        next,
        active: taken + pile + hubs > 0,
        small: taken + pile <= comptime!(shape.solo)
            && hubs == 0
            && tile.words[FORESEEN as usize] <= comptime!(shape.solo_arcs),
    }
}

/// Takes the buckets of the window, in order, until there is enough: that many vertices, or some times as many. For
/// one unit: it is a short chain of additions, and scans across lanes take longer.
#[cube]
fn choose(tile: &mut Tile, starts: &mut SharedMemory<u32>, orders: &SplitOrders, #[comptime] shape: Shape) {
    let mut pushed = 0u32;
    #[unroll]
    for queue in 0..comptime!(shape.queues) {
        pushed += tile.words[(ADDED + queue) as usize];
    }
    // Vertices with many arcs come first, and together: each has about as many as those of the step before.
    let arcs = f32::cast_from(tile.words[ARCS as usize]);
    let degree = arcs / f32::cast_from(tile.words[TOOK as usize].max(1)) + 1.0;
    let least = (f32::cast_from(orders.enough_arcs) / degree + 1.0).min(f32::cast_from(orders.enough));
    let times = (arcs / (ARCS_PER_PUSH * f32::cast_from(pushed.max(1)))).clamp(1.0, MOST_TIMES);
    let enough = u32::cast_from(least) * u32::cast_from(times);

    let window = tile.words[WINDOW as usize];
    let mut taken = 0u32;
    let mut mask = comptime!(1u32 << (shape.lists + HUB_QUEUE)).runtime();
    let mut first = comptime!(shape.lists).runtime();
    let mut end = 0u32;
    #[unroll]
    for i in 0..comptime!(shape.lists) {
        let queue = (window + i) % comptime!(shape.lists);
        let count = waiting(tile, queue, orders.n);
        let is_open = taken < enough;
        // Behind all that is taken, for buckets that are not.
        starts[i as usize] = select(is_open, taken, NONE.runtime());
        first = select(count > 0, first.min(i), first);
        end = select(is_open && count > 0, i + 1, end);
        mask += select(is_open, 1u32 << queue, 0u32);
        taken += select(is_open, count, 0u32);
    }
    tile.words[ENOUGH as usize] = enough;
    tile.words[TAKEN as usize] = taken;
    tile.words[FORESEEN as usize] = u32::cast_from(f32::cast_from(taken) * degree);
    tile.words[FIRST as usize] = first;
    tile.words[END as usize] = end;
    tile.words[MASK as usize] = mask;
}

/// How many wait in a queue. What found no room there does not wait; the control words say that there was some.
#[cube]
fn waiting(tile: &Tile, queue: u32, n: u32) -> u32 {
    (tile.words[(LEFT + queue) as usize] + tile.words[(ADDED + queue) as usize]).min(n)
}

/// Writes what the next step has to know, and clears what the one after it will count. For one cube.
#[cube]
fn prepare_next(control: &Array<Atomic<u32>>, tile: &Tile, plan: Plan, number: u32, #[comptime] shape: Shape) {
    let after = HEAD + (number + 2) % SLOTS * SLOT;
    if UNIT_POS_X < comptime!(shape.queues) {
        control[(plan.next + LEFT + UNIT_POS_X) as usize].store(tile.queues.befores[UNIT_POS_X as usize]);
        control[(after + ADDED + UNIT_POS_X) as usize].store(0u32);
    }
    if UNIT_POS_X == 0 {
        control[(plan.next + ROWS) as usize].store(plan.rows ^ plan.mask);
        control[(plan.next + WINDOW) as usize].store(plan.round.window);
        control[(plan.next + TOOK) as usize].store(plan.taken);
        if plan.pile == 0 {
            control[(plan.next + LEAST) as usize].fetch_min(tile.words[LEAST as usize]);
        }
        control[(after + LEAST) as usize].store(NONE);
        control[(after + ARCS) as usize].store(0u32);
    }
}

/// Where the row of a queue begins.
#[cube]
fn row(rows: u32, queue: u32, n: u32) -> usize {
    (2 * queue + ((rows >> queue) & 1)) as usize * n as usize
}

/// The vertices of the buckets that are taken, and the pile, in tiles that are as small as makes work for all cubes.
/// A tile may have others in its wake, of what it has brought near.
#[cube]
fn take_lists(
    graph: &Graph,
    queued: &mut Array<u32>,
    control: &Array<Atomic<u32>>,
    plan: Plan,
    tile: &mut Tile,
    starts: &SharedMemory<u32>,
    cubes: u32,
    most_rounds: u32,
    #[comptime] shape: Shape,
) {
    let all = plan.taken + plan.pile;
    let n = plan.round.n;
    let size = ((all.max(1) - 1) / cubes + 1).min(comptime!(shape.units));
    let mut start = CUBE_POS_X;
    while start < all {
        let i = start + UNIT_POS_X * cubes;
        let mut is_listed = UNIT_POS_X < size && i < plan.taken;
        let mut vertex = 0u32;
        let mut distance = 0u32;
        if is_listed {
            let mut position = 0u32;
            #[unroll]
            for other in 1..comptime!(shape.lists) {
                position = select(starts[other as usize] <= i, other, position);
            }
            let begin = row(plan.rows, (plan.window + position) % comptime!(shape.lists), n);
            let entry = begin + (i - starts[position as usize]) as usize;
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
                // Otherwise the entry is void.
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
            let total = tile.load(first, arcs, distance, shape);
            if UNIT_POS_X == 0 && rounds == 1 {
                tile.queues.weigh(total);
            }
            tile.queues.settle(queued, control, n, shape);
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

/// A vertex of the pile: it goes to a list now, if the window has come to it. Those that have come nearer by
/// themselves are in a list, or were. This must be the distance that it has, since nobody puts it into the pile again
/// when it comes nearer there.
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
