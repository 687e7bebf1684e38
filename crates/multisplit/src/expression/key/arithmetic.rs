//! Arithmetic of kernels that is the same on every device, on signed numbers given as words.

use crate::bucket::prelude::*;

#[cube]
pub(super) fn shifted_up(a: u32, bits: u32) -> u32 {
    select(bits < 32u32, a << (bits & 31u32), 0u32)
}

#[cube]
pub(super) fn shifted_down(a: u32, bits: u32) -> u32 {
    select(bits < 32u32, a >> (bits & 31u32), 0u32)
}

#[cube]
pub(super) fn shifted_down_signed(a: u32, bits: u32) -> u32 {
    let by = min(bits, 31u32);
    ((a as i32) >> (by as i32)) as u32
}

#[cube]
pub(super) fn trailing_zeros(a: u32) -> u32 {
    // Of 0 some machines say otherwise: the lowest one alone, less one, has as many ones as there are zeros.
    let lowest = a & (0u32 - a);
    (lowest - 1u32).count_ones()
}

#[cube]
pub(super) fn absolute(a: u32) -> u32 {
    select(a >= 0x8000_0000u32, 0u32 - a, a)
}

/// Of signed numbers, rounded towards 0. Not by the division of signed numbers: the least one by -1 is not the same
/// everywhere.
#[cube]
pub(super) fn quotient(a: u32, b: u32) -> u32 {
    let size = absolute(a) / absolute(b);
    select((a ^ b) >= 0x8000_0000u32, 0u32 - size, size)
}

#[cube]
pub(super) fn rest(a: u32, b: u32) -> u32 {
    let size = absolute(a) % absolute(b);
    select(a >= 0x8000_0000u32, 0u32 - size, size)
}

#[cube]
pub(super) fn rest_euclid(a: u32, b: u32) -> u32 {
    let left = rest(a, b);
    select(left >= 0x8000_0000u32, left + absolute(b), left)
}

#[cube]
pub(super) fn quotient_euclid(a: u32, b: u32) -> u32 {
    let rounded = quotient(a, b);
    let below = select(b >= 0x8000_0000u32, rounded + 1u32, rounded - 1u32);
    select(rest(a, b) >= 0x8000_0000u32, below, rounded)
}
