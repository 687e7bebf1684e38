//! What kernels are given of a bucket function.

use crate::bucket::{BucketFn, Buckets, Upload};
use cubecl::prelude::*;

/// A bucket function on its way into kernels: a user's, or one that is made of it.
///
/// The host only borrows a user's function, so nothing that it makes can hold one; but the arguments of a kernel can hold
/// the function's.
pub(crate) trait Function {
    /// The function inside a kernel.
    type Kernel: BucketFn;

    /// Whether its ids are kept.
    fn is_costly(&self) -> bool;
    /// Whether its ids are known to be valid.
    fn is_in_range(&self) -> bool;
    /// Tells apart kernels that differ in compile-time fields.
    fn variant(&self) -> u64;
    /// Its fields as kernel arguments.
    fn arg<R: Runtime>(&self, upload: &Upload<'_, R>) -> <Self::Kernel as LaunchArg>::RuntimeArg<R>;
}

/// The keys of a function.
pub(crate) type KeyOf<F> = <<F as Function>::Kernel as BucketFn>::Key;

impl<F: Buckets> Function for F {
    type Kernel = F;

    fn is_costly(&self) -> bool {
        Buckets::is_costly(self)
    }

    fn is_in_range(&self) -> bool {
        self.in_range().is_some()
    }

    fn variant(&self) -> u64 {
        self.kernel_variant()
    }

    fn arg<R: Runtime>(&self, upload: &Upload<'_, R>) -> <F as LaunchArg>::RuntimeArg<R> {
        self.kernel_arg(upload)
    }
}
