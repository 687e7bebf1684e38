//! The one place that launches kernels.

use cubecl::prelude::*;

/// Launches a kernel on a GPU's stream:
/// `launch_kernel!(gpu, Kernel<Types, R>, cubes, units; keys: argument, n; shape)`.
///
/// Arguments are named and in the kernel's order; a name alone is the variable of that name. An argument cannot use a
/// variable with the name of one before it. After the second semicolon are compile-time arguments, the width of loads
/// first; these are evaluated twice.
///
/// Arguments ([`Argument`](super::Argument)) are worked out inside, so `?` may be used in them. It returns when the
/// launch is submitted; a panic in CubeCL becomes an error. To be wrapped in `unsafe`: a kernel without bounds checks
/// must stay within its arrays, and end.
///
/// CubeCL generates a launch function for each kernel, too. It copies all that is known of the device each time, and
/// has the kernel looked up by a long hash of all its arguments, twice.
#[doc(hidden)]
#[macro_export]
macro_rules! launch_kernel {
    (
        $gpu:expr, $kernel:ty, $cubes:expr, $units:expr;
        $($name:ident $(: $argument:expr)?),* $(,)? $(; $($constant:expr),* $(,)?)?
    ) => {{
        let (gpu, cubes, units) = (&$gpu, $cubes, $units);
        gpu.submit(cubes, units, |launch| {
            $(let $name = launch.argument($crate::launch_kernel!(@value $name $($argument)?));)*
            $($(launch.constant(&$constant);)*)?
            let (settings, client) = launch.settings();
            Ok(launch.kernel(<$kernel>::new(settings, client $(, $name)* $($(, $constant)*)?)))
        })
    }};
    (@value $name:ident) => {
        $name
    };
    (@value $name:ident $argument:expr) => {
        $argument
    };
}

/// Launches a kernel of this crate.
///
/// # Why this is sound
/// CubeCL's launches without bounds checks are unsafe since a kernel could reach beyond its arrays. Here it cannot:
/// - Every array is a [`Slice`](super::Slice), whose length was measured and which is ordered for the GPU's stream.
/// - Every kernel stays within the lengths that its documentation names, whatever the arrays hold: bucket ids are
///   clamped, unless their function promises to be in range, which only those of this crate can; indices read from
///   memory are clamped, or come from a kernel that bounds them. The launch cuts each slice to that length
///   ([`Slice::first`](super::Slice::first)), which fails if there is less.
/// - Every loop of a kernel ends: its counters grow, and are compared before they can wrap.
macro_rules! launch {
    ($($launch:tt)*) => {
        // SAFETY: see the macro's documentation.
        unsafe { $crate::launch_kernel!($($launch)*) }
    };
}
pub(crate) use launch;

/// A cube for each tile of `items`; where a launch cannot have that many, each takes several.
pub(crate) fn tile_cubes(items: u32, tile: u32, most: u32) -> CubeCount {
    CubeCount::new_1d(items.div_ceil(tile).clamp(1, most))
}
