//! Offsets of the buckets of two passes, of ids that are known to be valid.
//!
//! The second pass reads keys in order of the low digit. So in front of the bucket (high, low) come, of all keys with
//! that high digit, those that it read before the first key with that low digit. The first pass knows where that key
//! is, and the prefix sums of the second how many keys of each high digit come before its tile; what is left to count
//! is a part of one tile for each low digit. Nothing depends on what planes can do.

use crate::gpu::function::AnyFn;
use crate::gpu::key::{AnyKey, KeyWidth};
use crate::request::policy::ONE_PASS;
use cubecl::prelude::*;

/// Where the second pass found things.
#[derive(CubeType, CubeLaunch, Clone, Copy)]
pub(crate) struct Second {
    pub n: u32,
    /// All buckets.
    pub m: u32,
    /// What a digit can be.
    pub digits: u32,
    pub tile: u32,
    /// Tiles, which have prefix sums.
    pub tiles: u32,
    /// Entries in a row of them.
    pub columns: u32,
}

/// A cube for each low digit. `keys` are what the second pass read, `f` is its digit, and `g` holds its prefix sums.
/// `low` and `high` are the results of the passes.
#[cube(launch_unchecked, address_type = "dynamic")]
pub(crate) fn two_pass_offsets(
    _width: &KeyWidth,
    keys: &Array<AnyKey>,
    g: &Array<u32>,
    low: &Array<u32>,
    high: &Array<u32>,
    result: &mut Array<u32>,
    f: &AnyFn,
    second: &Second,
    #[comptime] units: u32,
) {
    let counts = SharedMemory::<Atomic<u32>>::new(comptime!(ONE_PASS as usize));
    let digits = second.digits;
    let mut digit = UNIT_POS_X;
    while digit < digits {
        counts[digit as usize].store(0u32);
        digit += units;
    }
    sync_cube();
    let start = low[CUBE_POS_X as usize];
    let tile = start / second.tile;
    let first = tile * second.tile;
    // Counted from the tile on, so that nothing wraps close to 2^32.
    let mut i = UNIT_POS_X;
    while i < start - first {
        counts[f.bucket(keys[(first + i) as usize]) as usize].fetch_add(1u32);
        i += units;
    }
    sync_cube();
    let mut digit = UNIT_POS_X;
    while digit < digits {
        let id = digit * digits + CUBE_POS_X;
        if id < second.m {
            let begin = high[digit as usize];
            let mut before = counts[digit as usize].load();
            if tile < second.tiles {
                before += g[(digit * second.columns + tile) as usize];
            } else if start == second.n {
                // All keys come before.
                before = high[(digit + 1) as usize] - begin;
            }
            result[id as usize] = begin + before;
        }
        digit += units;
    }
    if ABSOLUTE_POS == 0 {
        result[second.m as usize] = second.n;
        result[(second.m + 1) as usize] = 0;
        result[(second.m + 2) as usize] = low[(digits + 2) as usize] | high[(digits + 2) as usize];
    }
}
