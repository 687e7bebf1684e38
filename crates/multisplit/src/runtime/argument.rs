//! Arguments of kernels, and launches that are made of them.

use super::facts::Dialect;
use super::known_kernels::{AnyKernel, KnownKernels};
use super::slice::{Loads, Slice};
use cubecl::frontend::ArrayCompilationArg;
use cubecl::ir::{ElemType, StorageType, Type, UIntKind};
use cubecl::prelude::*;
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};

/// An argument of a kernel: a slice, a number, or a struct of them ([`Arg`]).
#[doc(hidden)]
pub trait Argument<R: Runtime> {
    /// What the code of a kernel depends on.
    type Compiled: Hash;

    /// Adds it to a launch.
    fn register(self, launcher: &mut KernelLauncher<R>) -> Self::Compiled;
}

/// A parameter of type T of a kernel, as CubeCL takes it.
#[doc(hidden)]
pub struct Arg<T: LaunchArg, R: Runtime>(pub T::RuntimeArg<R>);

impl<T: LaunchArg, R: Runtime> Argument<R> for Arg<T, R> {
    type Compiled = T::CompilationArg;

    fn register(self, launcher: &mut KernelLauncher<R>) -> T::CompilationArg {
        T::register(self.0, launcher)
    }
}

/// Arrays as one parameter, of elements of type E in the kernel.
pub(crate) fn sequence<E: CubePrimitive, T, R: Runtime>(
    slices: impl IntoIterator<Item = Slice<T>>,
) -> Arg<Sequence<Array<E>>, R> {
    Arg(slices.into_iter().map(|slice| slice.arg()).collect())
}

macro_rules! numbers {
    ($($number:ident)*) => {$(
        impl<R: Runtime> Argument<R> for $number {
            type Compiled = <$number as LaunchArg>::CompilationArg;

            fn register(self, launcher: &mut KernelLauncher<R>) -> Self::Compiled {
                <$number as LaunchArg>::register(self, launcher)
            }
        }
    )*};
}

numbers!(u32 f32);

impl<T, R: Runtime> Argument<R> for &Slice<T> {
    type Compiled = ArrayCompilationArg;

    fn register(self, launcher: &mut KernelLauncher<R>) -> ArrayCompilationArg {
        register_array(self, 1, launcher)
    }
}

impl<T, R: Runtime> Argument<R> for Slice<T> {
    type Compiled = ArrayCompilationArg;

    fn register(self, launcher: &mut KernelLauncher<R>) -> ArrayCompilationArg {
        (&self).register(launcher)
    }
}

impl<T, R: Runtime> Argument<R> for Loads<T> {
    type Compiled = ArrayCompilationArg;

    fn register(self, launcher: &mut KernelLauncher<R>) -> ArrayCompilationArg {
        register_array(&self.elements, self.width, launcher)
    }
}

/// Registers an array with the size of its elements, or of loads of several: where CubeCL checks bounds, it counts in
/// those.
fn register_array<T, R: Runtime>(
    slice: &Slice<T>,
    width: usize,
    launcher: &mut KernelLauncher<R>,
) -> ArrayCompilationArg {
    let (kind, words) = match size_of::<T>() {
        1 => (UIntKind::U8, 1),
        2 => (UIntKind::U16, 1),
        8 => (UIntKind::U64, 1),
        bytes => (UIntKind::U32, bytes.div_ceil(4)),
    };
    let word = Type::new(StorageType::Scalar(ElemType::UInt(kind)));
    launcher.register_array(slice.arg(), word.with_vector_size(words * width));
    ArrayCompilationArg { inplace: None }
}

/// A launch in the making. For [`launch_kernel!`](crate::launch_kernel) alone.
///
/// Most of it is not inlined: there are some 150 launches, which share it.
#[doc(hidden)]
pub struct Launch<'a, R: Runtime> {
    client: &'a ComputeClient<R>,
    known: &'a KnownKernels,
    dialect: Dialect,
    settings: KernelSettings,
    launcher: KernelLauncher<R>,
    digest: FxHasher,
}

impl<'a, R: Runtime> Launch<'a, R> {
    pub(super) fn new(
        client: &'a ComputeClient<R>,
        known: &'a KnownKernels,
        dialect: Dialect,
        units: CubeDim,
        wide: bool,
    ) -> Self {
        let address = if wide { AddressType::U64 } else { AddressType::U32 };
        let settings = KernelSettings::default().cube_dim(units).address_type(address);
        let launcher = KernelLauncher::new(settings.clone());
        Self { client, known, dialect, settings, launcher, digest: FxHasher::default() }
    }

    /// Adds an argument.
    #[inline(never)]
    pub fn argument<A: Argument<R>>(&mut self, argument: A) -> A::Compiled {
        let compiled = argument.register(&mut self.launcher);
        compiled.hash(&mut self.digest);
        compiled
    }

    /// Adds a compile-time argument.
    #[inline(never)]
    pub fn constant(&mut self, argument: &impl Hash) {
        argument.hash(&mut self.digest);
    }

    /// What a kernel is made of besides its arguments.
    #[inline(never)]
    pub fn settings(&self) -> (KernelSettings, ComputeClient<R>) {
        (self.settings.clone(), self.client.clone())
    }

    /// The kernel to launch, when all arguments have been added.
    pub fn kernel<K: CubeKernel>(&self, kernel: K) -> AnyKernel {
        let id = kernel.id();
        let digest = self.digest.finish();
        self.known
            .find(digest, &id)
            .unwrap_or_else(|| self.known.add(digest, id, KernelId::new::<K>(), self.dialect, Box::new(kernel)))
    }

    /// Submits it.
    ///
    /// # Safety
    /// The kernel stays within its arrays, and ends.
    pub(super) unsafe fn submit(self, cubes: CubeCount, kernel: AnyKernel) {
        // SAFETY: as the caller says.
        unsafe { self.launcher.launch_unchecked(cubes, kernel, self.client) }
    }
}
