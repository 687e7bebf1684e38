//! Random keys.

use rayon::prelude::*;

/// Uniform 32-bit keys, the same on every machine: the SplitMix64 sequence of the seed, high words.
pub fn uniform(n: usize, seed: u64) -> Vec<u32> {
    (0..n as u64)
        .into_par_iter()
        .map(|i| {
            let mut z = seed.wrapping_add((i + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
            z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            ((z ^ (z >> 31)) >> 32) as u32
        })
        .collect()
}
