//! Prescan of the direct and warp-level methods: each plane counts its own chunk with ballots.
//!
//! Lane b is in charge of bucket b (m is at most the plane size) and keeps its count in a register.

use super::super::{blueprint::Blueprint, plane};
use super::{chunk_start, load_tile, wrong_plane_size};
use crate::bucket::{BucketFn, BucketFnExpand};
use cubecl::prelude::*;

#[cube(launch_unchecked, address_type = "dynamic")]
pub(crate) fn prescan_plane<F: BucketFn>(
    keys: &Array<F::Key>,
    h: &mut Array<u32>,
    result: &mut Array<u32>,
    f: &F,
    n: u32,
    m: u32,
    chunks: u32,
    chunk_size: u32,
    #[comptime] bp: Blueprint,
) {
    if wrong_plane_size(result, m, bp) {
        terminate!();
    }
    if ABSOLUTE_POS == 0 {
        result[(m + 2) as usize] = 0;
    }
    let lane = plane::lane(bp);
    let columns = CUBE_COUNT_X * comptime!(bp.planes);
    let column = CUBE_POS_X * comptime!(bp.planes) + plane::plane(bp);
    let start = chunk_start(column, chunks, chunk_size, n);
    let len = chunk_size.min(n - start);

    let mut mine = 0u32; // keys of the bucket this lane is in charge of
    let mut astray = 0u32; // keys of this lane without a valid bucket
    let mut done = 0u32;
    while done + comptime!(bp.plane_tile()) <= len {
        count_tile::<F>(
            keys,
            f,
            start + done,
            m,
            comptime!(bp.plane_tile()).runtime(),
            &mut mine,
            &mut astray,
            true,
            bp,
        );
        done += comptime!(bp.plane_tile());
    }
    if done < len {
        count_tile::<F>(keys, f, start + done, m, len - done, &mut mine, &mut astray, false, bp);
    }

    if lane < m {
        h[(lane * columns + column) as usize] = mine;
    }
    let astray_in_plane = plane::inclusive_sum(astray, bp);
    if lane == comptime!(bp.plane - 1) {
        h[(m * columns + column) as usize] = astray_in_plane;
    }
}

#[cube]
fn count_tile<F: BucketFn>(
    keys: &Array<F::Key>,
    f: &F,
    start: u32,
    m: u32,
    len: u32,
    mine: &mut u32,
    astray: &mut u32,
    #[comptime] full: bool,
    #[comptime] bp: Blueprint,
) {
    let lane = plane::lane(bp);
    let tile = load_tile::<F::Key>(keys, start, lane, len, full, bp);
    #[unroll]
    for j in 0..comptime!(bp.items) {
        let valid = lane + comptime!(j * bp.plane) < len;
        let id = f.bucket(tile[comptime!(j as usize)]);
        let votes = plane::vote(id.min(m - 1), valid, full, bp);
        *mine += plane::count(&votes.voters, bp);
        *astray += select(valid && id >= m, 1u32, 0u32);
    }
}
