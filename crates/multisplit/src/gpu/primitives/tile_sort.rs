//! Sorts a tile by bucket, in place: between reading and writing it, its elements are in registers.
//!
//! Each unit takes consecutive keys of the tile and ranks them with [counters](super::rank_counters) of its own. The
//! counters of many buckets would take longer to scan than the keys to count, so then the tile is sorted twice: by
//! the low half of the bucket id, then by the high half.

use super::bucket_id::bucket_of;
use super::cube;
use super::payload::{owned_columns, put_values};
use super::rank_counters::Counters;
use super::sizes::Part;
use super::tile::{first_owned, owned};
use super::tile_pipeline::TilePipeline;
use crate::gpu::function::AnyFn;
use crate::gpu::key::AnyKey;
use crate::gpu::tuning::blueprint::Blueprint;
use cubecl::prelude::*;

/// Sorts the tile that was taken in, and waits. The counters must have been cleared.
#[cube]
pub(crate) fn sort_tile(
    f: &AnyFn,
    pipeline: &mut TilePipeline,
    counters: &mut Counters,
    tile: Part,
    m: u32,
    #[comptime] full: bool,
    #[comptime] bp: Blueprint,
) {
    if comptime!(bp.passes() == 1) {
        sort(f, pipeline, counters, tile, m, 0u32.runtime(), true, full, bp);
    } else {
        // A loop: it is as fast as two copies of the code, which take twice as long to compile.
        for pass in 0..comptime!(bp.passes()) {
            sort(f, pipeline, counters, tile, m, pass, pass == 0, full, bp);
        }
    }
}

/// The digit of a bucket id that a pass sorts by.
#[cube]
pub(crate) fn digit_of(bucket: u32, pass: u32, #[comptime] bp: Blueprint) -> u32 {
    if comptime!(bp.passes() == 1) {
        bucket
    } else {
        (bucket >> (pass * comptime!(bp.digit()))) & comptime!(bp.digit_values() - 1)
    }
}

/// Sorts the tile by one digit of the bucket id, for the first time or again, and waits.
#[cube]
fn sort(
    f: &AnyFn,
    pipeline: &mut TilePipeline,
    counters: &mut Counters,
    tile: Part,
    m: u32,
    pass: u32,
    first_sort: bool,
    #[comptime] full: bool,
    #[comptime] bp: Blueprint,
) {
    let first = pipeline.first(bp);
    let own = owned::<AnyKey>(&pipeline.keys, first, bp);
    let values = owned_columns(&pipeline.tiles, first, tile.start, first_sort, bp);
    let first_word = counters.first_word(pass, bp);
    let mut words = Sequence::<u32>::new();
    #[unroll]
    for j in 0..comptime!(bp.items) {
        let bucket = bucket_of(f, own[comptime!(j as usize)], m, bp);
        // What is beyond the end of the input comes last, in every pass, and is not written.
        let bucket = if comptime!(full) {
            bucket
        } else {
            select(first_owned(bp) + j < tile.len, bucket, comptime!(bp.capacity() - 1))
        };
        words.push(counters.count(digit_of(bucket, pass, bp), first_word, bp));
    }
    // From here on, everybody's elements are in registers.
    cube::sync(bp);
    counters.scan(pass, bp);
    cube::sync(bp);
    #[unroll]
    for j in 0..comptime!(bp.items as usize) {
        let place = (first + counters.take(words[j])) as usize;
        pipeline.keys[place] = own[j];
        put_values(&values, j, place, &mut pipeline.tiles, bp);
    }
    cube::sync(bp);
}
