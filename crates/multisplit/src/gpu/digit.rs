//! One digit of the bucket id, as a bucket function.

use super::function::Function;
use crate::bucket::{BucketFn, BucketFnExpand, Buckets, Upload};
use crate::digits::Digits;
use cubecl::prelude::*;

/// A digit of the ids of `f`, inside a kernel. Run-time fields, so that one kernel serves all passes.
#[derive(CubeType, CubeLaunch)]
pub(crate) struct Digit<F: BucketFn> {
    f: F,
    shift: u32,
    mask: u32,
    /// Ids out of range go where the last bucket does.
    last: u32,
}

#[cube]
impl<F: BucketFn> BucketFn for Digit<F> {
    type Key = F::Key;
    fn bucket(&self, key: F::Key) -> u32 {
        (self.f.bucket(key).min(self.last) >> self.shift) & self.mask
    }
}

/// The same on the host.
pub(crate) struct DigitOf<'f, F> {
    pub f: &'f F,
    pub digits: Digits,
    pub pass: u32,
}

impl<F: Buckets> Function for DigitOf<'_, F> {
    type Kernel = Digit<F>;

    fn is_costly(&self) -> bool {
        Buckets::is_costly(self.f)
    }

    fn is_in_range(&self) -> bool {
        true
    }

    fn variant(&self) -> u64 {
        self.f.kernel_variant()
    }

    fn arg<R: Runtime>(&self, upload: &Upload<'_, R>) -> <Digit<F> as LaunchArg>::RuntimeArg<R> {
        let Self { f, digits, pass } = self;
        DigitLaunch::new(f.kernel_arg(upload), digits.shift(*pass), digits.mask(), digits.last())
    }
}
