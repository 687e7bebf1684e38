//! A sort of a small input: the place of a key is how many keys come before it.
//!
//! Every key is compared with every other. That is n² comparisons, but all processors share them out, they depend on
//! nothing but the keys, and one launch does it all: for some thousand keys it takes less than to sort them on one
//! processor, and less than the launches of one split for each digit.
//!
//! A plane has one key for each lane, and compares them with blocks of as many others, which it reads from shared
//! memory as broadcasts. The planes of a cube have the same keys, and share the others out among themselves.

use super::SortBy;
use crate::bucket::Upload;
use crate::bucket::key::Key;
use crate::error::Result;
use crate::gpu::function::AnyFn;
use crate::gpu::key::{AnyKey, KeyWidth};
use crate::gpu::primitives::elements::{Rows, fetch_row, write_row};
use crate::gpu::primitives::plane;
use crate::gpu::primitives::plane_check::{lower_flag, wrong_plane_size};
use crate::gpu::primitives::shared_atomics::{Words, read_word};
use crate::gpu::split::launch::{rows_in, rows_out};
use crate::gpu::split::{Job, OTHER_BINDINGS, passes};
use crate::gpu::table::Table;
use crate::gpu::tuning::blueprint::Blueprint;
use crate::gpu::tuning::small_inputs::{self, QUAD};
use crate::gpu::workspace::{Arena, Needs, Scratch};
use crate::memory::result::{result_words, split_ran};
use crate::method::Stage;
use crate::runtime::{Arg, FirstRun, Gpu, launch, variant};
use cubecl::prelude::*;

/// Sorts the table by all bits of all words, and says whether it did: it does not if there are too many rows or
/// columns.
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
    let Some(policy) = small_inputs::choose_sort_by_rank(&gpu.facts, n, by.words.len() as u32) else {
        return Ok(false);
    };
    let bp = Blueprint::postscan(gpu.facts.plane, gpu.facts.dialect, false, &policy, 1, pass.payload);
    gpu.check_planes()?;
    let needs = Needs { totals: result_words(1), ..Needs::default() };
    let result = &Scratch::cut(&mut arena.cut(gpu, needs.bytes(gpu))?, &needs)?.totals;
    let words = || by.words.iter().map(|word| word.arg(&Upload::new(gpu))).collect();
    let job = Job { table, through: Stage::Postscan, leaves_g: false };
    // The kernel reads and writes the first n rows: no two keys have the same rank.
    let launches = || {
        launch!(
            *gpu, sort_by_rank::SortByRank<R>, CubeCount::new_1d(n.div_ceil(bp.plane)), CubeDim::new_1d(bp.units());
            width: KeyWidth::of::<K>(),
            from: rows_in::<R, K>(&job, pass, n)?,
            to: rows_out::<R, K>(&job, pass, n)?,
            result,
            words: Arg::<Sequence<AnyFn>, R>(words()),
            n;
            bp,
        )
    };
    let variants = &[variant(("sort by rank", by.words.len(), first.variant(), bp))];
    FirstRun { kernel: "sort", variants }.watch(gpu, result, launches, |words| split_ran(words, n, 1))?;
    Ok(true)
}

/// `words` are parts of the key, the lowest first, 32 bits each but for the last. `bp.items` are quads of other keys
/// that a unit brings to shared memory at a time.
#[cube(launch_unchecked, address_type = "dynamic")]
pub(crate) fn sort_by_rank(
    _width: &KeyWidth,
    from: &Rows,
    to: &mut Rows,
    result: &mut Array<u32>,
    words: &Sequence<AnyFn>,
    n: u32,
    #[comptime] bp: Blueprint,
) {
    if wrong_plane_size(result, 1u32, bp) {
        terminate!();
    }
    lower_flag(result, 1u32);
    let lane = plane::lane(bp);
    let place = CUBE_POS_X * comptime!(bp.plane) + lane;
    let row = fetch_row(from, place.min(n - 1) as usize, bp);
    let own = words_of(words, row.key);
    let ranks = Words::new(comptime!(bp.plane as usize));
    if UNIT_POS_X < comptime!(bp.plane) {
        ranks[UNIT_POS_X as usize].store(0u32);
    }
    let quads = comptime!(bp.units() * bp.items);
    let mut others = Sequence::<SharedMemory<Vector<u32, Const<4>>>>::new();
    #[unroll]
    for _ in 0..words.len() {
        others.push(SharedMemory::new_aligned(comptime!(quads as usize), 16usize));
    }
    // As a float: processors add those beside comparing integers. It is exact.
    let mut rank = 0.0f32;
    let mut start = 0u32;
    while start < n {
        #[unroll]
        for q in 0..comptime!(bp.items) {
            let quad = UNIT_POS_X + comptime!(q * bp.units());
            bring_quad(&from.keys, words, &mut others, quad, start + quad * QUAD, n);
        }
        sync_cube();
        let end = (n - start).div_ceil(comptime!(bp.plane)).min(comptime!(quads * QUAD / bp.plane));
        let mut block = plane::plane(bp);
        while block < end {
            let first = start + block * comptime!(bp.plane);
            let quad = block * comptime!(bp.plane / QUAD);
            if first < CUBE_POS_X * comptime!(bp.plane) {
                rank += count_block(&others, &own, quad, place, first, Relation::Before, bp);
            } else if first > CUBE_POS_X * comptime!(bp.plane) {
                rank += count_block(&others, &own, quad, place, first, Relation::Behind, bp);
            } else {
                rank += count_block(&others, &own, quad, place, first, Relation::Among, bp);
            }
            block += comptime!(bp.planes);
        }
        sync_cube();
        start += comptime!(quads * QUAD);
    }
    ranks[lane as usize].fetch_add(u32::cast_from(rank));
    sync_cube();
    if UNIT_POS_X < comptime!(bp.plane) && place < n {
        write_row(&row, place, to, read_word(&ranks, lane, bp) as usize, bp);
    }
    // As a split into one bucket would.
    if ABSOLUTE_POS == 0 {
        result[0] = 0;
        result[1] = n;
        result[2] = 0;
    }
}

/// Where other keys are in the input: those that are equal come before keys that they are before.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Relation {
    Before,
    Among,
    Behind,
}

#[cube]
fn words_of(words: &Sequence<AnyFn>, key: AnyKey) -> Sequence<u32> {
    let mut of = Sequence::<u32>::new();
    #[unroll]
    for w in 0..words.len() {
        of.push(words.index(w).bucket(key));
    }
    of
}

/// Brings four keys to shared memory, from `at` on. Where there are none, no key comes after what is there.
#[cube]
fn bring_quad(
    keys: &Array<AnyKey>,
    words: &Sequence<AnyFn>,
    others: &mut Sequence<SharedMemory<Vector<u32, Const<4>>>>,
    quad: u32,
    at: u32,
    n: u32,
) {
    let mut four = Sequence::<AnyKey>::new();
    #[unroll]
    for e in 0..QUAD {
        four.push(keys[(at + e).min(n - 1) as usize]);
    }
    #[unroll]
    for w in 0..words.len() {
        let mut vector = Vector::<u32, Const<4>>::empty();
        #[unroll]
        for e in 0..QUAD {
            let word = words.index(w).bucket(four[comptime!(e as usize)]);
            vector[comptime!(e as usize)] = select(at + e < n, word, u32::MAX);
        }
        let other = others.index_mut(w);
        other[quad as usize] = vector;
    }
}

/// How many keys of a block come before this lane's. The block is of the input from `first` on, and in shared memory
/// from a quad on.
#[cube]
fn count_block(
    others: &Sequence<SharedMemory<Vector<u32, Const<4>>>>,
    own: &Sequence<u32>,
    quad: u32,
    place: u32,
    first: u32,
    #[comptime] relation: Relation,
    #[comptime] bp: Blueprint,
) -> f32 {
    let mut count = 0.0f32;
    #[unroll]
    for q in 0..comptime!(bp.plane / QUAD) {
        let mut vectors = Sequence::<Vector<u32, Const<4>>>::new();
        #[unroll]
        for w in 0..others.len() {
            let other = others.index(w);
            vectors.push(other[(quad + q) as usize]);
        }
        #[unroll]
        for e in 0..QUAD {
            let e_index = comptime!(e as usize);
            // From the lowest word to the highest.
            let mut comes_before = match comptime!(relation) {
                Relation::Before => true.runtime(),
                Relation::Among => first + comptime!(q * QUAD + e) < place,
                Relation::Behind => false.runtime(),
            };
            #[unroll]
            for w in 0..others.len() {
                let (word, mine) = (vectors.index(w)[e_index], own[w]);
                comes_before = word < mine || (word == mine && comes_before);
            }
            if comes_before {
                count += 1.0f32;
            }
        }
    }
    count
}
