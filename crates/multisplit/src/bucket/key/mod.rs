//! Key types, and what the built-in bucket functions need to know about them.
#![allow(missing_docs)] // of what the macro adds

// Marked `#[inline]` throughout: the CPU back end's loops are compiled in the user's crate, and vectorize only if all
// of this is inlined there.

use super::KernelField;
use super::arith::{widen_bf16, widen_f16};
use super::word::Word;
use bytemuck::Pod;
use cubecl::prelude::*;
use half::{bf16, f16};

/// A type that can be split: `u8`, `u16`, `u32`, `u64`, `i8`, `i16`, `i32`, `i64`, `f16`, `bf16`, `f32`, `f64`.
///
/// Every back end takes 32-bit keys. 64-bit keys need a GPU with 64-bit integers (or floats); 8- and 16-bit keys run on
/// the CPU and on CUDA. A device that lacks a type says so with
/// [`Error::MissingCapability`](crate::Error::MissingCapability). [`f16`](half::f16) and [`bf16`](half::bf16) are the
/// types of the crate `half`.
///
/// A bucket function that is generic over it can compare keys; one over [`IntKey`] can also compute with them.
///
/// The trait is sealed: the kernels move keys as plain words.
#[allow(private_bounds)] // which seals it
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a type of keys",
    note = "keys are `u8`, `u16`, `u32`, `u64`, `i32`, `i64`, `f32` or `f64`"
)]
pub trait Key: KeyOps + KernelField + Scalar + Pod + PartialOrd + Send + Sync + Sealed {
    /// The type's name, as benchmarks print it.
    const NAME: &'static str;

    /// The unsigned integer of the same width. Kernels move keys as such, so that they are compiled once per width.
    #[doc(hidden)]
    type Unsigned: Key<Unsigned = Self::Unsigned>;
}

/// An integer key: it can index a table or be its own bucket.
///
/// In a bucket function, `K::index(key)` is the key as a `u32`. It is `u32::MAX`, or another number that no table
/// reaches, for keys that are negative or too large.
pub trait IntKey: Key + IntKeyOps {}

/// What floats are multiplied by before a subtraction that might overflow. A power of two, so that the product is exact
/// unless it is too small to matter; and small enough that the reciprocal of any scaled width is a normal number.
pub(crate) const SCALE: f32 = 0.125;

/// What only keys of this crate are.
trait Sealed {}

/// What built-in bucket functions compute from a key, on the CPU and in kernels alike.
#[doc(hidden)]
#[cube]
pub trait KeyOps: CubePrimitive {
    /// Unsigned word that holds the key's bits.
    type Bits: Word;
    /// Type of a distance between keys: unsigned for integers, the type itself for floats, `f32` for those of 16 bits.
    type Width: CubePrimitive;
    /// Type in which bucket functions compute with keys: the type itself, but `f32` for floats of 16 bits.
    type Real: Scalar + KernelField + Pod + PartialOrd;

    /// The key as such.
    fn real(key: Self) -> Self::Real;

    /// The key's bits as an unsigned number in the key's order. Floats follow the IEEE 754 total order: negative NaN,
    /// −∞, …, −0, +0, …, +∞, NaN.
    fn ordered(key: Self) -> Self::Bits;

    /// As [`ordered`](KeyOps::ordered), but −0 equals +0 and every NaN is the largest value.
    fn comparable(key: Self) -> Self::Bits;

    /// `floor((key - lo) / width)`, at least 0 and at most `last`. Integers divide exactly by `magic` and `shift` (see
    /// [`Delta`](super::Delta)); floats multiply by `per_unit`; NaN gives `last`.
    fn delta(key: Self, lo: Self::Real, per_unit: Self::Real, magic: Self::Bits, shift: u32, last: u32) -> u32;

    /// The bucket of a key where the ranges divide the whole domain of the key type, or most of it. Integers fall into
    /// `last + 1` equal parts of the domain. Floats are as in [`delta`](KeyOps::delta), but `key - lo` may overflow:
    /// `lo` is given multiplied by `SCALE`, and `per_unit` divided by it.
    fn delta_whole(key: Self, lo: Self::Real, per_unit: Self::Real, last: u32) -> u32;

    /// Whether `lower <= key < upper`. Never for NaN.
    fn inside(key: Self, lower: Self::Real, upper: Self::Real) -> bool;

    /// `floor((key - lower) * bins / (upper - lower))` for a key inside, and anything for others. Integers shift the
    /// distance up by `shift` and multiply it by a fraction, of which `high` is the whole part (see
    /// [`EvenBins`](super::EvenBins)). Floats multiply by `scale`; `key - lower` may overflow, so that `scale`
    /// is given divided by `SCALE`.
    fn even(
        key: Self,
        inside: bool,
        lower: Self::Real,
        scale: Self::Real,
        shift: u32,
        high: Self::Bits,
        low: Self::Bits,
        last: u32,
    ) -> u32;

    /// As [`even`](KeyOps::even), where `low` is of no consequence and `key - lower` does not overflow. The scale of
    /// floats is given as it is.
    fn even_short(
        key: Self,
        inside: bool,
        lower: Self::Real,
        scale: Self::Real,
        shift: u32,
        high: Self::Bits,
        last: u32,
    ) -> u32;

    /// `floor(m * x / 2^w)`, where `x` is the key's rank among the `2^w` bit patterns of its type: m equal parts.
    fn part(key: Self, m: u32) -> u32;
}

/// What only integer keys have.
#[doc(hidden)]
#[cube]
pub trait IntKeyOps: CubePrimitive {
    /// The key as an index: negative and too large keys give `u32::MAX` or another number no table reaches.
    fn index(key: Self) -> u32;
}

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
            fn comparable(key: $key) -> $word {
                Self::ordered(key)
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
        }
        impl Sealed for $key {}
        impl IntKey for $key {}
    };
}

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
            fn comparable(key: $key) -> $bits {
                let bits = key.to_bits();
                let mut word = bits ^ (((bits >> $top) * $ones) | $sign);
                if bits == $sign {
                    word = $sign;
                }
                // Asked of the bits: shader compilers may assume that a float is never NaN.
                if (bits & ($ones ^ $sign)) > $inf {
                    word = $ones;
                }
                word
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
        }
        impl Sealed for $key {}
    };
}

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
            fn comparable(key: $key) -> u32 {
                let bits = key.to_bits() as u32;
                let mut word = bits ^ (((bits >> 15u32) * 0xffffu32) | 0x8000u32);
                if bits == 0x8000u32 {
                    word = 0x8000u32;
                }
                if (bits & 0x7fffu32) > $inf {
                    word = 0xffffu32;
                }
                word
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
        }
        impl Sealed for $key {}
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
half_key!(f16, "f16", widen_f16, 0x7c00u32);
half_key!(bf16, "bf16", widen_bf16, 0x7f80u32);
float_key!(f32, "f32", u32, 31u32, 0x8000_0000u32, 0x7f80_0000u32, 0xffff_ffffu32);
float_key!(f64, "f64", u64, 63u64, 0x8000_0000_0000_0000u64, 0x7ff0_0000_0000_0000u64, 0xffff_ffff_ffff_ffffu64);
