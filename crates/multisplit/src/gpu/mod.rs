//! The GPU back end: one set of kernels for every runtime that CubeCL has.

mod blueprint;
mod client;
mod cube;
mod digit;
mod function;
mod gather;
pub(crate) mod histogram;
mod kernels;
pub(crate) mod label;
mod lend;
pub(crate) mod limits;
mod links;
mod load;
mod many;
mod offsets;
mod plan;
mod plane;
mod request;
pub(crate) mod scan_split;
pub(crate) mod segments;
mod selector;
pub(crate) mod sort;
mod split;
mod stage;
pub(crate) mod varying;
mod workspace;

pub(crate) use blueprint::Dialect;
pub(crate) use client::Gpu;
pub(crate) use gather::Gather;
pub use lend::{Borrower, Lent};
pub(crate) use request::{enqueue, most_needs, read_result, split_slices};
pub(crate) use selector::Facts;
pub(crate) use split::result_words;
pub(crate) use workspace::GpuWorkspace;

#[cfg(all(test, feature = "wgpu"))]
mod tests;
