//! Histogram of more bins than fit shared memory: units add to the counts in memory.
//!
//! Adds to one address in memory wait for each other. So the lanes of a plane whose keys are in the same bin as that of
//! the first lane let it add for them: if most keys are in one bin, that is most lanes.

use super::shared::{Extent, Shape, add};
use crate::gpu::function::AnyFn;
use crate::gpu::key::{AnyKey, KeyWidth};
use cubecl::prelude::*;

/// Adds the counts of n keys to `counts`. `N` keys per load; `keys` is allocated in whole loads.
///
/// Units of a cube take the same number of rounds, so that lanes can always vote.
#[cube(launch_unchecked, address_type = "dynamic")]
pub(crate) fn histogram_global<N: Size>(
    _width: &KeyWidth,
    keys: &Array<Vector<AnyKey, N>>,
    counts: &Array<Atomic<u32>>,
    f: &AnyFn,
    extent: &Extent,
    #[comptime] shape: Shape,
) {
    let width = N::value().comptime() as u32;
    let last = (extent.n - 1) / width;
    let mut start = CUBE_POS_X * comptime!(shape.tile());
    while start <= last {
        #[unroll]
        for j in 0..comptime!(shape.unroll) {
            let i = start + comptime!(j * shape.units()) + UNIT_POS_X;
            let load = keys[i.min(last) as usize];
            #[unroll]
            for e in 0..N::value() {
                let row = f.bucket(load[e]).min(extent.m);
                count_together(counts, extent.count_of(row), i * width + (e as u32) < extent.n, extent);
            }
        }
        start += CUBE_COUNT_X * comptime!(shape.tile());
    }
}

/// Counts the keys of a plane. Lanes that are not `valid` hold none.
#[cube]
fn count_together(counts: &Array<Atomic<u32>>, row: u32, valid: bool, extent: &Extent) {
    let favourite = plane_broadcast(row, 0u32);
    let with_first = valid && row == favourite;
    let sum = plane_sum(select(with_first, 1u32, 0u32));
    if UNIT_POS_PLANE == 0 && sum > 0 {
        add(counts, favourite, sum, extent);
    }
    if valid && row != favourite {
        add(counts, row, 1u32, extent);
    }
}
