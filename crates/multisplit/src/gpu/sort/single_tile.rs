//! A sort of what fits one tile: one cube, one launch.
//!
//! The tile stays in shared memory while it is sorted by one digit after the other. The highest bits that differ tell
//! most keys apart, so the tile is sorted by those alone, and then by comparisons. Only if that does not end soon it is
//! sorted by all bits.

use super::SortBy;
use super::odd_even::sort_neighbours;
use crate::bucket::key::Key;
use crate::bucket::{BucketFn, BucketFnExpand, Upload};
use crate::error::Result;
use crate::gpu::function::AnyFn;
use crate::gpu::primitives::cube;
use crate::gpu::primitives::digit::Digit;
use crate::gpu::primitives::elements::{Rows, write_out};
use crate::gpu::primitives::plane;
use crate::gpu::primitives::plane_check::{lower_flag, wrong_plane_size};
use crate::gpu::primitives::rank_counters::counters;
use crate::gpu::primitives::shared_atomics::{Words, read_word};
use crate::gpu::primitives::sizes::Part;
use crate::gpu::primitives::tile_pipeline::{load_tile, pipeline};
use crate::gpu::primitives::tile_sort::sort_tile_again;
use crate::gpu::split::launch::{rows_in, rows_out};
use crate::gpu::split::{Job, OTHER_BINDINGS, passes};
use crate::gpu::table::Table;
use crate::gpu::tuning::blueprint::Blueprint;
use crate::gpu::tuning::selector;
use crate::gpu::workspace::{Arena, Needs, Scratch};
use crate::memory::result::{result_words, split_ran};
use crate::method::Stage;
use crate::request::policy::ONE_PASS;
use crate::runtime::{Arg, FirstRun, Gpu, launch, variant};
use cubecl::prelude::*;

/// The most bits that a tile is sorted by at first. Of 4096 random keys, some 250 agree with another in so many.
const WINDOW: u32 = 16;

/// Sorts the table by all bits of all words, and says whether it did: it does not if there are too many rows or columns
/// for one cube.
pub(super) fn sort<R: Runtime, K: Key>(
    gpu: &Gpu<R>,
    by: &SortBy<'_, R, K>,
    n: usize,
    table: &Table,
    arena: &Arena,
) -> Result<bool> {
    let ([first, ..], Ok(n @ 1..)) = (&by.words[..], u32::try_from(n)) else {
        return Ok(false);
    };
    let [pass] = &passes(gpu, *first, table, 0, OTHER_BINDINGS)[..] else {
        return Ok(false);
    };
    let Some(policy) = selector::choose_sort_tile(&gpu.facts, n, pass.payload) else {
        return Ok(false);
    };
    let bp = Blueprint::postscan(gpu.facts.plane, gpu.facts.dialect, false, &policy, ONE_PASS, pass.payload);
    gpu.check_planes()?;
    let needs = Needs { totals: result_words(1), ..Needs::default() };
    let result = &Scratch::cut(&mut arena.cut(gpu, needs.bytes(gpu))?, &needs)?.totals;
    let words = || by.words.iter().map(|word| word.arg(&Upload::new(gpu))).collect();
    let job = Job { table, through: Stage::Postscan, leaves_g: false };
    // The kernel reads and writes the first n rows: places in the tile below n are a permutation of 0..n.
    let launches = || {
        launch!(
            *gpu, sort_single_tile::SortSingleTile<K, R>, CubeCount::new_1d(1), CubeDim::new_1d(bp.units());
            from: rows_in::<R, K>(&job, pass, n)?,
            to: rows_out::<R, K>(&job, pass, n)?,
            result,
            words: Arg::<Sequence<AnyFn<K>>, R>(words()),
            n;
            bp,
        )
    };
    let variants = &[variant(("sort of one tile", by.words.len(), first.variant(), bp))];
    FirstRun { kernel: "sort", variants }.watch(gpu, result, launches, |words| split_ran(words, n, 1))?;
    Ok(true)
}

/// `words` are parts of the key, the lowest first, 32 bits each but for the last.
#[cube(launch_unchecked, address_type = "dynamic")]
pub(crate) fn sort_single_tile<K: Key>(
    from: &Rows<K>,
    to: &mut Rows<K>,
    result: &mut Array<u32>,
    words: &Sequence<AnyFn<K>>,
    n: u32,
    #[comptime] bp: Blueprint,
) {
    if wrong_plane_size(result, 1u32, bp) {
        terminate!();
    }
    lower_flag(result, 1u32);
    let all = Part { start: 0u32.runtime(), len: n };
    let mut pipeline = pipeline::<K>(bp);
    let mut counters = counters(bp);
    let loaded = load_tile::<K>(from, all, false, bp);
    pipeline.take_in(&loaded, bp);
    let end = differing_end::<K>(words, &pipeline.keys, n, bp);
    let mut start = select(end > WINDOW, (end - WINDOW).div_ceil(bp.bits) * bp.bits, 0u32);
    let mut is_sorted = false.runtime();
    let mut is_first = true.runtime();
    while !is_sorted {
        #[unroll]
        for w in 0..words.len() {
            let word = *words.index(w);
            let low = comptime!(32 * w as u32);
            let mut shift = select(start > low, start - low, 0u32);
            let stop = select(end > low, (end - low).min(32u32), 0u32);
            while shift < stop {
                counters.clear(bp);
                cube::sync(bp);
                let digit = Digit::<K> { f: word, shift, mask: comptime!(bp.capacity() - 1).runtime(), last: u32::MAX };
                sort_tile_again::<Digit<K>>(&digit, &mut pipeline, &mut counters, all, bp.capacity(), is_first, bp);
                is_first = false;
                shift += comptime!(bp.bits);
            }
        }
        is_sorted = true;
        if start > 0 {
            is_sorted = sort_neighbours::<K>(words, &mut pipeline, n, bp);
            start = 0u32;
        }
    }
    #[unroll]
    for j in 0..comptime!(bp.items) {
        let at = UNIT_POS_X + comptime!(j * bp.units());
        if at < n {
            let at = at as usize;
            write_out::<K>(pipeline.keys[at], &pipeline.tiles, at, to, at, bp);
        }
    }
    // As a split into one bucket would.
    if UNIT_POS_X == 0 {
        result[0] = 0;
        result[1] = n;
        result[2] = 0;
    }
}

/// Where the bits end in which keys differ; 1 if they do in none.
#[cube]
fn differing_end<K: Key>(words: &Sequence<AnyFn<K>>, keys: &SharedMemory<K>, n: u32, #[comptime] bp: Blueprint) -> u32 {
    let bits = Words::new(words.len());
    if UNIT_POS_X < comptime!(words.len() as u32) {
        bits[UNIT_POS_X as usize].store(0u32);
    }
    cube::sync(bp);
    #[unroll]
    for w in 0..words.len() {
        let word = *words.index(w);
        let first = word.bucket(keys[0]);
        let mut differing = 0u32;
        let mut at = UNIT_POS_X;
        while at < n {
            differing |= first ^ word.bucket(keys[at as usize]);
            at += comptime!(bp.units());
        }
        let differing = plane::or(differing, bp);
        if plane::lane(bp) == 0 {
            bits[w].fetch_or(differing);
        }
    }
    cube::sync(bp);
    let mut end = 1u32.runtime();
    #[unroll]
    for w in 0..words.len() {
        let differing = read_word(&bits, w as u32, bp);
        end = select(differing > 0, comptime!(32 * (w as u32 + 1)) - differing.leading_zeros(), end);
    }
    end
}
