//! The state of a near-far search, in device memory, so that steps can follow each other without the host.
//!
//! A search is a sequence of steps, and a launch of the kernel `step` takes one or several. Every step has a slot of
//! words. The step before has written them, and they do not change while they are read. A step counts in the slot of
//! the next step, and clears the slot after that. So cubes need no barrier, and no cube has to be the last one. The far
//! pile is counted the same way: when it is scanned, the vertices that stay go to the next pile.
//!
//! There are more slots than a launch takes steps, so that no slot is reused that a late cube may still read.

/// Queues: near vertices, near hubs, and the far pile. Each has two rows, of which one is taken and one is written.
pub(crate) const TO_NEAR: u32 = 0;
pub(crate) const TO_HUBS: u32 = 1;
pub(crate) const TO_PILE: u32 = 2;
pub(crate) const QUEUES: u32 = 3;

/// Slots for steps, and for piles.
pub(crate) const SLOTS: u32 = 64;

/// The step that the next launch begins with: launches alternate between two words.
pub(crate) const CURRENT: u32 = 0;
/// Launches that have run.
pub(crate) const LAUNCHED: u32 = CURRENT + 2;
/// Not 0 if a row of a queue has overflowed.
pub(crate) const OVERFULL: u32 = LAUNCHED + 1;
/// Words that depend on the strategy begin here. Those below are for near-far strategies;
/// [`buckets`](super::buckets) is for lists.
pub(crate) const HEAD: u32 = OVERFULL + 1;

/// Words of a step's slot.
pub(crate) const SLOT: u32 = 8;
/// In a slot: how many vertices are near, hubs not included, and how many hubs are.
pub(crate) const NEAR: u32 = 0;
pub(crate) const HUBS: u32 = 1;
/// In a slot: the largest distance that is near, as order-preserving bits.
pub(crate) const LIMIT: u32 = 2;
/// In a slot: which pile is the far pile.
pub(crate) const PILE: u32 = 3;
/// In a slot: rounds so far.
pub(crate) const ROUND: u32 = 4;
/// In a slot: the first bucket that has not been taken.
pub(crate) const BUCKET: u32 = 5;

/// In a slot: how many arcs the near vertices have.
pub(crate) const ARCS: u32 = 6;

/// Words of a pile's slot: how many vertices wait in it, and a lower bound of their distances.
pub(crate) const PILE_SLOT: u32 = 2;
pub(crate) const PILES: u32 = HEAD + SLOTS * SLOT;

/// Buckets of the last reorganisation; none before the first.
pub(crate) const BUCKETS: u32 = PILES + SLOTS * PILE_SLOT;
/// Reorganisations so far.
pub(crate) const GENERATION: u32 = BUCKETS + 1;
/// A lower bound of the distances in the last bucket.
pub(crate) const REST: u32 = GENERATION + 1;
/// Where each bucket begins among the sorted vertices, and where the last one ends.
pub(crate) const STARTS: u32 = REST + 1;
/// The largest distance of each bucket.
pub(crate) const BOUNDS: u32 = STARTS + MAX_BUCKETS + 1;
/// All words, but for two of every cube, which count its relaxed arcs.
pub(crate) const WORDS: u32 = BOUNDS + MAX_BUCKETS;

/// The most buckets of a reorganisation.
pub(crate) const MAX_BUCKETS: u32 = 31;

/// Marks say where a vertex waits, so that it waits in one place only. Greater marks are taken earlier; 0 is nowhere.
///
/// In bucket b of m, the mark is `m - b`, plus [`MAX_BUCKETS`] after every other reorganisation, so that the marks of
/// one are not taken for those of the next. In the far pile it is this one. A near vertex that is taken in round r has
/// [`NEAR_MARK`]` + r`.
pub(crate) const PILE_MARK: u32 = 2 * MAX_BUCKETS + 1;
pub(crate) const NEAR_MARK: u32 = PILE_MARK + 1;

/// Above all distances: no distance, or no threshold.
pub(crate) const NONE: u32 = u32::MAX;
/// The largest distance that a vertex can have, as order-preserving bits of any type.
pub(crate) const LAST: u32 = u32::MAX - 1;

/// The control words at the start of a search.
pub(crate) fn at_start(limit: u32, is_hub: bool) -> Vec<u32> {
    let mut words = vec![0; WORDS as usize];
    words[(HEAD + if is_hub { HUBS } else { NEAR }) as usize] = 1;
    words[(HEAD + LIMIT) as usize] = limit;
    for pile in 0..SLOTS {
        words[(PILES + pile * PILE_SLOT + 1) as usize] = NONE;
    }
    words[REST as usize] = NONE;
    words
}

/// The control words, read back.
pub(crate) struct Status(Vec<u32>);

impl Status {
    pub fn new(words: Vec<u32>) -> Self {
        Self(words)
    }

    pub fn word(&self, index: u32) -> u32 {
        self.0.get(index as usize).copied().unwrap_or_default()
    }

    /// Launches that have run.
    pub fn launched(&self) -> u32 {
        self.word(LAUNCHED)
    }

    /// Whether a queue has overflowed.
    pub fn is_overfull(&self) -> bool {
        self.word(OVERFULL) != 0
    }

    /// The step that the next launch begins with.
    pub fn step(&self) -> u32 {
        self.word(CURRENT + self.launched() % 2)
    }

    /// Where its slot is.
    fn slot(&self) -> u32 {
        HEAD + self.step() % SLOTS * SLOT
    }

    /// Vertices that are near.
    fn near(&self) -> u32 {
        self.word(self.slot() + NEAR) + self.word(self.slot() + HUBS)
    }

    /// The largest distance that is near.
    fn limit(&self) -> u32 {
        self.word(self.slot() + LIMIT)
    }

    /// Vertices in the far pile.
    pub fn pile(&self) -> u32 {
        let pile = self.word(self.slot() + PILE) % SLOTS;
        self.word(PILES + pile * PILE_SLOT)
    }

    /// A distance above which all far vertices are: the limit of what is near, or just below the least that waits.
    pub fn floor(&self) -> u32 {
        let pile = self.word(self.slot() + PILE) % SLOTS;
        let least = self.word(PILES + pile * PILE_SLOT + 1);
        // Of sorted vertices, only the bucket is known.
        if self.sorted().1 > 0 || least == NONE {
            return self.limit();
        }
        self.limit().max(least.saturating_sub(1))
    }

    /// The sorted vertices that still wait: the index of the first, and how many.
    pub fn sorted(&self) -> (u32, u32) {
        let (next, buckets) = (self.word(self.slot() + BUCKET), self.word(BUCKETS));
        if next >= buckets {
            return (0, 0);
        }
        let [start, end] = [next, buckets].map(|bucket| self.word(STARTS + bucket));
        (start, end.saturating_sub(start))
    }

    /// Arcs that were relaxed, by cubes whose words begin at `tally`.
    pub fn relaxed(&self, tally: u32) -> u64 {
        let cubes = self.0.get(tally as usize..).unwrap_or_default().chunks_exact(2);
        cubes.map(|words| u64::from(words[0]) | u64::from(words[1]) << 32).sum()
    }

    /// How many vertices wait.
    pub fn waiting(&self) -> u64 {
        [self.near(), self.pile(), self.sorted().1].into_iter().map(u64::from).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_search_says() {
        let mut words = at_start(7, false);
        let status = Status::new(words.clone());
        assert!(status.waiting() == 1 && !status.is_overfull() && status.step() == 0);
        words[(HEAD + NEAR) as usize] = 0;
        words[OVERFULL as usize] = 1;
        let status = Status::new(words);
        assert!(status.waiting() == 0 && status.is_overfull());
    }
}
