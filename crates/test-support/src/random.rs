/// A generator of random numbers, xorshift64*: the tests need speed and a seed, nothing more.
///
/// It is written here since no crate of Rust's `rand` family has it, and docs/reliability.md names the seeds with which
/// the stateful test passed: the same seed has to give the same calls.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// A generator whose numbers depend on the seed alone.
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// The next number.
    pub fn next_u64(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// The high half of the next number.
    pub fn next_u32(&mut self) -> u32 {
        (self.next_u64() >> 32) as u32
    }

    /// A number below `limit`.
    pub fn below(&mut self, limit: u32) -> u32 {
        ((u64::from(self.next_u32()) * u64::from(limit)) >> 32) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_the_same_forever() {
        let first = |seed: u64| {
            let mut random = Random::new(seed);
            [random.next_u64(), random.next_u64()]
        };
        assert_eq!([first(0), first(1)], KNOWN);
    }

    const KNOWN: [[u64; 2]; 2] =
        [[0x47e4_ce4b_896c_dd1d, 0xabcf_a6a8_e079_651d], [0x0d83_b3e2_9a21_487a, 0x54c4_4c79_f1fe_9d67]];
}
