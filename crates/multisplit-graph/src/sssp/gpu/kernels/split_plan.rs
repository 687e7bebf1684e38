//! What a step of the search with lists has to do, from control words that do not change before the next launch.

use super::distance::bucket_of;
use super::graph::Round;
use super::relax::Tile;
use super::shape::Shape;
use super::steps::peek;
use crate::sssp::gpu::state::buckets::{
    ADDED, ARCS, FAR_PILE, HUB_QUEUE, LEAST, LEFT, MEETING, MEETINGS, ROWS, SLOT, SLOTS, TOOK, WINDOW,
};
use crate::sssp::gpu::state::control::{HEAD, NONE};
use cubecl::prelude::*;
use multisplit::between_cubes::load;
use multisplit::cubecl;

/// What is chosen, in shared memory after the words of the slot: how many vertices are enough, how many are taken, an
/// estimate of their arcs, the first bucket of the window that is not empty, the end of the buckets that are taken, and
/// a mask of the queues that are taken.
const ENOUGH: u32 = SLOT;
const TAKEN: u32 = SLOT + 1;
const FORESEEN: u32 = SLOT + 2;
const FIRST: u32 = SLOT + 3;
const END: u32 = SLOT + 4;
const MASK: u32 = SLOT + 5;

/// Where at most one arc in `ARCS_PER_PUSH` brings a vertex nearer, few arcs are relaxed too early, and a step may take
/// more: up to `MOST_TIMES` as much.
const ARCS_PER_PUSH: f32 = 3.0;
const MOST_TIMES: f32 = 16.0;

/// The run-time numbers of a launch.
#[derive(CubeType, CubeLaunch)]
pub(crate) struct SplitOrders {
    /// Launches before this one.
    pub launch: u32,
    /// Vertices.
    pub n: u32,
    /// Buckets per unit of distance.
    pub scale: f32,
    /// So many vertices, or so many arcs, are enough for a step.
    pub enough: u32,
    pub enough_arcs: u32,
    /// The most rounds of a tile: each but the first takes the vertices that the cube has kept.
    pub rounds: u32,
    /// The most steps of a launch that all cubes take.
    pub steps: u32,
    /// The first control word of those that count relaxed arcs.
    pub tally: u32,
}

/// What a step has to do.
#[derive(CubeType, Clone, Copy)]
pub(crate) struct SplitPlan {
    /// Vertices of the buckets that are taken, of the far pile if it is scanned, and hubs.
    pub taken: u32,
    pub pile: u32,
    pub hubs: u32,
    /// Queues that are taken, a bit each, and the rows to take them from.
    pub mask: u32,
    pub rows: u32,
    /// The window before this step; that of [`Round`] is the one after it.
    pub window: u32,
    pub round: Round,
    /// The slot of the next step.
    pub next: u32,
    pub active: bool,
    /// Whether one cube should do it.
    pub small: bool,
}

/// Works out what step `number` has to do, alike in all cubes. All units of a cube wait for each other.
#[cube]
pub(crate) fn split_plan(
    control: &Array<Atomic<u32>>,
    words: &Array<u32>,
    tile: &mut Tile,
    starts: &mut SharedMemory<u32>,
    number: u32,
    is_first: bool,
    orders: &SplitOrders,
    #[comptime] shape: Shape,
) -> SplitPlan {
    let slot = HEAD + number % SLOTS * SLOT;
    sync_cube();
    if UNIT_POS_X < SLOT {
        let word = slot + UNIT_POS_X;
        if comptime!(shape.meets) {
            tile.words[UNIT_POS_X as usize] = load(control, word);
        } else {
            tile.words[UNIT_POS_X as usize] = peek(control, words, word, is_first, shape);
        }
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
    // Too little: all lists are taken, so that the window can move; but not beyond hubs, which wait for all cubes.
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
    SplitPlan {
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

/// Chooses the buckets of the window that are taken: in order, until they have enough vertices. For one unit: it is a
/// short chain of additions, and scans across lanes take longer.
#[cube]
fn choose(tile: &mut Tile, starts: &mut SharedMemory<u32>, orders: &SplitOrders, #[comptime] shape: Shape) {
    let mut pushed = 0u32;
    #[unroll]
    for queue in 0..comptime!(shape.queues) {
        pushed += tile.words[(ADDED + queue) as usize];
    }
    // Large degrees come first, and together: the mean degree is estimated by that of the step before.
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
        // Buckets that are not taken begin behind all that is.
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

/// How many vertices wait in a queue. Those that found no room are not counted; a control word says that there were
/// some.
#[cube]
fn waiting(tile: &Tile, queue: u32, n: u32) -> u32 {
    (tile.words[(LEFT + queue) as usize] + tile.words[(ADDED + queue) as usize]).min(n)
}

/// Writes what the next step has to know, and clears the counters of the step after it. For one cube.
#[cube]
pub(crate) fn prepare_next_split(
    control: &Array<Atomic<u32>>,
    tile: &Tile,
    plan: SplitPlan,
    number: u32,
    #[comptime] shape: Shape,
) {
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
        if comptime!(shape.meets) {
            control[meeting(number + 2) as usize].store(0u32);
        }
    }
}

/// The word where the cubes meet that have ended a step.
#[cube]
pub(crate) fn meeting(step: u32) -> u32 {
    MEETINGS + step % SLOTS * MEETING
}

/// Where the row of a queue begins.
#[cube]
pub(crate) fn row(rows: u32, queue: u32, n: u32) -> usize {
    (2 * queue + ((rows >> queue) & 1)) as usize * n as usize
}

/// Where entry `i` of those that are taken is in the queues.
#[cube]
pub(crate) fn entry_of(plan: SplitPlan, starts: &SharedMemory<u32>, i: u32, #[comptime] shape: Shape) -> usize {
    let mut position = 0u32;
    #[unroll]
    for other in 1..comptime!(shape.lists) {
        position = select(starts[other as usize] <= i, other, position);
    }
    let begin = row(plan.rows, (plan.window + position) % comptime!(shape.lists), plan.round.n);
    begin + (i - starts[position as usize]) as usize
}
