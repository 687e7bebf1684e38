//! Scan: each row of H becomes its exclusive prefix sums, and its sum goes to `totals`.
//!
//! One cube per row. The postscan adds the rows' bases itself: with at most 256 buckets that is one small scan per
//! cube, and saves a launch. The numbers that its cubes draw start at 0.

use crate::gpu::primitives::cube;
use crate::gpu::primitives::plane_check::wrong_plane_size;
use crate::gpu::primitives::sizes::Sizes;
use crate::gpu::tuning::blueprint::Blueprint;
use cubecl::prelude::*;

/// Entries that are read at once.
pub(crate) const LOAD: u32 = 4;
/// Consecutive loads per unit and round: a row of most splits takes one round.
const RUN: u32 = 4;

#[cube(launch_unchecked, address_type = "dynamic")]
pub(crate) fn scan(
    h: &mut Array<Vector<u32, Const<4>>>,
    totals: &mut Array<u32>,
    result: &mut Array<u32>,
    sizes: &Sizes,
    #[comptime] bp: Blueprint,
) {
    if wrong_plane_size(result, sizes.m, bp) {
        terminate!();
    }
    let mut sums = cube::plane_sums(bp);
    let mut round = SharedMemory::<u32>::new(1usize);
    let loads = sizes.columns / LOAD;
    let row = CUBE_POS_X * loads;
    let mut carry = 0u32;
    let mut done = 0u32;
    while done < loads {
        let first = done + UNIT_POS_X * RUN;
        let mut entries = Sequence::<Vector<u32, Const<4>>>::new();
        #[unroll]
        for j in 0..RUN {
            // Loads beyond the row read its last one.
            entries.push(h[(row + (first + j).min(loads - 1)) as usize]);
        }
        let mut sum = 0u32;
        #[unroll]
        for j in 0..RUN {
            #[unroll]
            for e in 0..LOAD {
                sum += entry(entries[comptime!(j as usize)], (first + j) * LOAD, e, sizes.chunks);
            }
        }
        let before = cube::exclusive_sum(sum, &mut sums, bp);
        if UNIT_POS_X == comptime!(bp.units() - 1) {
            round[0] = before + sum;
        }
        let mut running = carry + before;
        #[unroll]
        for j in 0..RUN {
            let mut prefix = Vector::<u32, Const<4>>::empty();
            #[unroll]
            for e in 0..LOAD {
                prefix[comptime!(e as usize)] = running;
                running += entry(entries[comptime!(j as usize)], (first + j) * LOAD, e, sizes.chunks);
            }
            if first + j < loads {
                h[(row + first + j) as usize] = prefix;
            }
        }
        sync_cube();
        carry += round[0];
        sync_cube();
        done += comptime!(RUN * bp.units());
    }
    if UNIT_POS_X == 0 {
        totals[CUBE_POS_X as usize] = carry;
    }
    if ABSOLUTE_POS == 0 {
        totals[sizes.numbers() as usize] = 0;
        totals[sizes.other_numbers() as usize] = 0;
    }
}

/// An entry of a load, given the column of the first; there are none beyond the chunks.
#[cube]
fn entry(load: Vector<u32, Const<4>>, column: u32, #[comptime] e: u32, chunks: u32) -> u32 {
    select(column + e < chunks, load[comptime!(e as usize)], 0u32)
}
