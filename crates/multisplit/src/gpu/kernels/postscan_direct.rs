//! Postscan of direct multisplit: every key goes straight to its final position.
//!
//! The least work of the three methods, and the worst coalescing: best for two or four buckets.

use super::super::{blueprint::Blueprint, plane};
use super::columns::{Columns, scatter, scatter_columns};
use super::{bucket_base, bucket_of, chunk_start, load_tile, valid_in_tile, wrong_plane_size};
use crate::bucket::BucketFn;
use cubecl::prelude::*;

#[cube(launch_unchecked, address_type = "dynamic")]
pub(crate) fn postscan_direct<F: BucketFn>(
    keys: &Array<F::Key>,
    keys_out: &mut Array<F::Key>,
    values: &Columns,
    values_out: &mut Columns,
    g: &Array<u32>,
    totals: &Array<u32>,
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
    let lane = plane::lane(bp);
    let columns = CUBE_COUNT_X * comptime!(bp.planes);
    let column = CUBE_POS_X * comptime!(bp.planes) + plane::plane(bp);
    let start = chunk_start(column, chunks, chunk_size, n);
    let len = chunk_size.min(n - start);

    // Where the next key of the bucket this lane is in charge of goes.
    let mut next = bucket_base(totals, result, m, n, bp);
    if lane < m {
        next += g[(lane * columns + column) as usize];
    }
    let mut done = 0u32;
    while done + comptime!(bp.plane_tile()) <= len {
        let whole = comptime!(bp.plane_tile()).runtime();
        move_tile::<F>(keys, keys_out, values, values_out, f, start + done, whole, m, &mut next, true, bp);
        done += comptime!(bp.plane_tile());
    }
    if done < len {
        move_tile::<F>(keys, keys_out, values, values_out, f, start + done, len - done, m, &mut next, false, bp);
    }
}

#[cube]
fn move_tile<F: BucketFn>(
    keys: &Array<F::Key>,
    keys_out: &mut Array<F::Key>,
    values: &Columns,
    values_out: &mut Columns,
    f: &F,
    start: u32,
    len: u32,
    m: u32,
    next: &mut u32,
    #[comptime] full: bool,
    #[comptime] bp: Blueprint,
) {
    let lane = plane::lane(bp);
    let tile = load_tile::<F::Key>(keys, start, lane, len, full, bp);
    let valid = valid_in_tile(lane, len, bp);
    let mut positions = Sequence::<u32>::new();
    #[unroll]
    for j in 0..comptime!(bp.items as usize) {
        let bucket = bucket_of::<F>(f, tile[j], m);
        let votes = plane::vote(bucket, valid[j], full, bp);
        positions.push(plane_shuffle(*next, bucket) + plane::count_below(&votes.peers, lane, bp));
        *next += plane::count(&votes.voters, bp);
    }
    scatter::<F::Key>(&tile, &positions, &valid, keys_out, full, bp);
    scatter_columns(values, values_out, &positions, &valid, start, lane, len, full, bp);
}
