//! Offsets of very many buckets: the counts of a histogram become their exclusive prefix sums, in place.

use super::prefix::{part_of_cube, prefix_part, sum_part};
use cubecl::prelude::*;

/// Counts of a part. Sums of the parts before one are few even for 2^24 counts.
pub(crate) const PART: u32 = 1 << 14;

/// The sum of each part of `m` counts. Where there is only one, it is not needed.
#[cube(launch_unchecked, address_type = "dynamic")]
pub(crate) fn sum_parts(counts: &Array<u32>, sums: &mut Array<u32>, m: u32, #[comptime] units: u32) {
    sum_part(counts, sums, part_of_cube(m, PART), units);
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
    prefix_part(result, sums, part_of_cube(m, PART), units);
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
