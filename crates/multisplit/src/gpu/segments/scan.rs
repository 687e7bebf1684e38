//! The counts of the tiles of segments become places, in place: their prefix sums
//! ([`device_scan`](crate::gpu::primitives::device_scan)).

use crate::gpu::primitives::device_scan::{part_of_cube, prefix_part, sum_part};
use cubecl::prelude::*;

/// Counts of a part. Sums of the parts before one are few even for very many counts.
pub(crate) const PART: u32 = 1 << 14;

/// The sum of each part of `len` counts.
#[cube(launch_unchecked, address_type = "dynamic")]
pub(crate) fn sum_counts(counts: &Array<u32>, sums: &mut Array<u32>, len: u32, #[comptime] units: u32) {
    sum_part(counts, sums, part_of_cube(len, PART), units);
}

/// `len` counts, each followed by another. They become places, and what follows the last becomes their sum.
#[cube(launch_unchecked, address_type = "dynamic")]
pub(crate) fn scan_counts(counts: &mut Array<u32>, sums: &Array<u32>, len: u32, #[comptime] units: u32) {
    let sum = prefix_part(counts, sums, part_of_cube(len, PART), units);
    if CUBE_POS_X == CUBE_COUNT_X - 1 && UNIT_POS_X == 0 {
        counts[len as usize] = sum;
    }
}
