//! Chooses method and policy from facts about the device, and refuses more buckets than a method has.

use super::room::{MAX_TILE, most_units, postscan_bytes, prescan_bytes, tile_of};
use super::small_inputs::choose_one_launch;
use super::software::in_software;
use crate::error::{Error, Result};
use crate::gpu::split::payload::Payload;
use crate::method::Method;
use crate::request::policy::{MAX_BUCKETS, ONE_PASS, Policy};
use crate::runtime::Facts;

/// Keys from which on there may be so many per unit, so that counts of all tiles find room in one allocation.
const SOFTWARE_LARGE: (u32, u32) = (1 << 20, 4);

/// Planes of a selection, and keys per unit, alone and with values; 32 at most, since a word says which are kept. On an
/// H200, 2^25 keys took 69.9 us as 4 x 31, 71.5 as 8 x 23, 73.9 as 8 x 17 and 87 as 16 x 9; pairs 119 as 4 x 17, 120 as
/// 8 x 13, 123 as 4 x 31 and 132 as 16 x 9.
const SELECTION: (u32, [u32; 2]) = (4, [31, 17]);

/// Keys up to which a split in one launch selects as fast as two launches that write what is selected alone.
pub(crate) const SELECTED_BY_A_SPLIT: u32 = 1 << 20;

/// Keys per unit of smaller tiles, which some inputs of a few tiles per cube take less long with ([`balanced`]). Inputs
/// of 2^k keys leave few processors of an H200 idle with 33 and 25.
const SMALLER_TILES: [u32; 4] = [33, 25, 17, 13];

/// The shape for keys of 8 bytes, or pairs of as many, in few buckets, and the most buckets: two cubes for each
/// processor move them faster than one. 2^25 in 2 and 8 buckets took an H200 184 and 190 us as 8 x 19 and 187 and 194
/// as one of 8 x 31, in 32 buckets 214 and 204.
const EIGHT_BYTES: ((u32, u32, u32), u32) = ((8, 19, 2), 16);

/// Their shape where cubes take few turns, and the most keys. 2^22 in 2 to 16 buckets took an H200 33 us, and 33 to 36
/// as 8 x 17; 2^24 took 99 to 105, and 98 to 101 as 8 x 19.
const EIGHT_BYTES_FEW_TURNS: ((u32, u32, u32), u32) = ((4, 21, 3), 1 << 23);

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
/// before there were any, without. What fits one tile, or as many as are resident, takes the block-level method one
/// launch.
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

/// The same for n keys into m buckets: cubes take turns at tiles, and while the last few are worked on, most processors
/// are idle. So tiles may be smaller, if that makes the last turn a full one.
pub(crate) fn balanced(facts: &Facts, policy: Policy, n: u32, m: u32, payload: Payload) -> Policy {
    let larger = Policy { items: SOFTWARE_LARGE.1, ..policy };
    if facts.software
        && n > SOFTWARE_LARGE.0
        && postscan_bytes(facts, Method::BlockLevel, &larger, m, payload) <= facts.shared_memory
    {
        return larger;
    }
    if copies(facts) && is_eight_bytes(m, payload) && n <= EIGHT_BYTES_FEW_TURNS.1 {
        return fitted(facts, Method::BlockLevel, shape(EIGHT_BYTES_FEW_TURNS.0), m, payload);
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
    let copies = copies(facts);
    let fewer = move |&items: &u32| copies && items < policy.items && 2 * items > policy.items;
    SMALLER_TILES.into_iter().filter(fewer).map(move |items| Policy { items, ..policy })
}

/// The most tiles that so many keys, or fewer, may be dealt out in, if the shape is not the user's.
pub(crate) fn most_balanced_tiles(facts: &Facts, policy: &Policy, n: u32) -> u32 {
    let n = if facts.software { n.min(SOFTWARE_LARGE.0) } else { n };
    let least = smaller(facts, *policy).map(|policy| tile_of(facts, &policy)).min();
    let tiles = n.div_ceil(least.unwrap_or(tile_of(facts, policy)));
    let (few_turns, most) = EIGHT_BYTES_FEW_TURNS;
    if copies(facts) { tiles.max(n.min(most).div_ceil(tile_of(facts, &shape(few_turns)))) } else { tiles }
}

/// Whether tiles are copied to shared memory while others are sorted, by a device that is no software.
fn copies(facts: &Facts) -> bool {
    facts.copies && !facts.software
}

/// Whether elements are of 8 bytes, and buckets so few that their shapes are not those of others.
fn is_eight_bytes(m: u32, payload: Payload) -> bool {
    payload.bytes() == 8 && payload.ids_per_word == 0 && m <= EIGHT_BYTES.1
}

fn shape((planes, items, cubes_per_processor): (u32, u32, u32)) -> Policy {
    Policy::new(planes, items, cubes_per_processor)
}

/// The shape for a selection: several cubes fit a multiprocessor, so that some load while others wait or write.
pub(crate) fn choose_selection(facts: &Facts, payload: Payload) -> Policy {
    let (planes, [alone, with_values]) = SELECTION;
    let items = if payload.bytes() <= 4 { alone } else { with_values };
    fitted(&facts.without_copies(), Method::BlockLevel, Policy::new(planes, items, 1), 2, payload)
}

/// The shape, or as much of it as the device has room for.
pub(super) fn fitted(facts: &Facts, method: Method, mut policy: Policy, m: u32, payload: Payload) -> Policy {
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
        _ if is_eight_bytes(m, payload) => shape(EIGHT_BYTES.0),
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
pub(super) fn odd(items: u32) -> u32 {
    items.saturating_sub(1) | 1
}
