//! Random numbers that depend on a seed and a place alone, so that any number of threads draws the same ones.

use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// What the state of SplitMix64 grows by with every number.
const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

/// Returns number `i` of the SplitMix64 sequence of a seed.
///
/// The generators draw from such sequences. The numbers are the same on every machine and in every version of this
/// crate, and do not depend on what was drawn before, so that threads can draw in any order.
///
/// ```
/// use multisplit_graph::generate;
///
/// assert_eq!([0, 1].map(|i| generate::random(0, i)), [0xe220_a839_7b1d_cdaf, 0x6e78_9e6a_a1b9_65f4]);
/// ```
#[inline]
pub fn random(seed: u64, i: u64) -> u64 {
    SplitMix64::seed_from_u64(seed.wrapping_add(i.wrapping_mul(STEP))).next_u64()
}

/// A number below `limit` from a random word: the word as a fraction of 2^64, times the limit.
pub(crate) fn below(word: u64, limit: u64) -> u64 {
    ((u128::from(word) * u128::from(limit)) >> 64) as u64
}

/// A sequence of its own for every place.
pub(crate) fn stream(seed: u64, place: u64) -> impl Rng {
    // Seeds are far apart: sequences of neighbouring places share no numbers for all that is drawn here.
    SplitMix64::seed_from_u64(random(!seed, place))
}
