//! Bucket functions: which bucket a key belongs to.
//!
//! Built in are [`Delta`] (equal-width ranges), [`Identity`], [`BitWindow`], [`Digit`], [`Splitters`], [`Lookup`] and
//! [`struct@Hash`]; for histograms, [`EvenBins`] and [`RangeBins`], which leave keys outside their range without a
//! bin. Your own is a function with an attribute, [`bucket_function`]:
//!
//! ```
//! use multisplit::bucket::prelude::*;
//! use multisplit::{Device, split};
//!
//! /// Keys by their remainder.
//! #[bucket_function(buckets = divisor)]
//! fn modulo(key: u32, divisor: u32) -> u32 {
//!     key % divisor
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
//!
//! # In full
//!
//! The attribute writes a struct and its traits. Write them yourself for a struct with private fields, a constructor
//! that checks them, or a number of buckets that takes more than an expression: the struct with the run-time values,
//! [`BucketFn`] with the function, and [`Buckets`] with their number.
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
//! # Ok::<(), multisplit::Error>(())
//! ```

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
mod loops;
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

/// Makes a bucket function of a plain one.
///
/// The function takes a key and, after it, the values that it needs. It becomes a struct: named as the function, in
/// upper camel case, with these values as fields, and as visible as the function. The [`prelude`] must be imported as a
/// whole, `use multisplit::bucket::prelude::*`: the body is compiled for GPUs with what is in it. It needs no other
/// dependency than this crate.
///
/// ```
/// use multisplit::bucket::prelude::*;
/// use multisplit::{Device, split};
///
/// /// Customers by their region, those from `vip_from` on apart.
/// #[bucket_function(buckets = 2 * regions)]
/// fn by_region(key: u32, regions: u32, vip_from: u32, region_of: &Table<u32>) -> u32 {
///     let mut bucket = region_of.get(key);
///     if key >= vip_from {
///         bucket += regions;
///     }
///     bucket
/// }
///
/// let f = ByRegion { regions: 2, vip_from: 3, region_of: Table::new([1, 0, 1, 0])? };
/// assert_eq!(split(&Device::cpu(), &[0, 1, 2, 3], &f)?.keys, [1, 0, 2, 3]);
/// # Ok::<(), multisplit::Error>(())
/// ```
///
/// # Options
///
/// - `buckets = …`: the number of buckets, any expression of the fields. Ids that are not below it are reported, as
///   [`BucketFn`] says.
/// - `costly`: to work a bucket out takes longer than to read it ([`Buckets::is_costly`]).
/// - `name = …`: the struct's name, if it is not the function's.
///
/// # Parameters
///
/// - The key is the first, by value. Its type is a [`Key`](crate::Key).
/// - Numbers (`u8 u16 u32 u64 i32 i64 f32 f64`) are passed by value, [`Table`]s and other bucket functions by
///   reference; the struct owns them all. Kernels are compiled once for all their values.
/// - `#[comptime] rounds: u32` is known when a kernel is compiled, which is compiled anew for each value. It is of any
///   type that is `Copy`, `Debug`, `Eq` and `Hash`.
/// - A comment on a parameter is that of the field.
///
/// ```
/// use multisplit::bucket::prelude::*;
/// use multisplit::bucket::Delta;
///
/// #[bucket_function(buckets = ranges.buckets(), costly)]
/// fn mixed(
///     key: u32,
///     /// What mixed keys are split into.
///     ranges: &Delta<u32>,
///     /// How often they are mixed.
///     #[comptime] rounds: u32,
/// ) -> u32 {
///     let mut mixed = key;
///     #[unroll]
///     for _ in 0..rounds {
///         mixed = wrapping_mul(mixed ^ (mixed >> 15), 0x2c1b_3c6d);
///     }
///     ranges.bucket(mixed)
/// }
///
/// let f = Mixed { ranges: Delta::whole(8)?, rounds: 2 };
/// assert!(f.bucket(12345) < 8);
/// # Ok::<(), multisplit::Error>(())
/// ```
///
/// # Attributes
///
/// Comments and attributes of the function are the struct's, `derive` among them, if they come after this one. `inline`
/// stays with the body. The body has no `return`.
///
/// # Generic functions
///
/// A function can be generic over the type of its keys, or over another function. If no field is of the type, the
/// struct is made by `new`, with the fields in order.
///
/// ```
/// use multisplit::bucket::prelude::*;
/// use multisplit::{Device, split};
///
/// #[bucket_function(buckets = 2)]
/// fn at_least<K: Key>(key: K, limit: K) -> u32 {
///     zero_unless(key >= limit, 1)
/// }
///
/// #[bucket_function(buckets = m)]
/// fn remainder<K: IntKey>(key: K, m: u32) -> u32 {
///     K::index(key) % m
/// }
///
/// assert_eq!(split(&Device::cpu(), &[2.5f32, 0.5], &AtLeast { limit: 1.0 })?.keys, [0.5, 2.5]);
/// assert_eq!(split(&Device::cpu(), &[7i64, 9, 5], &Remainder::new(3))?.keys, [9, 7, 5]);
/// # Ok::<(), multisplit::Error>(())
/// ```
pub use multisplit_macros::bucket_function;

use crate::cpu::Loops;
use cubecl::prelude::*;
use std::marker::PhantomData;

/// All that a bucket function's module needs, CubeCL included.
pub mod prelude {
    #[doc(no_inline)]
    pub use super::arith::{
        self, mul_hi, mul_hi_u64, wrapping_mul, wrapping_mul_u64, wrapping_sub, wrapping_sub_u64, zero_unless,
    };
    #[doc(no_inline)]
    pub use super::{BucketFn, Buckets, Table, bucket_function, kernel_fields};
    #[doc(no_inline)]
    pub use crate::{IntKey, Key};
    #[doc(no_inline)]
    pub use cubecl::{self, prelude::*};

    #[doc(hidden)]
    pub use super::BucketFnExpand;
    #[doc(hidden)]
    pub use super::expansion as __multisplit_bucket_prelude;
    #[doc(hidden)]
    pub use super::key::{IntKeyOps, KeyOps};
    #[doc(hidden)]
    pub use super::word::Word;
}

/// What the expansions of [`bucket_function`] and [`kernel_fields!`](crate::kernel_fields) name.
#[doc(hidden)]
pub mod expansion {
    pub use super::fields::{KernelField, Upload};
    pub use super::{BucketFn, BucketFnExpand, Buckets};
    pub use cubecl::prelude::{
        CubeDebug, CubeType, IntoMut, KernelBuilder, KernelLauncher, LaunchArg, Runtime, Scope, cube,
    };
    pub use rustc_hash::FxHasher as VariantHasher;
    pub use std::clone::Clone;
    pub use std::hash::{Hash, Hasher};
    pub use std::marker::PhantomData;
}

/// A promise that kernels rely on for their memory accesses. It names the function that it is for, so that another
/// cannot pass it on as its own.
#[doc(hidden)]
pub struct InRange<F: ?Sized>(PhantomData<F>);

/// Makes it for a function that is known to keep it, and says whether computing an id takes as short as storing it.
macro_rules! in_range {
    () => {
        fn in_range(&self) -> Option<$crate::bucket::InRange<Self>> {
            Some($crate::bucket::InRange::promise())
        }
    };
    (cheap) => {
        $crate::bucket::in_range!();

        fn is_cheap(&self) -> bool {
            true
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

    /// That ids are below m whatever the key, so that kernels need not look, and the same whenever they are computed.
    /// Only the functions of this crate can say so.
    #[doc(hidden)]
    fn in_range(&self) -> Option<InRange<Self>> {
        None
    }

    /// Whether the CPU may compute an id once more instead of storing it, if this is [`in_range`](Self::in_range), too.
    #[doc(hidden)]
    fn is_cheap(&self) -> bool {
        false
    }

    /// Tells apart kernels that differ in compile-time fields.
    #[doc(hidden)]
    fn kernel_variant(&self) -> u64;

    /// Bytes of tables that kernels copy to shared memory if they have room.
    #[doc(hidden)]
    fn kernel_large_tables(&self) -> u32 {
        0
    }

    /// The same function in parts, in order, with the first bucket of each; none if it has no parts. A part counts its
    /// buckets from 0. Keys of the others have an id out of range there.
    #[doc(hidden)]
    fn kernel_parts(&self) -> &[(u32, Self)]
    where
        Self: Sized,
    {
        &[]
    }

    /// What computes the buckets of keys on the CPU. It is compiled in the crate of the bucket function, or in the first
    /// one that knows the type of the keys.
    #[doc(hidden)]
    fn loops(&self) -> Loops<'_>
    where
        Self: Sized,
    {
        Loops::each(self)
    }

    /// The fields as kernel arguments.
    #[doc(hidden)]
    fn kernel_arg<R: Runtime>(&self, upload: &Upload<'_, R>) -> <Self as LaunchArg>::RuntimeArg<R>;
}
