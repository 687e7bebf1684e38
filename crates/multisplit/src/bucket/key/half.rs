//! Float keys of 16 bits.
#![allow(missing_docs)] // of what the macro adds

use super::super::arith::{widen_bf16, widen_f16};
use super::super::loops::loops;
use super::super::word::Word;
use super::{Key, KeyOps, Sealed};
use ::half::{bf16, f16};
use cubecl::prelude::*;

/// Floats of 16 bits: they are compared by their bits, and computed with as `f32`, which holds each of them.
macro_rules! half_key {
    ($key:ident, $name:literal, $widen:ident, $inf:literal) => {
        #[cube]
        impl KeyOps for $key {
            type Bits = u32;
            type Width = f32;
            type Real = f32;

            #[inline]
            fn real(key: $key) -> f32 {
                $widen(key)
            }
            #[inline]
            fn ordered(key: $key) -> u32 {
                let bits = key.to_bits() as u32;
                // As for wider floats.
                bits ^ (((bits >> 15u32) * 0xffffu32) | 0x8000u32)
            }
            #[inline]
            fn nan_last(key: $key) -> u32 {
                let bits = key.to_bits() as u32;
                select(bits > (0x8000u32 | $inf), 0xffffu32, Self::ordered(key))
            }
            #[inline]
            fn least(number: $key) -> u32 {
                let word = Self::ordered(number);
                select(word == 0x8000u32, 0x7fffu32, word)
            }
            #[inline]
            fn delta(key: $key, lo: f32, per_unit: f32, magic: u32, shift: u32, last: u32) -> u32 {
                <f32 as KeyOps>::delta($widen(key), lo, per_unit, magic, shift, last)
            }
            #[inline]
            fn delta_whole(key: $key, lo: f32, per_unit: f32, last: u32) -> u32 {
                <f32 as KeyOps>::delta_whole($widen(key), lo, per_unit, last)
            }
            #[inline]
            fn delta_inside(
                key: $key,
                inside: bool,
                lo: f32,
                per_unit: f32,
                magic: u32,
                shift: u32,
                last: u32,
                #[comptime] whole: bool,
            ) -> u32 {
                <f32 as KeyOps>::delta_inside($widen(key), inside, lo, per_unit, magic, shift, last, whole)
            }
            #[inline]
            fn inside(key: $key, lower: f32, upper: f32) -> bool {
                <f32 as KeyOps>::inside($widen(key), lower, upper)
            }
            #[inline]
            fn even(
                key: $key,
                inside: bool,
                lower: f32,
                scale: f32,
                shift: u32,
                high: u32,
                low: u32,
                last: u32,
            ) -> u32 {
                <f32 as KeyOps>::even($widen(key), inside, lower, scale, shift, high, low, last)
            }
            #[inline]
            fn even_short(key: $key, inside: bool, lower: f32, scale: f32, shift: u32, high: u32, last: u32) -> u32 {
                <f32 as KeyOps>::even_short($widen(key), inside, lower, scale, shift, high, last)
            }
            #[inline]
            fn part(key: $key, m: u32) -> u32 {
                <u32 as Word>::part(Self::ordered(key) << 16u32, m)
            }
        }

        impl Key for $key {
            const NAME: &'static str = $name;
            type Unsigned = u16;
            loops!($key: bit_window_loops BitWindow, digit_loops Digit, hash_loops Hash);
        }
        impl Sealed for $key {}
    };
}

half_key!(f16, "f16", widen_f16, 0x7c00u32);
half_key!(bf16, "bf16", widen_bf16, 0x7f80u32);
