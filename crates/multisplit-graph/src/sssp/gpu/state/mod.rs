//! The state of a search in device memory, which the host and the kernels share.

pub(crate) mod buckets;
pub(crate) mod control;
