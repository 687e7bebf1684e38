//! Before a search: no vertex has a distance but the source, which is near.

use cubecl::prelude::*;
use multisplit::cubecl;

/// What differs from strategy to strategy: the entry of the queues that the source goes to, its mark, and that of others.
#[derive(CubeType, CubeLaunch)]
pub(crate) struct Beginning {
    pub entry: u32,
    pub mark: u32,
    pub other_marks: u32,
}

#[cube(launch_unchecked, address_type = "dynamic")]
pub(crate) fn start(
    distances: &mut Array<u32>,
    marks: &mut Array<u32>,
    queued: &mut Array<u32>,
    n: u32,
    source: u32,
    unreachable: u32,
    beginning: &Beginning,
) {
    let mut v = CUBE_POS_X * CUBE_DIM_X + UNIT_POS_X;
    while v < n {
        let is_source = v == source;
        distances[v as usize] = select(is_source, 0u32, unreachable);
        marks[v as usize] = select(is_source, beginning.mark, beginning.other_marks);
        if is_source {
            queued[beginning.entry as usize] = v;
        }
        v += CUBE_COUNT_X * CUBE_DIM_X;
    }
}
