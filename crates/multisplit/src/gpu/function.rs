//! What kernels are given of a bucket function, whichever it is.
//!
//! rustc takes long to compile kernels. So they are not generic over the function, but take one type alone, [`AnyFn`].
//! It holds what builds the code of the real function: kernels for different functions still are different kernels on
//! the device, without a call. Keys, which kernels move as [`AnyKey`], become what they are where the function is
//! called.

use super::key::{AnyKey, typed};
use crate::bucket::key::Key;
use crate::bucket::{BucketFnExpand, Buckets, Upload};
use crate::runtime::{Argument, variant};
use cubecl::ir::Scope;
use cubecl::prelude::*;
use std::any::{Any, TypeId, type_name};
use std::fmt;
use std::hash::{Hash, Hasher};
use std::rc::Rc;
use std::sync::Arc;

/// A bucket function on its way into kernels that move its keys as K: a user's, or one that is made of it.
pub(crate) trait Function<R: Runtime, K: Key> {
    /// Whether its ids are kept.
    fn is_costly(&self) -> bool;
    /// Whether its ids are known to be valid.
    fn is_in_range(&self) -> bool;
    /// Tells apart functions whose kernels differ.
    fn variant(&self) -> u64;
    /// Bytes of its tables that kernels copy to shared memory if they have room.
    fn large_tables(&self) -> u32 {
        0
    }
    /// The same in parts, in order, each with its first bucket and the number of its buckets; see
    /// [`Buckets::kernel_parts`].
    fn parts(&self) -> Vec<(u32, u32, &dyn Function<R, K>)> {
        Vec::new()
    }
    /// Its fields as kernel arguments.
    fn arg(&self, upload: &Upload<'_, R>) -> AnyArg<R>;
}

impl<R: Runtime, F: Buckets> Function<R, <F::Key as Key>::Unsigned> for F {
    fn is_costly(&self) -> bool {
        Buckets::is_costly(self)
    }

    fn is_in_range(&self) -> bool {
        self.in_range().is_some()
    }

    fn variant(&self) -> u64 {
        variant((TypeId::of::<F>(), self.kernel_variant()))
    }

    fn large_tables(&self) -> u32 {
        self.kernel_large_tables()
    }

    fn parts(&self) -> Vec<(u32, u32, &dyn Function<R, <F::Key as Key>::Unsigned>)> {
        self.kernel_parts().iter().map(|(first, part)| (*first, part.buckets(), part as _)).collect()
    }

    fn arg(&self, upload: &Upload<'_, R>) -> AnyArg<R> {
        any_arg::<R, F>(self.kernel_arg(upload), |f, scope, key| {
            let key = typed::<F::Key>(scope, key);
            f.__expand_bucket_method(scope, key)
        })
    }
}

/// A bucket function inside a kernel.
#[derive(Clone, Copy)]
pub(crate) struct AnyFn;

/// What builds its code.
#[derive(Clone)]
pub(crate) struct AnyFnExpand(Rc<Build>);

type Build = dyn Fn(&mut Scope, NativeExpand<AnyKey>) -> NativeExpand<u32>;

impl CubeType for AnyFn {
    type ExpandType = AnyFnExpand;
}

impl IntoMut for AnyFnExpand {
    fn into_mut(self, _: &mut Scope) -> Self {
        self
    }
}

impl CubeDebug for AnyFnExpand {}

impl AnyFn {
    /// The bucket of a key.
    pub fn bucket(&self, _: AnyKey) -> u32 {
        unreachable!("it is made inside kernels only")
    }
}

impl AnyFnExpand {
    pub fn __expand_bucket_method(&self, scope: &mut Scope, key: NativeExpand<AnyKey>) -> NativeExpand<u32> {
        (self.0)(scope, key)
    }
}

/// The arguments of a function for a launch: registers them, and says what its code depends on.
pub(crate) type AnyArg<R> = Box<dyn FnOnce(&mut KernelLauncher<R>) -> AnyCompilationArg + Send + Sync>;

/// Builds the code that calls a function of type F.
type Call<F> = fn(<F as CubeType>::ExpandType, &mut Scope, NativeExpand<AnyKey>) -> NativeExpand<u32>;

/// Makes it of the arguments of a function, and of what calls it.
pub(super) fn any_arg<R: Runtime, F: LaunchArg>(arg: F::RuntimeArg<R>, call: Call<F>) -> AnyArg<R> {
    Box::new(move |launcher| {
        let compiled = Compiled::<F> { arg: F::register(arg, launcher), call };
        // By name: kernels that are kept on disk are looked for by this, in another process.
        let digest = variant((type_name::<F>(), &compiled.arg));
        AnyCompilationArg { digest, compiled: Arc::new(compiled) }
    })
}

/// What the code of a function depends on.
#[derive(Clone)]
pub(crate) struct AnyCompilationArg {
    /// A hash, made once: CubeCL looks for a kernel several times in each launch.
    digest: u64,
    compiled: Arc<dyn AnyCompiled>,
}

/// The same of a function that is known.
struct Compiled<F: LaunchArg> {
    arg: F::CompilationArg,
    call: Call<F>,
}

trait AnyCompiled: Any + Send + Sync {
    fn expand(&self, builder: &mut KernelBuilder) -> AnyFnExpand;
    fn equals(&self, other: &dyn Any) -> bool;
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result;
}

impl<F: LaunchArg> AnyCompiled for Compiled<F> {
    fn expand(&self, builder: &mut KernelBuilder) -> AnyFnExpand {
        let (f, call) = (F::expand(&self.arg, builder), self.call);
        AnyFnExpand(Rc::new(move |scope, key| call(f.clone(), scope, key)))
    }

    fn equals(&self, other: &dyn Any) -> bool {
        other.downcast_ref::<Self>().is_some_and(|other| self.arg == other.arg)
    }

    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}({:?})", type_name::<F>(), self.arg)
    }
}

impl PartialEq for AnyCompilationArg {
    fn eq(&self, other: &Self) -> bool {
        let compiled: &dyn Any = &*other.compiled;
        self.digest == other.digest && self.compiled.equals(compiled)
    }
}

impl Eq for AnyCompilationArg {}

impl Hash for AnyCompilationArg {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.digest);
    }
}

impl fmt::Debug for AnyCompilationArg {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.compiled.fmt(f)
    }
}

impl<R: Runtime> Argument<R> for AnyArg<R> {
    type Compiled = AnyCompilationArg;

    fn register(self, launcher: &mut KernelLauncher<R>) -> AnyCompilationArg {
        self(launcher)
    }
}

impl LaunchArg for AnyFn {
    type RuntimeArg<R: Runtime> = AnyArg<R>;
    type CompilationArg = AnyCompilationArg;

    fn register<R: Runtime>(arg: AnyArg<R>, launcher: &mut KernelLauncher<R>) -> AnyCompilationArg {
        arg(launcher)
    }

    fn expand(arg: &AnyCompilationArg, builder: &mut KernelBuilder) -> AnyFnExpand {
        arg.compiled.expand(builder)
    }
}
