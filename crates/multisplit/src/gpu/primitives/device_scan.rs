//! Device-wide prefix sums: an array of counts becomes its exclusive prefix sums, in place.
//!
//! Cubes have one part of the array each. They add it up ([`sum_part`]) in one launch; in the next they add up what
//! comes before theirs, and go through it once more ([`prefix_part`]). Nothing depends on what planes can do.

use super::sizes::Part;
use cubecl::prelude::*;

/// Consecutive counts per unit and round.
const RUN: u32 = 8;

/// This cube's part of `len` elements, in parts of `size`; empty for cubes beyond the end.
#[cube]
pub(crate) fn part_of_cube(len: u32, size: u32) -> Part {
    let start = (CUBE_POS_X * size).min(len);
    Part { start, len: size.min(len - start) }
}

/// The sum of this cube's part goes to its own entry of `sums`.
#[cube]
pub(crate) fn sum_part(counts: &Array<u32>, sums: &mut Array<u32>, part: Part, #[comptime] units: u32) {
    let sum = SharedMemory::<Atomic<u32>>::new(1usize);
    let mut mine = 0u32;
    let mut i = UNIT_POS_X;
    while i < part.len {
        mine += counts[(part.start + i) as usize];
        i += units;
    }
    add_up(&sum, mine);
    if UNIT_POS_X == 0 {
        sums[CUBE_POS_X as usize] = sum[0].load();
    }
}

/// This cube's part becomes its prefix sums over the whole array. `sums` are those of the parts. Returns the sum up
/// to the end of the part.
#[cube]
pub(crate) fn prefix_part(counts: &mut Array<u32>, sums: &Array<u32>, part: Part, #[comptime] units: u32) -> u32 {
    let sum = SharedMemory::<Atomic<u32>>::new(1usize);
    let mut scan = SharedMemory::<u32>::new(comptime!(units as usize));
    let mut before = 0u32;
    let mut other = UNIT_POS_X;
    while other < CUBE_POS_X {
        before += sums[other as usize];
        other += units;
    }
    add_up(&sum, before);
    let mut carry = sum[0].load();

    let mut done = 0u32;
    while done < part.len {
        let first = done + UNIT_POS_X * RUN;
        let mut entries = Sequence::<u32>::new();
        let mut mine = 0u32;
        #[unroll]
        for j in 0..RUN {
            let i = first + j;
            // Beyond the end the last one is read, and left out.
            let count = select(i < part.len, counts[(part.start + i.min(part.len - 1)) as usize], 0u32);
            entries.push(count);
            mine += count;
        }
        // All have read before any writes.
        let inclusive = scan_units(mine, &mut scan, units);
        let mut running = carry + inclusive - mine;
        #[unroll]
        for j in 0..RUN {
            let i = first + j;
            if i < part.len {
                counts[(part.start + i) as usize] = running;
            }
            running += entries[comptime!(j as usize)];
        }
        carry += scan[comptime!(units as usize - 1)];
        sync_cube();
        done += comptime!(units * RUN);
    }
    carry
}

/// Adds up what the units have. All of them see the sum.
#[cube]
fn add_up(sum: &SharedMemory<Atomic<u32>>, mine: u32) {
    if UNIT_POS_X == 0 {
        sum[0].store(0u32);
    }
    sync_cube();
    sum[0].fetch_add(mine);
    sync_cube();
}

/// Inclusive prefix sum over the units, which `scan` holds afterwards. Wait before using it again.
#[cube]
pub(crate) fn scan_units(value: u32, scan: &mut SharedMemory<u32>, #[comptime] units: u32) -> u32 {
    let mut sum = value;
    scan[UNIT_POS_X as usize] = sum;
    sync_cube();
    #[unroll]
    for step in 0..comptime!(units.next_power_of_two().trailing_zeros()) {
        let distance = comptime!(1u32 << step);
        let before = scan[(UNIT_POS_X - UNIT_POS_X.min(distance)) as usize];
        sum += select(UNIT_POS_X >= distance, before, 0u32);
        sync_cube();
        scan[UNIT_POS_X as usize] = sum;
        sync_cube();
    }
    sum
}
