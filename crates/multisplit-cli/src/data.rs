//! Random numbers, the same on every machine.

use crate::parallel;

/// Number `i` of the SplitMix64 sequence of a seed.
pub fn random(seed: u64, i: u64) -> u64 {
    let mut z = seed.wrapping_add((i + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Uniform 32-bit keys: the high words.
pub fn uniform(n: usize, seed: u64) -> Vec<u32> {
    parallel::fill(n, |i| (random(seed, i as u64) >> 32) as u32)
}
