//! Segments that one plane splits alone, into no more buckets than it has lanes: by votes.
//!
//! Counters of so few keys would take longer to scan than the keys to rank. Each lane is in charge of the bucket of its
//! number: votes tell a key its rank, and the lane how many keys its bucket has ([`plane::vote`]). So the offsets are
//! known, too, and the function is called once for each key.

use crate::gpu::function::AnyFn;
use crate::gpu::key::AnyKey;
use crate::gpu::primitives::bucket_id::up_to;
use crate::gpu::primitives::elements::{Rows, write_out};
use crate::gpu::primitives::payload::{fetch_rows, put_values};
use crate::gpu::primitives::sizes::Part;
use crate::gpu::primitives::tile::fetch;
use crate::gpu::primitives::tile_pipeline::pipeline;
use crate::gpu::primitives::{cube, plane};
use crate::gpu::tuning::blueprint::Blueprint;
use cubecl::prelude::*;

/// Whether segments are split so.
pub(crate) const fn is_by_votes(bp: Blueprint) -> bool {
    bp.planes == 1 && bp.capacity() <= bp.plane
}

/// Splits a part of the input, at most a tile and not empty, in its place. Where its buckets begin is written to
/// `result` from `place` on. Returns how many keys of this lane had no valid bucket.
#[cube]
pub(crate) fn split_by_votes(
    from: &Rows,
    to: &mut Rows,
    result: &mut Array<u32>,
    f: &AnyFn,
    part: Part,
    place: u32,
    m: u32,
    #[comptime] bp: Blueprint,
) -> u32 {
    let mut pipeline = pipeline(bp);
    let lane = plane::lane(bp);
    let keys = fetch::<AnyKey>(&from.keys, part, false, bp);
    let values = fetch_rows(&from.columns, part, bp);
    let mut ids = Sequence::<u32>::new();
    let mut ranks = Sequence::<u32>::new();
    // Keys so far of the bucket that this lane is in charge of.
    let mut sum = 0u32;
    let mut out_of_range = 0u32;
    #[unroll]
    for j in 0..comptime!(bp.items) {
        let is_here = lane + comptime!(j * bp.plane) < part.len;
        let id = f.bucket(keys[comptime!(j as usize)]);
        if comptime!(!bp.in_range) {
            out_of_range += u32::cast_from(is_here && id >= m);
        }
        let id = up_to(id, m - 1, bp);
        let votes = plane::vote(id, is_here, false, bp);
        ranks.push(plane_shuffle(sum, id) + plane::count_below(&votes.peers, lane, bp));
        sum += plane::count(&votes.voters, bp);
        ids.push(id);
    }
    let count = select(lane < m, sum, 0u32);
    let start = plane::inclusive_sum(count, bp) - count;
    if lane < m {
        result[(place + lane) as usize] = part.start + start;
    }
    #[unroll]
    for j in 0..comptime!(bp.items as usize) {
        let at = (plane_shuffle(start, ids[j]) + ranks[j]) as usize;
        if lane + comptime!(j as u32 * bp.plane) < part.len {
            pipeline.keys[at] = keys[j];
            put_values(&values, j, at, &mut pipeline.tiles, bp);
        }
    }
    cube::sync(bp);
    #[unroll]
    for j in 0..comptime!(bp.items) {
        let at = lane + comptime!(j * bp.plane);
        if at < part.len {
            let (at, position) = (at as usize, (part.start + at) as usize);
            write_out(pipeline.keys[at], &pipeline.tiles, at, to, position, bp);
        }
    }
    out_of_range
}
