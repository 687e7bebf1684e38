//! The GPU back end: one set of kernels for every runtime that CubeCL has.

pub(crate) mod bandwidth;
mod double_buffer;
mod function;
mod gather;
mod groups;
pub(crate) mod histogram;
mod invert;
mod kernel_api;
mod key;
mod many;
mod offsets;
mod operations;
pub(crate) mod primitives;
mod published;
pub(crate) mod reduced_bit;
mod request;
pub(crate) mod scan_split;
pub(crate) mod segments;
mod select;
pub(crate) mod sort;
mod split;
mod table;
pub(crate) mod tuning;
mod workspace;

pub(crate) use double_buffer::{DoubleBuffer, DoubleTable};
pub(crate) use function::Function;
pub(crate) use gather::Gather;
pub(crate) use groups::PadGroups;
pub(crate) use invert::Invert;
pub use kernel_api::{KernelApi, KernelWork};
pub use primitives::between_cubes;
pub(crate) use request::Request;
pub(crate) use table::Table;
pub(crate) use workspace::Arena;

#[cfg(all(test, feature = "wgpu"))]
mod tests;
