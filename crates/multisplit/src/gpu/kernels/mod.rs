//! The three stages of multisplit (the paper's section 4.4), each method's own way.
//!
//! | stage | direct | warp-level | block-level |
//! |---|---|---|---|
//! | prescan: count each chunk's keys per bucket into a column of H | `prescan` | `prescan` | `prescan` |
//! | scan: exclusive prefix sums along each row of H | `scan` | `scan` | `scan` |
//! | postscan: move the elements to their places | `postscan_direct` | `postscan_plane` | `postscan_cube` |
//!
//! For functions that take long the prescan keeps bucket ids, and the block-level postscan is `postscan_labels`.
//! Block-level multisplit of a single tile needs no stages: `split_tile`. A histogram is a prescan whose counts are
//! added up: `histogram`, and `histogram_global` for very many bins. The offsets of more buckets than one pass tells
//! apart: `crossings`, and `starts`.
//!
//! Other approaches than multisplit have `label` (reduced-bit sort) and `scan_split`, which needs sums over the whole
//! device (`prefix`).
//!
//! Segments are split block-level: `split_segments` where they fit a tile, else `prescan_segments`, `counts` and
//! `postscan_segments`. `boundaries` finds the offsets where there are more buckets than one pass tells apart.
//!
//! H has m + 1 rows of one entry per chunk: a row per bucket, and a last row that counts keys without a valid bucket.
//! `result` holds the m + 1 offsets, then the number of those keys, then a flag that is raised when the device ran the
//! kernel with another plane size than it was compiled for.

pub(crate) mod ahead;
pub(crate) mod arrivals;
pub(crate) mod async_copy;
pub(crate) mod boundaries;
pub(crate) mod counters;
pub(crate) mod counts;
pub(crate) mod crossings;
pub(crate) mod elements;
pub(crate) mod fill;
pub(crate) mod follow;
pub(crate) mod gather;
pub(crate) mod histogram;
pub(crate) mod histogram_global;
pub(crate) mod intake;
pub(crate) mod label;
pub(crate) mod labels;
pub(crate) mod limits;
pub(crate) mod postscan_cube;
pub(crate) mod postscan_direct;
pub(crate) mod postscan_labels;
pub(crate) mod postscan_plane;
pub(crate) mod postscan_segments;
pub(crate) mod prefix;
pub(crate) mod prescan;
pub(crate) mod prescan_segments;
pub(crate) mod rows;
pub(crate) mod runs;
pub(crate) mod scan;
pub(crate) mod scan_split;
pub(crate) mod segments;
pub(crate) mod sizes;
pub(crate) mod sort;
pub(crate) mod split_segments;
pub(crate) mod split_tile;
pub(crate) mod starts;
pub(crate) mod tile;
pub(crate) mod turns;
pub(crate) mod varying;
pub(crate) mod words;

use super::blueprint::Blueprint;
use super::plane;
use crate::bucket::{BucketFn, BucketFnExpand};
use cubecl::prelude::*;
use sizes::Sizes;

/// The bucket of a key, brought into range. Ids beyond the last bucket are counted by the prescan.
#[cube]
pub(crate) fn bucket_of<F: BucketFn>(f: &F, key: F::Key, m: u32, #[comptime] bp: Blueprint) -> u32 {
    let id = f.bucket(key);
    if comptime!(bp.in_range) { id } else { id.min(m - 1) }
}

/// A bucket id, or `last` if it is beyond.
#[cube]
pub(crate) fn up_to(id: u32, last: u32, #[comptime] bp: Blueprint) -> u32 {
    if comptime!(bp.in_range) { id } else { id.min(last) }
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

/// The prescan lowers the flag that its kernels or the later ones may raise.
#[cube]
pub(crate) fn lower_flag(result: &mut Array<u32>, m: u32) {
    if ABSOLUTE_POS == 0 {
        result[(m + 2) as usize] = 0;
    }
}

/// For methods whose lanes are in charge of one bucket each: where the next key of this lane's bucket goes, for the
/// plane's chunk. The first plane writes the offsets.
#[cube]
pub(crate) fn first_positions(
    g: &Array<u32>,
    totals: &Array<u32>,
    result: &mut Array<u32>,
    sizes: &Sizes,
    #[comptime] bp: Blueprint,
) -> u32 {
    let lane = plane::lane(bp);
    let m = sizes.m;
    let mut total = 0u32;
    if lane < m {
        total = totals[lane as usize];
    }
    let base = plane::inclusive_sum(total, bp) - total;
    if CUBE_POS_X == 0 && UNIT_POS_X < m {
        result[lane as usize] = base;
    }
    if CUBE_POS_X == 0 && UNIT_POS_X == 0 {
        result[m as usize] = sizes.n;
        result[(m + 1) as usize] = totals[m as usize];
    }
    let mut next = base;
    if lane < m && plane_chunk(bp) < sizes.chunks {
        next += g[(lane * sizes.columns + plane_chunk(bp)) as usize];
    }
    next
}

/// The chunk of this plane, where every plane has its own.
#[cube]
pub(crate) fn plane_chunk(#[comptime] bp: Blueprint) -> u32 {
    CUBE_POS_X * comptime!(bp.planes) + plane::plane(bp)
}
