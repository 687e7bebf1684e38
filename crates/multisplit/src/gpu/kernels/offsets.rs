//! Very many counts become their exclusive prefix sums, in place: those of a histogram, which become offsets, and those of
//! the tiles of segments, which become places.
//!
//! Cubes have one part of the counts each. They add it up, unless there is only one (`sum_parts`); then they add up what
//! comes before theirs, and go through it once more (`offsets`). Nothing depends on what planes can do: there are few
//! counts, compared with keys.

use cubecl::prelude::*;

/// Counts of a part. Sums of the parts before one are few even for 2^24 counts.
pub(crate) const PART: u32 = 1 << 14;
/// Consecutive counts per unit and round.
const RUN: u32 = 8;

/// The sum of each part of `m` counts.
#[cube(launch_unchecked, address_type = "dynamic")]
pub(crate) fn sum_parts(counts: &Array<u32>, sums: &mut Array<u32>, m: u32, #[comptime] units: u32) {
    let sum = SharedMemory::<Atomic<u32>>::new(1usize);
    let end = m.min((CUBE_POS_X + 1) * PART);
    let mut mine = 0u32;
    let mut i = CUBE_POS_X * PART + UNIT_POS_X;
    while i < end {
        mine += counts[i as usize];
        i += units;
    }
    add_up(&sum, mine);
    if UNIT_POS_X == 0 {
        sums[CUBE_POS_X as usize] = sum[0].load();
    }
}

/// `result` holds m counts, and that of keys without a valid bucket. It becomes what every split leaves: m + 1 offsets,
/// that number, and a flag, which is up if that of any pass is. `passes` are their results, for `digits` buckets each.
#[cube(launch_unchecked, address_type = "dynamic")]
pub(crate) fn offsets(
    result: &mut Array<u32>,
    sums: &Array<u32>,
    passes: &Sequence<Array<u32>>,
    n: u32,
    m: u32,
    digits: u32,
    #[comptime] units: u32,
) {
    scan_part(result, sums, m, units);
    if ABSOLUTE_POS == 0 {
        let astray = result[m as usize];
        let mut flag = 0u32;
        #[unroll]
        for pass in 0..passes.len() {
            flag |= passes.index(pass)[(digits + 2) as usize];
        }
        result[(m + 1) as usize] = astray;
        result[m as usize] = n;
        result[(m + 2) as usize] = flag;
    }
}

/// `len` counts, each followed by another. They become places, and what follows the last becomes their sum.
#[cube(launch_unchecked, address_type = "dynamic")]
pub(crate) fn scan_counts(counts: &mut Array<u32>, sums: &Array<u32>, len: u32, #[comptime] units: u32) {
    let sum = scan_part(counts, sums, len, units);
    if CUBE_POS_X == CUBE_COUNT_X - 1 && UNIT_POS_X == 0 {
        counts[len as usize] = sum;
    }
}

/// Scans this cube's part of `len` counts, given the sums of all parts. Returns the sum up to its end.
#[cube]
fn scan_part(counts: &mut Array<u32>, sums: &Array<u32>, len: u32, #[comptime] units: u32) -> u32 {
    let sum = SharedMemory::<Atomic<u32>>::new(1usize);
    let mut scan = SharedMemory::<u32>::new(comptime!(units as usize));
    let mut before = 0u32;
    let mut part = UNIT_POS_X;
    while part < CUBE_POS_X {
        before += sums[part as usize];
        part += units;
    }
    add_up(&sum, before);
    let mut carry = sum[0].load();

    let end = len.min((CUBE_POS_X + 1) * PART);
    let mut start = CUBE_POS_X * PART;
    while start < end {
        let first = start + UNIT_POS_X * RUN;
        let mut entries = Sequence::<u32>::new();
        let mut mine = 0u32;
        #[unroll]
        for j in 0..RUN {
            let i = first + j;
            // Beyond the end the last one is read, and left out.
            let count = select(i < end, counts[i.min(end - 1) as usize], 0u32);
            entries.push(count);
            mine += count;
        }
        // All have read before any writes.
        let inclusive = scan_units(mine, &mut scan, units);
        let mut running = carry + inclusive - mine;
        #[unroll]
        for j in 0..RUN {
            let i = first + j;
            if i < end {
                counts[i as usize] = running;
            }
            running += entries[comptime!(j as usize)];
        }
        carry += scan[comptime!(units as usize - 1)];
        sync_cube();
        start += comptime!(units * RUN);
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
fn scan_units(value: u32, scan: &mut SharedMemory<u32>, #[comptime] units: u32) -> u32 {
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
