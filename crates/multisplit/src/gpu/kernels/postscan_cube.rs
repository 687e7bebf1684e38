//! Postscan of block-level multisplit: the whole cube reorders one large tile.
//!
//! Larger tiles mean longer runs per bucket and better coalescing, for any number of buckets.

use super::super::blueprint::Blueprint;
use super::super::cube;
use super::ahead::Ahead;
use super::counters::counters;
use super::elements::{Columns, write_out};
use super::intake::{Intake, intake, load_ahead, load_tile};
use super::runs::{Runs, runs};
use super::sizes::{Part, Sizes};
use super::sort::sort_tile;
use super::turns::{tile_of, turns};
use super::{bucket_of, wrong_plane_size};
use crate::bucket::BucketFn;
use cubecl::prelude::*;

/// `totals` also holds the numbers that cubes draw.
#[cube(launch_unchecked, address_type = "dynamic")]
pub(crate) fn postscan_cube<F: BucketFn>(
    keys: &Array<F::Key>,
    from: &Columns,
    keys_out: &mut Array<F::Key>,
    to: &mut Columns,
    g: &Array<u32>,
    totals: &Array<Atomic<u32>>,
    result: &mut Array<u32>,
    ahead: &mut Ahead<F>,
    f: &F,
    sizes: &Sizes,
    #[comptime] bp: Blueprint,
) {
    if wrong_plane_size(result, sizes.m, bp) {
        terminate!();
    }
    let mut intake = intake::<F::Key>(bp);
    let mut counters = counters(bp);
    counters.clear(bp);
    let mut turns = turns(totals, sizes);
    let mut runs = runs(totals, result, sizes, bp);
    // Chunks are tiles; at most the last one of the input is not full.
    let full_tiles = sizes.n / comptime!(bp.tile());
    let mut number = turns.number();
    let first = tile_of(number, full_tiles);
    if number < full_tiles {
        intake.bring(keys, from, sizes.chunk(first), bp);
    }
    let bounds = runs.fetch(g, first, sizes, bp);
    let second = turns.draw(totals, sizes);
    let lengths = runs.approach(&bounds, first, sizes, bp);
    intake.wait(number < full_tiles, bp);
    cube::sync(bp);
    turns.announce(second);
    runs.enter(&bounds, &lengths, sizes, bp);
    cube::sync(bp);
    while number < full_tiles {
        let here = sizes.chunk(tile_of(number, full_tiles));
        number = turns.number();
        let next = tile_of(number, full_tiles);
        let comes = number < full_tiles;
        if comes {
            intake.copy_ahead(keys, from, sizes.chunk(next), bp);
        }
        sort_tile::<F>(f, &mut intake, &mut counters, here, sizes.m, true, bp);
        let following = turns.draw(totals, sizes);
        let bounds = runs.fetch(g, next, sizes, bp);
        // If no full tile follows, this one stands in.
        let start = select(comes, sizes.chunk(next).start, here.start);
        let loaded = load_ahead::<F::Key>(keys, from, Part { start, len: here.len }, bp);
        counters.clear(bp);
        write_tile::<F>(keys_out, to, ahead, f, &intake, &runs, here.len, sizes.m, true, bp);
        turns.announce(following);
        intake.go_on(&loaded, comes, bp);
        let lengths = runs.approach(&bounds, next, sizes, bp);
        cube::sync(bp);
        runs.enter(&bounds, &lengths, sizes, bp);
    }
    if number < sizes.chunks {
        let here = sizes.chunk(number);
        let last = load_tile::<F::Key>(keys, from, here, false, bp);
        intake.take_in(&last, bp);
        cube::sync(bp);
        sort_tile::<F>(f, &mut intake, &mut counters, here, sizes.m, false, bp);
        write_tile::<F>(keys_out, to, ahead, f, &intake, &runs, here.len, sizes.m, false, bp);
    }
}

/// Writes a sorted tile to the output: neighbours in the tile are neighbours there.
#[cube]
fn write_tile<F: BucketFn>(
    keys_out: &mut Array<F::Key>,
    to: &mut Columns,
    ahead: &mut Ahead<F>,
    f: &F,
    sorted: &Intake<F::Key>,
    runs: &Runs,
    len: u32,
    m: u32,
    #[comptime] full: bool,
    #[comptime] bp: Blueprint,
) {
    let first = sorted.first(bp) + UNIT_POS_X;
    #[unroll]
    for j in 0..comptime!(bp.items) {
        let place = UNIT_POS_X + comptime!(j * bp.units());
        let at = first + comptime!(j * bp.units());
        if full || place < len {
            let key = sorted.keys[at as usize];
            let position = runs.position(bucket_of::<F>(f, key, m, bp), place);
            write_out::<F::Key>(&sorted.keys, &sorted.tiles, keys_out, to, at, position, bp);
            ahead.leave(key, position, bp);
        }
    }
}
