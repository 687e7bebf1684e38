//! Prescan: planes count chunks in shared memory.
//!
//! Every plane has a histogram of its own, so that atomics rarely collide; keys are read 16 bytes at a time. As many
//! planes share a chunk as have something to do: then there is work for the whole device, in small pieces.

use crate::gpu::function::AnyFn;
use crate::gpu::key::{AnyKey, KeyWidth};
use crate::gpu::primitives::bucket_id::up_to;
use crate::gpu::primitives::plane_check::lower_flag;
use crate::gpu::primitives::plane_check::wrong_plane_size;
use crate::gpu::primitives::shared_atomics::{Words, clear, read_word};
use crate::gpu::primitives::sizes::{Part, Sizes};
use crate::gpu::primitives::stored_ids::id_in_word;
use crate::gpu::primitives::{cube, plane};
use crate::gpu::tuning::blueprint::Blueprint;
use cubecl::prelude::*;

/// 16-byte loads in flight per unit.
pub(crate) const UNROLL: u32 = 4;

/// `N` keys per load; chunks are multiples of N, and `keys` is allocated in whole loads.
#[cube(launch_unchecked, address_type = "dynamic")]
pub(crate) fn prescan<N: Size>(
    _width: &KeyWidth,
    keys: &Array<Vector<AnyKey, N>>,
    h: &mut Array<u32>,
    stored: &mut Sequence<Array<u32>>,
    result: &mut Array<u32>,
    f: &AnyFn,
    sizes: &Sizes,
    #[comptime] bp: Blueprint,
) {
    let m = sizes.m;
    if wrong_plane_size(result, m, bp) {
        terminate!();
    }
    lower_flag(result, m);
    // One entry more than there are buckets: keys without a valid one.
    let rows = m + 1;
    clear_padding(h, rows, sizes, bp);
    let counts = SharedMemory::<Atomic<u32>>::new_aligned(comptime!(bp.prescan_words() as usize), cube::ALIGN);
    let mine = plane::plane(bp) * rows;
    // Chunks that the cube counts at a time.
    let chunks = comptime!(bp.planes / bp.sharers);
    let mut round = CUBE_POS_X * chunks;
    while round < sizes.chunks {
        clear(&counts, comptime!(bp.prescan_words()), bp);
        cube::sync(bp);
        let chunk = sizes.chunk(round + plane::plane(bp) / comptime!(bp.sharers));
        count_chunk::<N>(keys, stored, f, &counts, mine, chunk, m, bp);
        cube::sync(bp);
        // Neighbours in the input are neighbours in a row of H.
        let mut entry = UNIT_POS_X;
        while entry < rows * chunks {
            let (row, chunk) = (entry / chunks, entry % chunks);
            if round + chunk < sizes.chunks {
                let mut sum = sum_of_shares(&counts, chunk, row, rows, bp);
                // Nested, since the first is decided when the kernel is compiled.
                #[allow(clippy::collapsible_if)]
                if comptime!(!bp.in_range) {
                    // Keys without a valid bucket are moved to the last one.
                    if row == m - 1 {
                        sum += sum_of_shares(&counts, chunk, m, rows, bp);
                    }
                }
                h[(row * sizes.columns + round + chunk) as usize] = sum;
            }
            entry += comptime!(bp.units());
        }
        cube::sync(bp);
        round += CUBE_COUNT_X * chunks;
    }
}

/// Clears what rows of H have beyond the chunks: the scan loads it, though it is not counted.
#[cube]
fn clear_padding(h: &mut Array<u32>, rows: u32, sizes: &Sizes, #[comptime] bp: Blueprint) {
    let padding = sizes.columns - sizes.chunks;
    if CUBE_POS_X == 0 && padding > 0 {
        let mut entry = UNIT_POS_X;
        while entry < rows * padding {
            h[(entry / padding * sizes.columns + sizes.chunks + entry % padding) as usize] = 0u32;
            entry += comptime!(bp.units());
        }
    }
}

/// Keys of one row in the histograms of the planes that shared a chunk.
#[cube]
pub(crate) fn sum_of_shares(counts: &Words, chunk: u32, row: u32, rows: u32, #[comptime] bp: Blueprint) -> u32 {
    let mut sum = 0u32;
    #[unroll]
    for share in 0..comptime!(bp.sharers) {
        sum += read_word(counts, (chunk * comptime!(bp.sharers) + share) * rows + row, bp);
    }
    sum
}

/// Counts this plane's share of a chunk in the histogram that starts at `mine`.
#[cube]
fn count_chunk<N: Size>(
    keys: &Array<Vector<AnyKey, N>>,
    stored: &mut Sequence<Array<u32>>,
    f: &AnyFn,
    counts: &Words,
    mine: u32,
    chunk: Part,
    m: u32,
    #[comptime] bp: Blueprint,
) {
    let width = N::value().comptime() as u32;
    let first = chunk.start / width;
    let step = comptime!(bp.sharers * bp.plane);
    let unroll = comptime!(bp.unroll(UNROLL));
    let mut i = UNIT_POS_X % step;
    if comptime!(unroll > 1) {
        let whole = chunk.len / width;
        while i + comptime!((unroll - 1) * step) < whole {
            let at = (first + i) as usize;
            let mut batch = Sequence::<Vector<AnyKey, N>>::new();
            #[unroll]
            for j in 0..unroll {
                batch.push(keys[at + comptime!((j * step) as usize)]);
            }
            #[unroll]
            for j in 0..comptime!(unroll as usize) {
                let word = count::<N>(batch[j], f, counts, mine, m, width, bp);
                store(stored, word, first + i + comptime!(j as u32 * step), bp);
            }
            i += comptime!(unroll * step);
        }
    }
    while i * width < chunk.len {
        // The last few keys of the input do not fill a load.
        let len = (chunk.len - i * width).min(width);
        let word = count::<N>(keys[(first + i) as usize], f, counts, mine, m, len, bp);
        store(stored, word, first + i, bp);
        i += step;
    }
}

/// Stores the bucket ids of a load, if they are stored.
#[cube]
fn store(stored: &mut Sequence<Array<u32>>, word: u32, load: u32, #[comptime] bp: Blueprint) {
    if comptime!(bp.ids_per_word > 0) {
        let stored = stored.index_mut(0usize);
        stored[load as usize] = word;
    }
}

/// Counts the first `len` keys of a load, and returns their ids in one word, if they are stored.
#[cube]
fn count<N: Size>(
    load: Vector<AnyKey, N>,
    f: &AnyFn,
    counts: &Words,
    mine: u32,
    m: u32,
    len: u32,
    #[comptime] bp: Blueprint,
) -> u32 {
    // All ids first: a search in shared memory could not overtake an atomic there.
    let mut ids = Sequence::<u32>::new();
    #[unroll]
    for e in 0..N::value() {
        ids.push(f.bucket(load[e]));
    }
    let mut word = 0u32;
    #[unroll]
    for e in 0..N::value() {
        if (e as u32) < len {
            counts[(mine + up_to(ids[e], m, bp)) as usize].fetch_add(1u32);
            if comptime!(bp.ids_per_word > 0) {
                word |= id_in_word(up_to(ids[e], m - 1, bp), comptime!(e as u32), bp);
            }
        }
    }
    word
}
