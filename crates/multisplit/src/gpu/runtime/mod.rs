//! The runtime layer: all that talks to CubeCL.
//!
//! - [`client`]: a GPU and one of its streams, which answers with errors instead of panics;
//! - [`memory`]: device memory that knows which streams have used it;
//! - [`argument`]: what kernels are given, and [`launch`]: the one place that launches them;
//! - [`first_run`]: whether a kernel runs at all, seen to the first time;
//! - [`error_lock`]: which thread may ask the device what went wrong.
//!
//! Kernels take [`Slice`]s of that memory, whose lengths are measured. The rules for threads and streams are in
//! `docs/threads-and-streams.md`.

mod argument;
mod client;
mod error_lock;
mod first_run;
mod launch;
mod memory;

pub(crate) use crate::memory::slice::Slice;
pub(crate) use argument::sequence;
pub use argument::{Arg, Argument, Launch};
pub(crate) use client::{Gpu, Located, Place, Server};
pub(crate) use first_run::{Fault, FirstRun, LOST, UNWRITTEN, variant};
pub(crate) use launch::{launch, tile_cubes};
pub(crate) use memory::Memory;
