//! Shapes for inputs so small that a split takes one launch, and a sort compares all keys with each other.

use super::course::Course;
use super::room::{most_units, one_launch_bytes, tile_of};
use super::software::in_software;
use crate::gpu::split::payload::Payload;
use crate::gpu::split::published_sums::SUM_BITS;
use crate::method::Method;
use crate::request::policy::Policy;
use crate::runtime::Facts;

/// Planes and keys per unit of the cubes that count all keys, and the most keys: to count more takes longer than to
/// wait for others. On an H200, 2^12 keys in 256 buckets take 4.7 us as 8 x 3, 4.6 as 8 x 1, 5.0 as 8 x 5, 5.3 as 16 x
/// 1 and 10 as 32 x 1; 2^14 take 8.1, and 8.3 where cubes wait.
const FEW_TILES: ((u32, u32), u32) = ((8, 3), 1 << 13);

/// Bits that such a tile is sorted by at once: to scan the counters of more takes longer than another pass.
const FEW_DIGIT_BITS: u32 = 4;

/// Tiles of such a split on a software device, whose cubes run one after the other.
const SOFTWARE_FEW_TILES: u32 = 2;

/// Planes and keys per unit of the cubes of a split in one launch, in the order of their tiles.
const ONE_LAUNCH: [(u32, u32); 4] = [(8, 7), (16, 9), (16, 17), (32, 17)];

/// Planes from which on such a cube is for few buckets alone, and how many. Measured on an H200, 2^21 keys: 13 to 15 us
/// in 8 to 32 buckets as 32 x 17, where three launches take 17, but 20 in 64.
const FEW_BUCKETS: (u32, u32) = (32, 32);

/// Words that the cubes of a sort by ranks read at once.
pub(crate) const QUAD: u32 = 4;

/// Planes of those cubes, and quads of keys that a unit brings to shared memory at a time.
const SORT_BY_RANK: (u32, u32) = (16, 2);

/// The most comparisons of words for each processor in such a sort. On an H200, 11,000 u32 keys, which are 920,000,
/// take 19 us, and a split of so many into 256 buckets 8.5, of which a sort has four; 16,384 take 34.
const COMPARISONS: u64 = 1 << 20;

/// Tiles that a split in one launch has, at most: one for each processor, where any cube finds room. (With two for
/// each, those of pairs did not, on an H200, and a split of 2^21 took 1.5 ms.) On a software device cubes run one after
/// the other, and each counts all of the input.
pub(crate) fn most_resident(facts: &Facts) -> u32 {
    if facts.software { 4 } else { facts.processors }
}

/// The shape for a split in one launch, and how its cubes know of each other's keys, if the input is small enough.
pub(crate) fn choose_one_launch(facts: &Facts, n: u32, m: u32, payload: Payload) -> Option<(Policy, Course)> {
    let facts = &facts.without_copies();
    let fits = |shape: &Policy| one_launch_bytes(facts, shape, m, payload) <= facts.shared_memory;
    let (few, most) = few_tiles(facts, m);
    if n <= most && fits(&few) {
        return Some((few, Course::Counted));
    }
    let is_enough = |shape: &Policy| {
        n >> SUM_BITS == 0
            && n.div_ceil(tile_of(facts, shape)) <= most_resident(facts)
            && (shape.planes < FEW_BUCKETS.0 || m <= FEW_BUCKETS.1)
            && fits(shape)
    };
    small_shapes(facts, ONE_LAUNCH, m).into_iter().find(is_enough).map(|shape| (shape, Course::Published))
}

/// The shape of cubes that count all keys, and the most keys.
fn few_tiles(facts: &Facts, m: u32) -> (Policy, u32) {
    let (shape, most) = FEW_TILES;
    let [shape] = small_shapes(facts, [shape], m);
    let shape = Policy { digit_bits: shape.digit_bits.min(FEW_DIGIT_BITS), ..shape };
    (shape, if facts.software { SOFTWARE_FEW_TILES * tile_of(facts, &shape) } else { most })
}

/// The most tiles that a split of up to n keys in one launch may have.
pub(crate) fn most_tiles(facts: &Facts, n: u32) -> u32 {
    let (few, most) = few_tiles(facts, 1);
    let [resident, ..] = small_shapes(facts, ONE_LAUNCH, 1);
    let tiles = n.div_ceil(tile_of(facts, &resident)).min(most_resident(facts));
    tiles.max(n.min(most).div_ceil(tile_of(facts, &few)))
}

/// Shapes of so many planes and keys per unit, with no more planes than a cube of the device has.
fn small_shapes<const N: usize>(facts: &Facts, shapes: [(u32, u32); N], m: u32) -> [Policy; N] {
    let most_planes = (most_units(facts) / facts.plane).max(1);
    shapes.map(|(planes, items)| {
        let shape = Policy::new(planes.min(most_planes), items, 1);
        let shape = Policy { prescan_planes: shape.prescan_planes.min(most_planes), ..shape };
        if facts.software { in_software(Method::BlockLevel, shape, m) } else { shape }
    })
}

/// The shape of the cubes that compare every key with every other, in so many words, if there are few enough.
pub(crate) fn choose_sort_by_rank(facts: &Facts, n: u32, words: u32) -> Option<Policy> {
    let comparisons = u64::from(n) * u64::from(n) * u64::from(words);
    let [mut shape] = small_shapes(facts, [SORT_BY_RANK], 1);
    let bytes = |shape: &Policy| (4 * QUAD * words * shape.planes * shape.items + 4) * facts.plane + 256;
    while bytes(&shape) > facts.shared_memory && shape.planes > 1 {
        shape.planes /= 2;
    }
    (comparisons <= COMPARISONS * u64::from(facts.processors.max(1)) && bytes(&shape) <= facts.shared_memory)
        .then_some(shape)
}
