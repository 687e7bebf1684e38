//! The runtime layer: all that talks to CubeCL.
//!
//! - [`server`]: a GPU, which answers with errors instead of panics, and [`client`]: one of its streams;
//! - [`memory`]: device memory that knows which streams have used it, [`allocation`]: where it comes from, and
//!   [`foreign`]: that of other code;
//! - [`host_io`]: copies from and to the host, and [`copy`]: copies within the device;
//! - [`argument`]: what kernels are given, and [`launch`]: the one place that launches them;
//! - [`known_kernels`]: what has been launched before; [`scalars`]: run-time numbers of kernels, read once;
//! - [`first_run`]: whether a kernel runs at all, seen to the first time;
//! - [`wait`]: which thread waits for the device;
//! - [`error_lock`]: which thread may ask the device what went wrong.
//!
//! Kernels take [`Slice`]s of that memory, whose lengths are measured. The rules for threads and streams are in
//! `docs/threads-and-streams.md`.

#[cfg(feature = "gpu")]
mod allocation;
#[cfg(feature = "gpu")]
mod argument;
#[cfg(feature = "gpu")]
mod client;
#[cfg(feature = "gpu")]
mod copy;
#[cfg(feature = "gpu")]
mod error_lock;
#[cfg(feature = "gpu")]
mod facts;
#[cfg(feature = "gpu")]
mod first_run;
#[cfg(feature = "cuda")]
mod foreign;
#[cfg(feature = "gpu")]
mod host_io;
#[cfg(feature = "gpu")]
mod kernels;
#[cfg(feature = "gpu")]
mod known_kernels;
#[cfg(feature = "gpu")]
mod launch;
#[cfg(feature = "gpu")]
mod memory;
#[cfg(feature = "gpu")]
mod scalars;
#[cfg(feature = "gpu")]
mod server;
mod slice;
#[cfg(feature = "gpu")]
mod wait;

#[cfg(feature = "gpu")]
pub use argument::{Arg, Argument, Launch};
#[cfg(feature = "gpu")]
pub use first_run::no_kernel_runs;
#[cfg(feature = "gpu")]
pub use known_kernels::AnyKernel;
pub use slice::Slice;
#[cfg(feature = "gpu")]
pub(crate) use {
    allocation::{Located, Place},
    argument::sequence,
    client::Gpu,
    copy::Span,
    facts::{Dialect, Facts},
    first_run::{Fault, FirstRun, LOST, UNWRITTEN, variant},
    launch::{launch, tile_cubes},
    memory::{Access, Memory},
    server::Server,
};
