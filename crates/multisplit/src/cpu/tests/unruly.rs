//! Bucket functions that answer differently every time, or panic. Nothing is written out of bounds, and outputs are as
//! long as they should be.

use crate::cpu::scan_split::{SidedColumn, scan_split};
use crate::cpu::split::split_at;
use crate::cpu::{Column, Keys, Scratch, each, histogram, split_any, split_segments};
use crate::device::Device;
use crate::error::Result;
use crate::request::rounds::Rounds;
use crate::request::segments::Segments;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU32, Ordering};

/// Calls of a bucket function, by all threads.
static CALLS: AtomicU32 = AtomicU32::new(0);

/// Elements around an output that must stay as they are.
const GUARD: usize = 64;
const UNTOUCHED: u32 = 0x5555_5555;

/// An output between two guards.
struct Output {
    memory: Vec<u32>,
}

impl Output {
    fn new(n: usize) -> Self {
        Self { memory: vec![UNTOUCHED; n + 2 * GUARD] }
    }

    fn rows(&mut self) -> &mut [u32] {
        let n = self.memory.len() - 2 * GUARD;
        &mut self.memory[GUARD..GUARD + n]
    }

    /// Whether the guards are as they were.
    fn is_intact(&self) -> bool {
        let (before, rest) = self.memory.split_at(GUARD);
        let after = &rest[rest.len() - GUARD..];
        before.iter().chain(after).all(|&word| word == UNTOUCHED)
    }
}

/// A split of `n` rows into `m` buckets, with the keys and the permutation as outputs. It writes `offsets` and returns
/// the number of out-of-range ids.
type Run<'a> = &'a dyn Fn(&[u32], [&mut [u32]; 2], u32, &(dyn Fn(u32) -> u32 + Sync), &mut [usize]) -> Result<u64>;

/// Runs with bucket functions that never answer the same, and with ones that panic sooner or later.
fn check(what: &str, n: usize, m: u32, offsets: usize, run: Run<'_>) {
    let keys = test_support::uniform(n, 1);
    // The last kind also answers with ids out of range.
    for ids in [m, m + 1, u32::MAX] {
        let changing = |key: u32| {
            let call = CALLS.fetch_add(1, Ordering::Relaxed);
            (key ^ call.wrapping_mul(0x85eb_ca6b)) % ids
        };
        let (mut keys_out, mut index) = (Output::new(n), Output::new(n));
        let mut boundaries = vec![usize::MAX; offsets];
        let outputs = [keys_out.rows(), index.rows()];
        assert!(run(&keys, outputs, m, &changing, &mut boundaries).is_ok(), "{what}");
        assert!(keys_out.is_intact() && index.is_intact(), "{what}");
        assert!(boundaries.is_sorted() && boundaries.last() == Some(&n), "{what}");
        // Every row went somewhere, once, and both columns of it to the same place.
        let moved = |(&row, &key): (&u32, &u32)| keys[row as usize] == key;
        assert!(index.rows().iter().zip(keys_out.rows().iter()).all(moved), "{what}");
        index.rows().sort_unstable();
        assert!(index.rows().iter().copied().eq(0..n as u32), "{what}");
    }
    for last_call in [0, 1, n as u32 / 3, n as u32 - 1, n as u32 + n as u32 / 2] {
        let calls = AtomicU32::new(0);
        let panicking = |key: u32| {
            assert!(calls.fetch_add(1, Ordering::Relaxed) < last_call, "no more answers");
            key % (m + 1)
        };
        let (mut keys_out, mut index) = (Output::new(n), Output::new(n));
        let mut boundaries = vec![0; offsets];
        let outputs = [keys_out.rows(), index.rows()];
        let _ = catch_unwind(AssertUnwindSafe(|| run(&keys, outputs, m, &panicking, &mut boundaries)));
        assert!(keys_out.is_intact() && index.is_intact(), "{what}, panic at call {last_call}");
        // Whatever the outputs are now, the next split is right.
        let outputs = [keys_out.rows(), index.rows()];
        assert_eq!(run(&keys, outputs, m, &|key| key % m, &mut boundaries), Ok(0), "{what}");
        assert!(index.rows().iter().zip(keys_out.rows().iter()).all(|(&row, &key)| keys[row as usize] == key));
    }
}

#[test]
fn splits() {
    let device = Device::cpu();
    // In turn: direct, write combining (with packing and without), scatter, and passes by digits.
    let shapes =
        [(1000, 7), (4000, 256), (100_000, 2), (100_000, 33), (100_000, 256), (40_000, 1000), (20_000, 100_000)];
    for (n, m) in shapes {
        let scratch = std::sync::Mutex::new(Scratch::default());
        check(
            &format!("split of {n} rows into {m}"),
            n,
            m,
            m as usize + 1,
            &|keys, [to, index], m, bucket, offsets| {
                let mut columns = [Column::of_keys(keys, to), Column::of_index(index)];
                // The memory of a split that panicked is used again.
                let mut scratch = scratch.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
                split_any(&device, Keys::of(keys), &mut columns, m, &each(bucket), offsets, &mut scratch)
            },
        );
    }
}

#[test]
fn splits_at_all_levels() {
    for level in super::levels() {
        for (n, m) in [(5000, 3), (70_000, 2), (70_000, 5), (70_000, 7), (70_000, 8), (70_000, 16), (70_000, 40)] {
            let scratch = std::sync::Mutex::new(Scratch::default());
            check(
                &format!("{level:?} split of {n} rows into {m}"),
                n,
                m,
                m as usize + 1,
                &|keys, [to, index], m, bucket, offsets| {
                    let mut columns = [Column::of_keys(keys, to), Column::of_index(index)];
                    let mut scratch = scratch.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
                    split_at(level, Keys::of(keys), &mut columns, m, &each(bucket), offsets, &mut scratch)
                },
            );
        }
    }
}

#[test]
fn segments() {
    let device = Device::cpu();
    let n = 150_000;
    let limits = [0, 100, 100, 70_000, 70_001, 74_000, 78_000, 90_000, n];
    for m in [2, 256, 1000, 20_000] {
        let count = m as usize * (limits.len() - 1) + 1;
        check(&format!("segments into {m}"), n, m, count, &|keys, [to, index], m, bucket, offsets| {
            let mut columns = [Column::of_keys(keys, to), Column::of_index(index)];
            let segments = Segments::new(&limits, keys.len(), m)?;
            let (keys, f) = (Keys::of(keys), each(bucket));
            split_segments(&device, keys, &mut columns, segments, m, &f, offsets, &mut Scratch::default())
        });
    }
}

#[test]
fn scan_splits() {
    let device = Device::cpu();
    for rounds in [Rounds::Iterated, Rounds::Recursive] {
        for (n, m) in [(3000, 5), (50_000, 9)] {
            check(
                &format!("{rounds:?} {n} into {m}"),
                n,
                m,
                m as usize + 1,
                &|keys, [to, index], m, bucket, offsets| {
                    let (mut spare, mut index_spare) = (vec![0; keys.len()], vec![0; keys.len()]);
                    let (out, spare_rows) =
                        (bytemuck::cast_slice_mut(index), bytemuck::cast_slice_mut(&mut index_spare));
                    let index = SidedColumn { width: 4, from: None, out, spare: spare_rows };
                    let mut columns = [SidedColumn::of_keys(keys, to, &mut spare), index];
                    let (keys, f) = (Keys::of(keys), each(bucket));
                    scan_split(&device, rounds, keys, &mut columns, m, &f, offsets, &mut Scratch::default())
                },
            );
        }
    }
}

#[test]
fn histograms() {
    let device = Device::cpu();
    let keys: Vec<u32> = (0..200_000).collect();
    for m in [1, 100, 255, 256, 5000, 100_000] {
        let changing = |key: u32| (key ^ CALLS.fetch_add(1, Ordering::Relaxed).wrapping_mul(0x85eb_ca6b)) % (m + 3);
        let counts = histogram(&device, Keys::of(&keys), m, &each(changing), 1 << 31).unwrap();
        assert_eq!((counts.len(), counts.iter().sum()), (m as usize + 1, 200_000));
        let calls = AtomicU32::new(0);
        let panicking = |key: u32| {
            assert!(calls.fetch_add(1, Ordering::Relaxed) < 70_000, "no more answers");
            key
        };
        assert!(
            catch_unwind(AssertUnwindSafe(|| histogram(&device, Keys::of(&keys), m, &each(panicking), 1 << 31)))
                .is_err()
        );
    }
}
