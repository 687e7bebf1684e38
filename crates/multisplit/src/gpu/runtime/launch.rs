//! The one place that launches kernels.

use cubecl::prelude::*;

/// Launches a kernel on a GPU's stream: `launch!(gpu, kernel::<Types, R>, cubes, units; arguments)`.
///
/// Arguments are worked out inside, so `?` may be used in them. It returns when the launch is submitted; a panic in CubeCL
/// becomes an error.
///
/// # Why this is sound
/// CubeCL's launches without bounds checks are unsafe since a kernel could reach beyond its arrays. Here it cannot:
/// - Every array is a [`Slice`](super::Slice), whose length was measured and which is on the GPU's stream.
/// - Every kernel of this project stays within the lengths that its documentation names, whatever the arrays hold: bucket
///   ids are clamped, indices read from memory are clamped or come from a kernel that bounds them. The launch cuts each
///   slice to that length ([`Slice::first`](super::Slice::first)), which fails if there is less.
/// - Every loop of a kernel ends: its counters grow by at least one and are compared before they can wrap.
#[doc(hidden)]
#[macro_export]
macro_rules! launch_kernel {
    ($gpu:expr, $kernel:path, $cubes:expr, $units:expr; $($arg:expr),* $(,)?) => {{
        let (gpu, cubes, units) = (&$gpu, $cubes, $units);
        gpu.submit(|client, address| {
            // SAFETY: see the macro's documentation.
            unsafe { $kernel(client, cubes, units, address, $($arg),*) };
            Ok(())
        })
    }};
}
pub(crate) use launch_kernel as launch;

/// A cube for each tile of `items`; where a launch cannot have that many, each takes several.
pub(crate) fn tile_cubes(items: u32, tile: u32, most: u32) -> CubeCount {
    CubeCount::new_1d(items.div_ceil(tile).clamp(1, most))
}
