//! Split data into buckets on GPUs and CPUs, stably, by your own function.
#![cfg_attr(docsrs, feature(doc_cfg))]

/// The CubeCL that bucket functions are written in.
pub use cubecl;

pub mod bucket;
mod buffer;
mod cpu;
mod device;
mod error;
#[cfg(feature = "gpu")]
mod gpu;
#[cfg(feature = "gpu")]
mod kernel_cache;
mod key;
mod method;
mod policy;
pub mod reference;
mod resident;
mod split;
mod value;
mod verbs;

pub use buffer::Buffer;
pub use device::{Device, DeviceInfo, DeviceKind};
pub use error::{Error, Result};
#[cfg(feature = "gpu")]
pub use kernel_cache::cache_kernels;
pub use key::{IntKey, Key};
pub use method::Method;
pub use policy::{MAX_BUCKETS, Policy};
pub use resident::{Offsets, Workspace, gather};
pub use split::{Multisplit, Split};
pub use value::{Column, Columns, Value};
pub use verbs::{argsplit, inverse, split, split_pairs, split_rows};
