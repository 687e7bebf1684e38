//! The trait that a bucket function implements.
#![allow(missing_docs)] // of what the macro adds

use super::key::Key;
use cubecl::prelude::*;

/// The bucket function itself: one definition that kernels inline and the CPU calls.
///
/// It must be pure (the same key always gives the same bucket) and total: no panic, no endless loop. An id that is
/// not below [`Buckets::buckets`](crate::bucket::Buckets::buckets) is reported as
/// [`Error::BucketOutOfRange`](crate::Error::BucketOutOfRange); it never causes a write out of bounds. To a histogram
/// such a key lies outside the bins, and is counted apart.
///
/// [`Table`](crate::bucket::Table) is safe to look things up in. What CubeCL offers beside it (arrays, shared memory)
/// is not checked in kernels: an index beyond the end there is undefined behaviour, as in any kernel that is launched
/// unchecked.
#[cube]
pub trait BucketFn: CubeType + LaunchArg + Send + Sync + 'static {
    /// The type of the keys.
    type Key: Key;
    /// The bucket of `key`.
    fn bucket(&self, key: Self::Key) -> u32;
}
