//! The kernels of shortest paths.
//!
//! [`step`] is the near-far search: it takes the near vertices and relaxes their arcs ([`relax`]), tile by tile.
//! Vertices that come nearer go to queues by way of shared memory ([`queues`]). [`split_step`] is the search with a
//! list for each of many buckets; there a cube may go on with vertices that it has found itself ([`kept`]), or a plane
//! ([`plane_rounds`]), and on CUDA all cubes may take several steps in one launch ([`meeting`]). Both work
//! out a plan first ([`plan`], [`split_plan`]) and share how a launch begins and ends ([`steps`]). [`start`]
//! initialises a search, and [`reorganise`] is for strategies that sort the far pile between launches.

pub(crate) mod distance;
pub(crate) mod graph;
pub(crate) mod kept;
pub(crate) mod meeting;
pub(crate) mod plan;
pub(crate) mod plane_rounds;
pub(crate) mod queues;
pub(crate) mod relax;
pub(crate) mod reorganise;
pub(crate) mod shape;
pub(crate) mod split_plan;
pub(crate) mod split_step;
pub(crate) mod start;
pub(crate) mod step;
pub(crate) mod steps;

use multisplit::cubecl::prelude::{CubeCount, CubeDim};

/// Cubes and units for a kernel that loops over so many items.
pub(crate) fn grid(items: u32, units: u32) -> (CubeCount, CubeDim) {
    (CubeCount::new_1d(items.div_ceil(units).clamp(1, 1 << 14)), CubeDim::new_1d(units))
}

/// Launches a kernel of this crate.
///
/// # Why this is sound
/// Every array is a `Slice`, whose length was measured by the library. Vertices, arcs and offsets come from a graph
/// that was checked when it was made, so that kernels index arrays that are as long as the graph says; queues have
/// rows for all vertices, and nothing is written beyond a row. Loops go through rows and arcs, which are finite.
macro_rules! launch {
    ($($launch:tt)*) => {
        // SAFETY: see the macro's documentation.
        unsafe { multisplit::launch_kernel!($($launch)*) }
    };
}
pub(crate) use launch;
