//! Shortest paths on GPUs.
//!
//! `search` launches the kernel `step` in batches. The state of the search (`state/`) stays on the device, so that the
//! host only looks now and then whether the search is over. Strategies that sort the far pile do so in between
//! (`reorganise`). Multisplit has a kernel of its own, `split_step`. `tuning` has the numbers. Overflow and
//! predecessors are left to the host, which works from the distances alone, as for every strategy.

mod graph;
mod kernels;
mod memory;
mod records;
mod reorganise;
mod search;
mod state;
mod tuning;

pub use graph::DeviceGraph;
pub(super) use search::OnDevice;
pub(super) use tuning::Pile;
