//! What changes the generated code of a kernel, and nothing else.

use super::selector::Load;
use crate::policy::Policy;

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
    /// The most bits of a bucket id that the block-level postscan ranks at once.
    pub digit_bits: u32,
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
    /// The shape of a kernel that moves nothing but keys.
    pub fn of_keys(plane: u32, plane_barrier: bool, policy: &Policy, m: u32) -> Self {
        let Policy { planes, items, digit_bits, .. } = *policy;
        let bits = m.saturating_sub(1).checked_ilog2().map_or(0, |log| log + 1);
        Self { plane, planes, items, bits, digit_bits, plane_barrier, narrow: 0, wide: 0, permutation: false }
    }

    /// The shape of a postscan.
    pub fn postscan(plane: u32, plane_barrier: bool, policy: &Policy, m: u32, load: Load) -> Self {
        let Load { narrow, wide, permutation, .. } = load;
        Self { narrow, wide, permutation, ..Self::of_keys(plane, plane_barrier, policy, m) }
    }

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

    /// Whether anything goes with the keys.
    pub const fn has_columns(&self) -> bool {
        self.narrow > 0 || self.wide > 0 || self.permutation
    }

    /// How often the block-level postscan sorts a tile: by the whole bucket id, or by its halves.
    pub const fn passes(&self) -> u32 {
        if self.bits <= self.digit_bits { 1 } else { 2 }
    }

    /// What a pass sorts by.
    pub const fn digit(&self, pass: u32) -> Digit {
        let low = self.bits / 2;
        match (self.passes(), pass) {
            (1, _) => Digit { shift: 0, bits: self.bits },
            (_, 0) => Digit { shift: 0, bits: low },
            _ => Digit { shift: low, bits: self.bits - low },
        }
    }

    /// Words from one row of counters to the next: one for each unit, and one for each 32. A multiple of 32, so that
    /// the counters of a lane are all on the bank of its own.
    pub const fn counter_row(&self) -> u32 {
        (self.units() + self.units().div_ceil(32)).next_multiple_of(32)
    }

    /// Words of all counters; the last pass has the most.
    pub const fn counter_words(&self) -> u32 {
        self.digit(self.passes() - 1).place_rows() * self.counter_row()
    }

    /// Keys whose ranks share a word.
    pub const fn group(&self) -> u32 {
        if self.items.is_multiple_of(4) { 4 } else { 1 }
    }

    /// Groups of a unit's keys.
    pub const fn groups(&self) -> u32 {
        self.items / self.group()
    }

    /// Words of the ranks of a tile.
    pub const fn rank_words(&self) -> u32 {
        self.groups() * self.units()
    }

    /// Room for a tile of which a word is left out after each 32.
    pub const fn apart_tile(&self) -> u32 {
        self.tile() + self.tile().div_ceil(32)
    }

    /// Tables of where elements went: one for each pass, if there are values to follow.
    pub const fn order_tables(&self) -> u32 {
        if self.has_columns() { self.passes() } else { 0 }
    }

    /// Words of shared memory that the block-level postscan takes besides the tiles.
    pub const fn block_level_words(&self) -> u32 {
        let order = self.order_tables() * self.apart_tile();
        let runs = 2 * self.capacity() + 2 * self.boundary_words();
        self.counter_words() + self.rank_words() + order + runs + 3 * self.planes
    }

    /// Room for the boundaries of the buckets' runs, where they are searched for.
    pub const fn boundary_words(&self) -> u32 {
        if self.passes() == 1 { 1 } else { self.capacity() }
    }
}

/// One pass over one tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Pass {
    pub bp: Blueprint,
    pub number: u32,
    /// Whether the tile is known to be full.
    pub full: bool,
}

impl Pass {
    pub const fn digit(&self) -> Digit {
        self.bp.digit(self.number)
    }

    pub const fn is_last(&self) -> bool {
        self.number + 1 == self.bp.passes()
    }
}

/// Consecutive bits of a bucket id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Digit {
    pub shift: u32,
    pub bits: u32,
}

impl Digit {
    /// What the bits can tell apart.
    pub const fn values(&self) -> u32 {
        1 << self.bits
    }

    /// Words of a unit's counters while it counts: four in each.
    pub const fn count_rows(&self) -> u32 {
        self.values().div_ceil(4)
    }

    /// Words of a unit's places: two in each.
    pub const fn place_rows(&self) -> u32 {
        self.values().div_ceil(2)
    }

    /// Whether a unit's counters are so few that it keeps them in registers.
    pub const fn counts_in_registers(&self) -> bool {
        self.count_rows() <= 2
    }

    /// The same of the places.
    pub const fn places_in_registers(&self) -> bool {
        self.place_rows() <= 2
    }
}
