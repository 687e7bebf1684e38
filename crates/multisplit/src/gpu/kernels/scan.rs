//! Scan: each row of H becomes its exclusive prefix sums, and its sum goes to `totals`.
//!
//! One cube per row. The postscan adds the rows' bases itself: with at most 256 buckets that is one small scan per
//! cube, and saves a launch.

use super::super::{blueprint::Blueprint, cube};
use super::wrong_plane_size;
use cubecl::prelude::*;

/// Consecutive entries per unit and round.
const RUN: u32 = 8;

#[cube(launch_unchecked, address_type = "dynamic")]
pub(crate) fn scan(
    h: &mut Array<u32>,
    totals: &mut Array<u32>,
    result: &mut Array<u32>,
    m: u32,
    columns: u32,
    #[comptime] bp: Blueprint,
) {
    if wrong_plane_size(result, m, bp) {
        terminate!();
    }
    let mut sums = SharedMemory::<u32>::new(comptime!(bp.planes as usize));
    let mut round = SharedMemory::<u32>::new(1usize);
    let row = CUBE_POS_X * columns;
    let mut carry = 0u32;
    let mut done = 0u32;
    while done < columns {
        let first = done + UNIT_POS_X * RUN;
        let mut entries = Sequence::<u32>::new();
        let mut sum = 0u32;
        #[unroll]
        for j in 0..RUN {
            let mut entry = 0u32;
            if first + j < columns {
                entry = h[(row + first + j) as usize];
            }
            sum += entry;
            entries.push(entry);
        }
        let before = cube::exclusive_sum(sum, &mut sums, bp);
        if UNIT_POS_X == comptime!(bp.units() - 1) {
            round[0] = before + sum;
        }
        let mut running = carry + before;
        #[unroll]
        for j in 0..RUN {
            if first + j < columns {
                h[(row + first + j) as usize] = running;
            }
            running += entries[comptime!(j as usize)];
        }
        sync_cube();
        carry += round[0];
        sync_cube();
        done += comptime!(RUN * bp.units());
    }
    if UNIT_POS_X == 0 {
        totals[CUBE_POS_X as usize] = carry;
    }
}
