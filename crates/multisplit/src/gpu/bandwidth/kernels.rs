//! What the memory allows: the plainest copy, and the plainest read.

use cubecl::prelude::*;

/// Units per cube.
pub(crate) const UNITS: u32 = 256;
/// Loads in flight per unit.
const UNROLL: u32 = 4;
/// Loads that a cube takes in one round.
pub(crate) const TILE: u32 = UNITS * UNROLL;

/// Copies `loads` loads of N words, and the first `rest` words of one more.
#[cube(launch_unchecked, address_type = "dynamic")]
pub(crate) fn copy<N: Size>(from: &Array<Vector<u32, N>>, to: &mut Array<Vector<u32, N>>, loads: u32, rest: u32) {
    let loads = loads as usize;
    let mut first = CUBE_POS * comptime!(TILE as usize) + UNIT_POS_X as usize;
    while first < loads {
        if first + comptime!((TILE - UNITS) as usize) < loads {
            let mut batch = Sequence::<Vector<u32, N>>::new();
            #[unroll]
            for j in 0..UNROLL {
                batch.push(from[first + comptime!((j * UNITS) as usize)]);
            }
            #[unroll]
            for j in 0..UNROLL {
                to[first + comptime!((j * UNITS) as usize)] = batch[comptime!(j as usize)];
            }
        } else {
            let mut i = first;
            while i < loads {
                to[i] = from[i];
                i += comptime!(UNITS as usize);
            }
        }
        first += CUBE_COUNT * comptime!(TILE as usize);
    }
    if ABSOLUTE_POS == 0 && rest > 0 {
        let source = from[loads];
        let mut target = to[loads];
        #[unroll]
        for e in 0..N::value() {
            if (e as u32) < rest {
                target[e] = source[e];
            }
        }
        to[loads] = target;
    }
}

/// Adds up `loads` loads of N words, and the first `rest` words of one more: each cube's sum, modulo 2^32, goes to its
/// own entry of `sink`. Entries beyond the cubes become 0.
#[cube(launch_unchecked, address_type = "dynamic")]
pub(crate) fn read<N: Size>(from: &Array<Vector<u32, N>>, sink: &mut Array<u32>, loads: u32, rest: u32, entries: u32) {
    let loads = loads as usize;
    let stride = CUBE_COUNT * comptime!(UNITS as usize);
    let mut sum = 0u32;
    let mut i = ABSOLUTE_POS;
    while i + comptime!((UNROLL - 1) as usize) * stride < loads {
        let mut batch = Sequence::<Vector<u32, N>>::new();
        #[unroll]
        for j in 0..UNROLL {
            batch.push(from[i + comptime!(j as usize) * stride]);
        }
        #[unroll]
        for j in 0..UNROLL {
            sum += sum_of::<N>(batch[comptime!(j as usize)], comptime!(u32::MAX));
        }
        i += comptime!(UNROLL as usize) * stride;
    }
    while i < loads {
        sum += sum_of::<N>(from[i], comptime!(u32::MAX));
        i += stride;
    }
    if ABSOLUTE_POS == 0 && rest > 0 {
        sum += sum_of::<N>(from[loads], rest);
    }

    let mut sums = SharedMemory::<u32>::new(comptime!(UNITS as usize));
    sums[UNIT_POS_X as usize] = sum;
    sync_cube();
    #[unroll]
    for step in 0..comptime!(UNITS.ilog2()) {
        let half = comptime!(UNITS >> (step + 1));
        if UNIT_POS_X < half {
            let other = sums[(UNIT_POS_X + half) as usize];
            sums[UNIT_POS_X as usize] += other;
        }
        sync_cube();
    }
    if UNIT_POS_X == 0 {
        sink[CUBE_POS] = sums[0];
        let mut entry = CUBE_POS + CUBE_COUNT;
        while entry < entries as usize {
            sink[entry] = 0;
            entry += CUBE_COUNT;
        }
    }
}

/// The sum of the first `len` words of a load.
#[cube]
fn sum_of<N: Size>(load: Vector<u32, N>, len: u32) -> u32 {
    let mut sum = 0u32;
    #[unroll]
    for e in 0..N::value() {
        if (e as u32) < len {
            sum += load[e];
        }
    }
    sum
}
