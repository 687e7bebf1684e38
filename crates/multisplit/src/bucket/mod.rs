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
pub use function::{BucketFn, BucketFnExpand};
pub use hash::Hash;
pub use identity::Identity;
pub use lookup::Lookup;
pub use range_bins::RangeBins;
pub use splitters::Splitters;
pub use table::{Table, TableArg, TableExpand};

use cubecl::prelude::*;
use half::{bf16, f16};
use std::marker::PhantomData;

/// All that a bucket function's module needs, CubeCL included.
pub mod prelude {
    pub use super::arith::{
        self, mul_hi, mul_hi_u64, wrapping_mul, wrapping_mul_u64, wrapping_sub, wrapping_sub_u64, zero_unless,
    };
    pub use super::key::{IntKey, IntKeyOps, Key, KeyOps};
    pub use super::word::Word;
    pub use super::{BucketFn, BucketFnExpand, Buckets, Table, kernel_fields};
    pub use cubecl::{self, prelude::*};
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

/// The host's side of a bucket function: how many buckets it has, and how its fields reach a kernel.
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

    /// Tells apart kernels that differ in compile-time fields. Written by [`kernel_fields!`](crate::kernel_fields).
    fn kernel_variant(&self) -> u64;

    /// The fields as kernel arguments. Written by [`kernel_fields!`](crate::kernel_fields).
    fn kernel_arg<R: Runtime>(&self, upload: &Upload<'_, R>) -> <Self as LaunchArg>::RuntimeArg<R>;
}

/// Writes [`Buckets::kernel_arg`] and [`Buckets::kernel_variant`] for a struct that derives `CubeLaunch`: name its
/// fields, in order. Fields marked `#[cube(comptime)]` are marked here too: `kernel_fields!(width, comptime rounds)`.
#[macro_export]
macro_rules! kernel_fields {
    ($($field:ident $($comptime:ident)?),* $(,)?) => {
        fn kernel_arg<R: $crate::cubecl::prelude::Runtime>(
            &self,
            _upload: &$crate::bucket::Upload<'_, R>,
        ) -> <Self as $crate::cubecl::prelude::LaunchArg>::RuntimeArg<R> {
            <<Self as $crate::cubecl::prelude::LaunchArg>::RuntimeArg<R>>::new(
                $($crate::kernel_fields!(@field self _upload $field $($comptime)?)),*
            )
        }

        fn kernel_variant(&self) -> u64 {
            let mut _hasher = $crate::bucket::VariantHasher::default();
            $($crate::kernel_fields!(@variant self _hasher $field $($comptime)?);)*
            ::std::hash::Hasher::finish(&_hasher)
        }
    };
    (@variant $self:ident $hasher:ident comptime $field:ident) => {
        ::std::hash::Hash::hash(&$self.$field, &mut $hasher)
    };
    (@variant $self:ident $hasher:ident $field:ident) => {
        ::std::hash::Hash::hash(&$crate::bucket::KernelField::variant(&$self.$field), &mut $hasher)
    };
    (@field $self:ident $upload:ident comptime $field:ident) => {
        $self.$field.clone()
    };
    (@field $self:ident $upload:ident $field:ident) => {
        $crate::bucket::KernelField::arg(&$self.$field, $upload)
    };
}

/// For [`kernel_fields!`](crate::kernel_fields) alone.
#[doc(hidden)]
pub use rustc_hash::FxHasher as VariantHasher;

/// A value that can be a run-time field of a bucket function: a number, a [`Table`] or another function.
pub trait KernelField: LaunchArg {
    /// What of it, if anything, changes the kernel's code.
    fn variant(&self) -> u64 {
        0
    }

    /// The field as a kernel argument.
    fn arg<R: Runtime>(&self, upload: &Upload<'_, R>) -> Self::RuntimeArg<R>;
}

macro_rules! plain_fields {
    ($($field:ident)*) => {$(
        impl KernelField for $field {
            fn arg<R: Runtime>(&self, _: &Upload<'_, R>) -> $field {
                *self
            }
        }
    )*};
}

plain_fields!(u8 u16 u32 u64 i8 i16 i32 i64 f32 f64);
plain_fields!(f16 bf16);

/// A bucket function can be part of another.
impl<F: Buckets> KernelField for F {
    fn variant(&self) -> u64 {
        self.kernel_variant()
    }

    fn arg<R: Runtime>(&self, upload: &Upload<'_, R>) -> <Self as LaunchArg>::RuntimeArg<R> {
        self.kernel_arg(upload)
    }
}

/// Where a bucket function's tables go: the device that is about to run it.
pub struct Upload<'a, R: Runtime> {
    client: &'a ComputeClient<R>,
    /// Identifies the GPU within this process and its stream, so that a table is uploaded there once. Each stream has
    /// its own, so that none is given back while another stream reads it.
    place: Place,
}

/// A GPU of this process, and one of its streams.
type Place = (usize, u64);

#[cfg(feature = "gpu")]
impl<'a, R: Runtime> Upload<'a, R> {
    pub(crate) fn new(gpu: &'a crate::runtime::Gpu<R>) -> Self {
        Self { client: gpu.client(), place: (gpu.server_id(), gpu.stream().value) }
    }
}
