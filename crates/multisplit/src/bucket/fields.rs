//! How the fields of a bucket function reach a kernel.

use super::Buckets;
use cubecl::prelude::*;
use half::{bf16, f16};

/// Writes the hidden part of [`Buckets`](crate::bucket::Buckets) for a struct that derives `CubeLaunch`: name its
/// fields, in order. Fields marked `#[cube(comptime)]` are marked here too: `kernel_fields!(width, comptime rounds)`.
#[macro_export]
macro_rules! kernel_fields {
    ($($field:ident $($comptime:ident)?),* $(,)?) => {
        fn kernel_arg<R: $crate::cubecl::prelude::Runtime>(
            &self,
            _upload: &$crate::bucket::expansion::Upload<'_, R>,
        ) -> <Self as $crate::cubecl::prelude::LaunchArg>::RuntimeArg<R> {
            <<Self as $crate::cubecl::prelude::LaunchArg>::RuntimeArg<R>>::new(
                $($crate::kernel_fields!(@field self _upload $field $($comptime)?)),*
            )
        }

        fn kernel_variant(&self) -> u64 {
            let mut _hasher = $crate::bucket::expansion::VariantHasher::default();
            $($crate::kernel_fields!(@variant self _hasher $field $($comptime)?);)*
            ::std::hash::Hasher::finish(&_hasher)
        }

        fn kernel_large_tables(&self) -> u32 {
            0 $(+ $crate::kernel_fields!(@large self $field $($comptime)?))*
        }
    };
    (@large $self:ident comptime $field:ident) => {
        0
    };
    (@large $self:ident $field:ident) => {
        $crate::bucket::expansion::KernelField::large_tables(&$self.$field)
    };
    (@variant $self:ident $hasher:ident comptime $field:ident) => {
        ::std::hash::Hash::hash(&$self.$field, &mut $hasher)
    };
    (@variant $self:ident $hasher:ident $field:ident) => {
        ::std::hash::Hash::hash(&$crate::bucket::expansion::KernelField::variant(&$self.$field), &mut $hasher)
    };
    (@field $self:ident $upload:ident comptime $field:ident) => {
        $self.$field.clone()
    };
    (@field $self:ident $upload:ident $field:ident) => {
        $crate::bucket::expansion::KernelField::arg(&$self.$field, $upload)
    };
}

/// A value that can be a run-time field of a bucket function: a number, a [`Table`](super::Table) or another function.
#[doc(hidden)]
pub trait KernelField: LaunchArg {
    /// What of it, if anything, changes the kernel's code.
    fn variant(&self) -> u64 {
        0
    }

    /// Bytes of its tables that kernels copy to shared memory if they have room.
    fn large_tables(&self) -> u32 {
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

plain_fields!(u8 u16 u32 u64 i8 i16 i32 i64 f16 bf16 f32 f64);

/// A bucket function can be part of another.
impl<F: Buckets> KernelField for F {
    fn variant(&self) -> u64 {
        self.kernel_variant()
    }

    fn large_tables(&self) -> u32 {
        self.kernel_large_tables()
    }

    fn arg<R: Runtime>(&self, upload: &Upload<'_, R>) -> <Self as LaunchArg>::RuntimeArg<R> {
        self.kernel_arg(upload)
    }
}

/// Where a bucket function's tables go: the device that is about to run it.
#[doc(hidden)]
pub struct Upload<'a, R: Runtime> {
    pub(super) client: &'a ComputeClient<R>,
    /// Identifies the GPU within this process and its stream, so that a table is uploaded there once. Each stream has
    /// its own, so that none is given back while another stream reads it.
    pub(super) place: Place,
    /// Whether the kernel has room for large tables in shared memory.
    pub(super) room: bool,
}

/// A GPU of this process, and one of its streams.
pub(super) type Place = (usize, u64);

#[cfg(feature = "gpu")]
impl<'a, R: Runtime> Upload<'a, R> {
    pub(crate) fn new(gpu: &'a crate::runtime::Gpu<R>) -> Self {
        Self { client: gpu.client(), place: (gpu.server_id(), gpu.stream().value), room: false }
    }

    /// For a kernel that has room for large tables in shared memory, or has none.
    pub(crate) fn with_room(self, room: bool) -> Self {
        Self { room, ..self }
    }
}
