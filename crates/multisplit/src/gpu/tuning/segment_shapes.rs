//! Shapes for segments, and who deals them out to tiles.

use super::room::{check_policy, prescan_bytes, tile_of};
use super::selector::{fitted, odd};
use crate::error::Result;
use crate::gpu::split::payload::Payload;
use crate::method::Method;
use crate::request::policy::Policy;
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

/// Tiles that such a cube takes on a software device, at most ([`super::plan`]).
const SOFTWARE_TILES: u32 = 64;

/// The most segments of equal length that the host deals out to tiles. It takes 14 to 18 ns for each, and the device
/// two or three launches, of some 5 us each, for all.
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
    let facts = &facts.without_copies();
    let fitting = |shape: Policy| {
        let mut shape = together(fitted(facts, Method::BlockLevel, shape, m, payload));
        while shape.planes > 1 && prescan_bytes(facts, &shape, m) > facts.shared_memory {
            shape = together(Policy { planes: shape.planes / 2, ..shape });
        }
        shape
    };
    let (small, large): (&[_], &[_]) = match few {
        _ if facts.software => (&SOFTWARE_SMALL_SEGMENTS, &LARGE_SEGMENTS[..1]),
        true => (&SMALL_FEW_SEGMENTS, &LARGE_SEGMENTS),
        false => (&SMALL_SEGMENTS, &LARGE_SEGMENTS),
    };
    let small = small.iter().map(|&(planes, items)| Policy { digit_bits: 4, ..Policy::new(planes, items, 1) });
    let large = large.iter().map(|&planes| Policy::new(planes, segment_items(m, payload), 1));
    let mut whole: Vec<Policy> = Vec::new();
    for shape in small.chain(large).map(fitting) {
        if whole.last().is_none_or(|last| tile_of(facts, last) < tile_of(facts, &shape)) {
            whole.push(shape);
        }
    }
    SegmentShapes { whole, cut: fitting(Policy::new(LARGE_SEGMENTS[0], segment_items(m, payload), 1)) }
}

/// Cubes that share so many tiles of segments, where each cube may take several.
pub(crate) fn segment_cubes(facts: &Facts, tiles: u32) -> u32 {
    let most = facts.processors.saturating_mul(SEGMENT_CUBES);
    tiles.min(if facts.software { most.max(tiles.div_ceil(SOFTWARE_TILES)) } else { most })
}

/// The user's shape for segments, whatever their size, unless it cannot run.
pub(crate) fn check_segment_shape(facts: &Facts, policy: Policy, m: u32, payload: Payload) -> Result<SegmentShapes> {
    let cut = together(policy);
    check_policy(&facts.without_copies(), Method::BlockLevel, &cut, m, payload)?;
    Ok(SegmentShapes { whole: vec![cut], cut })
}

/// All planes count.
fn together(policy: Policy) -> Policy {
    Policy { prescan_planes: policy.planes, ..policy }
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
