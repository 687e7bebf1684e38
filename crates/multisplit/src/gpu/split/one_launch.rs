//! Block-level multisplit in one launch, of an input whose tiles are all resident at once: it is read once.
//!
//! A cube counts its tile, and publishes the counts: a word for each bucket. While it sorts the tile, the others publish
//! theirs. Then it reads what all of them have published, and knows where its runs go.
//!
//! A word carries the number of the launch beside the count. So nothing needs to be cleared between launches, and no
//! fence is needed: a word is either of this launch, and complete, or it is not.
//!
//! No cube depends on another to go on. One that has waited long enough counts the whole input by itself. That is slow,
//! but it ends, whatever else keeps the device from running all cubes at the same time: another stream, another
//! process, or a device that runs one cube after the other.

use super::single_tile::count;
use crate::bucket::{BucketFn, BucketFnExpand};
use crate::gpu::primitives::bucket_id::bucket_of;
use crate::gpu::primitives::bucket_runs::in_charge;
use crate::gpu::primitives::cube;
use crate::gpu::primitives::elements::{Rows, write_out};
use crate::gpu::primitives::plane_check::{lower_flag, wrong_plane_size};
use crate::gpu::primitives::rank_counters::counters;
use crate::gpu::primitives::relaxed;
use crate::gpu::primitives::shared_atomics::Words;
use crate::gpu::primitives::sizes::Sizes;
use crate::gpu::primitives::tile_pipeline::{load_tile, pipeline};
use crate::gpu::primitives::tile_sort::sort_tile;
use crate::gpu::tuning::blueprint::Blueprint;
use cubecl::prelude::*;

/// Bits of a count in a published word; the number of the launch is above them. A tile has fewer keys.
pub(crate) const COUNT_BITS: u32 = 16;

/// Words that a unit reads at once.
const UNROLL: u32 = 4;

/// Launches that words can tell apart.
pub(crate) const LAUNCHES: u32 = (1 << (32 - COUNT_BITS)) - 1;

/// `g` is empty, or is what the scan would leave there: how many keys of each bucket come before each tile.
/// `published` has m + 1 words for each tile, the last for keys without a valid bucket. `launch` is not 0, and not in any
/// of them. `patience`: how often a unit looks at words that are not there yet.
#[cube(launch_unchecked, address_type = "dynamic")]
pub(crate) fn split_at_once<F: BucketFn>(
    from: &Rows<F::Key>,
    to: &mut Rows<F::Key>,
    g: &mut Sequence<Array<u32>>,
    published: &Array<Atomic<u32>>,
    result: &mut Array<u32>,
    f: &F,
    sizes: &Sizes,
    launch: u32,
    patience: u32,
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
    sums.publish(published, launch, m, bp);
    sort_tile::<F>(f, &mut pipeline, &mut counters, tile, m, false, bp);
    sums.collect(published, sizes, launch, patience, bp);
    cube::sync(bp);
    if sums.missing[0].load() != 0 {
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
    /// Whether a word has not been published in time.
    missing: Words,
}

#[cube]
fn sums(#[comptime] bp: Blueprint) -> Sums {
    let len = comptime!((bp.capacity() + 1) as usize);
    Sums { own: Words::new(len), totals: Words::new(len), before: Words::new(len), missing: Words::new(1usize) }
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
        self.clear_sums(m, bp);
        if UNIT_POS_X == 0 {
            self.missing[0].store(0u32);
        }
    }

    fn clear_sums(&self, m: u32, #[comptime] bp: Blueprint) {
        let mut bucket = UNIT_POS_X;
        while bucket <= m {
            self.totals[bucket as usize].store(0u32);
            self.before[bucket as usize].store(0u32);
            bucket += comptime!(bp.units());
        }
    }

    /// Publishes this tile's counts.
    fn publish(&self, published: &Array<Atomic<u32>>, launch: u32, m: u32, #[comptime] bp: Blueprint) {
        let mut bucket = UNIT_POS_X;
        while bucket <= m {
            let word = (launch << COUNT_BITS) | self.own[bucket as usize].load();
            published[(CUBE_POS_X * (m + 1) + bucket) as usize].store(word);
            bucket += comptime!(bp.units());
        }
    }

    /// Adds up what all tiles have published, or says that some is missing.
    fn collect(
        &self,
        published: &Array<Atomic<u32>>,
        sizes: &Sizes,
        launch: u32,
        patience: u32,
        #[comptime] bp: Blueprint,
    ) {
        let row = sizes.m + 1;
        let words = sizes.chunks * row;
        let mut patience = patience;
        let mut first = UNIT_POS_X;
        while first < words {
            let mut read = Sequence::<u32>::new();
            #[unroll]
            for e in 0..UNROLL {
                let at = first + comptime!(e * bp.units());
                let mut word = 0u32;
                if at < words {
                    word = relaxed::load(published, at, bp);
                }
                read.push(word);
            }
            #[unroll]
            for e in 0..UNROLL {
                let at = first + comptime!(e * bp.units());
                if at < words {
                    let mut word = read[comptime!(e as usize)];
                    while word >> COUNT_BITS != launch && patience > 0 {
                        word = relaxed::load(published, at, bp);
                        patience -= 1;
                        if self.missing[0].load() != 0 {
                            patience = 0;
                        }
                    }
                    if word >> COUNT_BITS == launch {
                        let tile = at / row;
                        let bucket = (at - tile * row) as usize;
                        let keys = word & comptime!((1u32 << COUNT_BITS) - 1);
                        self.totals[bucket].fetch_add(keys);
                        if tile < CUBE_POS_X {
                            self.before[bucket].fetch_add(keys);
                        }
                    } else {
                        self.missing[0].store(1u32);
                    }
                }
            }
            first += comptime!(UNROLL * bp.units());
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
