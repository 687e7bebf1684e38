//! What kernels are made of.
//!
//! | building block | |
//! |---|---|
//! | `plane` | a plane (warp): votes, counts, prefix sums |
//! | `cube` | a cube (block): waiting for its units, prefix sums over them |
//! | `device_scan` | prefix sums over all cubes |
//! | `tile`, `tile_pipeline` | tiles in shared memory; the next one comes while one is worked on |
//! | `async_copy`, `copy_barrier` | copies to shared memory by the device itself, and how they are waited for |
//! | `inline_ptx` | instructions that CubeCL does not have |
//! | `relaxed` | words that other cubes write to |
//! | `between_cubes` | the same for other crates, and a fence |
//! | `tile_scheduler` | which cube works on which tile |
//! | `tile_sort` | a tile, sorted by bucket in place |
//! | `rank_counters`, `rank_rows`, `shared_atomics` | the counters that rank its keys |
//! | `elements`, `payload` | a key and the values that follow it |
//! | `bucket_runs` | where the runs of a sorted tile go |
//! | `bucket_id`, `digit` | bucket ids in range, and a digit of one |
//! | `next_digit`, `stored_ids` | bucket ids that are kept: for the next pass, for the postscan |
//! | `plane_check` | whether planes have the size that the kernel was compiled for |
//! | `sizes` | the run-time numbers of a split |

pub(crate) mod async_copy;
pub mod between_cubes;
pub(crate) mod bucket_id;
pub(crate) mod bucket_runs;
pub(crate) mod copy_barrier;
pub(crate) mod cube;
pub(crate) mod device_scan;
pub(crate) mod digit;
pub(crate) mod elements;
mod inline_ptx;
pub(crate) mod next_digit;
pub(crate) mod payload;
pub(crate) mod plane;
pub(crate) mod plane_check;
pub(crate) mod rank_counters;
pub(crate) mod rank_rows;
pub(crate) mod relaxed;
pub(crate) mod shared_atomics;
pub(crate) mod sizes;
pub(crate) mod stored_ids;
pub(crate) mod tile;
pub(crate) mod tile_pipeline;
pub(crate) mod tile_scheduler;
pub(crate) mod tile_sort;
