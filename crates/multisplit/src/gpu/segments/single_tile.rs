//! Segments that are no longer than a tile: a cube splits one after the other, in one launch with all of like size.

use super::single_plane::{is_by_votes, split_by_votes};
use super::tile_table::{Batch, WHOLE, report_out_of_range, wrong_planes};
use crate::gpu::function::AnyFn;
use crate::gpu::key::KeyWidth;
use crate::gpu::primitives::cube;
use crate::gpu::primitives::elements::{Rows, write_out};
use crate::gpu::primitives::rank_counters::counters;
use crate::gpu::primitives::shared_atomics::Words;
use crate::gpu::primitives::sizes::Part;
use crate::gpu::primitives::tile_pipeline::{load_tile, pipeline};
use crate::gpu::primitives::tile_sort::sort_tile;
use crate::gpu::split::tile_counts::count;
use crate::gpu::tuning::blueprint::Blueprint;
use cubecl::prelude::*;

#[cube(launch_unchecked, address_type = "dynamic")]
pub(crate) fn split_segments(
    _width: &KeyWidth,
    from: &Rows,
    to: &mut Rows,
    result: &mut Array<u32>,
    table: &Array<u32>,
    status: &Array<Atomic<u32>>,
    f: &AnyFn,
    batch: &Batch,
    #[comptime] bp: Blueprint,
) {
    if wrong_planes(status, bp) {
        terminate!();
    }
    let m = batch.m;
    let mut number = batch.number();
    while number < batch.tiles {
        let entry = (batch.first + number * WHOLE) as usize;
        let segment = Part { start: table[entry], len: table[entry + 1] };
        let place = table[entry + 2];
        if segment.len == 0 {
            // All its buckets begin where it does.
            let mut bucket = UNIT_POS_X;
            while bucket < m {
                result[(place + bucket) as usize] = segment.start;
                bucket += comptime!(bp.units());
            }
        } else {
            let out_of_range = split_segment(from, to, result, f, segment, place, m, bp);
            if comptime!(!bp.in_range) && batch.counts > 0 {
                report_out_of_range(status, out_of_range);
            }
        }
        // The next one comes where this one is.
        cube::sync(bp);
        number += batch.step();
    }
}

/// Splits a segment, by votes or by counters. Returns how many keys had no valid bucket, to each unit a part of them.
#[cube]
fn split_segment(
    from: &Rows,
    to: &mut Rows,
    result: &mut Array<u32>,
    f: &AnyFn,
    segment: Part,
    place: u32,
    m: u32,
    #[comptime] bp: Blueprint,
) -> u32 {
    if comptime!(is_by_votes(bp)) {
        split_by_votes(from, to, result, f, segment, place, m, bp)
    } else {
        let counts = SharedMemory::<Atomic<u32>>::new(comptime!((bp.capacity() + 1) as usize));
        split_by_counters(from, to, result, &counts, f, segment, place, m, bp);
        let mut out_of_range = 0u32;
        // Nested, since the first is decided when the kernel is compiled.
        #[allow(clippy::collapsible_if)]
        if comptime!(!bp.in_range) {
            if UNIT_POS_X == 0 {
                out_of_range = counts[m as usize].load();
            }
        }
        out_of_range
    }
}

/// Sorts the tile by bucket: that is the output. Where its buckets begin is written to `result` from `place` on.
/// `counts` are the cube's own, one more than there may be buckets; the last says how many keys had no valid one.
#[cube]
fn split_by_counters(
    from: &Rows,
    to: &mut Rows,
    result: &mut Array<u32>,
    counts: &Words,
    f: &AnyFn,
    segment: Part,
    place: u32,
    m: u32,
    #[comptime] bp: Blueprint,
) {
    let mut pipeline = pipeline(bp);
    let mut counters = counters(bp);
    counters.clear(bp);
    let loaded = load_tile(from, segment, false, bp);
    pipeline.take_in(&loaded, bp);
    let mut bucket = UNIT_POS_X;
    while bucket <= m {
        counts[bucket as usize].store(0u32);
        bucket += comptime!(bp.units());
    }
    cube::sync(bp);
    let mut at = UNIT_POS_X;
    while at < segment.len {
        count(counts, 0u32.runtime(), f.bucket(pipeline.keys[at as usize]), m, bp);
        at += comptime!(bp.units());
    }
    cube::sync(bp);
    write_offsets(result, counts, place, segment.start, m, bp);
    sort_tile(f, &mut pipeline, &mut counters, segment, m, false, bp);
    #[unroll(bp.unrolls())]
    for j in 0..comptime!(bp.items) {
        let at = UNIT_POS_X + j * comptime!(bp.units());
        if at < segment.len {
            let (at, position) = (at as usize, (segment.start + at) as usize);
            write_out(pipeline.keys[at], &pipeline.tiles, at, to, position, bp);
        }
    }
}

/// Writes where the buckets of a segment begin that itself does at `start`, from `place` on.
#[cube]
fn write_offsets(result: &mut Array<u32>, counts: &Words, place: u32, start: u32, m: u32, #[comptime] bp: Blueprint) {
    let mut sums = cube::plane_sums(bp);
    let first = UNIT_POS_X * comptime!(bp.buckets_per_unit());
    let mut entries = Sequence::<u32>::new();
    #[unroll]
    for q in 0..comptime!(bp.buckets_per_unit()) {
        let mut count = 0u32;
        if first + q < m {
            count = counts[(first + q) as usize].load();
        }
        entries.push(count);
    }
    let offsets = cube::starts_of(&entries, start + cube::exclusive_sum(cube::sum_of(&entries), &mut sums, bp));
    #[unroll]
    for q in 0..comptime!(bp.buckets_per_unit()) {
        if first + q < m {
            result[(place + first + q) as usize] = offsets[comptime!(q as usize)];
        }
    }
}
