//! Postscan of block-level multisplit: the whole cube reorders one large tile.
//!
//! Larger tiles mean longer runs per bucket and better coalescing, for any number of buckets.

use super::super::blueprint::Blueprint;
use super::elements::{Columns, write_out};
use super::runs::{Runs, runs};
use super::sizes::{Part, Sizes};
use super::sort::{Sorter, load_tile, sort_tile, sorter};
use super::tile::apart_by;
use super::{bucket_of, wrong_plane_size};
use crate::bucket::BucketFn;
use cubecl::prelude::*;

#[cube(launch_unchecked, address_type = "dynamic")]
pub(crate) fn postscan_cube<F: BucketFn>(
    keys: &Array<F::Key>,
    from: &Columns,
    keys_out: &mut Array<F::Key>,
    to: &mut Columns,
    g: &Array<u32>,
    totals: &Array<u32>,
    result: &mut Array<u32>,
    f: &F,
    sizes: &Sizes,
    #[comptime] bp: Blueprint,
) {
    if wrong_plane_size(result, sizes.m, bp) {
        terminate!();
    }
    let mut sorter = sorter::<F::Key>(bp);
    let mut runs = runs(totals, result, sizes, bp);
    // Cubes take turns at the tiles, so that all write to the same stretch of every bucket at a time. Only the last tile
    // of the input may be partial.
    let full_tiles = sizes.n / comptime!(bp.tile());
    let mut number = CUBE_POS_X;
    let bounds = runs.fetch(g, number, sizes, bp);
    runs.enter(&bounds, number, sizes, bp);
    if number < full_tiles {
        let first = load_tile::<F::Key>(keys, from, sizes.chunk(number), true, bp);
        sorter.take_in(&first, bp);
    }
    while number < full_tiles {
        let here = sizes.chunk(number);
        sort_tile::<F>(f, &mut sorter, here, sizes.m, true, bp);
        // The next full tile is on its way while this one is written; if there is none, this one once more.
        number += CUBE_COUNT_X;
        let next = Part { start: select(number < full_tiles, sizes.chunk(number).start, here.start), len: here.len };
        let next = load_tile::<F::Key>(keys, from, next, true, bp);
        let bounds = runs.fetch(g, number.min(sizes.chunks - 1), sizes, bp);
        write_tile::<F>(keys_out, to, f, &sorter, &runs, here.len, sizes.m, true, bp);
        sorter.get_ready(bp);
        runs.enter(&bounds, number, sizes, bp);
        sorter.take_in(&next, bp);
    }
    if number < sizes.chunks {
        let here = sizes.chunk(number);
        let last = load_tile::<F::Key>(keys, from, here, false, bp);
        sorter.take_in(&last, bp);
        sort_tile::<F>(f, &mut sorter, here, sizes.m, false, bp);
        write_tile::<F>(keys_out, to, f, &sorter, &runs, here.len, sizes.m, false, bp);
    }
}

/// Writes a sorted tile to the output: neighbours in the tile are neighbours there.
#[cube]
fn write_tile<F: BucketFn>(
    keys_out: &mut Array<F::Key>,
    to: &mut Columns,
    f: &F,
    sorted: &Sorter<F::Key>,
    runs: &Runs,
    len: u32,
    m: u32,
    #[comptime] full: bool,
    #[comptime] bp: Blueprint,
) {
    #[unroll]
    for j in 0..comptime!(bp.items) {
        let place = UNIT_POS_X + comptime!(j * bp.units());
        let at = apart_by(UNIT_POS_X, comptime!(j * bp.units()));
        if full || place < len {
            let bucket = bucket_of::<F>(f, sorted.keys[at as usize], m);
            let position = runs.position(bucket, place);
            write_out::<F::Key>(&sorted.keys, &sorted.tiles, keys_out, to, at, position, bp);
        }
    }
}
