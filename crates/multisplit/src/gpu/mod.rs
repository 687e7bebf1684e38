//! The GPU back end: one set of kernels for every runtime that CubeCL has.

mod blueprint;
mod cube;
mod digit;
mod function;
mod gather;
pub(crate) mod histogram;
mod kernel_api;
mod kernels;
pub(crate) mod limits;
mod links;
mod load;
mod many;
mod offsets;
mod operations;
mod plan;
mod plane;
pub(crate) mod reduced_bit;
mod request;
mod result;
mod runtime;
pub(crate) mod scan_split;
pub(crate) mod segments;
mod selector;
pub(crate) mod sort;
mod split;
mod stage;
pub(crate) mod varying;
mod workspace;

pub(crate) use blueprint::Dialect;
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
pub(crate) use selector::Facts;
pub(crate) use workspace::Arena;

#[cfg(all(test, feature = "cuda"))]
mod cuda_kernels;
#[cfg(all(test, feature = "wgpu"))]
mod tests;
