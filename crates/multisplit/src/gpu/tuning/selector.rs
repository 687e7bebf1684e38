//! Chooses method and policy from facts about the device, and refuses more buckets than a method has.

use super::course::Course;
use super::room::{MAX_TILE, check_policy, most_units, one_launch_bytes, postscan_bytes, prescan_bytes, tile_of};
use crate::error::{Error, Result};
use crate::gpu::split::payload::Payload;
use crate::gpu::split::published_sums::SUM_BITS;
use crate::method::Method;
use crate::request::policy::{MAX_BUCKETS, ONE_PASS, Policy};
use crate::runtime::Facts;

/// Planes and keys per unit of the cubes for small segments: a unit does as much for a key that is not there as for one
/// that is, so that each has room for up to twice as many keys as the one before. Few, so that a plane which works
/// alone keeps few counters, and odd ([`odd`]).
const SMALL_SEGMENTS: [(u32, u32); 6] = [(1, 3), (1, 5), (2, 5), (4, 5), (4, 9), (8, 9)];

/// The same where each shape may have few segments: a launch takes longer than they do.
const SMALL_FEW_SEGMENTS: [(u32, u32); 1] = [(4, 5)];

/// The same on software devices, where every kernel takes long to compile.
const SOFTWARE_SMALL_SEGMENTS: [(u32, u32); 1] = [(1, 3)];

/// Cubes for each processor that a launch has for small segments, at most: each goes on with another segment, which
/// takes less than to begin with it, and there are enough to share the work out evenly.
const SEGMENT_CUBES: u32 = 128;

/// Keys per unit on a software device, at most.
const SOFTWARE_ITEMS: u32 = 2;

/// Keys from which on there may be so many per unit, so that counts of all tiles find room in one allocation.
const SOFTWARE_LARGE: (u32, u32) = (1 << 20, 4);

/// Bits of a bucket id that a tile is sorted by at once on a software device. Kernels are made for so many, or for twice
/// as many, whatever m is: few are compiled.
const SOFTWARE_DIGIT_BITS: u32 = 4;

/// Tiles that such a cube takes on a software device, at most ([`super::plan`]).
const SOFTWARE_TILES: u32 = 64;

/// The most segments of equal length that the host deals out to tiles. It takes 14 to 18 ns for each, and the device two
/// or three launches, of some 5 us each, for all.
pub(crate) const HOST_DEALS: usize = 1 << 10;

/// The same for others, whose offsets the device has to be given.
const HOST_DEALS_UNEQUAL: usize = 1 << 12;

/// Whether the device deals out so many segments.
pub(crate) fn device_deals(facts: &Facts, segments: usize, equal: bool) -> bool {
    segments > if equal || facts.software { HOST_DEALS } else { HOST_DEALS_UNEQUAL }
}

/// Planes of the cubes for segments that are cut, and of those for longer ones that need not be: to split a segment
/// in one go saves reading it twice.
const LARGE_SEGMENTS: [u32; 2] = [8, 16];

/// Planes and keys per unit of the cubes that count all keys, and the most keys: to count more takes longer than to wait
/// for others. On an H200, 2^12 keys in 256 buckets take 4.7 us as 8 x 3, 4.6 as 8 x 1, 5.0 as 8 x 5, 5.3 as 16 x 1 and 10
/// as 32 x 1; 2^14 take 8.1, and 8.3 where cubes wait.
const FEW_TILES: ((u32, u32), u32) = ((8, 3), 1 << 13);

/// Bits that such a tile is sorted by at once: to scan the counters of more takes longer than another pass.
const FEW_DIGIT_BITS: u32 = 4;

/// Tiles of such a split on a software device, whose cubes run one after the other.
const SOFTWARE_FEW_TILES: u32 = 2;

/// Planes and keys per unit of the cubes of a split in one launch, in the order of their tiles.
const ONE_LAUNCH: [(u32, u32); 4] = [(8, 7), (16, 9), (16, 17), (32, 17)];

/// Planes from which on such a cube is for few buckets alone, and how many. Measured on an H200, 2^21 keys: 13 to 15 us in
/// 8 to 32 buckets as 32 x 17, where three launches take 17, but 20 in 64.
const FEW_BUCKETS: (u32, u32) = (32, 32);

/// Words that the cubes of a sort by ranks read at once.
pub(crate) const QUAD: u32 = 4;

/// Planes of those cubes, and quads of keys that a unit brings to shared memory at a time.
const SORT_BY_RANK: (u32, u32) = (16, 2);

/// The most comparisons of words for each processor in such a sort. On an H200, 11,000 u32 keys, which are 920,000, take 19
/// us, and a split of so many into 256 buckets 8.5, of which a sort has four; 16,384 take 34.
const COMPARISONS: u64 = 1 << 20;

/// Planes of a selection, and keys per unit, alone and with values; 32 at most, since a word says which are kept. On an
/// H200, 2^25 keys took 69.9 us as 4 x 31, 71.5 as 8 x 23, 73.9 as 8 x 17 and 87 as 16 x 9; pairs 119 as 4 x 17, 120 as
/// 8 x 13, 123 as 4 x 31 and 132 as 16 x 9.
const SELECTION: (u32, [u32; 2]) = (4, [31, 17]);

/// Keys per unit of smaller tiles, which some inputs of a few tiles per cube take less long with ([`balanced`]). Inputs
/// of 2^k keys leave few processors of an H200 idle with 33 and 25.
const SMALLER_TILES: [u32; 4] = [33, 25, 17, 13];

/// What a tile takes besides its keys, in keys per unit; and the percentage of the time that a smaller one must save to
/// be worth another kernel.
const SMALLER_TILES_COST: (u32, u32) = (8, 5);

/// The most buckets that a method can tell apart on the device. The block-level one may take several passes for it.
pub(crate) fn bucket_limit(facts: &Facts, method: Method) -> u32 {
    match method {
        Method::Direct | Method::WarpLevel => facts.plane.min(ONE_PASS),
        Method::Auto | Method::BlockLevel => MAX_BUCKETS,
    }
}

/// Refuses more.
pub(crate) fn check_buckets(facts: &Facts, method: Method, m: u32) -> Result<()> {
    let limit = bucket_limit(facts, method);
    if m <= limit {
        return Ok(());
    }
    let advice = if m <= MAX_BUCKETS { "use Method::Auto" } else { "use fewer buckets" };
    Err(Error::TooManyBuckets { m, method, limit, advice })
}

/// The method that `Auto` stands for: the fastest of all three on an H200 (2^25 keys of 4 bytes), with copies and,
/// before there were any, without. What fits one tile, or as many as are resident, takes the block-level method one launch.
pub(crate) fn choose_method(facts: &Facts, n: u32, m: u32, payload: Payload) -> Method {
    let block_level = choose_policy(facts, Method::BlockLevel, m, payload);
    let one_launch = n <= tile_of(facts, &block_level) || choose_one_launch(facts, n, m, payload).is_some();
    let direct = m <= 3 && payload.keys_only() && !facts.copies && !one_launch;
    if direct { Method::Direct } else { Method::BlockLevel }
}

/// The shape for a method on the device.
pub(crate) fn choose_policy(facts: &Facts, method: Method, m: u32, payload: Payload) -> Policy {
    let policy = match (method, payload.keys_only()) {
        (Method::Direct, true) => Policy::new(4, 16, 8),
        (Method::Direct, false) | (Method::WarpLevel, _) => Policy::new(8, 16, 4),
        _ if facts.copies => copying_policy(m, payload),
        _ => loading_policy(m, payload),
    };
    fitted(facts, method, policy, m, payload)
}

/// The same for n keys into m buckets: cubes take turns at tiles, and while the last few are worked on, most processors are idle. So
/// tiles may be smaller, if that makes the last turn a full one.
pub(crate) fn balanced(facts: &Facts, policy: Policy, n: u32, m: u32, payload: Payload) -> Policy {
    let larger = Policy { items: SOFTWARE_LARGE.1, ..policy };
    if facts.software
        && n > SOFTWARE_LARGE.0
        && postscan_bytes(facts, Method::BlockLevel, &larger, m, payload) <= facts.shared_memory
    {
        return larger;
    }
    let (per_tile, percent) = SMALLER_TILES_COST;
    let time = |policy: &Policy| {
        let turns = n.div_ceil(tile_of(facts, policy)).div_ceil(facts.processors * policy.cubes_per_processor);
        u64::from(turns) * u64::from(policy.items + per_tile)
    };
    let worth = |smaller: &Policy| 100 * time(smaller) <= u64::from(100 - percent) * time(&policy);
    smaller(facts, policy).filter(worth).min_by_key(time).unwrap_or(policy)
}

/// A shape with smaller tiles, down to half of what they are. Only where tiles are copied: others were not timed.
fn smaller(facts: &Facts, policy: Policy) -> impl Iterator<Item = Policy> {
    let copies = facts.copies && !facts.software;
    let fewer = move |&items: &u32| copies && items < policy.items && 2 * items > policy.items;
    SMALLER_TILES.into_iter().filter(fewer).map(move |items| Policy { items, ..policy })
}

/// The most tiles that so many keys, or fewer, may be dealt out in, if the shape is not the user's.
pub(crate) fn most_balanced_tiles(facts: &Facts, policy: &Policy, n: u32) -> u32 {
    let n = if facts.software { n.min(SOFTWARE_LARGE.0) } else { n };
    let least = smaller(facts, *policy).map(|policy| tile_of(facts, &policy)).min();
    n.div_ceil(least.unwrap_or(tile_of(facts, policy)))
}

/// Tiles that a split in one launch has, at most: one for each processor, where any cube finds room. (With two for each,
/// those of pairs did not, on an H200, and a split of 2^21 took 1.5 ms.) On a software device cubes run one after the
/// other, and each counts all of the input.
pub(crate) fn most_resident(facts: &Facts) -> u32 {
    if facts.software { 4 } else { facts.processors }
}

/// The shape for a split in one launch, and how its cubes know of each other's keys, if the input is small enough.
pub(crate) fn choose_one_launch(facts: &Facts, n: u32, m: u32, payload: Payload) -> Option<(Policy, Course)> {
    let facts = &without_copies(facts);
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

/// The shape for a selection: several cubes fit a multiprocessor, so that some load while others wait or write.
pub(crate) fn choose_selection(facts: &Facts, payload: Payload) -> Policy {
    let (planes, [alone, with_values]) = SELECTION;
    let items = if payload.bytes() <= 4 { alone } else { with_values };
    fitted(&without_copies(facts), Method::BlockLevel, Policy::new(planes, items, 1), 2, payload)
}

/// Shapes for segments. A cube has one tile, and its planes count it together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SegmentShapes {
    /// For segments that fit a tile, in the order of their tiles: small segments take small cubes.
    pub whole: Vec<Policy>,
    /// For tiles of those that fit none.
    pub cut: Policy,
}

/// Shapes for segments; `few` if there may be few of each size.
pub(crate) fn choose_segment_shapes(facts: &Facts, m: u32, payload: Payload, few: bool) -> SegmentShapes {
    let facts = &without_copies(facts);
    let fitting = |shape: Policy| {
        let mut shape = together(fitted(facts, Method::BlockLevel, shape, m, payload));
        while shape.planes > 1 && prescan_bytes(facts, &shape, m) > facts.shared_memory {
            shape = together(Policy { planes: shape.planes / 2, ..shape });
        }
        shape
    };
    let small: &[_] = match few {
        _ if facts.software => &SOFTWARE_SMALL_SEGMENTS,
        true => &SMALL_FEW_SEGMENTS,
        false => &SMALL_SEGMENTS,
    };
    let small = small.iter().map(|&(planes, items)| Policy { digit_bits: 4, ..Policy::new(planes, items, 1) });
    let large = LARGE_SEGMENTS.map(|planes| Policy::new(planes, segment_items(m, payload), 1));
    let mut whole: Vec<Policy> = Vec::new();
    for shape in small.chain(large).map(fitting) {
        if whole.last().is_none_or(|last| tile_of(facts, last) < tile_of(facts, &shape)) {
            whole.push(shape);
        }
    }
    SegmentShapes { whole, cut: fitting(large[0]) }
}

/// Cubes that share so many tiles of segments, where each cube may take several.
pub(crate) fn segment_cubes(facts: &Facts, tiles: u32) -> u32 {
    let most = facts.processors.saturating_mul(SEGMENT_CUBES);
    tiles.min(if facts.software { most.max(tiles.div_ceil(SOFTWARE_TILES)) } else { most })
}

/// The user's shape for segments, whatever their size, unless it cannot run.
pub(crate) fn check_segment_shape(facts: &Facts, policy: Policy, m: u32, payload: Payload) -> Result<SegmentShapes> {
    let cut = together(policy);
    check_policy(&without_copies(facts), Method::BlockLevel, &cut, m, payload)?;
    Ok(SegmentShapes { whole: vec![cut], cut })
}

/// All planes count.
fn together(policy: Policy) -> Policy {
    Policy { prescan_planes: policy.planes, ..policy }
}

/// A cube that has one tile has none to copy ahead.
fn without_copies(facts: &Facts) -> Facts {
    Facts { copies: false, ..facts.clone() }
}

/// Keys per unit of large segments: so few that several cubes fit a multiprocessor, and some load while others sort.
fn segment_items(m: u32, payload: Payload) -> u32 {
    let items = match (payload.bytes(), m) {
        (..=8, ..=64) => 17,
        (..=8, _) => 23,
        (bytes, _) => odd(17 * 8 / bytes),
    };
    items.max(3)
}

/// A cube of a software device runs on one core, its units one after the other: what is unrolled, for the keys of a unit
/// and the counters of a pass, only takes longer to compile.
fn in_software(method: Method, policy: Policy, m: u32) -> Policy {
    let digit_bits = policy.digit_bits.min(SOFTWARE_DIGIT_BITS);
    let least_bits = match method {
        Method::Direct | Method::WarpLevel => 0,
        _ if m <= 1 << digit_bits => digit_bits,
        _ => 2 * digit_bits,
    };
    Policy { items: policy.items.min(SOFTWARE_ITEMS), digit_bits, least_bits, ..policy }
}

/// The shape, or as much of it as the device has room for.
fn fitted(facts: &Facts, method: Method, mut policy: Policy, m: u32, payload: Payload) -> Policy {
    if facts.software {
        policy = in_software(method, Policy { cubes_per_processor: 1, ..policy }, m);
    }
    let units = most_units(facts);
    policy.planes = policy.planes.min(units / facts.plane).max(1);
    policy.prescan_planes = policy.prescan_planes.min(units / facts.plane).max(1);
    let too_large = |policy: &Policy| {
        postscan_bytes(facts, method, policy, m, payload) > facts.shared_memory || tile_of(facts, policy) > MAX_TILE
    };
    let items = policy.items;
    while too_large(&policy) {
        match policy {
            // An odd number stays odd.
            Policy { items: 3.., .. } => policy.items -= 2,
            // Fewer units also take fewer counters.
            Policy { planes: 2.., .. } => policy = Policy { planes: policy.planes / 2, items, ..policy },
            // So do more passes.
            Policy { digit_bits: 5.., .. } => policy.digit_bits = 4,
            _ => break,
        }
    }
    while policy.prescan_planes > 1 && prescan_bytes(facts, &policy, m) > facts.shared_memory {
        policy.prescan_planes /= 2;
    }
    policy
}

/// Shapes for the block-level method where tiles are copied: large ones, since none of a tile is in registers while the
/// one before is sorted.
fn copying_policy(m: u32, payload: Payload) -> Policy {
    match (payload.bytes(), m) {
        (..=4, _) if payload.ids_per_word > 0 => Policy::new(8, 33, 2),
        _ if payload.ids_per_word > 0 => Policy::new(8, odd(47 * 8 / payload.bytes()), 1),
        // With 37 some functions take more than 128 registers here, and half the cubes do not fit.
        (..=4, 33..=64) => Policy::new(8, 35, 2),
        (..=4, _) => Policy::new(8, 37, 2),
        (_, ..=32) => Policy::new(8, odd(31 * 8 / payload.bytes()), 1),
        _ => Policy::new(8, odd(39 * 8 / payload.bytes()), 1),
    }
}

/// Shapes for the block-level method where units load tiles through registers: those that were fastest on an H200
/// before there were copies, made odd.
fn loading_policy(m: u32, payload: Payload) -> Policy {
    match (payload.keys_only(), m) {
        (true, ..=16) => Policy::new(8, 17, 3),
        (true, _) => Policy::new(8, 31, 2),
        (false, ..=32) => Policy::new(8, 17, 2),
        (false, ..=64) => Policy::new(8, 23, 2),
        (false, _) => Policy::new(16, 31, 1),
    }
}

/// Units that own odd numbers of keys meet on no bank of shared memory.
fn odd(items: u32) -> u32 {
    items.saturating_sub(1) | 1
}
