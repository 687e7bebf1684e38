//! Prescan: planes count chunks in shared memory.
//!
//! Every plane has a histogram of its own, so that atomics rarely collide; keys are read 16 bytes at a time. As many
//! planes share a chunk as have something to do: then there is work for the whole device, in small pieces.

use super::super::{blueprint::Blueprint, cube, plane};
use super::sizes::{Part, Sizes};
use super::{lower_flag, wrong_plane_size};
use crate::bucket::{BucketFn, BucketFnExpand};
use cubecl::prelude::*;

/// 16-byte loads in flight per unit.
pub(crate) const UNROLL: u32 = 4;

/// `N` keys per load; chunks are multiples of N, and `keys` is allocated in whole loads.
#[cube(launch_unchecked, address_type = "dynamic")]
pub(crate) fn prescan<F: BucketFn, N: Size>(
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
    let rows = m + 1;
    let counts = SharedMemory::<Atomic<u32>>::new(comptime!((bp.planes * (bp.capacity() + 1)) as usize));
    let mine = plane::plane(bp) * rows;
    // Chunks that the cube counts at a time.
    let chunks = comptime!(bp.planes / bp.sharers);
    let mut round = CUBE_POS_X * chunks;
    while round < sizes.chunks {
        let mut row = plane::lane(bp);
        while row < rows {
            counts[(mine + row) as usize].store(0u32);
            row += comptime!(bp.plane);
        }
        plane::sync(bp);
        let chunk = sizes.chunk(round + plane::plane(bp) / comptime!(bp.sharers));
        count_chunk::<F, N>(keys, f, &counts, mine, chunk, m, bp);
        cube::sync(bp);
        // Neighbours in the input are neighbours in a row of H.
        let mut entry = UNIT_POS_X;
        while entry < rows * chunks {
            let (row, chunk) = (entry / chunks, entry % chunks);
            if round + chunk < sizes.chunks {
                let mut sum = 0u32;
                #[unroll]
                for share in 0..comptime!(bp.sharers) {
                    sum += counts[((chunk * comptime!(bp.sharers) + share) * rows + row) as usize].load();
                }
                h[(row * sizes.columns + round + chunk) as usize] = sum;
            }
            entry += comptime!(bp.units());
        }
        cube::sync(bp);
        round += CUBE_COUNT_X * chunks;
    }
}

/// Counts this plane's share of a chunk in the histogram that starts at `mine`.
#[cube]
fn count_chunk<F: BucketFn, N: Size>(
    keys: &Array<Vector<F::Key, N>>,
    f: &F,
    counts: &SharedMemory<Atomic<u32>>,
    mine: u32,
    chunk: Part,
    m: u32,
    #[comptime] bp: Blueprint,
) {
    let width = N::value().comptime() as u32;
    let first = chunk.start / width;
    let loads = chunk.len / width;
    let step = comptime!(bp.sharers * bp.plane);
    let mut i = UNIT_POS_X % step;
    while i + comptime!((UNROLL - 1) * step) < loads {
        let at = (first + i) as usize;
        let mut batch = Sequence::<Vector<F::Key, N>>::new();
        #[unroll]
        for j in 0..UNROLL {
            batch.push(keys[at + comptime!((j * step) as usize)]);
        }
        #[unroll]
        for j in 0..comptime!(UNROLL as usize) {
            count::<F, N>(batch[j], f, counts, mine, m, width);
        }
        i += comptime!(UNROLL * step);
    }
    while i < loads {
        count::<F, N>(keys[(first + i) as usize], f, counts, mine, m, width);
        i += step;
    }
    // The last few keys of the input do not fill a load.
    if UNIT_POS_X % step == 0 && loads * width < chunk.len {
        count::<F, N>(keys[(first + loads) as usize], f, counts, mine, m, chunk.len - loads * width);
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
