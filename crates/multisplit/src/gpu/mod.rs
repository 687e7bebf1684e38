//! The GPU back end: one set of kernels for every runtime that CubeCL has.

pub(crate) mod blueprint;
mod client;
pub(crate) mod cube;
pub(crate) mod kernels;
mod launch;
mod plan;
pub(crate) mod plane;
mod selector;

pub(crate) use client::Gpu;
pub(crate) use launch::{Gather, GpuColumn, GpuWorkspace, Job, result_words, split};
pub(crate) use plan::Plan;
pub(crate) use selector::{Facts, Load};

#[cfg(all(test, feature = "wgpu"))]
mod tests;
