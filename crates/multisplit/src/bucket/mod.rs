//! Bucket functions: which bucket a key belongs to.
//!
//! Built in are [`Delta`] (equal-width ranges), [`Identity`], [`BitWindow`], [`Digit`], [`Splitters`], [`Lookup`] and
//! [`struct@Hash`]; for histograms, [`EvenBins`] and [`RangeBins`], which leave keys outside their range without a
//! bin. Your own takes three steps, all in your own crate: a struct with the run-time values, the function, and the
//! number of buckets.
//!
//! ```
//! use multisplit::bucket::prelude::*;
//! use multisplit::{Device, split};
//!
//! /// Keys by their remainder.
//! #[derive(CubeType, CubeLaunch)]
//! struct Modulo {
//!     divisor: u32,
//! }
//!
//! #[cube]
//! impl BucketFn for Modulo {
//!     type Key = u32;
//!     fn bucket(&self, key: u32) -> u32 {
//!         key % self.divisor
//!     }
//! }
//!
//! impl Buckets for Modulo {
//!     fn buckets(&self) -> u32 {
//!         self.divisor
//!     }
//!     kernel_fields!(divisor);
//! }
//!
//! let result = split(&Device::cpu(), &[7, 4, 9, 3, 8], &Modulo { divisor: 3 })?;
//! assert_eq!(result.keys, [9, 3, 7, 4, 8]);
//! assert_eq!(result.offsets, [0, 2, 4, 5]);
//! # Ok::<(), multisplit::Error>(())
//! ```
//!
//! The same source runs as plain Rust on the CPU and inside kernels on GPUs, so write what both understand: numbers,
//! `if`, loops, `as` casts, [`Table`] for data, [`arith`] for the few operations that are spelled differently. Fields
//! are run-time values: a new value does not recompile a kernel.

pub mod arith;
mod bit_window;
mod delta;
mod digit;
mod even_bins;
mod fields;
mod function;
mod hash;
mod identity;
pub(crate) mod key;
mod lookup;
mod range_bins;
mod splitters;
mod table;
pub(crate) mod word;

pub use crate::kernel_fields;
pub use bit_window::BitWindow;
pub use delta::{Delta, DeltaKey};
pub use digit::Digit;
pub use even_bins::{EvenBins, EvenKey};
#[doc(hidden)]
pub use fields::{KernelField, Upload};
pub use function::BucketFn;
#[doc(hidden)]
pub use function::BucketFnExpand;
pub use hash::Hash;
pub use identity::Identity;
pub use lookup::Lookup;
pub use range_bins::RangeBins;
pub use splitters::Splitters;
pub use table::Table;
#[doc(hidden)]
pub use table::{TableArg, TableExpand};

use cubecl::prelude::*;
use std::marker::PhantomData;

/// All that a bucket function's module needs, CubeCL included.
pub mod prelude {
    #[doc(no_inline)]
    pub use super::arith::{
        self, mul_hi, mul_hi_u64, wrapping_mul, wrapping_mul_u64, wrapping_sub, wrapping_sub_u64, zero_unless,
    };
    #[doc(no_inline)]
    pub use super::{BucketFn, Buckets, Table, kernel_fields};
    #[doc(no_inline)]
    pub use crate::{IntKey, Key};
    #[doc(no_inline)]
    pub use cubecl::{self, prelude::*};

    #[doc(hidden)]
    pub use super::BucketFnExpand;
    #[doc(hidden)]
    pub use super::key::{IntKeyOps, KeyOps};
    #[doc(hidden)]
    pub use super::word::Word;
}

/// What the expansion of [`kernel_fields!`](crate::kernel_fields) names.
#[doc(hidden)]
pub mod expansion {
    pub use super::fields::{KernelField, Upload};
    pub use rustc_hash::FxHasher as VariantHasher;
}

/// A promise that kernels rely on for their memory accesses. It names the function that it is for, so that another
/// cannot pass it on as its own.
#[doc(hidden)]
pub struct InRange<F: ?Sized>(PhantomData<F>);

/// Makes it for a function that is known to keep it.
macro_rules! in_range {
    () => {
        fn in_range(&self) -> Option<$crate::bucket::InRange<Self>> {
            Some($crate::bucket::InRange::promise())
        }
    };
}
use in_range;

impl<F: ?Sized> InRange<F> {
    fn promise() -> Self {
        Self(PhantomData)
    }
}

/// The host's side of a bucket function: how many buckets it has, and how its fields reach a kernel. The latter is
/// written by [`kernel_fields!`](crate::kernel_fields).
pub trait Buckets: BucketFn {
    /// The number of buckets, m. Ids are `0..m`.
    fn buckets(&self) -> u32;

    /// Whether to work a bucket out takes longer than to read it: then kernels do it once per key and keep the ids, a
    /// byte for each 4 bytes of keys, in the workspace. A hint; results are the same.
    fn is_costly(&self) -> bool {
        false
    }

    /// That ids are below m whatever the key, so that kernels need not look. Only the functions of this crate can say
    /// so.
    #[doc(hidden)]
    fn in_range(&self) -> Option<InRange<Self>> {
        None
    }

    /// Tells apart kernels that differ in compile-time fields.
    #[doc(hidden)]
    fn kernel_variant(&self) -> u64;

    /// The fields as kernel arguments.
    #[doc(hidden)]
    fn kernel_arg<R: Runtime>(&self, upload: &Upload<'_, R>) -> <Self as LaunchArg>::RuntimeArg<R>;
}
