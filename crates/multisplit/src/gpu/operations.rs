//! The operations on keys of one width, as function pointers.
//!
//! They are generic over the runtime, and over the unsigned integer that is as wide as the keys. A crate that called
//! them would compile them, kernels and all, for itself; called through these tables, they are compiled in this crate,
//! once.

use super::Function;
use super::histogram;
use super::reduced_bit;
use super::request;
use super::request::{Moved, Request, Tracks};
use super::runtime::{Gpu, Slice};
use super::scan_split;
use super::segments;
use super::sort;
use super::sort::differing_bits;
use super::workspace::{Arena, Needs};
use crate::bucket::key::Key;
use crate::error::Result;
use crate::memory::offsets::Offsets;
use crate::ops::split::slices::Outputs;
use crate::request::carry::Carry;
use crate::request::rounds::Rounds;
use crate::request::segments::Segments;
use cubecl::prelude::Runtime;

/// How many columns of 4 and of 8 bytes there are.
type Widths = (usize, usize);

/// The operations of one runtime on keys that are moved as K. Each is described where it is defined.
#[allow(clippy::type_complexity)] // they are the signatures of functions
pub(crate) struct Operations<R: Runtime, K: Key> {
    pub split: fn(&Gpu<R>, &Request<'_, R, K>, usize, &Moved, &mut Offsets, &Arena) -> Result<()>,
    pub split_slices: fn(&Gpu<R>, &Request<'_, R, K>, &[K], Outputs<'_, '_, K>) -> Result<Vec<usize>>,
    pub split_needs: fn(&Gpu<R>, &Request<'_, R, K>, usize, usize) -> Result<Needs>,
    pub segments: fn(&Gpu<R>, &Request<'_, R, K>, Segments<'_>, &Moved, &mut Offsets, &mut Arena) -> Result<()>,
    pub segment_slices: fn(&Gpu<R>, &Request<'_, R, K>, &[K], Segments<'_>, Outputs<'_, '_, K>) -> Result<Vec<usize>>,
    pub segment_needs: fn(&Gpu<R>, &Request<'_, R, K>, usize, usize, usize) -> Result<Needs>,
    pub histogram: fn(&Gpu<R>, &histogram::Request<'_, R, K>, &Slice<K>, usize, &Slice<u32>, u32) -> Result<()>,
    pub histogram_slice: fn(&Gpu<R>, &histogram::Request<'_, R, K>, &[K]) -> Result<Vec<u64>>,
    pub scan_split: fn(&Gpu<R>, &dyn Function<R, K>, u32, Rounds, usize, &Moved, &Slice<u32>, &Arena) -> Result<()>,
    pub reduced_bit: fn(&Gpu<R>, &dyn Function<R, K>, u32, Carry, usize, &Moved, &Slice<u32>, &Arena) -> Result<()>,
    pub sort: fn(&Gpu<R>, &[Request<'_, R, K>], usize, &Moved, &Arena) -> Result<()>,
    pub sort_double: fn(&Gpu<R>, &[Request<'_, R, K>], usize, &Tracks, &Arena) -> Result<()>,
    pub sort_slices: fn(&Gpu<R>, &[Request<'_, R, K>], &[K], Outputs<'_, '_, K>) -> Result<()>,
    pub sort_needs: fn(&Gpu<R>, &[Request<'_, R, K>], usize, usize, Widths) -> Result<Needs>,
}

impl<R: Runtime, K: Key> Operations<R, K> {
    const ALL: Self = Self {
        split: request::enqueue,
        split_slices: request::split_slices,
        split_needs: request::most_needs,
        segments: segments::enqueue,
        segment_slices: segments::split_slices,
        segment_needs: segments::most_needs,
        histogram: histogram::enqueue,
        histogram_slice: histogram::count_slice,
        scan_split: scan_split::enqueue,
        reduced_bit: reduced_bit::enqueue,
        sort: sort::enqueue,
        sort_double: sort::enqueue_double,
        sort_slices: sort::sort_slices,
        sort_needs: sort::needs,
    };
}

/// Keys whose operations are compiled for a runtime.
pub(crate) trait CompiledFor<R: Runtime> {
    fn operations() -> &'static Operations<R, Self::Unsigned>
    where
        Self: Key;

    /// As [`differing_bits::varying`], which needs the order of the keys and so their type.
    fn varying(gpu: &Gpu<R>, keys: &Slice<Self>, n: usize) -> Result<u64>
    where
        Self: Key;
}

macro_rules! compile {
    ($runtime:ty: $($key:ty)*) => {$(
        impl CompiledFor<$runtime> for $key {
            fn operations() -> &'static Operations<$runtime, <$key as Key>::Unsigned> {
                // A static is compiled here; a constant would be wherever this is inlined.
                static ALL: Operations<$runtime, <$key as Key>::Unsigned> = Operations::ALL;
                &ALL
            }

            fn varying(gpu: &Gpu<$runtime>, keys: &Slice<Self>, n: usize) -> Result<u64> {
                differing_bits::varying(gpu, keys, n)
            }
        }
    )*};
}

#[cfg(feature = "cuda")]
compile!(cubecl::cuda::CudaRuntime: u8 u16 u32 i32 u64 i64 f32 f64);
#[cfg(feature = "wgpu")]
compile!(cubecl::wgpu::WgpuRuntime: u8 u16 u32 i32 u64 i64 f32 f64);

impl<R: Runtime> Gpu<R> {
    /// The operations on keys of this type, if the device has it.
    pub fn on<K: Key + CompiledFor<R>>(&self) -> Result<&'static Operations<R, K::Unsigned>> {
        self.check_key::<K>()?;
        Ok(K::operations())
    }
}

/// Keys whose operations are compiled for all runtimes that this crate is built with.
pub(crate) trait Compiled: OnCuda + OnWgpu {}

impl<K: OnCuda + OnWgpu> Compiled for K {}

macro_rules! for_feature {
    ($feature:literal, $trait:ident, $runtime:ty) => {
        #[cfg(feature = $feature)]
        pub(crate) trait $trait: CompiledFor<$runtime> {}
        #[cfg(feature = $feature)]
        impl<K: CompiledFor<$runtime>> $trait for K {}
        #[cfg(not(feature = $feature))]
        pub(crate) trait $trait {}
        #[cfg(not(feature = $feature))]
        impl<K> $trait for K {}
    };
}

for_feature!("cuda", OnCuda, cubecl::cuda::CudaRuntime);
for_feature!("wgpu", OnWgpu, cubecl::wgpu::WgpuRuntime);
