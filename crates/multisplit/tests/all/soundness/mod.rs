//! What safe code could get wrong once: threads, streams, reused memory, odd handles, functions that change their mind.

mod devices;
mod fickle;
#[cfg(any(feature = "cuda", feature = "wgpu"))]
mod handles;
mod reuse;
mod streams;
mod threads;
