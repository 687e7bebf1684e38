//! The kernels of shortest paths.
//!
//! [`step`] is the search: it takes what is near and relaxes the arcs ([`relax`]), tile by tile; what comes nearer
//! goes to queues by way of shared memory ([`queues`]). [`split_step`] is the same for vertices that wait in the
//! lists of many buckets; there a cube may go on with what it has found ([`kept`]). [`start`] is what comes before;
//! [`reorganise`] is what strategies that sort the far pile have in between.

pub(crate) mod distance;
pub(crate) mod graph;
pub(crate) mod kept;
pub(crate) mod queues;
pub(crate) mod relax;
pub(crate) mod reorganise;
pub(crate) mod shape;
pub(crate) mod split_step;
pub(crate) mod start;
pub(crate) mod step;
pub(crate) mod steps;

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
