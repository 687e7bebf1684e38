//! Sums over the tiles of a split, from one launch: cubes publish words for each other, and wait for them.
//!
//! Every cube publishes how many keys of each bucket its tile has. The planes of all cubes then share the buckets: a
//! plane reads the counts of one in all tiles, adds them up, and publishes how many keys come before each tile, and how
//! many there are. So a cube reads two words for each bucket, and not the counts of all tiles.
//!
//! A word carries the number of the launch beside the sum. So nothing needs to be cleared between launches, and no
//! fence is needed: a word is either of this launch, and complete, or it is not.
//!
//! Nobody waits forever. Whoever has looked often enough in vain gives up, and does not publish what follows from it.

use crate::gpu::primitives::sizes::Sizes;
use crate::gpu::primitives::{plane, relaxed};
use crate::gpu::tuning::blueprint::Blueprint;
use cubecl::prelude::*;

/// Bits of a sum in a published word; the number of the launch is above them.
pub(crate) const SUM_BITS: u32 = 23;

/// Launches that words can tell apart.
pub(crate) const LAUNCHES: u32 = (1 << (32 - SUM_BITS)) - 1;

/// Words that a lane reads at once.
const fn unroll(bp: Blueprint) -> u32 {
    bp.unroll(5)
}

/// The place of a count that there is none of.
const NOWHERE: u32 = u32::MAX;

/// Words that a split of so many tiles into m buckets publishes: for each bucket the counts of all tiles; for each tile
/// what comes before it in each bucket; and the sums of the buckets. Keys without a valid bucket are one more.
pub(crate) const fn words(tiles: u32, m: u32) -> u32 {
    (2 * tiles + 1) * (m + 1)
}

/// The words, and what they are read with.
#[derive(CubeType, CubeLaunch)]
pub(crate) struct PublishedSums {
    pub words: Array<Atomic<u32>>,
    /// The number of this launch. It is not 0, and no word carries it before.
    pub launch: u32,
    /// How often a unit looks at words that are not there yet.
    pub patience: u32,
}

/// Some sums.
#[derive(CubeType)]
pub(crate) struct Sums {
    pub of: Sequence<u32>,
    /// Whether all of them have been published.
    pub known: bool,
}

#[cube]
impl PublishedSums {
    /// Publishes the count of a bucket in a tile.
    pub fn publish(&self, bucket: u32, tile: u32, count: u32, sizes: &Sizes) {
        self.store(bucket * sizes.chunks + tile, count);
    }

    /// Adds up the counts of this plane's buckets, and publishes that. Says whether all of them came.
    pub fn add_up(&self, sizes: &Sizes, #[comptime] bp: Blueprint) -> bool {
        let (tiles, lane) = (sizes.chunks, plane::lane(bp));
        let stride = tiles * comptime!(bp.planes);
        // The next bucket and its first tile that is still to be read, and the next to be added up; and the sum so far.
        let (mut bucket, mut first) = (CUBE_POS_X + plane::plane(bp) * tiles, 0u32);
        let (mut adding, mut adding_first, mut sum) = (bucket, 0u32, 0u32);
        let mut came = true.runtime();
        while bucket <= sizes.m && came {
            let mut places = Sequence::<u32>::new();
            let mut words = Sequence::<u32>::new();
            #[unroll]
            for _ in 0..comptime!(unroll(bp)) {
                let is_there = bucket <= sizes.m && first + lane < tiles;
                let place = select(is_there, bucket * tiles + first + lane, NOWHERE);
                let mut word = self.launch << SUM_BITS;
                if is_there {
                    word = relaxed::load(&self.words, place, bp);
                }
                places.push(place);
                words.push(word);
                first += comptime!(bp.plane);
                if first >= tiles {
                    first = 0u32;
                    bucket += stride;
                }
            }
            let counts = self.wait_for(&words, &places, bp);
            let missing = plane::ballot(!counts.known, bp);
            came = plane::count(&missing, bp) == 0;
            if came {
                #[unroll]
                for e in 0..comptime!(unroll(bp)) {
                    let count = counts.of[comptime!(e as usize)];
                    let inclusive = plane::inclusive_sum(count, bp);
                    let tile = adding_first + lane;
                    if places[comptime!(e as usize)] != NOWHERE {
                        self.store(before(tile, adding, sizes), sum + inclusive - count);
                    }
                    sum += plane_shuffle(inclusive, comptime!(bp.plane - 1));
                    adding_first += comptime!(bp.plane);
                    if adding_first >= tiles {
                        if adding <= sizes.m && lane == 0 {
                            self.store(total(adding, sizes), sum);
                        }
                        adding_first = 0u32;
                        adding += stride;
                        sum = 0u32;
                    }
                }
            }
        }
        came
    }

    /// The sums in words, when they are of this launch.
    fn wait_for(&self, words: &Sequence<u32>, places: &Sequence<u32>, #[comptime] bp: Blueprint) -> Sums {
        let mut of = Sequence::<u32>::new();
        let mut known = true.runtime();
        let mut patience = self.patience;
        #[unroll]
        for e in 0..words.len() {
            let mut word = words[e];
            while !self.is_new(word) && patience > 0 {
                word = relaxed::load(&self.words, places[e], bp);
                patience -= 1;
            }
            known = known && self.is_new(word);
            of.push(word & comptime!((1u32 << SUM_BITS) - 1));
        }
        Sums { of, known }
    }

    /// What comes before a tile in a bucket, and what is in it in all tiles.
    pub fn sums(&self, bucket: u32, tile: u32, sizes: &Sizes, #[comptime] bp: Blueprint) -> Sums {
        let mut places = Sequence::<u32>::new();
        places.push(before(tile, bucket, sizes));
        places.push(total(bucket, sizes));
        let mut words = Sequence::<u32>::new();
        #[unroll]
        for e in 0..2usize {
            words.push(relaxed::load(&self.words, places[e], bp));
        }
        self.wait_for(&words, &places, bp)
    }

    fn store(&self, at: u32, sum: u32) {
        self.words[at as usize].store((self.launch << SUM_BITS) | sum);
    }

    /// Whether a word is of this launch.
    fn is_new(&self, word: u32) -> bool {
        word >> SUM_BITS == self.launch
    }
}

/// Where the keys of a bucket before a tile are published.
#[cube]
fn before(tile: u32, bucket: u32, sizes: &Sizes) -> u32 {
    (sizes.chunks + tile) * (sizes.m + 1) + bucket
}

/// Where all keys of a bucket are.
#[cube]
fn total(bucket: u32, sizes: &Sizes) -> u32 {
    2 * sizes.chunks * (sizes.m + 1) + bucket
}
