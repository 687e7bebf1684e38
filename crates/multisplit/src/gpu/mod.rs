//! The GPU back end: one set of kernels for every runtime that CubeCL has.

pub(crate) mod bandwidth;
mod function;
mod gather;
pub(crate) mod histogram;
mod kernel_api;
mod many;
mod offsets;
mod operations;
pub(crate) mod primitives;
pub(crate) mod reduced_bit;
mod request;
mod result;
mod runtime;
pub(crate) mod scan_split;
pub(crate) mod segments;
pub(crate) mod sort;
mod split;
pub(crate) mod tuning;
mod workspace;

pub(crate) use function::Function;
pub(crate) use gather::Gather;
pub use kernel_api::{KernelApi, KernelWork};
pub(crate) use operations::Compiled;
pub(crate) use request::{Moved, Request, Track, Tracks};
pub(crate) use result::{read_result, result_words};
#[cfg(feature = "wgpu")]
pub(crate) use runtime::launch;
pub use runtime::{Arg, Argument, Launch};
pub(crate) use runtime::{Gpu, Located, Memory, Place, Server, Slice};
pub(crate) use tuning::blueprint::Dialect;
pub(crate) use tuning::selector::Facts;
pub(crate) use workspace::Arena;

#[cfg(all(test, feature = "cuda"))]
mod cuda_kernels;
#[cfg(all(test, feature = "wgpu"))]
mod tests;
