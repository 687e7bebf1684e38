//! The start of a search, where only the source has a distance, and its restart.

use cubecl::prelude::*;
use multisplit::cubecl;

/// Sets all distances and marks, and puts the source into an entry of the queues. Which entry and which mark depends on
/// the strategy; with lists there are no marks.
#[cube(launch_unchecked, address_type = "dynamic")]
pub(crate) fn start(
    distances: &mut Array<u32>,
    marks: &mut Array<u32>,
    queued: &mut Array<u32>,
    n: u32,
    source: u32,
    unreachable: u32,
    entry: u32,
    mark: u32,
    #[comptime] has_lists: bool,
) {
    let mut v = CUBE_POS_X * CUBE_DIM_X + UNIT_POS_X;
    while v < n {
        let is_source = v == source;
        distances[v as usize] = select(is_source, 0u32, unreachable);
        if comptime!(!has_lists) {
            marks[v as usize] = select(is_source, mark, 0u32);
        }
        if is_source {
            queued[entry as usize] = v;
            if comptime!(has_lists) {
                queued[entry as usize + 1] = 0u32;
            }
        }
        v += CUBE_COUNT_X * CUBE_DIM_X;
    }
}

/// Puts all vertices into a row of a queue whose entries are two words. Their distances are read when they are taken.
#[cube(launch_unchecked, address_type = "dynamic")]
pub(crate) fn queue_all(queued: &mut Array<u32>, n: u32, row: u32) {
    let mut v = CUBE_POS_X * CUBE_DIM_X + UNIT_POS_X;
    while v < n {
        queued[2 * (row as usize * n as usize + v as usize)] = v;
        v += CUBE_COUNT_X * CUBE_DIM_X;
    }
}
