//! Keys inside kernels.
//!
//! Kernels move keys as unsigned integers, and have bucket functions look at them. So they need not be compiled for
//! each type, nor for each width: that is known when a kernel is built, from the launch.

use crate::bucket::key::Key;
use crate::runtime::Argument;
use cubecl::ir::{Scope, StorageType};
use cubecl::prelude::*;

/// What a kernel calls a key: an unsigned integer of the width that its [`KeyWidth`] says.
pub(crate) type AnyKey = DynamicScalar<KeyWidth>;

/// How wide the keys of a launch are. A kernel with keys has it for its first parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct KeyWidth(StorageType);

impl KeyWidth {
    /// The width of keys of this type.
    pub fn of<K: Key>() -> Self {
        Self(K::Unsigned::as_type_native_unchecked().storage_type())
    }
}

impl CubeType for KeyWidth {
    type ExpandType = ();
}

impl LaunchArg for KeyWidth {
    type RuntimeArg<R: Runtime> = Self;
    type CompilationArg = Self;

    fn register<R: Runtime>(arg: Self, launcher: &mut KernelLauncher<R>) -> Self {
        launcher.with_scope(|scope| scope.register_type::<AnyKey>(arg.0));
        arg
    }

    fn expand(arg: &Self, builder: &mut KernelBuilder) {
        builder.scope.register_type::<AnyKey>(arg.0);
    }
}

impl<R: Runtime> Argument<R> for KeyWidth {
    type Compiled = Self;

    fn register(self, launcher: &mut KernelLauncher<R>) -> Self {
        <Self as LaunchArg>::register(self, launcher)
    }
}

/// A key in the type of its function, inside a kernel.
pub(super) fn typed<T: Key>(scope: &mut Scope, key: NativeExpand<AnyKey>) -> NativeExpand<T> {
    if AnyKey::as_type(scope) == T::as_type(scope) { key.expand.into() } else { T::__expand_reinterpret(scope, key) }
}
