//! Shortest paths from one vertex to all others.
//!
//! [`Sssp::run`] checks the request (`run.rs`), and a strategy finds the distances, on the CPU (`cpu/`) or on a GPU
//! (`gpu/`). Then `outcome/` checks that every distance fits, and finds the predecessors. All strategies find the same
//! distances, bit by bit, and predecessors follow from distances alone; so a strategy only finds distances.

mod cpu;
#[cfg(feature = "gpu")]
mod gpu;
mod outcome;
mod run;

#[cfg(feature = "gpu")]
pub use gpu::DeviceGraph;
pub use outcome::{NO_PREDECESSOR, Paths};
pub use run::{Sssp, auto_delta};
