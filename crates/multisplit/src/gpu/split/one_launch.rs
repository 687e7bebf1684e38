//! Block-level multisplit in one launch, of an input whose tiles are all resident at once: it is read once.
//!
//! A cube counts its tile and publishes the counts. While it sorts the tile, the others publish theirs, and all of them
//! add up what they have published ([`published_sums`](super::published_sums)). Then it reads the sums, and knows where
//! its runs go.
//!
//! No cube depends on another to go on. One that has waited long enough counts the whole input by itself. That is slow,
//! but it ends, whatever else keeps the device from running all cubes at the same time: another stream, another
//! process, or a device that runs one cube after the other.

use super::published_sums::PublishedSums;
use super::tile_counts::{BEFORE, BEHIND, HERE, TileCounts, tile_counts};
use crate::gpu::function::AnyFn;
use crate::gpu::key::KeyWidth;
use crate::gpu::primitives::cube;
use crate::gpu::primitives::elements::Rows;
use crate::gpu::primitives::plane_check::{lower_flag, wrong_plane_size};
use crate::gpu::primitives::rank_counters::counters;
use crate::gpu::primitives::shared_atomics::{Words, read_word};
use crate::gpu::primitives::sizes::Sizes;
use crate::gpu::primitives::tile_pipeline::{load_tile, pipeline};
use crate::gpu::primitives::tile_sort::sort_tile;
use crate::gpu::tuning::blueprint::Blueprint;
use cubecl::prelude::*;

/// `g` is empty, or is what the scan would leave there.
#[cube(launch_unchecked, address_type = "dynamic")]
pub(crate) fn split_at_once(
    _width: &KeyWidth,
    from: &Rows,
    to: &mut Rows,
    g: &mut Sequence<Array<u32>>,
    published: &PublishedSums,
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
    counters.clear(bp);
    let loaded = load_tile(from, tile, false, bp);
    let counts = tile_counts(bp);
    counts.clear(bp);
    // Whether a count has not been published in time, and whether a sum has not.
    let missing = Words::new(2usize);
    if UNIT_POS_X < 2 {
        missing[UNIT_POS_X as usize].store(0u32);
    }
    pipeline.take_in(&loaded, bp);
    cube::sync(bp);
    counts.count_tile(&pipeline.keys, f, tile.len, m, bp);
    cube::sync(bp);
    publish(&counts, published, &missing, sizes, bp);
    sort_tile(f, &mut pipeline, &mut counters, tile, m, false, bp);
    collect(&counts, published, &missing, sizes, bp);
    cube::sync(bp);
    if read_word(&missing, 1u32, bp) != 0 {
        counts.clear(bp);
        cube::sync(bp);
        counts.count_all(&from.keys, f, tile, sizes, bp);
        cube::sync(bp);
    }
    counts.write_tile(f, &pipeline, tile, to, g, result, sizes, bp);
}

/// Publishes this tile's counts, and what they and others add up to.
#[cube]
fn publish(counts: &TileCounts, published: &PublishedSums, missing: &Words, sizes: &Sizes, #[comptime] bp: Blueprint) {
    let mut bucket = UNIT_POS_X;
    while bucket <= sizes.m {
        published.publish(bucket, CUBE_POS_X, counts.of(bucket, HERE, bp), sizes);
        bucket += comptime!(bp.units());
    }
    if !published.add_up(sizes, bp) {
        missing[0].store(1u32);
    }
}

/// Reads the sums of all tiles, or says that some is missing.
#[cube]
fn collect(counts: &TileCounts, published: &PublishedSums, missing: &Words, sizes: &Sizes, #[comptime] bp: Blueprint) {
    let mut known = read_word(missing, 0u32, bp) == 0;
    let mut bucket = UNIT_POS_X;
    while bucket <= sizes.m && known {
        let sums = published.sums(bucket, CUBE_POS_X, sizes, bp);
        counts.set(bucket, sums.of[0], BEFORE, bp);
        counts.set(bucket, sums.of[1] - sums.of[0] - counts.of(bucket, HERE, bp), BEHIND, bp);
        known = sums.known;
        bucket += comptime!(bp.units());
    }
    if !known {
        missing[1].store(1u32);
    }
}
