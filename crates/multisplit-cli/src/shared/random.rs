//! Random numbers, the same on every machine.

pub use multisplit_graph::generate::random;
use multisplit_graph::parallel;

/// Maps a uniform 64-bit word to a number of `lo..hi`.
pub fn between(lo: u128, hi: u128, word: u64) -> u64 {
    (lo + (((hi - lo) * u128::from(word)) >> 64)) as u64
}

/// Returns `n` uniform 32-bit keys: the high halves of the random numbers.
pub fn uniform(n: usize, seed: u64) -> Vec<u32> {
    parallel::fill(n, |i| (random(seed, i as u64) >> 32) as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_the_same_everywhere() {
        assert_eq!([random(0, 0), random(0, 1)], [0xe220_a839_7b1d_cdaf, 0x6e78_9e6a_a1b9_65f4]);
        assert_eq!((between(3, 8, 0), between(3, 8, u64::MAX)), (3, 7));
        assert_eq!(uniform(2, 0), [0xe220_a839, 0x6e78_9e6a]);
    }
}
