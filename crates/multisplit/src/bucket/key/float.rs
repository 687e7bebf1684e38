//! Float keys of 32 and 64 bits.
#![allow(missing_docs)] // of what the macro adds

use super::super::loops::loops;
use super::super::word::Word;
use super::{Key, KeyOps, Sealed};
use cubecl::prelude::*;

/// Floats: their bits as `$bits`, of which `$top` shifts down to the sign; `$sign` is the sign bit, `$inf` infinity.
macro_rules! float_key {
    ($key:ident, $name:literal, $bits:ident, $top:literal, $sign:literal, $inf:literal, $ones:literal) => {
        #[cube]
        impl KeyOps for $key {
            type Bits = $bits;
            type Width = $key;
            type Real = $key;

            #[inline]
            fn real(key: $key) -> $key {
                key
            }
            #[inline]
            fn ordered(key: $key) -> $bits {
                let bits = key.to_bits();
                // Negative floats count backwards: flip all bits; the others only move above them.
                bits ^ (((bits >> $top) * $ones) | $sign)
            }
            #[inline]
            fn nan_last(key: $key) -> $bits {
                let bits = key.to_bits();
                // NaN without a sign is last. Asked of the bits: shader compilers may assume that a float is never NaN.
                select(bits > ($sign | $inf), $ones, Self::ordered(key))
            }
            #[inline]
            fn least(number: $key) -> $bits {
                let word = Self::ordered(number);
                select(word == $sign, $sign - 1, word)
            }
            #[inline]
            fn delta(key: $key, lo: $key, per_unit: $key, _magic: $bits, _shift: u32, last: u32) -> u32 {
                let x = (key - lo) * per_unit;
                let beyond = x >= (last as $key) || (key.to_bits() & ($ones ^ $sign)) > $inf;
                // Selected, not branched: what does not fit an integer is never converted to one.
                let within = select(beyond || x < 1.0, 0.0, x);
                select(beyond, last, within as u32)
            }
            #[inline]
            fn delta_whole(key: $key, lo: $key, per_unit: $key, last: u32) -> u32 {
                // The number is `SCALE`, which kernels cannot name for every float. The rest is as above.
                let x = (key * 0.125 - lo) * per_unit;
                let beyond = x >= (last as $key) || (key.to_bits() & ($ones ^ $sign)) > $inf;
                let within = select(beyond || x < 1.0, 0.0, x);
                select(beyond, last, within as u32)
            }
            #[inline]
            fn delta_inside(
                key: $key,
                inside: bool,
                lo: $key,
                per_unit: $key,
                _magic: $bits,
                _shift: u32,
                last: u32,
                #[comptime] whole: bool,
            ) -> u32 {
                let scaled = if comptime!(whole) { key * 0.125 } else { key };
                // NaN, and what does not fit an integer, is never converted to one.
                let x = select(inside, (scaled - lo) * per_unit, 0.0);
                x.max(0.0).min(last as $key) as u32
            }
            #[inline]
            fn inside(key: $key, lower: $key, upper: $key) -> bool {
                // NaN is asked of the bits, as above.
                key >= lower && key < upper && (key.to_bits() & ($ones ^ $sign)) <= $inf
            }
            #[inline]
            fn even(
                key: $key,
                inside: bool,
                lower: $key,
                scale: $key,
                shift: u32,
                high: $bits,
                _low: $bits,
                last: u32,
            ) -> u32 {
                // The number is `SCALE`.
                Self::even_short(key * 0.125, inside, lower * 0.125, scale, shift, high, last)
            }
            #[inline]
            fn even_short(
                key: $key,
                inside: bool,
                lower: $key,
                scale: $key,
                _shift: u32,
                _high: $bits,
                last: u32,
            ) -> u32 {
                // A key outside might not fit the integer, which means something else on every device.
                let key = select(inside, key, lower);
                (((key - lower) * scale) as u32).min(last)
            }
            #[inline]
            fn part(key: $key, m: u32) -> u32 {
                <$bits as Word>::part(Self::ordered(key), m)
            }
        }

        impl Key for $key {
            const NAME: &'static str = $name;
            type Unsigned = $bits;
            loops!($key: bit_window_loops BitWindow, digit_loops Digit, hash_loops Hash);
        }
        impl Sealed for $key {}
    };
}

float_key!(f32, "f32", u32, 31u32, 0x8000_0000u32, 0x7f80_0000u32, 0xffff_ffffu32);
float_key!(f64, "f64", u64, 63u64, 0x8000_0000_0000_0000u64, 0x7ff0_0000_0000_0000u64, 0xffff_ffff_ffff_ffffu64);
