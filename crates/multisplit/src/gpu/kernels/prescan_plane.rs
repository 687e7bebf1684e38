//! Prescan of the direct and warp-level methods: each plane counts its own chunk with ballots.
//!
//! Lane b is in charge of bucket b (m is at most the plane size) and keeps its count in a register.

use super::super::{blueprint::Blueprint, plane};
use super::elements::load;
use super::sizes::{Part, Sizes};
use super::{lower_flag, plane_chunk, wrong_plane_size};
use crate::bucket::{BucketFn, BucketFnExpand};
use cubecl::prelude::*;

#[cube(launch_unchecked, address_type = "dynamic")]
pub(crate) fn prescan_plane<F: BucketFn>(
    keys: &Array<F::Key>,
    h: &mut Array<u32>,
    result: &mut Array<u32>,
    f: &F,
    sizes: &Sizes,
    #[comptime] bp: Blueprint,
) {
    let m = sizes.m;
    if wrong_plane_size(result, m, bp) {
        terminate!();
    }
    lower_flag(result, m);
    let chunk = sizes.chunk(plane_chunk(bp));
    let tile = comptime!(bp.plane_tile());
    let mut mine = 0u32; // keys of the bucket this lane is in charge of
    let mut astray = 0u32; // keys of this lane without a valid bucket
    let mut done = 0u32;
    while done + tile <= chunk.len {
        let part = Part { start: chunk.start + done, len: tile.runtime() };
        count_tile::<F>(keys, f, part, m, &mut mine, &mut astray, true, bp);
        done += tile;
    }
    if done < chunk.len {
        let part = Part { start: chunk.start + done, len: chunk.len - done };
        count_tile::<F>(keys, f, part, m, &mut mine, &mut astray, false, bp);
    }

    let lane = plane::lane(bp);
    let columns = CUBE_COUNT_X * comptime!(bp.planes);
    if lane < m {
        h[(lane * columns + plane_chunk(bp)) as usize] = mine;
    }
    let astray_in_plane = plane::inclusive_sum(astray, bp);
    if lane == comptime!(bp.plane - 1) {
        h[(m * columns + plane_chunk(bp)) as usize] = astray_in_plane;
    }
}

#[cube]
fn count_tile<F: BucketFn>(
    keys: &Array<F::Key>,
    f: &F,
    tile: Part,
    m: u32,
    mine: &mut u32,
    astray: &mut u32,
    #[comptime] full: bool,
    #[comptime] bp: Blueprint,
) {
    let lane = plane::lane(bp);
    let loaded = load::<F::Key>(keys, tile, lane, comptime!(bp.plane), full, bp);
    #[unroll]
    for j in 0..comptime!(bp.items) {
        let valid = lane + comptime!(j * bp.plane) < tile.len;
        let id = f.bucket(loaded[comptime!(j as usize)]);
        let votes = plane::vote(id.min(m - 1), valid, full, bp);
        *mine += plane::count(&votes.voters, bp);
        *astray += select(valid && id >= m, 1u32, 0u32);
    }
}
