//! What changes the generated code of a kernel, and nothing else.

use crate::gpu::split::payload::Payload;
use crate::request::policy::Policy;
use crate::runtime::Dialect;

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
    /// Planes of the prescan that count a chunk together; a divisor of `planes`.
    pub sharers: u32,
    /// Bits of a bucket id: `ceil(log2 m)`, or more.
    pub bits: u32,
    /// The most bits of a bucket id that the block-level postscan ranks at once.
    pub digit_bits: u32,
    /// What the shading language of the device can say.
    pub dialect: Dialect,
    /// Whether tiles are copied to shared memory while the units do something else.
    pub copies: bool,
    /// Whether bucket ids are known to be valid.
    pub in_range: bool,
    /// Bucket ids in a word, if the prescan stores them; else 0.
    pub ids_per_word: u32,
    /// 4-byte value columns.
    pub narrow: u32,
    /// 8-byte value columns.
    pub wide: u32,
    /// Whether the permutation is written.
    pub permutation: bool,
    /// Whether the bucket ids of the next split are written.
    pub leaves_ids: bool,
}

/// The most planes of a prescan that have room for 64 or 256 buckets each, whatever their number: some 8 KB at most.
const ROOMY_PLANES: u32 = 8;

impl Blueprint {
    /// The shape of a kernel that moves nothing but keys.
    pub fn of_keys(plane: u32, dialect: Dialect, policy: &Policy, m: u32) -> Self {
        let Policy { planes, items, digit_bits, least_bits, .. } = *policy;
        let bits = m.saturating_sub(1).checked_ilog2().map_or(0, |log| log + 1).max(least_bits);
        Self {
            plane,
            planes,
            items,
            sharers: 1,
            bits,
            digit_bits,
            dialect,
            copies: false,
            in_range: false,
            ids_per_word: 0,
            narrow: 0,
            wide: 0,
            permutation: false,
            leaves_ids: false,
        }
    }

    /// The shape of a prescan. Few planes have room for more buckets than there are, so that one kernel serves many
    /// numbers of them.
    pub fn prescan(plane: u32, dialect: Dialect, policy: &Policy, m: u32) -> Self {
        let shape = Policy { least_bits: policy.least_bits, ..Policy::new(policy.prescan_planes, 1, 1) };
        let shape = Self::of_keys(plane, dialect, &shape, m);
        let bits = match shape.bits {
            bits if shape.planes > ROOMY_PLANES => bits,
            0..=6 => 6,
            7..=8 => 8,
            bits => bits,
        };
        Self { bits, ..shape }
    }

    /// The shape of a postscan.
    pub fn postscan(plane: u32, dialect: Dialect, copies: bool, policy: &Policy, m: u32, payload: Payload) -> Self {
        let Payload { narrow, wide, permutation, leaves_ids, ids_per_word, in_range, .. } = payload;
        Self {
            copies,
            in_range,
            ids_per_word,
            narrow,
            wide,
            permutation,
            leaves_ids,
            ..Self::of_keys(plane, dialect, policy, m)
        }
    }

    /// How many steps of a loop are written out one after the other, so that their loads are under way together: as
    /// many as suit CUDA. In WGSL one, since software devices take long to compile what is unrolled. (Drivers of GPUs
    /// may unroll such loops by themselves; it was not measured on any.)
    pub const fn unroll(&self, steps: u32) -> u32 {
        match self.dialect {
            Dialect::Cuda => steps,
            Dialect::Wgsl => 1,
        }
    }

    /// Whether loops are unrolled, see [`Blueprint::unroll`].
    pub const fn unrolls(&self) -> bool {
        matches!(self.dialect, Dialect::Cuda)
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

    /// How often the block-level postscan sorts a tile: by the whole bucket id, or by its halves.
    pub const fn passes(&self) -> u32 {
        if self.bits <= self.digit_bits { 1 } else { 2 }
    }

    /// Bits of a bucket id that a pass sorts by.
    pub const fn digit(&self) -> u32 {
        self.bits.div_ceil(self.passes())
    }

    /// What they can tell apart.
    pub const fn digit_values(&self) -> u32 {
        1 << self.digit()
    }

    /// Words in a row of counters: two units share each.
    pub const fn columns(&self) -> u32 {
        self.units().div_ceil(2)
    }

    /// Words of a row that a lane scans.
    pub const fn row_words(&self) -> u32 {
        self.columns().div_ceil(self.plane)
    }

    /// How many of them it reads at once.
    pub fn row_vector(&self) -> u32 {
        let views = self.dialect == Dialect::Cuda && self.columns().is_multiple_of(self.plane);
        match self.row_words() {
            words if views && words.is_multiple_of(4) => 4,
            words if views && words.is_multiple_of(2) => 2,
            _ => 1,
        }
    }

    /// Words of all counters; at least one for each bucket.
    pub const fn counter_words(&self) -> u32 {
        let words = self.passes() * self.digit_values() * self.columns();
        if words < self.capacity() { self.capacity() } else { words }
    }

    /// Words for a sum of each bucket: one for each lane, or as many as fit where counters are.
    pub const fn sum_lanes(&self) -> u32 {
        let most = 1 << (self.counter_words() / self.capacity()).ilog2();
        if most < self.plane { most } else { self.plane }
    }

    /// Words that the prescan counts in: every plane has one for each bucket, and one for keys without a valid one.
    pub const fn prescan_words(&self) -> u32 {
        (self.planes * (self.capacity() + 1)).next_multiple_of(4)
    }

    /// Bits of a stored id.
    pub const fn id_bits(&self) -> u32 {
        u32::BITS / self.ids_per_word
    }

    /// A word with one stored id, of ones.
    pub const fn id_mask(&self) -> u32 {
        u32::MAX >> (u32::BITS - self.id_bits())
    }

    /// Words of a tile's stored ids.
    pub const fn id_words(&self) -> u32 {
        self.tile() / self.ids_per_word
    }

    /// The same, for what moves besides the permutation.
    pub const fn without_permutation(self) -> Self {
        Self { permutation: false, ..self }
    }

    /// Room for tiles: where one is copied while another is sorted, for two. With stored ids, tiles stay as they come.
    pub const fn tile_room(&self) -> u32 {
        if self.copies && self.ids_per_word == 0 { 2 * self.tile() } else { self.tile() }
    }

    /// Words of shared memory that the block-level postscan takes besides the tiles: counters, runs, sums of planes,
    /// the next number, a barrier, and what is lost in front of arrays that are aligned.
    pub const fn block_level_words(&self) -> u32 {
        let arrays = 4 + self.narrow + self.wide + self.permutation as u32;
        self.counter_words() + 3 * self.capacity() + 2 * (self.planes + 3) + 4 + 32 * arrays
    }
}
