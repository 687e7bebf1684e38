//! Random numbers that depend on a seed and a place alone, so that any number of threads draws the same ones.

/// Number `i` of the SplitMix64 sequence of a seed.
pub(crate) fn random(seed: u64, i: u64) -> u64 {
    mix(seed.wrapping_add(i.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15)))
}

fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// A number below `limit` from a random word: the word as a fraction of 2^64, times the limit.
pub(crate) fn below(word: u64, limit: u64) -> u64 {
    ((u128::from(word) * u128::from(limit)) >> 64) as u64
}

/// A sequence of its own for every place.
pub(crate) struct Stream {
    seed: u64,
    next: u64,
}

impl Stream {
    pub(crate) fn new(seed: u64, place: u64) -> Self {
        // Seeds are far apart: sequences of neighbouring places share no numbers for all that is drawn here.
        Self { seed: random(!seed, place), next: 0 }
    }

    pub(crate) fn next(&mut self) -> u64 {
        let word = random(self.seed, self.next);
        self.next += 1;
        word
    }
}
