//! Before a search: no vertex has a distance but the source, which is near.

use crate::gpu::control::NEAR_MARK;
use cubecl::prelude::*;
use multisplit::cubecl;

/// `first`: where in the near queue the source goes.
#[cube(launch_unchecked, address_type = "dynamic")]
pub(crate) fn start(
    distances: &mut Array<u32>,
    marks: &mut Array<u32>,
    near: &mut Array<u32>,
    n: u32,
    source: u32,
    first: u32,
    unreachable: u32,
) {
    let mut v = CUBE_POS_X * CUBE_DIM_X + UNIT_POS_X;
    while v < n {
        let is_source = v == source;
        distances[v as usize] = select(is_source, 0u32, unreachable);
        marks[v as usize] = select(is_source, NEAR_MARK.runtime(), 0u32);
        if is_source {
            near[first as usize] = v;
        }
        v += CUBE_COUNT_X * CUBE_DIM_X;
    }
}
