//! The GPU back end: one set of kernels for every runtime that CubeCL has.

mod blueprint;
mod client;
mod cube;
mod gather;
pub(crate) mod histogram;
mod kernels;
pub(crate) mod limits;
mod load;
mod plan;
mod plane;
mod request;
mod selector;
mod split;
mod stage;

pub(crate) use blueprint::Dialect;
pub(crate) use client::Gpu;
pub(crate) use gather::Gather;
pub(crate) use request::{enqueue, largest_plan, read_result, split_slices};
pub(crate) use selector::Facts;
pub(crate) use split::{GpuWorkspace, result_words};

#[cfg(all(test, feature = "wgpu"))]
mod tests;
