//! The three stages of multisplit (the paper's section 4.4), each method's own way.
//!
//! | stage | direct | warp-level | block-level |
//! |---|---|---|---|
//! | prescan: count each chunk's keys per bucket into a column of H | [`prescan_plane`] | [`prescan_plane`] | [`prescan_cube`] |
//! | scan: exclusive prefix sums along each row of H | [`scan`] | [`scan`] | [`scan`] |
//! | postscan: move the elements to their places | [`postscan_direct`] | [`postscan_plane`] | [`postscan_cube`] |
//!
//! H has m + 1 rows of one entry per chunk: a row per bucket, and a last row that counts keys without a valid bucket.
//! `result` holds the m + 1 offsets, then the number of those keys, then a flag that is raised when the device ran the
//! kernel with another plane size than it was compiled for.

pub(crate) mod columns;
pub(crate) mod gather;
pub(crate) mod postscan_cube;
pub(crate) mod postscan_direct;
pub(crate) mod postscan_plane;
pub(crate) mod prescan_cube;
pub(crate) mod prescan_plane;
pub(crate) mod scan;

use super::blueprint::Blueprint;
use super::plane;
use crate::bucket::{BucketFn, BucketFnExpand};
use cubecl::prelude::*;

/// The bucket of a key, brought into range. Ids beyond the last bucket are counted by the prescan.
#[cube]
pub(crate) fn bucket_of<F: BucketFn>(f: &F, key: F::Key, m: u32) -> u32 {
    f.bucket(key).min(m - 1)
}

/// Where chunk `chunk` starts. The product cannot overflow for chunks that hold keys; the others start at the end.
#[cube]
pub(crate) fn chunk_start(chunk: u32, chunks: u32, chunk_size: u32, n: u32) -> u32 {
    select(chunk < chunks, chunk * chunk_size, n)
}

/// Raises the flag and says so if planes are not what the kernel was compiled for: its results would be wrong.
#[cube]
pub(crate) fn wrong_plane_size(result: &mut Array<u32>, m: u32, #[comptime] bp: Blueprint) -> bool {
    let wrong = PLANE_DIM != comptime!(bp.plane);
    if wrong && ABSOLUTE_POS == 0 {
        result[(m + 2) as usize] = 1;
    }
    wrong
}

/// The keys of a plane's tile: window j, this lane. `offset` is the lane's place in the tile.
#[cube]
pub(crate) fn load_tile<E: CubePrimitive>(
    from: &Array<E>,
    start: u32,
    offset: u32,
    len: u32,
    #[comptime] full: bool,
    #[comptime] bp: Blueprint,
) -> Sequence<E> {
    let mut elements = Sequence::<E>::new();
    let at = (start + offset) as usize;
    #[unroll]
    for j in 0..comptime!(bp.items) {
        if comptime!(full) {
            elements.push(from[at + comptime!((j * bp.plane) as usize)]);
        } else {
            // Lanes without a key read the last one. There is one even if this tile is empty: no kernel runs without keys.
            elements.push(from[(start + offset + comptime!(j * bp.plane)).min(start + len - 1) as usize]);
        }
    }
    elements
}

/// Which of this lane's elements exist in a tile of `len`.
#[cube]
pub(crate) fn valid_in_tile(offset: u32, len: u32, #[comptime] bp: Blueprint) -> Sequence<bool> {
    let mut valid = Sequence::<bool>::new();
    #[unroll]
    for j in 0..comptime!(bp.items) {
        valid.push(offset + comptime!(j * bp.plane) < len);
    }
    valid
}

/// For methods whose lanes are in charge of one bucket each: where this lane's bucket starts in the output, and the
/// result's offsets (written once, by the first plane).
#[cube]
pub(crate) fn bucket_base(
    totals: &Array<u32>,
    result: &mut Array<u32>,
    m: u32,
    n: u32,
    #[comptime] bp: Blueprint,
) -> u32 {
    let lane = plane::lane(bp);
    let mut total = 0u32;
    if lane < m {
        total = totals[lane as usize];
    }
    let base = plane::inclusive_sum(total, bp) - total;
    if CUBE_POS_X == 0 && UNIT_POS_X < m {
        result[lane as usize] = base;
    }
    if CUBE_POS_X == 0 && UNIT_POS_X == 0 {
        result[m as usize] = n;
        result[(m + 1) as usize] = totals[m as usize];
    }
    base
}
