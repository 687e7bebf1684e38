//! What one plane (warp) can do: vote on buckets, count, scan.
//!
//! The paper's section 5.3. Every lane knows the bucket of its own key; after one ballot per bit of the bucket id,
//! every lane can work out which lanes hold keys of any given bucket. A lane asks twice: for its own key's bucket (who
//! are my *peers*: those before me give my local offset) and for the bucket it is in charge of, whose number is its
//! lane (who are its *voters*: their count is the histogram).
//!
//! A set of lanes is a bit mask of one word per 32 lanes, kept as a [`Sequence`], so that a plane of 64 is not special.

use crate::gpu::tuning::blueprint::Blueprint;
use crate::runtime::Dialect;
use cubecl::prelude::*;

/// A set of lanes, 32 to a word.
pub(crate) type Lanes = Sequence<u32>;

/// The lane of this unit.
#[cube]
pub(crate) fn lane(#[comptime] bp: Blueprint) -> u32 {
    UNIT_POS_X % comptime!(bp.plane)
}

/// The plane of this unit within its cube.
#[cube]
pub(crate) fn plane(#[comptime] bp: Blueprint) -> u32 {
    UNIT_POS_X / comptime!(bp.plane)
}

/// Waits for the lanes of this plane, and makes what they wrote to shared memory visible.
#[cube]
pub(crate) fn sync(#[comptime] bp: Blueprint) {
    if comptime!(bp.dialect == Dialect::Cuda) {
        sync_plane();
    } else {
        sync_cube();
    }
}

/// The lanes that say yes.
#[cube]
pub(crate) fn ballot(yes: bool, #[comptime] bp: Blueprint) -> Lanes {
    let votes = plane_ballot(yes);
    let mut lanes = Lanes::new();
    #[unroll]
    for word in 0..comptime!(bp.words() as usize) {
        lanes.push(votes[word]);
    }
    lanes
}

/// Outcome of a plane's vote on the buckets of its keys.
#[derive(CubeType)]
pub(crate) struct Votes {
    /// Lanes whose key falls into the same bucket as this lane's key.
    pub peers: Lanes,
    /// Lanes whose key falls into the bucket that has this lane's number.
    pub voters: Lanes,
}

/// One ballot per bit of the bucket id (the paper's algorithms 2 and 3, merged). Lanes that are not `valid` hold no
/// key.
#[cube]
pub(crate) fn vote(bucket: u32, valid: bool, #[comptime] full: bool, #[comptime] bp: Blueprint) -> Votes {
    let me = lane(bp);
    let everyone = all(valid, full, bp);
    let mut ballots = Sequence::<Lanes>::new();
    #[unroll]
    for bit in 0..comptime!(bp.bits) {
        ballots.push(ballot((bucket & comptime!(1u32 << bit)) != 0, bp));
    }
    let mut peers = Lanes::new();
    let mut voters = Lanes::new();
    #[unroll]
    for word in 0..comptime!(bp.words() as usize) {
        let mut with_my_key = everyone[word];
        let mut with_my_bucket = everyone[word];
        #[unroll]
        for bit in 0..comptime!(bp.bits) {
            let yes = ballots[comptime!(bit as usize)][word];
            with_my_key &= select((bucket & comptime!(1u32 << bit)) != 0, yes, !yes);
            with_my_bucket &= select((me & comptime!(1u32 << bit)) != 0, yes, !yes);
        }
        peers.push(with_my_key);
        voters.push(with_my_bucket);
    }
    Votes { peers, voters }
}

/// Every lane that holds a key.
#[cube]
fn all(valid: bool, #[comptime] full: bool, #[comptime] bp: Blueprint) -> Lanes {
    if comptime!(full) {
        let mut lanes = Lanes::new();
        #[unroll]
        for _ in 0..comptime!(bp.words()) {
            lanes.push(comptime!(if bp.plane >= 32 { u32::MAX } else { (1u32 << bp.plane) - 1 }).runtime());
        }
        lanes
    } else {
        ballot(valid, bp)
    }
}

/// How many lanes are in the set.
#[cube]
pub(crate) fn count(lanes: &Lanes, #[comptime] bp: Blueprint) -> u32 {
    let mut sum = lanes.index(0usize).count_ones();
    #[unroll]
    for word in 1..comptime!(bp.words() as usize) {
        sum += lanes.index(word).count_ones();
    }
    sum
}

/// How many lanes of the set come before `lane`.
#[cube]
pub(crate) fn count_below(lanes: &Lanes, lane: u32, #[comptime] bp: Blueprint) -> u32 {
    let mut sum = (*lanes.index(0usize) & below(lane, 0u32, bp)).count_ones();
    #[unroll]
    for word in 1..comptime!(bp.words()) {
        sum += (*lanes.index(comptime!(word as usize)) & below(lane, word, bp)).count_ones();
    }
    sum
}

/// The part of the mask "all lanes before `lane`" that lies in `word`.
#[cube]
fn below(lane: u32, #[comptime] word: u32, #[comptime] bp: Blueprint) -> u32 {
    let bit = (1u32 << (lane % 32)) - 1;
    if comptime!(bp.words() == 1) {
        bit
    } else {
        let here = lane / 32;
        select(here == word, bit, select(here > word, u32::MAX.runtime(), 0u32.runtime()))
    }
}

/// The first lane of a set that is not empty.
#[cube]
pub(crate) fn first(lanes: &Lanes, #[comptime] bp: Blueprint) -> u32 {
    if comptime!(bp.words() == 1) {
        lanes.index(0usize).trailing_zeros()
    } else {
        let low = *lanes.index(0usize);
        let high = *lanes.index(1usize);
        select(low != 0, low.trailing_zeros(), high.trailing_zeros() + 32)
    }
}

/// The bits that are set in any lane.
#[cube]
pub(crate) fn or(word: u32, #[comptime] bp: Blueprint) -> u32 {
    let mut bits = word;
    #[unroll]
    for step in 0..comptime!(bp.plane.trailing_zeros()) {
        bits |= plane_shuffle_xor(bits, comptime!(1u32 << step));
    }
    bits
}

/// Inclusive prefix sum over the lanes. Unrolled by hand: `plane_inclusive_sum` becomes a loop on CUDA.
#[cube]
pub(crate) fn inclusive_sum(value: u32, #[comptime] bp: Blueprint) -> u32 {
    let me = lane(bp);
    let mut sum = value;
    #[unroll]
    for step in 0..comptime!(bp.plane.trailing_zeros()) {
        let distance = comptime!(1u32 << step);
        let before = plane_shuffle_up(sum, distance);
        sum += select(me >= distance, before, 0u32);
    }
    sum
}
