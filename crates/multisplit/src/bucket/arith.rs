//! Arithmetic that plain Rust and CubeCL spell differently.
//!
//! A bucket function is written once and read twice: as plain Rust on the CPU, and as kernel source on a GPU. Most
//! operators mean the same in both. The few here do not, so each is a pair: the function Rust calls, and a module of
//! the same name whose `expand` CubeCL calls in its place.

use cubecl::prelude::*;

/// The high 32 bits of the 64-bit product `a * b`: `floor(a * b / 2^32)`.
#[inline]
pub fn mul_hi(a: u32, b: u32) -> u32 {
    ((u64::from(a) * u64::from(b)) >> 32) as u32
}

/// Kernel side of [`mul_hi`](mul_hi()).
#[doc(hidden)]
pub mod mul_hi {
    use cubecl::prelude::*;

    /// One instruction on every GPU.
    pub fn expand(scope: &mut Scope, a: NativeExpand<u32>, b: NativeExpand<u32>) -> NativeExpand<u32> {
        a.__expand_mul_hi_method(scope, b)
    }
}

/// `a` if the condition holds, and 0 otherwise. For conditions that nobody can foresee: what is an `if` in Rust may
/// become a branch, which a processor guesses wrong every other time.
#[inline(always)]
pub fn zero_unless(condition: bool, a: u32) -> u32 {
    u32::from(condition) * a
}

/// Kernel side of [`zero_unless`](zero_unless()).
#[doc(hidden)]
pub mod zero_unless {
    use cubecl::prelude::*;

    /// Kernels select without a branch.
    pub fn expand(scope: &mut Scope, condition: NativeExpand<bool>, a: NativeExpand<u32>) -> NativeExpand<u32> {
        select::expand(scope, condition, a, 0u32.into())
    }
}

/// The low 32 bits of `a * b`. In plain Rust `a * b` would panic on overflow in a debug build.
#[inline]
pub fn wrapping_mul(a: u32, b: u32) -> u32 {
    a.wrapping_mul(b)
}

/// Kernel side of [`wrapping_mul`](wrapping_mul()).
#[doc(hidden)]
pub mod wrapping_mul {
    use cubecl::prelude::*;

    /// Kernels wrap by themselves.
    pub fn expand(scope: &mut Scope, a: NativeExpand<u32>, b: NativeExpand<u32>) -> NativeExpand<u32> {
        mul::expand(scope, a, b)
    }
}

/// The low 64 bits of `a * b`.
#[inline]
pub fn wrapping_mul_u64(a: u64, b: u64) -> u64 {
    a.wrapping_mul(b)
}

/// Kernel side of [`wrapping_mul_u64`](wrapping_mul_u64()).
#[doc(hidden)]
pub mod wrapping_mul_u64 {
    use cubecl::prelude::*;

    /// Kernels wrap by themselves.
    pub fn expand(scope: &mut Scope, a: NativeExpand<u64>, b: NativeExpand<u64>) -> NativeExpand<u64> {
        mul::expand(scope, a, b)
    }
}

/// The low 32 bits of `a - b`. In plain Rust `a - b` would panic below 0 in a debug build.
#[inline]
pub fn wrapping_sub(a: u32, b: u32) -> u32 {
    a.wrapping_sub(b)
}

/// Kernel side of [`wrapping_sub`](wrapping_sub()).
#[doc(hidden)]
pub mod wrapping_sub {
    use cubecl::prelude::*;

    /// Kernels wrap by themselves.
    pub fn expand(scope: &mut Scope, a: NativeExpand<u32>, b: NativeExpand<u32>) -> NativeExpand<u32> {
        sub::expand(scope, a, b)
    }
}

/// The low 64 bits of `a - b`.
#[inline]
pub fn wrapping_sub_u64(a: u64, b: u64) -> u64 {
    a.wrapping_sub(b)
}

/// Kernel side of [`wrapping_sub_u64`](wrapping_sub_u64()).
#[doc(hidden)]
pub mod wrapping_sub_u64 {
    use cubecl::prelude::*;

    /// Kernels wrap by themselves.
    pub fn expand(scope: &mut Scope, a: NativeExpand<u64>, b: NativeExpand<u64>) -> NativeExpand<u64> {
        sub::expand(scope, a, b)
    }
}

/// The high 64 bits of the 128-bit product `a * b`.
#[inline]
pub fn mul_hi_u64(a: u64, b: u64) -> u64 {
    by_halves(a, b)
}

/// Kernel side of [`mul_hi_u64`](mul_hi_u64()).
#[doc(hidden)]
pub mod mul_hi_u64 {
    use cubecl::prelude::*;

    /// The same as on the host.
    pub fn expand(scope: &mut Scope, a: NativeExpand<u64>, b: NativeExpand<u64>) -> NativeExpand<u64> {
        super::by_halves::expand(scope, a, b)
    }
}

/// From 32-bit halves: no GPU has it as one instruction for all.
#[cube]
#[inline]
fn by_halves(a: u64, b: u64) -> u64 {
    let low = 0xffff_ffffu64;
    let (a1, a0) = (a >> 32u64, a & low);
    let (b1, b0) = (b >> 32u64, b & low);
    let mid = a1 * b0 + ((a0 * b0) >> 32u64);
    let mid2 = a0 * b1 + (mid & low);
    a1 * b1 + (mid >> 32u64) + (mid2 >> 32u64)
}

/// The number as an `f32`. Exact.
// By hand, without a branch, so that loops vectorize: what is left of the exponent's range is multiplied in.
#[inline]
pub fn widen_f16(x: half::f16) -> f32 {
    let bits = u32::from(x.to_bits());
    let magnitude = (bits & 0x7fff) << 13;
    // Infinity and NaN have the largest exponent there is, here as there.
    let exponent = if magnitude >= 0x0f80_0000 { 0x7f80_0000 } else { 0 };
    let finite = f32::from_bits(magnitude) * f32::from_bits((127 + 112) << 23);
    f32::from_bits(finite.to_bits() | exponent | (bits & 0x8000) << 16)
}

/// Kernel side of [`widen_f16`](widen_f16()).
pub mod widen_f16 {
    use cubecl::prelude::*;

    /// One instruction.
    pub fn expand(scope: &mut Scope, x: NativeExpand<half::f16>) -> NativeExpand<f32> {
        f32::__expand_cast_from(scope, x)
    }
}

/// The number as an `f32`. Exact.
#[inline]
pub fn widen_bf16(x: half::bf16) -> f32 {
    f32::from_bits(u32::from(x.to_bits()) << 16)
}

/// Kernel side of [`widen_bf16`](widen_bf16()).
pub mod widen_bf16 {
    use cubecl::prelude::*;

    /// One instruction.
    pub fn expand(scope: &mut Scope, x: NativeExpand<half::bf16>) -> NativeExpand<f32> {
        f32::__expand_cast_from(scope, x)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_widen_exactly() {
        for bits in 0..=u16::MAX {
            let (x, y) = (half::f16::from_bits(bits), half::bf16::from_bits(bits));
            let same = |a: f32, b: f32| a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan();
            assert!(same(widen_f16(x), x.to_f32()), "{bits:#x}");
            assert!(same(widen_bf16(y), y.to_f32()), "{bits:#x}");
        }
    }

    #[test]
    fn zero_unless_keeps_or_not() {
        assert_eq!([zero_unless(true, u32::MAX), zero_unless(false, u32::MAX), zero_unless(true, 0)], [u32::MAX, 0, 0]);
    }

    #[test]
    fn mul_hi_u64_is_the_high_half() {
        let interesting = [0, 1, 2, 3, 0xffff_ffff, 0x1_0000_0000, 0x8000_0000_0000_0000, u64::MAX - 1, u64::MAX];
        for a in interesting {
            for b in interesting {
                assert_eq!(mul_hi_u64(a, b), ((u128::from(a) * u128::from(b)) >> 64) as u64, "{a} * {b}");
            }
        }
    }
}
