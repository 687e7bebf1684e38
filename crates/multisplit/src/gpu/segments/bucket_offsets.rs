//! Where the buckets begin of segments that are split already, by more buckets than one pass tells apart.
//!
//! A unit has one bucket of one segment, and searches. Units also look each at one key for whether it had a valid
//! bucket.

use super::tile_table::report_out_of_range;
use crate::gpu::function::AnyFn;
use crate::gpu::key::{AnyKey, KeyWidth};
use crate::gpu::primitives::bucket_id::bucket_of;
use crate::gpu::tuning::blueprint::Blueprint;
use cubecl::prelude::*;

/// The run-time numbers of it.
#[derive(CubeType, CubeLaunch)]
pub(crate) struct Extent {
    /// Keys.
    pub n: u32,
    /// Buckets of a segment.
    pub m: u32,
    /// Segments.
    pub segments: u32,
    /// Cubes that have something to do.
    pub cubes: u32,
}

/// `keys` are split; `segments` are the offsets of the segments.
#[cube(launch_unchecked, address_type = "dynamic")]
pub(crate) fn boundaries(
    _width: &KeyWidth,
    keys: &Array<AnyKey>,
    result: &mut Array<u32>,
    segments: &Array<u32>,
    status: &Array<Atomic<u32>>,
    f: &AnyFn,
    extent: &Extent,
    #[comptime] bp: Blueprint,
) {
    let (n, m) = (extent.n, extent.m);
    let cube = CUBE_POS_Y * CUBE_COUNT_X + CUBE_POS_X;
    if cube >= extent.cubes {
        // Its numbers might not fit 32 bits.
        terminate!();
    }
    let number = cube * comptime!(bp.units()) + UNIT_POS_X;
    if number < extent.segments * m {
        let (segment, bucket) = (number / m, number % m);
        let mut low = segments[segment as usize];
        let mut high = segments[(segment + 1) as usize];
        // Before `low` are smaller buckets, from `high` on are none.
        while low < high {
            let middle = low + (high - low) / 2;
            if bucket_of(f, keys[middle as usize], m, bp) < bucket {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        result[number as usize] = low;
    }
    // Nested, since the first is decided when the kernel is compiled.
    #[allow(clippy::collapsible_if)]
    if comptime!(!bp.in_range) {
        if number < n {
            if f.bucket(keys[number as usize]) >= m {
                report_out_of_range(status, 1u32.runtime());
            }
        }
    }
}
