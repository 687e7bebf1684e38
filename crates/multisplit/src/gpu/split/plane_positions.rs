//! Where keys go, by methods in which each plane has a chunk and each lane a bucket.

use crate::gpu::primitives::plane;
use crate::gpu::primitives::sizes::Sizes;
use crate::gpu::tuning::blueprint::Blueprint;
use cubecl::prelude::*;

/// For methods whose lanes are in charge of one bucket each: where the next key of this lane's bucket goes, for the
/// plane's chunk. The first plane writes the offsets.
#[cube]
pub(crate) fn first_positions(
    g: &Array<u32>,
    totals: &Array<u32>,
    result: &mut Array<u32>,
    sizes: &Sizes,
    #[comptime] bp: Blueprint,
) -> u32 {
    let lane = plane::lane(bp);
    let m = sizes.m;
    let mut total = 0u32;
    if lane < m {
        total = totals[lane as usize];
    }
    let base = plane::inclusive_sum(total, bp) - total;
    if CUBE_POS_X == 0 && UNIT_POS_X < m {
        result[lane as usize] = base;
    }
    if CUBE_POS_X == 0 && UNIT_POS_X == 0 {
        result[m as usize] = sizes.n;
        result[(m + 1) as usize] = totals[m as usize];
    }
    let mut next = base;
    if lane < m && plane_chunk(bp) < sizes.chunks {
        next += g[(lane * sizes.columns + plane_chunk(bp)) as usize];
    }
    next
}

/// The chunk of this plane, where every plane has its own.
#[cube]
pub(crate) fn plane_chunk(#[comptime] bp: Blueprint) -> u32 {
    CUBE_POS_X * comptime!(bp.planes) + plane::plane(bp)
}
