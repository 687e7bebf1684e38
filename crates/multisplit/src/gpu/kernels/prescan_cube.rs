//! Prescan of the block-level method: each cube counts its chunk in shared memory.
//!
//! Every plane has a histogram of its own, so that atomics rarely collide; keys are read 16 bytes at a time. This is
//! within a tenth of the speed of reading alone for any number of buckets.

use super::super::{blueprint::Blueprint, plane};
use super::sizes::Sizes;
use super::{lower_flag, wrong_plane_size};
use crate::bucket::{BucketFn, BucketFnExpand};
use cubecl::prelude::*;

/// 16-byte loads in flight per unit.
const UNROLL: u32 = 4;

/// `N` keys per load; chunks are multiples of N, and `keys` is allocated in whole loads.
#[cube(launch_unchecked, address_type = "dynamic")]
pub(crate) fn prescan_cube<F: BucketFn, N: Size>(
    keys: &Array<Vector<F::Key, N>>,
    h: &mut Array<u32>,
    result: &mut Array<u32>,
    f: &F,
    sizes: &Sizes,
    #[comptime] bp: Blueprint,
) {
    let m = sizes.m;
    if wrong_plane_size(result, m, bp) {
        terminate!();
    }
    lower_flag(result, m);
    // One entry more than there are buckets: keys without a valid one.
    let stride = m + 1;
    let counts = SharedMemory::<Atomic<u32>>::new(comptime!((bp.planes * (bp.capacity() + 1)) as usize));
    let mut i = UNIT_POS_X;
    while i < stride * comptime!(bp.planes) {
        counts[i as usize].store(0u32);
        i += comptime!(bp.units());
    }
    sync_cube();

    let mine = plane::plane(bp) * stride;
    let chunk = sizes.chunk(CUBE_POS_X);
    let width = N::value().comptime() as u32;
    let first = chunk.start / width;
    let loads = chunk.len / width;
    let mut i = UNIT_POS_X;
    while i + comptime!((UNROLL - 1) * bp.units()) < loads {
        let at = (first + i) as usize;
        let mut batch = Sequence::<Vector<F::Key, N>>::new();
        #[unroll]
        for j in 0..UNROLL {
            batch.push(keys[at + comptime!((j * bp.units()) as usize)]);
        }
        #[unroll]
        for j in 0..comptime!(UNROLL as usize) {
            count::<F, N>(batch[j], f, &counts, mine, m, width);
        }
        i += comptime!(UNROLL * bp.units());
    }
    while i < loads {
        count::<F, N>(keys[(first + i) as usize], f, &counts, mine, m, width);
        i += comptime!(bp.units());
    }
    // The last few keys of the input do not fill a load.
    if UNIT_POS_X == 0 && loads * width < chunk.len {
        count::<F, N>(keys[(first + loads) as usize], f, &counts, mine, m, chunk.len - loads * width);
    }
    sync_cube();

    let mut row = UNIT_POS_X;
    while row < stride {
        let mut sum = 0u32;
        #[unroll]
        for p in 0..comptime!(bp.planes) {
            sum += counts[(row + p * stride) as usize].load();
        }
        h[(row * CUBE_COUNT_X + CUBE_POS_X) as usize] = sum;
        row += comptime!(bp.units());
    }
}

/// Counts the first `len` keys of a load.
#[cube]
fn count<F: BucketFn, N: Size>(
    load: Vector<F::Key, N>,
    f: &F,
    counts: &SharedMemory<Atomic<u32>>,
    mine: u32,
    m: u32,
    len: u32,
) {
    #[unroll]
    for e in 0..N::value() {
        if (e as u32) < len {
            let id = f.bucket(load[e]);
            counts[(mine + id.min(m - 1)) as usize].fetch_add(1u32);
            if id >= m {
                counts[(mine + m) as usize].fetch_add(1u32);
            }
        }
    }
}
