//! The split against a plain reference, over sizes, bucket counts, distributions, columns, pools,
//! alignments and vector instructions.

mod data;
mod repeated;
mod unruly;

use super::plan::{BLOCK, ChunkPlan, DIRECT_ROWS};
use super::primitives::simd::Level;
use super::scatter::Deal;
use super::split::{split, split_at};
use super::tests::data::{Bytes, KINDS, keys, reference};
use super::{Column, Keys, Scratch, each};
use crate::device::Device;
use crate::error::Error;
use crate::memory::large_pages;
use std::sync::atomic::{AtomicU32, Ordering};

const BUCKETS: [u32; 16] = [1, 2, 3, 4, 5, 7, 8, 31, 32, 33, 64, 65, 100, 128, 255, 256];

/// Keys, and what a split of them is.
struct Table {
    keys: Vec<u32>,
    m: u32,
    order: Vec<u32>,
    offsets: Vec<usize>,
    out_of_range: u64,
}

impl Table {
    fn new(keys: Vec<u32>, m: u32) -> Self {
        let (order, offsets, out_of_range) = reference(&keys, m);
        Self { keys, m, order, offsets, out_of_range }
    }

    /// Splits the keys with a column of each kind, and checks everything.
    fn check(&self, level: Level, skew: usize, scratch: &mut Scratch) {
        let Self { keys, m, order, offsets, out_of_range } = self;
        let (n, m) = (keys.len(), *m);
        let what = format!("{level:?} n {n} m {m} skew {skew} first {:?}", &keys[..n.min(9)]);
        let mut w1 = Bytes::<1>::new(n, skew);
        let mut w2 = Bytes::<2>::new(n, skew);
        let mut w4 = Bytes::<4>::new(n, skew);
        let mut w8 = Bytes::<8>::new(n, skew);
        let mut index = vec![u32::MAX; n];
        let mut got = vec![usize::MAX; m as usize + 1];
        {
            let ((from1, to1), (from2, to2)) = (w1.parts(), w2.parts());
            let ((from4, to4), (from8, to8)) = (w4.parts(), w8.parts());
            let mut columns = [
                Column::W4 { from: from4, to: to4 },
                Column::W1 { from: from1, to: to1 },
                Column::of_index(&mut index),
                Column::W8 { from: from8, to: to8 },
                Column::W2 { from: from2, to: to2 },
            ];
            let counted = split_at(level, Keys::of(keys), &mut columns, m, &each(|key: u32| key), &mut got, scratch);
            assert_eq!(counted, Ok(*out_of_range), "{what}");
        }
        assert_eq!(got, *offsets, "{what}");
        assert!(index == *order, "{what}");
        w1.check(order, &what);
        w2.check(order, &what);
        w4.check(order, &what);
        w8.check(order, &what);
    }
}

fn check_table(level: Level, keys: Vec<u32>, m: u32, skew: usize, scratch: &mut Scratch) {
    Table::new(keys, m).check(level, skew, scratch);
}

/// The sets of instructions that this processor has, once each.
fn levels() -> Vec<Level> {
    let mut levels = Level::available().to_vec();
    levels.dedup();
    levels
}

/// Runs in pools of several sizes, at all levels.
fn everywhere(work: impl Fn(Level, &mut Scratch) + Sync) {
    for threads in [1, 2, 3, 8] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut scratch = Scratch::default();
            levels().into_iter().for_each(|level| work(level, &mut scratch));
        });
    }
}

#[test]
fn tiny_tables() {
    let mut scratch = Scratch::default();
    for (n, kind) in (0..=70).flat_map(|n| (0..KINDS).map(move |kind| (n, kind))) {
        for m in BUCKETS {
            check_table(Level::detect(), keys(kind, n, m), m, n % 8, &mut scratch);
        }
    }
    assert_eq!(scratch.size(), 0);
}

#[test]
fn around_block_and_chunk_boundaries() {
    let edges = [1024, BLOCK, DIRECT_ROWS, DIRECT_ROWS + BLOCK, 16 * BLOCK, 32 * BLOCK, 1 << 14];
    everywhere(|level, scratch| {
        for (i, edge) in edges.into_iter().enumerate() {
            for (j, n) in [edge - 1, edge, edge + 1].into_iter().enumerate() {
                let m = BUCKETS[(5 * i + 3 * j) % BUCKETS.len()];
                check_table(level, keys((i + j) % KINDS, n, m), m, 4 * (j % 2), scratch);
            }
        }
    });
}

/// Blocks that end anywhere in a vector of rows, for every number of buckets that has a way of its own.
#[test]
fn around_vectors() {
    let mut scratch = Scratch::default();
    for level in levels() {
        for (i, m) in (2..=20).chain([31, 32, 33, 63, 64, 65, 95, 96, 97]).enumerate() {
            for rest in 0..=66 {
                let n = BLOCK + BLOCK * (rest % 3) + rest;
                check_table(level, keys((i + rest) % KINDS, n, m), m, rest % 8, &mut scratch);
            }
        }
    }
}

/// Enough rows of one bucket that counters of a byte are emptied in between.
#[test]
fn counts_that_fill_bytes() {
    let n = 300 * BLOCK + 5;
    for level in levels() {
        for (m, bucket) in [(2, 1), (8, 7), (16, 0), (16, 15), (33, 32), (64, 40), (96, 95)] {
            let mut keys = keys(0, n, m);
            keys[..n - 100 * BLOCK].fill(bucket);
            let mut offsets = vec![0; m as usize + 1];
            let f = each(|key: u32| key);
            split_at(level, Keys::of(&keys), &mut [], m, &f, &mut offsets, &mut Scratch::default()).unwrap();
            assert_eq!(offsets, reference(&keys, m).1, "{level:?} m {m}");
        }
    }
}

#[test]
fn all_distributions_and_bucket_counts() {
    everywhere(|level, scratch| {
        for (i, m) in BUCKETS.into_iter().enumerate() {
            for kind in 0..KINDS {
                let n = DIRECT_ROWS + 1 + (7919 * (KINDS * i + kind)) % (3 * DIRECT_ROWS);
                check_table(level, keys(kind, n, m), m, (i + kind) % 8, scratch);
            }
        }
    });
}

#[test]
fn random_sizes() {
    everywhere(|level, scratch| {
        for i in 0..12 {
            let n = (i * 99_991 + 12_345) % 200_000;
            let m = BUCKETS[(7 * i + 1) % BUCKETS.len()];
            check_table(level, keys(i % KINDS, n, m), m, i % 8, scratch);
        }
    });
}

#[test]
fn large_and_streamed_tables() {
    // 2^19 rows of 8 bytes are the smallest output that goes around the caches.
    let table = |(i, m)| Table::new(keys([0, 5, 7][i % 3], (1 << 19) + 1 + 1000 * i, m), m);
    let tables: Vec<Table> = [1, 2, 3, 6, 8, 12, 20, 33, 100, 256].into_iter().enumerate().map(table).collect();
    everywhere(|level, scratch| {
        for (i, table) in tables.iter().enumerate() {
            table.check(level, [0, 4, 16, 3][i % 4], scratch);
        }
    });
}

#[test]
fn columns_of_all_widths_are_streamed() {
    let mut scratch = Scratch::default();
    for (level, m) in Level::available().into_iter().zip([20, 100, 256, 33]) {
        let n = (4 << 20) + 1001;
        check_table(level, keys(0, n, m), m, 0, &mut scratch);
    }
}

#[test]
fn buffers_are_of_a_few_sizes() {
    for m in 1..=256 {
        let lines = ChunkPlan::new(1 << 20, m, 1, 2, Level::detect()).lines_per_bucket;
        assert!([2, 4, 8, 16].contains(&lines), "{m}: {lines}");
    }
}

#[test]
fn without_columns() {
    let keys = keys(0, 100_000, 9);
    let mut offsets = [0; 10];
    split(Keys::of(&keys), &mut [], 9, &each(|key: u32| key), &mut offsets, &mut Scratch::default()).unwrap();
    assert_eq!(offsets.to_vec(), reference(&keys, 9).1);
}

#[test]
fn scratch_is_as_large_as_foretold() {
    let keys = keys(0, 300_000, 200);
    let mut index = vec![0; keys.len()];
    let mut scratch = Scratch::default();
    for _ in 0..2 {
        let mut columns = [Column::of_index(&mut index)];
        split(Keys::of(&keys), &mut columns, 200, &each(|key: u32| key), &mut [0; 201], &mut scratch).unwrap();
        let threads = rayon::current_num_threads();
        assert_eq!(scratch.size(), Scratch::bytes_for(keys.len(), 200, 1, threads));
    }
}

/// Sizes that no address space holds are no reason to panic.
#[test]
fn huge_requests_are_refused() {
    let device = Device::cpu();
    let most = usize::MAX;
    for m in [2, 256, 257, 1000, 1 << 24] {
        for (n, columns) in
            [(100_000, most), (1 << 32, most), (most, 1), (most, most), (1 << 20, 1 << 45), (most / 8, 9)]
        {
            for threads in [1, 2, 64, most] {
                // A byte for each row, at least.
                assert!(Scratch::bytes_for(n, m, columns, threads) >= n, "{n} {m} {columns} {threads}");
                let bytes = Scratch::bytes_for_segments(n, m, columns, threads);
                assert!(bytes >= Scratch::bytes_for(n, m, columns, threads), "{n} {m} {columns} {threads}");
            }
        }
        // Columns take memory of their own, unless rows are scattered at once.
        for n in [100_000, u32::MAX as usize] {
            let threads = rayon::current_num_threads();
            if m <= 256 || Deal::new(n, m, threads).is_none() {
                assert_eq!(Scratch::bytes_for(n, m, most, threads), most, "{n} {m}");
                for scratch in [Scratch::for_split(&device, n, m, most), Scratch::for_segments(&device, n, m, most)] {
                    assert!(matches!(scratch.err(), Some(Error::OutOfMemory { .. })), "{n} {m}");
                }
            }
        }
        let scratch = Scratch::for_split(&device, 1 << 20, m, 1 << 45);
        assert!(scratch.is_ok() == (m > 256 && Deal::new(1 << 20, m, rayon::current_num_threads()).is_some()));
        assert!(matches!(Scratch::for_split(&device, most, m, 1).err(), Some(Error::OutOfMemory { .. })));
    }
}

/// A bucket function that never answers twice the same: every row goes somewhere, once.
#[test]
fn fickle_bucket_function() {
    for (m, n) in [(2, 300_000), (7, 1_100_000), (256, 1_100_000)] {
        let calls = AtomicU32::new(0);
        let fickle = |key: u32| {
            let call = calls.fetch_add(1, Ordering::Relaxed);
            (key ^ call.wrapping_mul(0x9e37_79b9) >> 24) % m
        };
        let keys = keys(0, n, m);
        let mut index = vec![u32::MAX; n];
        let mut offsets = vec![0; m as usize + 1];
        let mut columns = [Column::of_index(&mut index)];
        split(Keys::of(&keys), &mut columns, m, &each(fickle), &mut offsets, &mut Scratch::default()).unwrap();
        assert_eq!(offsets.last(), Some(&n));
        for bucket in offsets.windows(2) {
            assert!(index[bucket[0]..bucket[1]].is_sorted());
        }
        index.sort_unstable();
        assert!(index.into_iter().eq(0..n as u32));
    }
}

#[test]
fn vectors_in_large_pages() {
    for n in [0, 1, 1000, (1 << 20) + 3] {
        let zeros = large_pages::zeroed_vec::<u32>(n).unwrap();
        assert!(zeros.len() == n && zeros.iter().all(|&zero| zero == 0));
        assert!(large_pages::empty_vec::<u64>(n).unwrap().capacity() >= n);
    }
    assert!(large_pages::zeroed_vec::<u64>(usize::MAX).is_err());
}
