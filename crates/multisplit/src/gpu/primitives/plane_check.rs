//! Whether planes have the size that a kernel was compiled for. If not, it raises a flag in the result.

use crate::gpu::tuning::blueprint::Blueprint;
use cubecl::prelude::*;

/// Raises the flag and says so if planes are not what the kernel was compiled for: its results would be wrong.
#[cube]
pub(crate) fn wrong_plane_size(result: &mut Array<u32>, m: u32, #[comptime] bp: Blueprint) -> bool {
    let wrong = PLANE_DIM != comptime!(bp.plane);
    if wrong && ABSOLUTE_POS == 0 {
        result[(m + 2) as usize] = 1;
    }
    wrong
}

/// The prescan lowers the flag that its kernels or the later ones may raise.
#[cube]
pub(crate) fn lower_flag(result: &mut Array<u32>, m: u32) {
    if ABSOLUTE_POS == 0 {
        result[(m + 2) as usize] = 0;
    }
}
