//! The one place that launches kernels.

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
