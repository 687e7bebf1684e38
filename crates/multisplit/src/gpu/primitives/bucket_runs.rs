//! Where the runs of a tile go that is sorted by bucket.
//!
//! H was counted tile by tile, so that it tells not only where each bucket's next key goes but also how many keys of it
//! a tile holds, before a key of it was seen. The units share the buckets out among themselves: each is in charge of a
//! few consecutive ones.

use super::cube;
use super::sizes::Sizes;
use crate::gpu::tuning::blueprint::Blueprint;
use cubecl::prelude::*;

#[derive(CubeType)]
pub(crate) struct BucketRuns {
    /// Final position of each bucket's first key.
    base: SharedMemory<u32>,
    /// Final position less place in the tile.
    shift: SharedMemory<u32>,
    /// Keys of each bucket in all chunks.
    totals: SharedMemory<u32>,
    sums: SharedMemory<u32>,
}

/// What H says of this unit's buckets and one chunk: keys before it, and keys before the next one.
#[derive(CubeType)]
pub(crate) struct Bounds {
    first: Sequence<u32>,
    end: Sequence<u32>,
}

/// The lengths of this unit's runs, and where they start among those of its plane.
#[derive(CubeType)]
pub(crate) struct Lengths {
    lengths: Sequence<u32>,
    start: u32,
}

/// Works out where the buckets begin. The first cube writes the offsets.
#[cube]
pub(crate) fn runs(
    totals: &Array<Atomic<u32>>,
    result: &mut Array<u32>,
    sizes: &Sizes,
    #[comptime] bp: Blueprint,
) -> BucketRuns {
    let capacity = comptime!(bp.capacity() as usize);
    let mut runs = BucketRuns {
        base: SharedMemory::new(capacity),
        shift: SharedMemory::new(capacity),
        totals: SharedMemory::new(capacity),
        sums: cube::plane_sums(bp),
    };
    let m = sizes.m;
    let mut entries = Sequence::<u32>::new();
    #[unroll]
    for q in 0..comptime!(bp.buckets_per_unit()) {
        let bucket = in_charge(q, bp);
        let mut total = 0u32;
        if bucket < m {
            total = totals[bucket as usize].load();
            runs.totals[bucket as usize] = total;
        }
        entries.push(total);
    }
    let bases = cube::starts_of(&entries, cube::exclusive_sum(cube::sum_of(&entries), &mut runs.sums, bp));
    #[unroll]
    for q in 0..comptime!(bp.buckets_per_unit()) {
        let bucket = in_charge(q, bp);
        if bucket < m {
            let base = bases[comptime!(q as usize)];
            runs.base[bucket as usize] = base;
            if CUBE_POS_X == 0 {
                result[bucket as usize] = base;
            }
        }
    }
    if CUBE_POS_X == 0 && UNIT_POS_X == 0 {
        result[m as usize] = sizes.n;
        result[(m + 1) as usize] = totals[m as usize].load();
    }
    cube::sync(bp);
    runs
}

/// Loads the bounds of a chunk.
#[cube]
pub(crate) fn fetch_bounds(g: &Array<u32>, chunk: u32, sizes: &Sizes, #[comptime] bp: Blueprint) -> Bounds {
    let mut first = Sequence::<u32>::new();
    let mut end = Sequence::<u32>::new();
    let chunk = chunk.min(sizes.chunks - 1);
    let following = (chunk + 1).min(sizes.chunks - 1);
    #[unroll]
    for q in 0..comptime!(bp.buckets_per_unit()) {
        let row = in_charge(q, bp).min(sizes.m - 1) * sizes.columns;
        first.push(g[(row + chunk) as usize]);
        end.push(g[(row + following) as usize]);
    }
    Bounds { first, end }
}

#[cube]
impl Bounds {
    /// Those of a tile that begins earlier than its chunk, by so many keys of each of this unit's buckets.
    pub fn extended_by(self, keys: &Sequence<u32>, #[comptime] bp: Blueprint) -> Bounds {
        let mut first = Sequence::<u32>::new();
        #[unroll]
        for q in 0..comptime!(bp.buckets_per_unit() as usize) {
            first.push(self.first[q] - keys[q]);
        }
        Bounds { first, end: self.end }
    }
}

#[cube]
impl BucketRuns {
    /// Begins to work out the shifts for a chunk, given its bounds. The cube needs to wait before the rest.
    pub fn approach(&mut self, bounds: &Bounds, chunk: u32, sizes: &Sizes, #[comptime] bp: Blueprint) -> Lengths {
        let is_last = chunk + 1 >= sizes.chunks;
        let mut lengths = Sequence::<u32>::new();
        #[unroll]
        for q in 0..comptime!(bp.buckets_per_unit()) {
            let bucket = in_charge(q, bp);
            let mut length = 0u32;
            if bucket < sizes.m {
                let end = select(is_last, self.totals[bucket as usize], bounds.end[comptime!(q as usize)]);
                length = end - bounds.first[comptime!(q as usize)];
            }
            lengths.push(length);
        }
        let start = cube::begin_sum(cube::sum_of(&lengths), &mut self.sums, bp);
        Lengths { lengths, start }
    }

    /// Sets the shifts, when nobody needs those before any more. Wait before using them.
    pub fn enter(&mut self, bounds: &Bounds, runs: &Lengths, sizes: &Sizes, #[comptime] bp: Blueprint) {
        let starts = cube::starts_of(&runs.lengths, cube::end_sum(runs.start, &self.sums, bp));
        #[unroll]
        for q in 0..comptime!(bp.buckets_per_unit()) {
            let bucket = in_charge(q, bp);
            if bucket < sizes.m {
                let next = self.base[bucket as usize] + bounds.first[comptime!(q as usize)];
                self.shift[bucket as usize] = next - starts[comptime!(q as usize)];
            }
        }
    }

    /// Where the key of a bucket goes that lies at a place of the sorted tile.
    pub fn position(&self, bucket: u32, place: u32) -> u32 {
        self.shift[bucket as usize] + place
    }
}

/// The `q`-th bucket that this unit is in charge of.
#[cube]
pub(crate) fn in_charge(#[comptime] q: u32, #[comptime] bp: Blueprint) -> u32 {
    UNIT_POS_X * comptime!(bp.buckets_per_unit()) + q
}
