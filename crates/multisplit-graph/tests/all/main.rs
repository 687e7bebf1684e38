//! All tests of the library that can share a process.

#[path = "../common/mod.rs"]
mod common;

mod concurrent;
mod formats;
mod generators;
#[cfg(feature = "gpu")]
mod gpu;
mod graphs;
mod odd_files;
mod properties;
mod shortest_paths;
mod written;
