//! What a step of the near-far search has to do, from control words that do not change before the next launch.

use super::distance::plus;
use super::graph::Round;
use super::relax::Tile;
use super::shape::Shape;
use super::steps::peek;
use crate::sssp::gpu::state::control::{
    ARCS, BUCKET, BUCKETS, GENERATION, HEAD, HUBS, LIMIT, MAX_BUCKETS, NEAR, NONE, PILE, PILE_SLOT, PILES, QUEUES,
    REST, ROUND, SLOT, SLOTS, STARTS, TO_PILE,
};
use cubecl::prelude::*;
use multisplit::cubecl;

/// What a plan reads into shared memory: the slot of the step, the words about buckets, and the slot of the pile; then
/// the chosen bucket, where it begins and where it ends.
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
    /// How far the next limit is beyond the least distance that waits.
    pub reach: u32,
    /// With so many vertices in the far pile, the search waits for the host to reorganise it instead of advancing.
    pub patience: u32,
    /// The first control word of those that count relaxed arcs.
    pub tally: u32,
}

/// What a step has to do.
#[derive(CubeType, Clone, Copy)]
pub(crate) struct Plan {
    pub near: u32,
    pub hubs: u32,
    /// Vertices of the far pile and of a bucket to scan, and where that bucket begins.
    pub pile: u32,
    pub segment: u32,
    pub segment_start: u32,
    /// The mark of vertices that still wait in that bucket.
    pub segment_mark: u32,
    pub pile_from: u32,
    /// The limit of what was near before. A vertex of the pile within it was taken since.
    pub old_limit: u32,
    pub next_bucket: u32,
    pub round: Round,
    /// The slots of the next step, and of the pile that this step fills.
    pub next: u32,
    pub next_pile: u32,
    /// Whether there is anything to do.
    pub active: bool,
    /// Whether one cube should do it.
    pub small: bool,
}

/// Works out what step `number` has to do, alike in all cubes. All units of a cube wait for each other.
#[cube]
pub(crate) fn plan(
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
    // Each unit reads a word, once no unit needs the previous ones.
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

    // Choose the first bucket in which vertices wait, or to which a vertex of the pile may belong.
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
        // Without buckets, or in the last one, which has no end: from the least distance as far as the reach.
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

/// Writes what the next step has to know, and clears the counters of the step after it. For one unit.
#[cube]
pub(crate) fn prepare_next(control: &Array<Atomic<u32>>, plan: Plan, number: u32) {
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
