//! Block-level multisplit in one launch, of an input whose tiles are all resident at once: it is read once.
//!
//! A cube counts its tile and publishes the counts. While it sorts the tile, the others publish theirs, and all of them
//! add up what they have published ([`published_sums`](super::published_sums)). Then it reads the sums, and knows where
//! its runs go.
//!
//! No cube depends on another to go on. One that has waited long enough counts the whole input by itself. That is slow,
//! but it ends, whatever else keeps the device from running all cubes at the same time: another stream, another
//! process, or a device that runs one cube after the other.

use super::published_sums::PublishedSums;
use super::single_tile::count;
use crate::bucket::{BucketFn, BucketFnExpand};
use crate::gpu::primitives::bucket_id::bucket_of;
use crate::gpu::primitives::bucket_runs::in_charge;
use crate::gpu::primitives::cube;
use crate::gpu::primitives::elements::{Rows, write_out};
use crate::gpu::primitives::plane_check::{lower_flag, wrong_plane_size};
use crate::gpu::primitives::rank_counters::counters;
use crate::gpu::primitives::shared_atomics::{Words, read_word};
use crate::gpu::primitives::sizes::Sizes;
use crate::gpu::primitives::tile_pipeline::{load_tile, pipeline};
use crate::gpu::primitives::tile_sort::sort_tile;
use crate::gpu::tuning::blueprint::Blueprint;
use cubecl::prelude::*;

/// `g` is empty, or is what the scan would leave there: how many keys of each bucket come before each tile.
#[cube(launch_unchecked, address_type = "dynamic")]
pub(crate) fn split_at_once<F: BucketFn>(
    from: &Rows<F::Key>,
    to: &mut Rows<F::Key>,
    g: &mut Sequence<Array<u32>>,
    published: &PublishedSums,
    result: &mut Array<u32>,
    f: &F,
    sizes: &Sizes,
    #[comptime] bp: Blueprint,
) {
    let m = sizes.m;
    if wrong_plane_size(result, m, bp) {
        terminate!();
    }
    lower_flag(result, m);
    let tile = sizes.chunk(CUBE_POS_X);
    let mut pipeline = pipeline::<F::Key>(bp);
    let mut counters = counters(bp);
    counters.clear(bp);
    let loaded = load_tile::<F::Key>(from, tile, false, bp);
    let sums = sums(bp);
    sums.clear(m, bp);
    pipeline.take_in(&loaded, bp);
    cube::sync(bp);
    count::<F>(&pipeline.keys, f, &sums.own, tile.len, m, bp);
    cube::sync(bp);
    sums.publish(published, sizes, bp);
    sort_tile::<F>(f, &mut pipeline, &mut counters, tile, m, false, bp);
    sums.collect(published, sizes, bp);
    cube::sync(bp);
    if read_word(&sums.missing, 1u32, bp) != 0 {
        sums.count_all::<F>(&from.keys, f, tile.start, sizes, bp);
    }
    let shifts = sums.shifts(g, result, sizes, bp);
    cube::sync(bp);
    #[unroll]
    for j in 0..comptime!(bp.items) {
        let at = UNIT_POS_X + comptime!(j * bp.units());
        if at < tile.len {
            let key = pipeline.keys[at as usize];
            let position = shifts[bucket_of::<F>(f, key, m, bp) as usize] + at;
            write_out::<F::Key>(key, &pipeline.tiles, at as usize, to, position as usize, bp);
        }
    }
}

/// Keys of each bucket, and last of those without a valid one.
#[derive(CubeType)]
struct Sums {
    /// In this tile.
    own: Words,
    /// In all tiles.
    totals: Words,
    /// In those before this one.
    before: Words,
    /// Whether a count has not been published in time, and whether a sum has not.
    missing: Words,
}

#[cube]
fn sums(#[comptime] bp: Blueprint) -> Sums {
    let len = comptime!((bp.capacity() + 1) as usize);
    Sums { own: Words::new(len), totals: Words::new(len), before: Words::new(len), missing: Words::new(2usize) }
}

#[cube]
impl Sums {
    /// Wait before they are used.
    fn clear(&self, m: u32, #[comptime] bp: Blueprint) {
        let mut bucket = UNIT_POS_X;
        while bucket <= m {
            self.own[bucket as usize].store(0u32);
            bucket += comptime!(bp.units());
        }
        if UNIT_POS_X < 2 {
            self.missing[UNIT_POS_X as usize].store(0u32);
        }
    }

    /// Wait before the sums are added to.
    fn clear_sums(&self, m: u32, #[comptime] bp: Blueprint) {
        let mut bucket = UNIT_POS_X;
        while bucket <= m {
            self.totals[bucket as usize].store(0u32);
            self.before[bucket as usize].store(0u32);
            bucket += comptime!(bp.units());
        }
    }

    /// Publishes this tile's counts, and what they and others add up to.
    fn publish(&self, published: &PublishedSums, sizes: &Sizes, #[comptime] bp: Blueprint) {
        let mut bucket = UNIT_POS_X;
        while bucket <= sizes.m {
            published.publish(bucket, CUBE_POS_X, self.own[bucket as usize].load(), sizes);
            bucket += comptime!(bp.units());
        }
        if !published.add_up(sizes, bp) {
            self.missing[0].store(1u32);
        }
    }

    /// Reads the sums of all tiles, or says that some is missing.
    fn collect(&self, published: &PublishedSums, sizes: &Sizes, #[comptime] bp: Blueprint) {
        let mut known = read_word(&self.missing, 0u32, bp) == 0;
        let mut bucket = UNIT_POS_X;
        while bucket <= sizes.m && known {
            let sums = published.sums(bucket, CUBE_POS_X, sizes, bp);
            self.before[bucket as usize].store(sums.of[0]);
            self.totals[bucket as usize].store(sums.of[1]);
            known = sums.known;
            bucket += comptime!(bp.units());
        }
        if !known {
            self.missing[1].store(1u32);
        }
    }

    /// Counts the whole input: the tile of this cube begins at `start`. Waits.
    fn count_all<F: BucketFn>(
        &self,
        keys: &Array<F::Key>,
        f: &F,
        start: u32,
        sizes: &Sizes,
        #[comptime] bp: Blueprint,
    ) {
        let m = sizes.m;
        self.clear_sums(m, bp);
        cube::sync(bp);
        let mut at = UNIT_POS_X;
        while at < sizes.n {
            let id = f.bucket(keys[at as usize]);
            let bucket = id.min(m - 1) as usize;
            self.totals[bucket].fetch_add(1u32);
            if at < start {
                self.before[bucket].fetch_add(1u32);
            }
            if id >= m {
                self.totals[m as usize].fetch_add(1u32);
            }
            at += comptime!(bp.units());
        }
        cube::sync(bp);
    }

    /// Final position of each bucket's keys less their place in the sorted tile. The first cube writes the offsets.
    fn shifts(
        &self,
        g: &mut Sequence<Array<u32>>,
        result: &mut Array<u32>,
        sizes: &Sizes,
        #[comptime] bp: Blueprint,
    ) -> SharedMemory<u32> {
        let m = sizes.m;
        let mut shifts = SharedMemory::<u32>::new(comptime!(bp.capacity() as usize));
        let mut own_sums = cube::plane_sums(bp);
        let mut total_sums = cube::plane_sums(bp);
        let mut own = Sequence::<u32>::new();
        let mut totals = Sequence::<u32>::new();
        #[unroll]
        for q in 0..comptime!(bp.buckets_per_unit()) {
            let bucket = in_charge(q, bp);
            let mut here = 0u32;
            let mut total = 0u32;
            if bucket < m {
                here = self.own[bucket as usize].load();
                total = self.totals[bucket as usize].load();
            }
            own.push(here);
            totals.push(total);
        }
        let starts = cube::starts_of(&own, cube::exclusive_sum(cube::sum_of(&own), &mut own_sums, bp));
        let bases = cube::starts_of(&totals, cube::exclusive_sum(cube::sum_of(&totals), &mut total_sums, bp));
        #[unroll]
        for q in 0..comptime!(bp.buckets_per_unit()) {
            let bucket = in_charge(q, bp);
            if bucket < m {
                let (base, before) = (bases[comptime!(q as usize)], self.before[bucket as usize].load());
                shifts[bucket as usize] = base + before - starts[comptime!(q as usize)];
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
            result[(m + 1) as usize] = self.totals[m as usize].load();
        }
        shifts
    }
}
