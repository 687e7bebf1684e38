//! Segments that are no longer than a tile: a cube splits one after the other, in one launch with all of like size.

use super::single_plane::{is_by_votes, split_by_votes};
use super::tile_table::{Batch, WHOLE, report_out_of_range, wrong_planes};
use crate::bucket::BucketFn;
use crate::gpu::primitives::cube;
use crate::gpu::primitives::elements::Rows;
use crate::gpu::primitives::sizes::Part;
use crate::gpu::split::single_tile::split_part;
use crate::gpu::tuning::blueprint::Blueprint;
use cubecl::prelude::*;

#[cube(launch_unchecked, address_type = "dynamic")]
pub(crate) fn split_segments<F: BucketFn>(
    from: &Rows<F::Key>,
    to: &mut Rows<F::Key>,
    result: &mut Array<u32>,
    table: &Array<u32>,
    status: &Array<Atomic<u32>>,
    f: &F,
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
            let out_of_range = split_segment::<F>(from, to, result, f, segment, place, m, bp);
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
fn split_segment<F: BucketFn>(
    from: &Rows<F::Key>,
    to: &mut Rows<F::Key>,
    result: &mut Array<u32>,
    f: &F,
    segment: Part,
    place: u32,
    m: u32,
    #[comptime] bp: Blueprint,
) -> u32 {
    if comptime!(is_by_votes(bp)) {
        split_by_votes::<F>(from, to, result, f, segment, place, m, bp)
    } else {
        let counts = SharedMemory::<Atomic<u32>>::new(comptime!((bp.capacity() + 1) as usize));
        split_part::<F>(from, to, result, &counts, f, segment, place, m, bp);
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
