//! Postscan of direct multisplit: every element goes straight to its final position.
//!
//! The least work of the three methods, and the worst coalescing: best for keys in two or three buckets, where tiles
//! cannot be copied ahead.

use super::plane_positions::first_positions;
use super::plane_positions::plane_chunk;
use crate::gpu::function::AnyFn;
use crate::gpu::key::{AnyKey, KeyWidth};
use crate::gpu::primitives::bucket_id::bucket_of;
use crate::gpu::primitives::elements::{Columns, Rows, Wide, load, scatter, scatter_values, within};
use crate::gpu::primitives::plane;
use crate::gpu::primitives::plane_check::wrong_plane_size;
use crate::gpu::primitives::sizes::{Part, Sizes};
use crate::gpu::tuning::blueprint::Blueprint;
use cubecl::prelude::*;

#[cube(launch_unchecked, address_type = "dynamic")]
pub(crate) fn postscan_direct(
    _width: &KeyWidth,
    from: &Rows,
    to: &mut Rows,
    g: &Array<u32>,
    totals: &Array<u32>,
    result: &mut Array<u32>,
    f: &AnyFn,
    sizes: &Sizes,
    #[comptime] bp: Blueprint,
) {
    if wrong_plane_size(result, sizes.m, bp) {
        terminate!();
    }
    let chunk = sizes.chunk(plane_chunk(bp));
    let tile = comptime!(bp.plane_tile());
    let mut next = first_positions(g, totals, result, sizes, bp);
    let mut done = 0u32;
    while done + tile <= chunk.len {
        let part = Part { start: chunk.start + done, len: tile.runtime() };
        move_tile(from, to, f, part, sizes.m, &mut next, true, bp);
        done += tile;
    }
    if done < chunk.len {
        let part = Part { start: chunk.start + done, len: chunk.len - done };
        move_tile(from, to, f, part, sizes.m, &mut next, false, bp);
    }
}

/// `next`: where the next key of the bucket that this lane is in charge of goes.
#[cube]
fn move_tile(
    from: &Rows,
    to: &mut Rows,
    f: &AnyFn,
    tile: Part,
    m: u32,
    next: &mut u32,
    #[comptime] full: bool,
    #[comptime] bp: Blueprint,
) {
    let lane = plane::lane(bp);
    let keys = load::<AnyKey>(&from.keys, tile, lane, full, bp);
    let valid = within(lane, tile.len, bp);
    let mut positions = Sequence::<u32>::new();
    #[unroll]
    for j in 0..comptime!(bp.items as usize) {
        let bucket = bucket_of(f, keys[j], m, bp);
        let votes = plane::vote(bucket, valid[j], full, bp);
        positions.push(plane_shuffle(*next, bucket) + plane::count_below(&votes.peers, lane, bp));
        *next += plane::count(&votes.voters, bp);
    }
    scatter::<AnyKey, Array<AnyKey>>(&keys, &positions, &valid, &mut to.keys, full, bp);
    let Columns { narrow, wide, permutation } = &mut to.columns;
    let from = &from.columns;
    scatter_values::<Array<u32>, Array<Wide>>(from, narrow, wide, permutation, tile, &positions, &valid, full, bp);
}
