//! One digit of the bucket id, as a bucket function.

use crate::bucket::Upload;
use crate::bucket::key::Key;
use crate::gpu::function::{AnyArg, AnyFn, Function, any_arg};
use crate::gpu::key::AnyKey;
use crate::request::digits::Digits;
use crate::runtime::variant;
use cubecl::prelude::*;

/// A digit of the ids of `f`, inside a kernel. Run-time fields, so that one kernel serves all passes.
#[derive(CubeType, CubeLaunch)]
#[allow(dead_code)] // what is used is its expansion
pub(crate) struct Digit {
    pub f: AnyFn,
    pub shift: u32,
    pub mask: u32,
    /// Ids out of range go where the last bucket does.
    pub last: u32,
}

#[cube]
impl Digit {
    #[allow(dead_code)]
    fn bucket(&self, key: AnyKey) -> u32 {
        (self.f.bucket(key).min(self.last) >> self.shift) & self.mask
    }
}

/// The same on the host.
pub(crate) struct DigitOf<'f, R: Runtime, K: Key> {
    pub f: &'f dyn Function<R, K>,
    pub digits: Digits,
    pub pass: u32,
}

impl<R: Runtime, K: Key> Function<R, K> for DigitOf<'_, R, K> {
    fn is_costly(&self) -> bool {
        self.f.is_costly()
    }

    fn is_in_range(&self) -> bool {
        true
    }

    fn variant(&self) -> u64 {
        variant(("digit", self.f.variant()))
    }

    fn arg(&self, upload: &Upload<'_, R>) -> AnyArg<R> {
        let Self { f, digits, pass } = self;
        let arg = DigitLaunch::new(f.arg(upload), digits.shift(*pass), digits.mask(), digits.last());
        any_arg::<R, Digit>(arg, |digit, scope, key| digit.__expand_bucket_method(scope, key))
    }
}
