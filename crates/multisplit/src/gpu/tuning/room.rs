//! What a shape takes of a device, and which shapes the device cannot run.

use super::blueprint::Blueprint;
use crate::error::{Error, Result};
use crate::gpu::split::payload::Payload;
use crate::method::Method;
use crate::request::policy::{ONE_PASS, Policy};
use crate::runtime::Facts;

/// The most keys of a tile in the block-level method.
pub(super) const MAX_TILE: u32 = u16::MAX as u32;

/// Keys of a cube's tile.
pub(crate) fn tile_of(facts: &Facts, policy: &Policy) -> u32 {
    policy.planes * policy.items * facts.plane
}

/// Shared memory that a split in one launch takes: sums of all tiles besides what a postscan has.
pub(super) fn one_launch_bytes(facts: &Facts, policy: &Policy, m: u32, payload: Payload) -> u32 {
    let bp = Blueprint::postscan(facts.plane, facts.dialect, false, policy, m, payload);
    postscan_bytes(facts, Method::BlockLevel, policy, m, Payload { ids_per_word: 0, ..payload })
        + 8 * bp.capacity()
        + 64
}

/// The most units of a cube worth having.
pub(crate) fn most_units(facts: &Facts) -> u32 {
    facts.max_units.min(if facts.software { 64 } else { 1024 })
}

/// Room for the table that a bucket function may hold in shared memory.
pub(crate) fn table_bytes(facts: &Facts) -> u32 {
    8192.min(facts.shared_memory / 4)
}

/// Shared memory that the prescan takes.
pub(super) fn prescan_bytes(facts: &Facts, policy: &Policy, m: u32) -> u32 {
    let bp = Blueprint::prescan(facts.plane, facts.dialect, policy, m);
    table_bytes(facts) + 4 * bp.prescan_words()
}

/// Shared memory that the postscan takes.
pub(super) fn postscan_bytes(facts: &Facts, method: Method, policy: &Policy, m: u32, payload: Payload) -> u32 {
    let bp = Blueprint::postscan(facts.plane, facts.dialect, facts.copies, policy, m, payload);
    let element = payload.key_bytes.max(4) + payload.column_bytes();
    // With stored ids there is a word for each element, and room for one tile. Keys that cannot be loaded in whole
    // words of ids go without.
    let without = Blueprint { ids_per_word: 0, ..bp };
    let by_ids = if bp.ids_per_word > 0 { bp.tile() * (element + 4) + 4 * bp.id_words() } else { 0 };
    table_bytes(facts)
        + match method {
            Method::Direct => 0,
            Method::WarpLevel => bp.tile() * element,
            _ => (without.tile_room() * element).max(by_ids) + 4 * bp.block_level_words(),
        }
}

/// Refuses a user's policy that cannot run.
pub(crate) fn check_policy(facts: &Facts, method: Method, policy: &Policy, m: u32, payload: Payload) -> Result<()> {
    let invalid = |reason: String| Err(Error::InvalidPolicy(reason));
    let Policy { planes, items, cubes_per_processor, prescan_planes, digit_bits, least_bits } = *policy;
    if planes == 0 || items == 0 || cubes_per_processor == 0 || prescan_planes == 0 {
        return invalid("planes, items, cubes per processor and prescan planes must be at least 1".into());
    }
    let most = facts.max_units / facts.plane;
    if planes > most || prescan_planes > most {
        return invalid(format!("a cube of this device holds up to {most} planes of {} units", facts.plane));
    }
    if items > 64 {
        return invalid(format!(
            "{items} keys per unit are too many: kernels are unrolled that many times (at most 64)"
        ));
    }
    if cubes_per_processor > 1024 {
        return invalid(format!("{cubes_per_processor} cubes per processor are too many (at most 1024)"));
    }
    let most_bits = if method == Method::BlockLevel { ONE_PASS.ilog2() } else { 0 };
    if least_bits > most_bits {
        return invalid(format!(
            "kernels for {least_bits} bits are more than the {method} method has (at most {most_bits})"
        ));
    }
    if method == Method::BlockLevel {
        if !(4..=8).contains(&digit_bits) {
            return invalid(format!("{digit_bits} bits per pass are out of range: 4 to 8"));
        }
        let tile = planes * facts.plane * items;
        if tile > MAX_TILE {
            return invalid(format!("a tile of {tile} keys is too large: places in it have 16 bits"));
        }
    }
    let have = facts.shared_memory;
    let bytes = postscan_bytes(facts, method, policy, m, payload);
    if bytes > have {
        return invalid(format!("a tile needs {bytes} bytes of shared memory, a cube of this device has {have}"));
    }
    let bytes = prescan_bytes(facts, policy, m);
    if bytes > have {
        return invalid(format!(
            "{prescan_planes} prescan planes need {bytes} bytes of shared memory, a cube of this device has {have}"
        ));
    }
    Ok(())
}
