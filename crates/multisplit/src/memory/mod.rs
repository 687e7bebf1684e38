//! Where keys and values are: on a device or on the host, in one column or several.

pub(crate) mod aliasing;
pub(crate) mod allocate;
pub(crate) mod buffer;
pub(crate) mod column;
pub(crate) mod columns;
#[cfg(feature = "cuda")]
pub(crate) mod cuda_view;
#[cfg(feature = "gpu")]
mod handles;
pub(crate) mod large_pages;
pub(crate) mod offsets;
pub(crate) mod region;
#[cfg(feature = "gpu")]
pub(crate) mod result;
pub(crate) mod slice;
pub(crate) mod slice_mut;
mod transfer;
pub(crate) mod value;
