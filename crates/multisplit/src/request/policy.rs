//! Tuning, as data: in what shape kernels run.

/// The most buckets that one split can have.
pub const MAX_BUCKETS: u32 = 1 << 24;

/// The most buckets that one pass tells apart; more take several, by digits of the bucket id.
pub(crate) const ONE_PASS: u32 = 256;

/// The shape of a split's kernels. Chosen by a selector from facts about the device; give your own with
/// [`Multisplit::policy`](crate::Multisplit::policy) to tune. It never changes the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Policy {
    /// Planes (warps) per cube (block) in the postscan.
    pub planes: u32,
    /// Keys per unit (thread) and tile in the postscan.
    pub items: u32,
    /// Cubes per multiprocessor in the postscan, which share the input out among themselves.
    pub cubes_per_processor: u32,
    /// Planes per cube in the prescan.
    pub prescan_planes: u32,
    /// Bits of a bucket id by which the block-level method sorts a tile at once; ids of more bits take two passes.
    pub digit_bits: u32,
    /// Bits of a bucket id that kernels of the block-level method are made for, at least: more than m buckets take have
    /// one kernel serve more numbers of buckets. By default 0, so that they are made for m.
    pub least_bits: u32,
}

impl Policy {
    /// A policy of this shape; the prescan takes 8 planes per cube.
    pub fn new(planes: u32, items: u32, cubes_per_processor: u32) -> Self {
        Self { planes, items, cubes_per_processor, prescan_planes: 8, digit_bits: 6, least_bits: 0 }
    }
}
