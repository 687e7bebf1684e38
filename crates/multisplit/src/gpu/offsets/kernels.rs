//! Offsets of very many buckets, from the keys in order of their buckets: a bucket begins at a key whose bucket is
//! not that of the key before it. That reads the keys once and in order: it added 45 to 60 us to splits of 2^25 keys
//! on an H200, a histogram of 2^16 bins 90.
//!
//! All offsets are n at first (`no_starts`). Buckets that have keys are given their starts (`mark_starts`), and those
//! that have none begin where the next one does: at the least of the starts from there on. For that, cubes have one
//! part of the starts each. They find its least, unless there is only one part (`least_of_parts`); then that of all
//! parts behind theirs, and go through their own from the end (`fill_gaps`). Nothing depends on what planes can do:
//! there are few starts, compared with keys.

use crate::gpu::function::AnyFn;
use crate::gpu::key::{AnyKey, KeyWidth};
use cubecl::prelude::*;

/// Starts of a part. Parts behind one are few even for 2^24 starts.
pub(crate) const PART: u32 = 1 << 14;
/// Loads of keys in flight per unit.
pub(crate) const UNROLL: u32 = 4;
/// Consecutive starts per unit and round.
const RUN: u32 = 8;

/// No bucket has a key so far, and no id is out of range.
#[cube(launch_unchecked, address_type = "dynamic")]
pub(crate) fn no_starts(result: &mut Array<u32>, n: u32, m: u32) {
    let mut i = ABSOLUTE_POS as u32;
    while i <= m {
        result[i as usize] = n;
        i += CUBE_COUNT_X * CUBE_DIM_X;
    }
    if ABSOLUTE_POS == 0 {
        result[(m + 1) as usize] = 0;
    }
}

/// Writes where buckets begin among the keys before `end`, and counts those without a valid one, which lie in the
/// last. `N` keys per load; `keys` is allocated in whole loads.
#[cube(launch_unchecked, address_type = "dynamic")]
pub(crate) fn mark_starts<N: Size>(
    _width: &KeyWidth,
    keys: &Array<Vector<AnyKey, N>>,
    result: &Array<Atomic<u32>>,
    f: &AnyFn,
    end: u32,
    m: u32,
    #[comptime] units: u32,
) {
    let sum = SharedMemory::<Atomic<u32>>::new(1usize);
    let width = N::value().comptime() as u32;
    // Not `div_ceil`: it adds first, and wraps for an end close to 2^32.
    let loads = (end / width + u32::cast_from(end % width > 0)) as usize;
    let mut out_of_range = 0u32;
    // In address arithmetic: 32 bits would wrap before they reach a number of loads close to 2^32.
    let mut base = CUBE_POS * comptime!((units * UNROLL) as usize) + UNIT_POS_X as usize;
    while base < loads {
        let mut batch = Sequence::<Vector<AnyKey, N>>::new();
        let mut before = Sequence::<AnyKey>::new();
        #[unroll]
        for j in 0..UNROLL {
            // Beyond the end the last load is read, and left out.
            let load = (base + comptime!((j * units) as usize)).min(loads - 1);
            batch.push(keys[load]);
            let previous = keys[load - u32::cast_from(load > 0) as usize];
            before.push(previous[comptime!(width as usize - 1)]);
        }
        #[unroll]
        for j in 0..UNROLL {
            let load = base + comptime!((j * units) as usize);
            if load < loads {
                let keys = batch[comptime!(j as usize)];
                let mut buckets = Sequence::<u32>::new();
                buckets.push(f.bucket(before[comptime!(j as usize)]).min(m - 1));
                #[unroll]
                for e in 0..comptime!(width as usize) {
                    let i = load as u32 * width + comptime!(e as u32);
                    let id = f.bucket(keys[e]);
                    buckets.push(id.min(m - 1));
                    if i < end {
                        if i == 0 || buckets[e] != buckets[comptime!(e + 1)] {
                            result[buckets[comptime!(e + 1)] as usize].store(i);
                        }
                        out_of_range += u32::cast_from(id >= m);
                    }
                }
            }
        }
        base += CUBE_COUNT * comptime!((units * UNROLL) as usize);
    }
    if UNIT_POS_X == 0 {
        sum[0].store(0u32);
    }
    sync_cube();
    sum[0].fetch_add(out_of_range);
    sync_cube();
    if UNIT_POS_X == 0 && sum[0].load() > 0 {
        result[(m + 1) as usize].fetch_add(sum[0].load());
    }
}

/// The least start of each part.
#[cube(launch_unchecked, address_type = "dynamic")]
pub(crate) fn least_of_parts(starts: &Array<u32>, least: &mut Array<u32>, n: u32, m: u32, #[comptime] units: u32) {
    let shared = SharedMemory::<Atomic<u32>>::new(1usize);
    let end = m.min((CUBE_POS_X + 1) * PART);
    let mut mine = n;
    let mut i = CUBE_POS_X * PART + UNIT_POS_X;
    while i < end {
        mine = mine.min(starts[i as usize]);
        i += units;
    }
    least_of(&shared, mine);
    if UNIT_POS_X == 0 {
        least[CUBE_POS_X as usize] = shared[0].load();
    }
}

/// `result` holds the starts of the buckets that have keys, and n for the others. It becomes what every split leaves:
/// m + 1 offsets, the number of ids out of range, and a flag, which is up if that of any pass is. `passes` are their
/// results, for `digits` buckets each.
#[cube(launch_unchecked, address_type = "dynamic")]
pub(crate) fn fill_gaps(
    result: &mut Array<u32>,
    least: &Array<u32>,
    passes: &Sequence<Array<u32>>,
    n: u32,
    m: u32,
    digits: u32,
    #[comptime] units: u32,
) {
    let shared = SharedMemory::<Atomic<u32>>::new(1usize);
    let mut scan = SharedMemory::<u32>::new(comptime!(units as usize));
    let mut behind = n;
    let mut part = CUBE_POS_X + 1 + UNIT_POS_X;
    while part < CUBE_COUNT_X {
        behind = behind.min(least[part as usize]);
        part += units;
    }
    least_of(&shared, behind);
    let mut carry = shared[0].load();

    let round = comptime!(units * RUN);
    let start = CUBE_POS_X * PART;
    let end = m.min(start + PART);
    let mut rounds = (end - start).div_ceil(round);
    while rounds > 0 {
        rounds -= 1;
        // The last unit has the first run: then what lies behind a run belongs to the units before.
        let first = start + rounds * round + (comptime!(units - 1) - UNIT_POS_X) * RUN;
        let mut starts = Sequence::<u32>::new();
        let mut mine = n;
        #[unroll]
        for j in 0..RUN {
            let i = first + j;
            // Beyond the end the last one is read, and left out.
            let start = select(i < end, result[i.min(end - 1) as usize], n);
            starts.push(start);
            mine = mine.min(start);
        }
        // All have read before any writes.
        scan_least(mine, &mut scan, units);
        let before = scan[(UNIT_POS_X.max(1) - 1) as usize];
        let mut running = carry.min(select(UNIT_POS_X > 0, before, n));
        #[unroll]
        for j in 0..RUN {
            let place = comptime!(RUN - 1 - j);
            running = running.min(starts[comptime!(place as usize)]);
            let i = first + place;
            if i < end {
                result[i as usize] = running;
            }
        }
        carry = carry.min(scan[comptime!(units as usize - 1)]);
        sync_cube();
    }
    if ABSOLUTE_POS == 0 {
        let mut flag = 0u32;
        #[unroll]
        for pass in 0..passes.len() {
            flag |= passes.index(pass)[(digits + 2) as usize];
        }
        result[(m + 2) as usize] = flag;
    }
}

/// The least of what the units have. All of them see it.
#[cube]
fn least_of(shared: &SharedMemory<Atomic<u32>>, mine: u32) {
    if UNIT_POS_X == 0 {
        shared[0].store(u32::MAX);
    }
    sync_cube();
    shared[0].fetch_min(mine);
    sync_cube();
}

/// Inclusive prefix minima over the units, which `scan` holds afterwards. Wait before using it again.
#[cube]
fn scan_least(value: u32, scan: &mut SharedMemory<u32>, #[comptime] units: u32) {
    let mut least = value;
    scan[UNIT_POS_X as usize] = least;
    sync_cube();
    #[unroll]
    for step in 0..comptime!(units.next_power_of_two().trailing_zeros()) {
        let distance = comptime!(1u32 << step);
        // Those without as many units before them meet themselves.
        least = least.min(scan[(UNIT_POS_X - select(UNIT_POS_X >= distance, distance, 0u32)) as usize]);
        sync_cube();
        scan[UNIT_POS_X as usize] = least;
        sync_cube();
    }
}
