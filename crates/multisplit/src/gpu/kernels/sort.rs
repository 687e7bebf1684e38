//! Sorts a tile by bucket, in place: between reading and writing it, its elements are in registers.
//!
//! Each unit takes consecutive keys of the tile and ranks them with [counters](super::counters) of its own. The
//! counters of many buckets would take longer to scan than the keys to count, so then the tile is sorted twice: by
//! the low half of the bucket id, then by the high half.

use super::super::blueprint::{Blueprint, Pass};
use super::super::cube;
use super::bucket_of;
use super::counters::Counters;
use super::follow::{owned_columns, put_values};
use super::intake::Intake;
use super::sizes::Part;
use super::tile::{first_owned, owned};
use crate::bucket::BucketFn;
use cubecl::prelude::*;

/// Sorts the tile that was taken in, and waits. The counters must have been cleared.
#[cube]
pub(crate) fn sort_tile<F: BucketFn>(
    f: &F,
    intake: &mut Intake<F::Key>,
    counters: &mut Counters,
    tile: Part,
    m: u32,
    #[comptime] full: bool,
    #[comptime] bp: Blueprint,
) {
    sort::<F>(f, intake, counters, tile, m, comptime!(Pass { bp, number: 0, full }));
    if comptime!(bp.passes() == 2) {
        cube::sync(bp);
        sort::<F>(f, intake, counters, tile, m, comptime!(Pass { bp, number: 1, full }));
    }
    cube::sync(bp);
}

/// The digit of a bucket id that a pass sorts by. There is nothing above the highest to be cut off.
#[cube]
pub(super) fn digit_of(bucket: u32, #[comptime] pass: Pass) -> u32 {
    let digit = comptime!(pass.digit());
    let rest = if comptime!(digit.shift == 0) { bucket } else { bucket >> comptime!(digit.shift) };
    if comptime!(pass.is_last()) { rest } else { rest & comptime!(digit.values() - 1) }
}

/// Sorts the tile by one digit of the bucket id.
#[cube]
fn sort<F: BucketFn>(
    f: &F,
    intake: &mut Intake<F::Key>,
    counters: &mut Counters,
    tile: Part,
    m: u32,
    #[comptime] pass: Pass,
) {
    let (bp, full) = comptime!((pass.bp, pass.full));
    let first = intake.first(bp);
    let own = owned::<F::Key>(&intake.keys, first, bp);
    let values = owned_columns(&intake.tiles, first, tile.start, pass);
    let first_word = counters.first_word(pass);
    let mut words = Sequence::<u32>::new();
    #[unroll]
    for j in 0..comptime!(bp.items) {
        let bucket = bucket_of::<F>(f, own[comptime!(j as usize)], m, bp);
        // What is beyond the end of the input comes last, in every pass, and is not written.
        let bucket = if comptime!(full) {
            bucket
        } else {
            select(first_owned(bp) + j < tile.len, bucket, comptime!(bp.capacity() - 1))
        };
        words.push(counters.count(digit_of(bucket, pass), first_word, bp));
    }
    // From here on, everybody's elements are in registers.
    cube::sync(bp);
    counters.scan(pass);
    cube::sync(bp);
    #[unroll]
    for j in 0..comptime!(bp.items as usize) {
        let place = (first + counters.take(words[j])) as usize;
        intake.keys[place] = own[j];
        put_values(&values, j, place, &mut intake.tiles, bp);
    }
}
