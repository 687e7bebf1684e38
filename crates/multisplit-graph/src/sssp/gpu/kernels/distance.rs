//! Arithmetic on distances, as order-preserving bits.

use crate::sssp::gpu::state::buckets::LAST_BUCKET;
use crate::sssp::gpu::state::control::NONE;
use cubecl::prelude::*;
use multisplit::cubecl;

/// A distance after an arc, both as numbers that order alike: [`Weight::plus`](crate::Weight::plus). Bits of numbers
/// from 0 on order like the numbers, and sums that do not fit are unreachable by themselves: infinite, or brought
/// back here.
#[cube]
pub(crate) fn plus(distance: u32, weight: u32, #[comptime] float: bool) -> u32 {
    if comptime!(float) {
        u32::reinterpret(f32::reinterpret(distance) + f32::reinterpret(weight))
    } else {
        let sum = distance + weight;
        select(sum < distance, NONE.runtime(), sum)
    }
}

/// The distance of what was not reached, as a number that orders alike.
pub(crate) const fn unreachable(float: bool) -> u32 {
    if float { f32::INFINITY.to_bits() } else { u32::MAX }
}

/// The bucket of a distance: a greater distance has none that is less.
#[cube]
pub(crate) fn bucket_of(distance: u32, scale: f32, #[comptime] float: bool) -> u32 {
    let buckets = if comptime!(float) { f32::reinterpret(distance) * scale } else { f32::cast_from(distance) * scale };
    u32::cast_from(buckets.min(comptime!(LAST_BUCKET as f32)))
}
