//! Reorganising the far pile into buckets of distances: the kernels before and after the split or sort.

use crate::sssp::gpu::state::control::{
    BOUNDS, BUCKET, BUCKETS, CURRENT, GENERATION, HEAD, MAX_BUCKETS, NONE, PILE, PILE_MARK, PILE_SLOT, PILES, REST,
    SLOT, SLOTS, STARTS, TO_PILE,
};
use cubecl::prelude::*;
use multisplit::cubecl;

/// Bounds to search, whatever the number of buckets: a power of two.
pub(crate) const BOUND_WORDS: u32 = 32;
/// Steps of a binary search among them.
const STEPS: u32 = 5;

/// What is listed.
#[derive(CubeType, CubeLaunch)]
pub(crate) struct Listed {
    /// Launches before.
    pub launch: u32,
    /// Entries of a queue.
    pub n: u32,
    /// Vertices in the far pile.
    pub piled: u32,
    /// Sorted vertices that still wait, and the first of them.
    pub remaining: u32,
    pub remaining_start: u32,
    /// New buckets.
    pub buckets: u32,
}

/// Lists all vertices that are far: those of the far pile, and those of remaining buckets. `keys` get the bucket of
/// each, or its distance. Vertices that no longer wait are sorted behind all buckets.
#[cube(launch_unchecked, address_type = "dynamic")]
pub(crate) fn list(
    distances: &Array<u32>,
    marks: &mut Array<u32>,
    queued: &Array<u32>,
    sorted: &Array<u32>,
    control: &Array<Atomic<u32>>,
    bounds: &Array<u32>,
    keys: &mut Array<u32>,
    vertices: &mut Array<u32>,
    listed: &Listed,
    #[comptime] by_distance: bool,
) {
    let slot = HEAD + control[(CURRENT + listed.launch % 2) as usize].load() % SLOTS * SLOT;
    let from = (2 * TO_PILE + control[(slot + PILE) as usize].load() % 2) as usize * listed.n as usize;
    let generation = control[GENERATION as usize].load();
    let old_marks = generation % 2 * MAX_BUCKETS;
    let new_marks = (generation + 1) % 2 * MAX_BUCKETS;
    let all = listed.piled + listed.remaining;
    let mut i = CUBE_POS_X * CUBE_DIM_X + UNIT_POS_X;
    while i < all {
        let of_pile = i < listed.piled;
        let mut vertex = queued[from + select(of_pile, i, 0u32) as usize];
        if !of_pile {
            vertex = sorted[(listed.remaining_start + i - listed.piled) as usize];
        }
        let mark = marks[vertex as usize];
        // Marks of new buckets differ from those of old ones, so that a vertex that is listed twice counts once.
        let in_bucket = mark > old_marks && mark <= old_marks + MAX_BUCKETS;
        let mut key = select(comptime!(by_distance), NONE.runtime(), listed.buckets);
        if (of_pile && mark == PILE_MARK) || (!of_pile && in_bucket) {
            let distance = distances[vertex as usize];
            let bucket = bucket_of(distance, bounds);
            marks[vertex as usize] = new_marks + listed.buckets - bucket;
            key = select(comptime!(by_distance), distance, bucket);
        }
        keys[i as usize] = key;
        vertices[i as usize] = vertex;
        i += CUBE_COUNT_X * CUBE_DIM_X;
    }
}

/// The first bucket whose bound is not below the distance.
#[cube]
fn bucket_of(distance: u32, bounds: &Array<u32>) -> u32 {
    let mut bucket = 0u32;
    #[unroll]
    for step in 0..STEPS {
        let probe = bucket + comptime!(BOUND_WORDS >> (step + 1));
        bucket = select(bounds[probe as usize - 1] < distance, probe, bucket);
    }
    bucket
}

/// Writes the new buckets to the control words. `found` are the offsets of a split; or the distances of a sort, in
/// which the buckets have yet to be found. For one cube.
#[cube(launch_unchecked, address_type = "dynamic")]
pub(crate) fn install(
    found: &Array<u32>,
    control: &Array<Atomic<u32>>,
    bounds: &Array<u32>,
    listed: &Listed,
    #[comptime] by_distance: bool,
) {
    let unit = UNIT_POS_X;
    let buckets = listed.buckets;
    if unit <= buckets {
        let mut start = 0u32;
        if comptime!(by_distance) {
            if unit > 0 {
                start = up_to(found, bounds[unit as usize - 1], listed.piled + listed.remaining);
            }
        } else {
            start = found[unit as usize];
        }
        control[(STARTS + unit) as usize].store(start);
    }
    if unit < MAX_BUCKETS {
        control[(BOUNDS + unit) as usize].store(bounds[unit as usize]);
    }
    if unit == 0 {
        let slot = HEAD + control[(CURRENT + listed.launch % 2) as usize].load() % SLOTS * SLOT;
        let pile = control[(slot + PILE) as usize].load() + 1;
        control[(slot + PILE) as usize].store(pile);
        control[(slot + BUCKET) as usize].store(0u32);
        let after = PILES + (pile + 1) % SLOTS * PILE_SLOT;
        control[after as usize].store(0u32);
        control[(after + 1) as usize].store(NONE);
        let generation = control[GENERATION as usize].load();
        control[GENERATION as usize].store(generation + 1);
        control[BUCKETS as usize].store(buckets);
        // The last bucket begins where the one before it ends.
        control[REST as usize].store(bounds[buckets as usize - 2] + 1);
    }
}

/// How many of the sorted distances are at most `bound`.
#[cube]
fn up_to(sorted: &Array<u32>, bound: u32, len: u32) -> u32 {
    let mut low = 0u32;
    let mut high = len;
    while low < high {
        let middle = low + (high - low) / 2;
        if sorted[middle as usize] <= bound {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low
}
