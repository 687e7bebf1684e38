//! Building blocks of the loops: vector instructions, prefetching, streaming stores.

pub(crate) mod cache_line;
pub(crate) mod prefetch;
pub(crate) mod simd;
pub(crate) mod stream;
#[cfg(target_arch = "x86_64")]
pub(crate) mod transpose;
