//! Arithmetic on distances, as order-preserving bits.

use crate::sssp::gpu::state::buckets::LAST_BUCKET;
use crate::sssp::gpu::state::control::NONE;
use cubecl::prelude::*;
use multisplit::cubecl;

/// The distance after an arc, as [`Weight::plus`](crate::Weight::plus) has it. The bits of non-negative floats order
/// like the numbers. A sum that does not fit is unreachable: a float is infinite by itself, and an integer is clamped
/// here.
#[cube]
pub(crate) fn plus(distance: u32, weight: u32, #[comptime] float: bool) -> u32 {
    if comptime!(float) {
        u32::reinterpret(f32::reinterpret(distance) + f32::reinterpret(weight))
    } else {
        let sum = distance + weight;
        select(sum < distance, NONE.runtime(), sum)
    }
}

/// The distance of a vertex that was not reached, as order-preserving bits.
pub(crate) const fn unreachable(float: bool) -> u32 {
    if float { f32::INFINITY.to_bits() } else { u32::MAX }
}

/// The bucket of a distance. It never decreases with the distance.
#[cube]
pub(crate) fn bucket_of(distance: u32, scale: f32, #[comptime] float: bool) -> u32 {
    let buckets = if comptime!(float) { f32::reinterpret(distance) * scale } else { f32::cast_from(distance) * scale };
    u32::cast_from(buckets.min(comptime!(LAST_BUCKET as f32)))
}
