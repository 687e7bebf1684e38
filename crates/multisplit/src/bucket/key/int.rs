//! Integer keys.
#![allow(missing_docs)] // of what the macro adds

use super::super::loops::loops;
use super::super::word::Word;
use super::{IntKey, IntKeyOps, Key, KeyOps, Sealed};
use cubecl::prelude::*;

/// Integers, in words of type `$word`: `flip` turns the type's order into the unsigned order; `unused` is the width of
/// the word less that of the type, and `used` is a word with the bits of the type.
macro_rules! int_key {
    ($key:ident, $name:literal, $unsigned:ident, $word:ident, $flip:literal, $unused:literal, $used:literal) => {
        #[cube]
        impl KeyOps for $key {
            type Bits = $word;
            type Width = $word;
            type Real = $key;

            #[inline]
            fn real(key: $key) -> $key {
                key
            }
            #[inline]
            fn ordered(key: $key) -> $word {
                if comptime!($flip == 0) {
                    key as $word
                } else if comptime!($unused == 0) {
                    (key as $word) ^ $flip
                } else {
                    // A negative number fills the word.
                    ((key as $word) ^ $flip) & $used
                }
            }
            #[inline]
            fn nan_last(key: $key) -> $word {
                Self::ordered(key)
            }
            #[inline]
            fn least(number: $key) -> $word {
                Self::ordered(number)
            }
            #[inline]
            fn delta(key: $key, lo: $key, _per_unit: $key, magic: $word, shift: u32, last: u32) -> u32 {
                let x = Self::ordered(key);
                let start = Self::ordered(lo);
                <$word as Word>::divided(x.max(start) - start, magic, shift, last)
            }
            #[inline]
            fn delta_whole(key: $key, _lo: $key, _per_unit: $key, last: u32) -> u32 {
                <Self as KeyOps>::part(key, last + 1u32)
            }
            #[inline]
            fn delta_inside(
                key: $key,
                _inside: bool,
                lo: $key,
                per_unit: $key,
                magic: $word,
                shift: u32,
                last: u32,
                #[comptime] whole: bool,
            ) -> u32 {
                if comptime!(whole) {
                    Self::delta_whole(key, lo, per_unit, last)
                } else {
                    Self::delta(key, lo, per_unit, magic, shift, last)
                }
            }
            #[inline]
            fn inside(key: $key, lower: $key, upper: $key) -> bool {
                let start = Self::ordered(lower);
                // One comparison: a key below the start wraps around, beyond the end.
                $word::minus(Self::ordered(key), start) < $word::minus(Self::ordered(upper), start)
            }
            #[inline]
            fn even(
                key: $key,
                _inside: bool,
                lower: $key,
                _scale: $key,
                shift: u32,
                high: $word,
                low: $word,
                _last: u32,
            ) -> u32 {
                let x = $word::up($word::minus(Self::ordered(key), Self::ordered(lower)), shift);
                <$word as Word>::scaled(x, high, low)
            }
            #[inline]
            fn even_short(
                key: $key,
                _inside: bool,
                lower: $key,
                _scale: $key,
                shift: u32,
                high: $word,
                _last: u32,
            ) -> u32 {
                let x = $word::up($word::minus(Self::ordered(key), Self::ordered(lower)), shift);
                <$word as Word>::scaled_short(x, high)
            }
            #[inline]
            fn part(key: $key, m: u32) -> u32 {
                let x = Self::ordered(key);
                let x = if comptime!($unused == 0) { x } else { $word::up(x, $unused) };
                <$word as Word>::part(x, m)
            }
        }

        #[cube]
        impl IntKeyOps for $key {
            #[inline]
            fn index(key: $key) -> u32 {
                <$word as Word>::index(key as $word)
            }
        }

        impl Key for $key {
            const NAME: &'static str = $name;
            type Unsigned = $unsigned;
            loops!($key: bit_window_loops BitWindow, digit_loops Digit, hash_loops Hash);
        }
        impl Sealed for $key {}
        impl IntKey for $key {
            loops!($key: identity_loops Identity, lookup_loops Lookup);
        }
    };
}

int_key!(u8, "u8", u8, u32, 0u32, 24u32, 0xffu32);
int_key!(i8, "i8", u8, u32, 0x80u32, 24u32, 0xffu32);
int_key!(u16, "u16", u16, u32, 0u32, 16u32, 0xffffu32);
int_key!(i16, "i16", u16, u32, 0x8000u32, 16u32, 0xffffu32);
int_key!(u32, "u32", u32, u32, 0u32, 0u32, 0xffff_ffffu32);
int_key!(i32, "i32", u32, u32, 0x8000_0000u32, 0u32, 0xffff_ffffu32);
int_key!(u64, "u64", u64, u64, 0u64, 0u32, 0xffff_ffff_ffff_ffffu64);
int_key!(i64, "i64", u64, u64, 0x8000_0000_0000_0000u64, 0u32, 0xffff_ffff_ffff_ffffu64);
