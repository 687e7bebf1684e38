//! Block-level multisplit in one launch, of so few keys that every cube counts all of them.
//!
//! So it knows where the runs of its tile go, and depends on no other cube: to load and count keys that are in the
//! cache takes less than to wait for what another has counted. The cubes only share out what takes longer, which is to
//! sort.

use super::tile_counts::tile_counts;
use crate::gpu::function::AnyFn;
use crate::gpu::key::KeyWidth;
use crate::gpu::primitives::cube;
use crate::gpu::primitives::elements::Rows;
use crate::gpu::primitives::plane_check::{lower_flag, wrong_plane_size};
use crate::gpu::primitives::rank_counters::counters;
use crate::gpu::primitives::sizes::Sizes;
use crate::gpu::primitives::tile_pipeline::{load_tile, pipeline};
use crate::gpu::primitives::tile_sort::sort_tile;
use crate::gpu::tuning::blueprint::Blueprint;
use cubecl::prelude::*;

/// `g` is empty, or is what the scan would leave there.
#[cube(launch_unchecked, address_type = "dynamic")]
pub(crate) fn split_few_tiles(
    _width: &KeyWidth,
    from: &Rows,
    to: &mut Rows,
    g: &mut Sequence<Array<u32>>,
    result: &mut Array<u32>,
    f: &AnyFn,
    sizes: &Sizes,
    #[comptime] bp: Blueprint,
) {
    let m = sizes.m;
    if wrong_plane_size(result, m, bp) {
        terminate!();
    }
    lower_flag(result, m);
    let tile = sizes.chunk(CUBE_POS_X);
    let mut pipeline = pipeline(bp);
    let mut counters = counters(bp);
    let counts = tile_counts(bp);
    // All loads are on their way before anything waits for one.
    let loaded = load_tile(from, tile, false, bp);
    counters.clear(bp);
    counts.clear(bp);
    cube::sync(bp);
    counts.count_all(&from.keys, f, tile, sizes, bp);
    pipeline.take_in(&loaded, bp);
    cube::sync(bp);
    sort_tile(f, &mut pipeline, &mut counters, tile, m, false, bp);
    counts.write_tile(f, &pipeline, tile, to, g, result, sizes, bp);
}
