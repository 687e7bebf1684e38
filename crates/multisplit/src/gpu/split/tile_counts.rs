//! How many keys each bucket has before a tile, in it, and behind it: what a cube needs to know to write its tile to
//! the output.

use crate::gpu::function::AnyFn;
use crate::gpu::key::AnyKey;
use crate::gpu::primitives::bucket_id::bucket_of;
use crate::gpu::primitives::bucket_runs::in_charge;
use crate::gpu::primitives::cube;
use crate::gpu::primitives::elements::{Rows, write_out};
use crate::gpu::primitives::shared_atomics::{Words, clear, read_word};
use crate::gpu::primitives::sizes::{Part, Sizes};
use crate::gpu::primitives::tile_pipeline::TilePipeline;
use crate::gpu::tuning::blueprint::Blueprint;
use cubecl::prelude::*;

/// The parts of the input.
pub(crate) const BEFORE: u32 = 0;
pub(crate) const HERE: u32 = 1;
pub(crate) const BEHIND: u32 = 2;

/// Keys that a unit loads before it counts them: all of a small input.
const fn unroll(bp: Blueprint) -> u32 {
    bp.unroll(16)
}

/// Keys of each bucket in each part, and last of those without a valid one.
#[derive(CubeType)]
pub(crate) struct TileCounts {
    words: Words,
}

/// Counts of a part.
const fn rows(bp: Blueprint) -> u32 {
    bp.capacity() + 1
}

#[cube]
pub(crate) fn tile_counts(#[comptime] bp: Blueprint) -> TileCounts {
    TileCounts { words: Words::new_aligned(comptime!((3 * rows(bp)).next_multiple_of(4) as usize), 16usize) }
}

#[cube]
impl TileCounts {
    /// Sets all to 0. Wait before counting.
    pub fn clear(&self, #[comptime] bp: Blueprint) {
        clear(&self.words, comptime!((3 * rows(bp)).next_multiple_of(4)), bp);
    }

    /// Those of one bucket.
    pub fn of(&self, bucket: u32, #[comptime] part: u32, #[comptime] bp: Blueprint) -> u32 {
        read_word(&self.words, bucket + comptime!(part * rows(bp)), bp)
    }

    /// Says how many there are.
    pub fn set(&self, bucket: u32, count: u32, #[comptime] part: u32, #[comptime] bp: Blueprint) {
        self.words[(bucket + comptime!(part * rows(bp))) as usize].store(count);
    }

    /// Counts the keys of the tile, which is in shared memory.
    pub fn count_tile(&self, keys: &SharedMemory<AnyKey>, f: &AnyFn, len: u32, m: u32, #[comptime] bp: Blueprint) {
        let mut place = UNIT_POS_X;
        while place < len {
            count(&self.words, comptime!(HERE * rows(bp)).runtime(), f.bucket(keys[place as usize]), m, bp);
            place += comptime!(bp.units());
        }
    }

    /// Counts all keys of the input.
    pub fn count_all(&self, keys: &Array<AnyKey>, f: &AnyFn, tile: Part, sizes: &Sizes, #[comptime] bp: Blueprint) {
        let mut first = UNIT_POS_X;
        while first < sizes.n {
            let mut batch = Sequence::<AnyKey>::new();
            #[unroll]
            for j in 0..comptime!(unroll(bp)) {
                batch.push(keys[(first + comptime!(j * bp.units())).min(sizes.n - 1) as usize]);
            }
            #[unroll]
            for j in 0..comptime!(unroll(bp)) {
                let at = first + comptime!(j * bp.units());
                if at < sizes.n {
                    // Keys before the tile wrap around.
                    let is_here = at - tile.start < tile.len;
                    let elsewhere = select(at < tile.start, BEFORE, BEHIND);
                    let part = select(is_here, HERE, elsewhere);
                    count(&self.words, part * comptime!(rows(bp)), f.bucket(batch[comptime!(j as usize)]), sizes.m, bp);
                }
            }
            first += comptime!(unroll(bp) * bp.units());
        }
    }

    /// Writes the tile, which is sorted, to the output. The counts are known, and not any more afterwards. The first
    /// cube writes the offsets. `g` is empty, or is what the scan would leave there: how many keys of each bucket come
    /// before each tile.
    pub fn write_tile(
        &self,
        f: &AnyFn,
        pipeline: &TilePipeline,
        tile: Part,
        to: &mut Rows,
        g: &mut Sequence<Array<u32>>,
        result: &mut Array<u32>,
        sizes: &Sizes,
        #[comptime] bp: Blueprint,
    ) {
        self.find_shifts(g, result, sizes, bp);
        cube::sync(bp);
        #[unroll(bp.unrolls())]
        for j in 0..comptime!(bp.items) {
            let at = UNIT_POS_X + j * comptime!(bp.units());
            if at < tile.len {
                let key = pipeline.keys[at as usize];
                let position = self.of(bucket_of(f, key, sizes.m, bp), HERE, bp) + at;
                write_out(key, &pipeline.tiles, at as usize, to, position as usize, bp);
            }
        }
    }

    /// Replaces the counts of the tile by the final position of each bucket's keys less their place in the tile.
    fn find_shifts(
        &self,
        g: &mut Sequence<Array<u32>>,
        result: &mut Array<u32>,
        sizes: &Sizes,
        #[comptime] bp: Blueprint,
    ) {
        let m = sizes.m;
        let mut sums = cube::plane_sums(bp);
        let mut here = Sequence::<u32>::new();
        let mut totals = Sequence::<u32>::new();
        #[unroll]
        for q in 0..comptime!(bp.buckets_per_unit()) {
            let bucket = in_charge(q, bp);
            let mut own = 0u32;
            let mut total = 0u32;
            if bucket < m {
                own = self.of(bucket, HERE, bp);
                total = self.total(bucket, bp);
            }
            here.push(own);
            totals.push(total);
        }
        let starts = cube::starts_of(&here, cube::exclusive_sum(cube::sum_of(&here), &mut sums, bp));
        cube::sync(bp);
        let bases = cube::starts_of(&totals, cube::exclusive_sum(cube::sum_of(&totals), &mut sums, bp));
        #[unroll]
        for q in 0..comptime!(bp.buckets_per_unit()) {
            let bucket = in_charge(q, bp);
            if bucket < m {
                let (base, before) = (bases[comptime!(q as usize)], self.of(bucket, BEFORE, bp));
                self.set(bucket, base + before - starts[comptime!(q as usize)], HERE, bp);
                #[unroll]
                for i in 0..g.len() {
                    let g = g.index_mut(i);
                    g[(bucket * sizes.columns + CUBE_POS_X) as usize] = before;
                }
                if CUBE_POS_X == 0 {
                    result[bucket as usize] = base;
                }
            }
        }
        if ABSOLUTE_POS == 0 {
            result[m as usize] = sizes.n;
            result[(m + 1) as usize] = self.total(m, bp);
        }
    }

    /// Keys of a bucket in all parts.
    fn total(&self, bucket: u32, #[comptime] bp: Blueprint) -> u32 {
        self.of(bucket, BEFORE, bp) + self.of(bucket, HERE, bp) + self.of(bucket, BEHIND, bp)
    }
}

/// Counts a key by its id, in the m + 1 words from `first` on.
#[cube]
pub(crate) fn count(words: &Words, first: u32, id: u32, m: u32, #[comptime] bp: Blueprint) {
    if comptime!(bp.in_range) {
        words[(first + id) as usize].fetch_add(1u32);
    } else {
        words[(first + id.min(m - 1)) as usize].fetch_add(1u32);
        if id >= m {
            words[(first + m) as usize].fetch_add(1u32);
        }
    }
}
