//! What kernels are given of a bucket function, whichever it is.
//!
//! Kernels are generic over the function, and rustc takes long to compile them. So they are compiled for one type
//! alone, [`AnyFn`], once for each width of keys, in this crate. It holds what builds the code of the real function:
//! kernels for different functions still are different kernels on the device, without a call. Keys of other types than
//! unsigned integers become what they are where the function is called.

use crate::bucket::key::Key;
use crate::bucket::{BucketFn, BucketFnExpand, Buckets, Upload};
use crate::runtime::{Argument, variant};
use cubecl::ir::Scope;
use cubecl::prelude::*;
use std::any::{Any, TypeId, type_name};
use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;
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
    fn arg(&self, upload: &Upload<'_, R>) -> AnyArg<R, K>;
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

    fn arg(&self, upload: &Upload<'_, R>) -> AnyArg<R, <F::Key as Key>::Unsigned> {
        any_arg::<R, F, _>(self.kernel_arg(upload))
    }
}

/// A bucket function inside a kernel.
#[derive(Clone, Copy)]
pub(crate) struct AnyFn<K: Key>(PhantomData<K>);

/// What builds its code.
pub(crate) struct AnyFnExpand<K: Key>(Rc<Build<K>>);

type Build<K> = dyn Fn(&mut Scope, <K as CubeType>::ExpandType) -> <u32 as CubeType>::ExpandType;

impl<K: Key> CubeType for AnyFn<K> {
    type ExpandType = AnyFnExpand<K>;
}

impl<K: Key> Clone for AnyFnExpand<K> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<K: Key> IntoMut for AnyFnExpand<K> {
    fn into_mut(self, _: &mut Scope) -> Self {
        self
    }
}

impl<K: Key> CubeDebug for AnyFnExpand<K> {}

impl<K: Key> BucketFn for AnyFn<K> {
    type Key = K;

    fn bucket(&self, _: K) -> u32 {
        unreachable!("it is made inside kernels only")
    }
}

impl<K: Key> BucketFnExpand for AnyFnExpand<K> {
    type Key = K;

    fn __expand_bucket_method(
        self,
        scope: &mut Scope,
        key: <K as CubeType>::ExpandType,
    ) -> <u32 as CubeType>::ExpandType {
        (self.0)(scope, key)
    }
}

/// The arguments of a function for a launch: registers them, and says what its code depends on.
pub(crate) type AnyArg<R, K> = Box<dyn FnOnce(&mut KernelLauncher<R>) -> AnyCompilationArg<K> + Send + Sync>;

/// Makes it of the arguments of a function whose keys are moved as K, which is as wide.
pub(super) fn any_arg<R: Runtime, F: BucketFn, K: Key>(arg: F::RuntimeArg<R>) -> AnyArg<R, K> {
    Box::new(move |launcher| {
        let compiled = Compiled::<F>(F::register(arg, launcher));
        // By name: kernels that are kept on disk are looked for by this, in another process.
        let digest = variant((type_name::<F>(), &compiled.0));
        AnyCompilationArg { digest, compiled: Arc::new(compiled) }
    })
}

/// What the code of a function depends on.
#[derive(Clone)]
pub(crate) struct AnyCompilationArg<K: Key> {
    /// A hash, made once: CubeCL looks for a kernel several times in each launch.
    digest: u64,
    compiled: Arc<dyn AnyCompiled<K>>,
}

/// The same of a function that is known.
struct Compiled<F: BucketFn>(F::CompilationArg);

trait AnyCompiled<K: Key>: Any + Send + Sync {
    fn expand(&self, builder: &mut KernelBuilder) -> AnyFnExpand<K>;
    fn equals(&self, other: &dyn Any) -> bool;
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result;
}

impl<F: BucketFn, K: Key> AnyCompiled<K> for Compiled<F> {
    fn expand(&self, builder: &mut KernelBuilder) -> AnyFnExpand<K> {
        let f = F::expand(&self.0, builder);
        AnyFnExpand(Rc::new(move |scope, key| {
            let key = typed::<K, F::Key>(scope, key);
            f.clone().__expand_bucket_method(scope, key)
        }))
    }

    fn equals(&self, other: &dyn Any) -> bool {
        other.downcast_ref::<Self>().is_some_and(|other| self.0 == other.0)
    }

    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}({:?})", type_name::<F>(), self.0)
    }
}

/// A key in the type of its function, inside a kernel.
fn typed<K: Key, T: Key>(scope: &mut Scope, key: NativeExpand<K>) -> NativeExpand<T> {
    if TypeId::of::<K>() == TypeId::of::<T>() { key.expand.into() } else { T::__expand_reinterpret(scope, key) }
}

impl<K: Key> PartialEq for AnyCompilationArg<K> {
    fn eq(&self, other: &Self) -> bool {
        let compiled: &dyn Any = &*other.compiled;
        self.digest == other.digest && self.compiled.equals(compiled)
    }
}

impl<K: Key> Eq for AnyCompilationArg<K> {}

impl<K: Key> Hash for AnyCompilationArg<K> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.digest);
    }
}

impl<K: Key> fmt::Debug for AnyCompilationArg<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.compiled.fmt(f)
    }
}

impl<R: Runtime, K: Key> Argument<R> for AnyArg<R, K> {
    type Compiled = AnyCompilationArg<K>;

    fn register(self, launcher: &mut KernelLauncher<R>) -> AnyCompilationArg<K> {
        self(launcher)
    }
}

impl<K: Key> LaunchArg for AnyFn<K> {
    type RuntimeArg<R: Runtime> = AnyArg<R, K>;
    type CompilationArg = AnyCompilationArg<K>;

    fn register<R: Runtime>(arg: AnyArg<R, K>, launcher: &mut KernelLauncher<R>) -> AnyCompilationArg<K> {
        arg(launcher)
    }

    fn expand(arg: &AnyCompilationArg<K>, builder: &mut KernelBuilder) -> AnyFnExpand<K> {
        arg.compiled.expand(builder)
    }
}
