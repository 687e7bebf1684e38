//! The operations on keys of one width, as function pointers.
//!
//! They are generic over the runtime, and over the unsigned integer that is as wide as the keys. A crate that called
//! them would compile them, kernels and all, for itself; called through these tables, they are compiled in this crate,
//! once.

use super::Function;
use super::double_buffer::DoubleTable;
use super::histogram;
use super::reduced_bit;
use super::request::Request;
use super::scan_split;
use super::segments;
use super::sort;
use super::sort::{SortBy, differing_bits};
use super::split::enqueue as split;
use super::table::Table;
use super::workspace::{Arena, Needs};
use crate::bucket::key::Key;
use crate::error::{Error, Result};
use crate::memory::offsets::Offsets;
use crate::request::carry::Carry;
use crate::request::outputs::Outputs;
use crate::request::rounds::Rounds;
use crate::request::segments::Segments;
use crate::runtime::{Gpu, Slice};
use cubecl::prelude::*;
use std::any::{Any, TypeId};

/// How many columns of 4 and of 8 bytes there are.
type Widths = (usize, usize);

/// The operations of one runtime on keys that are moved as K. Each is described where it is defined.
#[allow(clippy::type_complexity)] // they are the signatures of functions
pub(crate) struct Operations<R: Runtime, K: Key> {
    pub split: fn(&Gpu<R>, &Request<'_, R, K>, usize, &Table, &mut Offsets, &Arena) -> Result<()>,
    pub split_slices: fn(&Gpu<R>, &Request<'_, R, K>, &[K], Outputs<'_, '_, K>) -> Result<Vec<usize>>,
    pub split_needs: fn(&Gpu<R>, &Request<'_, R, K>, usize, usize) -> Result<Needs>,
    pub segments: fn(&Gpu<R>, &Request<'_, R, K>, Segments<'_>, &Table, &mut Offsets, &mut Arena) -> Result<()>,
    pub segment_slices: fn(&Gpu<R>, &Request<'_, R, K>, &[K], Segments<'_>, Outputs<'_, '_, K>) -> Result<Vec<usize>>,
    pub segment_needs: fn(&Gpu<R>, &Request<'_, R, K>, usize, usize, usize) -> Result<Needs>,
    pub histogram: fn(&Gpu<R>, &histogram::Request<'_, R, K>, &Slice<K>, usize, &Slice<u32>, u32) -> Result<()>,
    pub histogram_slice: fn(&Gpu<R>, &histogram::Request<'_, R, K>, &[K]) -> Result<Vec<u64>>,
    pub scan_split: fn(&Gpu<R>, &dyn Function<R, K>, u32, Rounds, usize, &Table, &Slice<u32>, &Arena) -> Result<()>,
    pub reduced_bit: fn(&Gpu<R>, &dyn Function<R, K>, u32, Carry, usize, &Table, &Slice<u32>, &Arena) -> Result<()>,
    pub sort: fn(&Gpu<R>, &SortBy<'_, R, K>, usize, &Table, &Arena) -> Result<()>,
    pub sort_double: fn(&Gpu<R>, &SortBy<'_, R, K>, usize, &DoubleTable, &Arena) -> Result<()>,
    pub sort_slices: fn(&Gpu<R>, &SortBy<'_, R, K>, &[K], Outputs<'_, '_, K>) -> Result<()>,
    pub sort_needs: fn(&Gpu<R>, &SortBy<'_, R, K>, usize, usize, Widths) -> Result<Needs>,
}

impl<R: Runtime, K: Key> Operations<R, K> {
    const ALL: Self = Self {
        split: split::enqueue,
        split_slices: split::split_slices,
        split_needs: split::most_needs,
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
        sort_needs: sort::most_needs,
    };
}

/// Finds the bits in which keys differ; it needs the order of the keys, and so their type.
type DifferingBits<R, K> = fn(&Gpu<R>, &Slice<K>, usize) -> Result<u64>;

/// A runtime that the operations are compiled for.
pub(crate) trait Compiled: Runtime {
    /// The [`Operations`] on keys that are moved as this type.
    fn operations(unsigned: TypeId) -> Option<&'static dyn Any>;
    /// The [`DifferingBits`] of keys of this type.
    fn differing_bits(key: TypeId) -> Option<&'static dyn Any>;
}

macro_rules! compile {
    ($runtime:ty: $($key:ty)*; $($unsigned:ty)*) => {
        impl Compiled for $runtime {
            fn operations(unsigned: TypeId) -> Option<&'static dyn Any> {
                $(if unsigned == TypeId::of::<$unsigned>() {
                    static ALL: Operations<$runtime, $unsigned> = Operations::ALL;
                    return Some(&ALL);
                })*
                None
            }

            fn differing_bits(key: TypeId) -> Option<&'static dyn Any> {
                $(if key == TypeId::of::<$key>() {
                    static FIND: DifferingBits<$runtime, $key> = differing_bits::differing_bits;
                    return Some(&FIND);
                })*
                None
            }
        }
    };
}

#[cfg(all(feature = "cuda", not(test)))]
compile!(cubecl::cuda::CudaRuntime: u8 i8 u16 i16 half::f16 half::bf16 u32 i32 u64 i64 f32 f64; u8 u16 u32 u64);
// Tests in this crate have no keys of 8 or 16 bits: it takes half as long to compile for them.
#[cfg(all(feature = "cuda", test))]
compile!(cubecl::cuda::CudaRuntime: u32 i32 u64 i64 f32 f64; u32 u64);
// WGSL has no integers of 8 or 16 bits.
#[cfg(feature = "wgpu")]
compile!(cubecl::wgpu::WgpuRuntime: u32 i32 u64 i64 f32 f64; u32 u64);

impl<R: Compiled> Gpu<R> {
    /// The operations on keys of this type, if the device has it.
    pub fn on<K: Key>(&self) -> Result<&'static Operations<R, K::Unsigned>> {
        self.check_key::<K>()?;
        let found = R::operations(TypeId::of::<K::Unsigned>()).and_then(|any| any.downcast_ref());
        found.ok_or_else(|| self.lacks_key::<K>())
    }

    /// The bits in which the first `n` keys differ. Waits for it.
    pub fn differing_bits<K: Key>(&self, keys: &Slice<K>, n: usize) -> Result<u64> {
        self.check_key::<K>()?;
        let found = R::differing_bits(TypeId::of::<K>()).and_then(|any| any.downcast_ref::<DifferingBits<R, K>>());
        found.ok_or_else(|| self.lacks_key::<K>())?(self, keys, n)
    }

    /// Whether the device can compute with this key type, and move such keys.
    fn check_key<K: Key>(&self) -> Result<()> {
        let types = [K::as_type_native(), K::Unsigned::as_type_native()];
        let supports = |ty: Option<_>| ty.is_some_and(|ty| self.client().properties().supports_type(ty));
        if types.into_iter().all(supports) { Ok(()) } else { Err(self.lacks_key::<K>()) }
    }

    fn lacks_key<K: Key>(&self) -> Error {
        self.lacks(format!("{} keys", K::NAME))
    }
}
