//! The rounds of a scan-based split.

/// How more than two buckets are parted by binary splits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Rounds {
    /// One bucket after the other.
    Iterated,
    /// In halves.
    Recursive,
}

impl Rounds {
    /// How many rounds there are: one at least, which moves the elements.
    pub fn count(self, m: u32) -> u32 {
        match self {
            Self::Iterated => m.saturating_sub(1).max(1),
            Self::Recursive => m.next_power_of_two().trailing_zeros().max(1),
        }
    }

    /// Places on a GPU where elements can be between rounds, besides the output. A round of the iterated split writes
    /// what is done to the output while it reads, so that the rest needs two.
    #[cfg(feature = "gpu")]
    pub fn sides(self) -> usize {
        if self == Self::Iterated { 2 } else { 1 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_the_paper_counts_them() {
        let rounds = |m| (Rounds::Iterated.count(m), Rounds::Recursive.count(m));
        assert_eq!([1, 2, 3, 4, 5, 8, 9].map(rounds), [(1, 1), (1, 1), (2, 2), (3, 2), (4, 3), (7, 3), (8, 4)]);
        assert_eq!(rounds(1 << 24), ((1 << 24) - 1, 24));
    }
}
