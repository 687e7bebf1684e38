//! Sorts a tile that is nearly sorted: neighbours in the wrong order change places, at even places and odd ones in turn.

use crate::bucket::key::Key;
use crate::bucket::{BucketFn, BucketFnExpand};
use crate::gpu::function::AnyFn;
use crate::gpu::primitives::cube;
use crate::gpu::primitives::elements::exchange;
use crate::gpu::primitives::shared_atomics::{Words, read_word};
use crate::gpu::primitives::tile_pipeline::TilePipeline;
use crate::gpu::tuning::blueprint::Blueprint;
use cubecl::prelude::*;

/// How often all pairs of neighbours are compared, at most.
const ROUNDS: u32 = 8;

/// Sorts the first `n` keys by words of 32 bits, the lowest first, if few are out of order and not far from their place;
/// says whether they are sorted. Equal keys keep their order. The cube must have waited, and has when it returns.
#[cube]
pub(super) fn sort_neighbours<K: Key>(
    words: &Sequence<AnyFn<K>>,
    pipeline: &mut TilePipeline<K>,
    n: u32,
    #[comptime] bp: Blueprint,
) -> bool {
    let changed = Words::new(ROUNDS as usize);
    if UNIT_POS_X < ROUNDS {
        changed[UNIT_POS_X as usize].store(0u32);
    }
    cube::sync(bp);
    let mut round = 0u32;
    let mut is_sorted = false.runtime();
    while round < ROUNDS && !is_sorted {
        for odd in 0..2u32 {
            let mut at = 2 * UNIT_POS_X + odd;
            while at + 1 < n {
                let (first, second) = (at as usize, (at + 1) as usize);
                if is_above::<K>(words, pipeline.keys[first], pipeline.keys[second]) {
                    exchange::<K>(&mut pipeline.keys, &mut pipeline.tiles, first, second, bp);
                    changed[round as usize].store(1u32);
                }
                at += comptime!(2 * bp.units());
            }
            cube::sync(bp);
        }
        is_sorted = read_word(&changed, round, bp) == 0;
        round += 1;
    }
    is_sorted
}

/// Whether a key is above another.
#[cube]
fn is_above<K: Key>(words: &Sequence<AnyFn<K>>, a: K, b: K) -> bool {
    let mut above = false.runtime();
    #[unroll]
    for w in 0..words.len() {
        let word = *words.index(w);
        let (a, b) = (word.bucket(a), word.bucket(b));
        // Of two words that differ, the highest counts.
        above = a > b || (a == b && above);
    }
    above
}
