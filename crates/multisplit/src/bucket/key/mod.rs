//! Key types, and what the built-in bucket functions need to know about them.
#![allow(missing_docs)] // of what the macro adds

// Marked `#[inline]` throughout: the CPU back end's loops are compiled in the user's crate, and vectorize only if all
// of this is inlined there.

mod float;
mod half;
mod int;

use super::KernelField;
use super::word::Word;
use super::{BitWindow, Digit, Hash, Identity, Lookup};
use crate::cpu::Loops;
use bytemuck::Pod;
use cubecl::prelude::*;

/// A type that can be split: `u8`, `u16`, `u32`, `u64`, `i8`, `i16`, `i32`, `i64`, `f16`, `bf16`, `f32`, `f64`.
///
/// Every back end takes 32-bit keys. 64-bit keys need a GPU with 64-bit integers (or floats); 8- and 16-bit keys run on
/// the CPU and on CUDA. A device that lacks a type says so with
/// [`Error::MissingCapability`](crate::Error::MissingCapability). [`f16`](::half::f16) and [`bf16`](::half::bf16) are
/// the types of the crate `half`.
///
/// A bucket function that is generic over it can compare keys; one over [`IntKey`] can also compute with them.
///
/// The trait is sealed: the kernels move keys as plain words.
#[allow(private_bounds)] // which seals it
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a type of keys",
    note = "keys are `u8`, `u16`, `u32`, `u64`, `i8`, `i16`, `i32`, `i64`, `f16`, `bf16`, `f32` or `f64`"
)]
pub trait Key: KeyOps + KernelField + Scalar + Pod + PartialOrd + Send + Sync + Sealed {
    /// The type's name, as benchmarks print it.
    const NAME: &'static str;

    /// The unsigned integer of the same width. Kernels move keys as such, so that they are compiled once per width.
    #[doc(hidden)]
    type Unsigned: Key<Unsigned = Self::Unsigned>;

    #[doc(hidden)]
    fn bit_window_loops(f: &BitWindow<Self>) -> Loops<'_>;
    #[doc(hidden)]
    fn digit_loops(f: &Digit<Self>) -> Loops<'_>;
    #[doc(hidden)]
    fn hash_loops(f: &Hash<Self>) -> Loops<'_>;
}

/// An integer key: it can index a table or be its own bucket.
///
/// In a bucket function, `K::index(key)` is the key as a `u32`. It is `u32::MAX`, or another number that no table
/// reaches, for keys that are negative or too large.
pub trait IntKey: Key + IntKeyOps {
    #[doc(hidden)]
    fn identity_loops(f: &Identity<Self>) -> Loops<'_>;
    #[doc(hidden)]
    fn lookup_loops(f: &Lookup<Self>) -> Loops<'_>;
}

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

    /// As [`ordered`](KeyOps::ordered), but every NaN is above all numbers.
    fn nan_last(key: Self) -> Self::Bits;

    /// The least word, in the key's order, of those that equal a number: that of −0 for +0.
    fn least(number: Self) -> Self::Bits;

    /// `floor((key - lo) / width)`, at least 0 and at most `last`. Integers divide exactly by `magic` and `shift` (see
    /// [`Delta`](super::Delta)); floats multiply by `per_unit`; NaN gives `last`.
    fn delta(key: Self, lo: Self::Real, per_unit: Self::Real, magic: Self::Bits, shift: u32, last: u32) -> u32;

    /// The bucket of a key where the ranges divide the whole domain of the key type, or most of it. Integers fall into
    /// `last + 1` equal parts of the domain. Floats are as in [`delta`](KeyOps::delta), but `key - lo` may overflow:
    /// `lo` is given multiplied by `SCALE`, and `per_unit` divided by it.
    fn delta_whole(key: Self, lo: Self::Real, per_unit: Self::Real, last: u32) -> u32;

    /// As [`delta`](KeyOps::delta), or [`delta_whole`](KeyOps::delta_whole), for a key inside; any bucket for others.
    fn delta_inside(
        key: Self,
        inside: bool,
        lo: Self::Real,
        per_unit: Self::Real,
        magic: Self::Bits,
        shift: u32,
        last: u32,
        #[comptime] whole: bool,
    ) -> u32;

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
