//! Words that hold a key's bits, and the arithmetic of bucket functions on them.
#![allow(missing_docs)] // of what the macro adds

// Marked `#[inline]` throughout, as in `key.rs`.

use super::KernelField;
use super::arith::{mul_hi, mul_hi_u64, wrapping_mul, wrapping_mul_u64, wrapping_sub, wrapping_sub_u64};
use bytemuck::Pod;
use cubecl::prelude::*;

/// Unsigned words that hold a key's bits: `u32` and `u64`.
#[doc(hidden)]
#[cube]
pub trait Word: Scalar + KernelField + Pod + PartialOrd {
    /// `(word >> shift) & mask`.
    fn window(word: Self, shift: u32, mask: u32) -> u32;
    /// `floor(m * word / 2^w)` for a word of w bits.
    fn part(word: Self, m: u32) -> u32;
    /// `a - b`, modulo 2^w.
    fn minus(a: Self, b: Self) -> Self;
    /// `word * 2^shift`, modulo 2^w.
    fn up(word: Self, shift: u32) -> Self;
    /// `floor(word * high / 2^w)`, where that fits 32 bits.
    fn scaled_short(word: Self, high: Self) -> u32;
    /// `floor(word * (high + low / 2^w) / 2^w)`, where that fits 32 bits.
    fn scaled(word: Self, high: Self, low: Self) -> u32;
    /// The word divided by an invariant number, exactly, but at most `last` (Granlund and Montgomery 1994): a high
    /// product and two shifts.
    fn divided(word: Self, magic: Self, shift: u32, last: u32) -> u32;
    /// The word, or the largest 32-bit one if it is larger.
    fn index(word: Self) -> u32;
    /// A well-mixed 32-bit hash of the word.
    fn hash(word: Self, seed: u32) -> u32;
}

#[cube]
impl Word for u32 {
    #[inline]
    fn window(word: u32, shift: u32, mask: u32) -> u32 {
        (word >> shift) & mask
    }

    #[inline]
    fn part(word: u32, m: u32) -> u32 {
        mul_hi(word, m)
    }

    #[inline]
    fn minus(a: u32, b: u32) -> u32 {
        wrapping_sub(a, b)
    }

    #[inline]
    fn up(word: u32, shift: u32) -> u32 {
        word << shift
    }

    #[inline]
    fn scaled_short(word: u32, high: u32) -> u32 {
        mul_hi(word, high)
    }

    #[inline]
    fn scaled(word: u32, high: u32, low: u32) -> u32 {
        let carry = select(mul_hi(word, low) > 0xffff_ffffu32 - wrapping_mul(word, high), 1u32, 0u32);
        mul_hi(word, high) + carry
    }

    #[inline]
    fn divided(word: u32, magic: u32, shift: u32, last: u32) -> u32 {
        let q = mul_hi(word, magic);
        ((((word - q) >> (shift & 1u32)) + q) >> (shift >> 1u32)).min(last)
    }

    #[inline]
    fn index(word: u32) -> u32 {
        word
    }

    // Two multiply-xorshift rounds: the finalizer of MurmurHash3.
    #[inline]
    fn hash(word: u32, seed: u32) -> u32 {
        let mut h = word ^ seed;
        h = wrapping_mul(h ^ (h >> 16u32), 0x85eb_ca6bu32);
        h = wrapping_mul(h ^ (h >> 13u32), 0xc2b2_ae35u32);
        h ^ (h >> 16u32)
    }
}

#[cube]
impl Word for u64 {
    #[inline]
    fn window(word: u64, shift: u32, mask: u32) -> u32 {
        ((word >> (shift as u64)) & (mask as u64)) as u32
    }

    #[inline]
    fn part(word: u64, m: u32) -> u32 {
        let low = mul_hi((word & 0xffff_ffffu64) as u32, m) as u64;
        (((word >> 32u64) * (m as u64) + low) >> 32u64) as u32
    }

    #[inline]
    fn minus(a: u64, b: u64) -> u64 {
        wrapping_sub_u64(a, b)
    }

    #[inline]
    fn up(word: u64, shift: u32) -> u64 {
        word << (shift as u64)
    }

    #[inline]
    fn scaled_short(word: u64, high: u64) -> u32 {
        mul_hi_u64(word, high) as u32
    }

    #[inline]
    fn scaled(word: u64, high: u64, low: u64) -> u32 {
        let room = 0xffff_ffff_ffff_ffffu64 - wrapping_mul_u64(word, high);
        let carry = select(mul_hi_u64(word, low) > room, 1u32, 0u32);
        mul_hi_u64(word, high) as u32 + carry
    }

    #[inline]
    fn divided(word: u64, magic: u64, shift: u32, last: u32) -> u32 {
        let q = mul_hi_u64(word, magic);
        ((((word - q) >> ((shift & 1u32) as u64)) + q) >> ((shift >> 1u32) as u64)).min(last as u64) as u32
    }

    #[inline]
    fn index(word: u64) -> u32 {
        word.min(0xffff_ffffu64) as u32
    }

    // The finalizer of SplitMix64; its high word.
    #[inline]
    fn hash(word: u64, seed: u32) -> u32 {
        let mut h = word ^ (seed as u64);
        h = wrapping_mul_u64(h ^ (h >> 30u64), 0xbf58_476d_1ce4_e5b9u64);
        h = wrapping_mul_u64(h ^ (h >> 27u64), 0x94d0_49bb_1331_11ebu64);
        ((h ^ (h >> 31u64)) >> 32u64) as u32
    }
}
