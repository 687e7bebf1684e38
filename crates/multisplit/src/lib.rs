//! Split data into buckets on GPUs and CPUs, stably, by your own function.
//!
//! Multisplit permutes n keys, with any values they carry, into m contiguous buckets: one or up to 2^24. A function of
//! yours names the bucket of a key; within a bucket, elements keep their order.
//!
//! ```
//! use multisplit::{Device, bucket::Delta, split};
//!
//! let device = Device::best(); // CUDA, another GPU, or the CPU
//! let result = split(&device, &[30u32, 5, 20, 11, 2], &Delta::new(0, 10, 4)?)?;
//! assert_eq!(result.keys, [5, 2, 11, 20, 30]);
//! assert_eq!(result.offsets, [0, 2, 3, 4, 5]);
//! # Ok::<(), multisplit::Error>(())
//! ```
//!
//! - On slices: [`split`], [`split_pairs`], [`argsplit`], [`split_rows`]; with options, [`Multisplit`].
//! - Between device buffers, without copies or waiting: [`Multisplit::enqueue`], [`Device::upload`], [`Device::alloc`];
//!   and between slices of them: [`Buffer::slice`], [`Buffer::split_at_mut`].
//! - Two and three parts: [`partition`], [`partition3`], [`select()`], [`select_pairs`].
//! - Many segments at once: [`split_segments`]; with options and between device buffers,
//!   [`Multisplit::split_segments_with`] and [`Multisplit::enqueue_segments`].
//! - Sorts, stable, on splits: [`sort()`], [`sort_pairs`], [`argsort`]; with options and between device buffers,
//!   [`Sort`].
//! - Histograms, of up to 2^24 bins: [`histogram()`], [`histogram_even`], [`histogram_range`]; with options,
//!   [`Histogram`].
//! - Other approaches than multisplit, to compare with: [`approach`].
//! - Bucket functions, built in and your own: [`bucket`].
//! - Bucket functions as text, for your users: [`expression`].
//! - Devices: [`Device`]. GPUs need the features `cuda` (NVIDIA) or `wgpu` (Vulkan, Metal, DX12, WebGPU).
//!
//! Every device and every [`Method`] gives the same result, bit for bit. Whatever goes wrong is an [`Error`].

/// The CubeCL that bucket functions are written in.
pub use cubecl;

pub mod bucket;
mod cpu;
mod device;
mod error;
pub mod expression;
#[cfg(feature = "gpu")]
mod gpu;
pub mod measure;
mod memory;
mod method;
mod ops;
mod request;
mod runtime;
mod unknown_name;

pub use bucket::key::{IntKey, Key};
#[cfg(feature = "gpu")]
pub use device::kernel_cache::{cache_kernels, cache_kernels_of};
pub use device::{Device, DeviceInfo, DeviceKind, MissingBackEnd};
pub use error::{Error, Result};
#[cfg(feature = "gpu")]
#[doc(hidden)]
pub use gpu::{KernelApi, KernelWork, between_cubes};
/// Keys of 16 bits, from the crate `half`.
pub use half::{bf16, f16};
pub use memory::buffer::{Buffer, Side};
pub use memory::column::Column;
pub use memory::columns::Columns;
#[cfg(feature = "cuda")]
pub use memory::cuda_view::CudaView;
pub use memory::offsets::Offsets;
pub use memory::slice::BufferSlice;
pub use memory::slice_mut::BufferSliceMut;
pub use memory::value::Value;
pub use method::{Method, Stage};
pub use ops::approach;
pub use ops::gather::gather;
pub use ops::groups::PaddedGroups;
pub use ops::histogram::{Count, Counts, Histogram, MAX_BINS, histogram, histogram_even, histogram_range};
pub use ops::invert::invert;
pub use ops::segments::{SplitSegments, split_segments};
pub use ops::select::{Selected, partition, partition3, select, select_pairs};
pub use ops::sort::{DoubleColumn, Sort, Sorted, argsort, sort, sort_pairs};
pub use ops::split::Multisplit;
pub use ops::split::functions::{argsplit, inverse, split, split_pairs, split_rows};
pub use ops::split::slices::Split;
pub use ops::workspace::Workspace;
pub use request::policy::{MAX_BUCKETS, Policy};
#[doc(hidden)]
pub use runtime::Slice;
#[cfg(feature = "gpu")]
#[doc(hidden)]
pub use runtime::{AnyKernel, Arg, Argument, Launch, no_kernel_runs};
pub use unknown_name::UnknownName;

/// The examples of the README and of the guides are tests, too.
#[cfg(doctest)]
mod documents {
    #[doc = include_str!("../../../README.md")]
    struct Readme;
    #[doc = include_str!("../../../docs/bucket-functions.md")]
    struct BucketFunctions;
    #[doc = include_str!("../../../docs/device-buffers.md")]
    struct DeviceBuffers;
    #[doc = include_str!("../../../docs/operations.md")]
    struct Operations;
    #[doc = include_str!("../../../docs/threads-and-streams.md")]
    struct ThreadsAndStreams;
}
