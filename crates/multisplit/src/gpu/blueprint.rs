//! What changes the generated code of a kernel, and nothing else.

/// The compile-time shape of a kernel. Sizes (n, m, chunk) are run-time arguments, so that a kernel is compiled once
/// for all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Blueprint {
    /// Lanes per plane (threads per warp): 4, 8, 16, 32 or 64.
    pub plane: u32,
    /// Planes per cube (warps per block).
    pub planes: u32,
    /// Windows per plane and tile: keys per unit (thread).
    pub items: u32,
    /// Bits of a bucket id: `ceil(log2 m)`.
    pub bits: u32,
    /// Whether planes have a barrier of their own. Where they do not (WGSL), the whole cube waits.
    pub plane_barrier: bool,
    /// 4-byte value columns.
    pub narrow: u32,
    /// 8-byte value columns.
    pub wide: u32,
    /// Whether the permutation is written.
    pub permutation: bool,
}

impl Blueprint {
    /// Units per cube.
    pub const fn units(&self) -> u32 {
        self.plane * self.planes
    }

    /// Elements that a plane takes in one round.
    pub const fn plane_tile(&self) -> u32 {
        self.plane * self.items
    }

    /// Elements that a cube takes in one round.
    pub const fn tile(&self) -> u32 {
        self.units() * self.items
    }

    /// Ids that `bits` can tell apart; at least m.
    pub const fn capacity(&self) -> u32 {
        1 << self.bits
    }

    /// Buckets per unit when a cube scans its buckets.
    pub const fn buckets_per_unit(&self) -> u32 {
        self.capacity().div_ceil(self.units())
    }

    /// 32-bit words in a ballot.
    pub const fn words(&self) -> u32 {
        self.plane.div_ceil(32)
    }
}
