//! Prescan: how many keys of a chunk go to each bucket.
//!
//! The ids of a block are written to a small buffer first, in a loop that vectorizes, and counted
//! from there in one of three ways:
//!
//! * a block of long runs (sorted input), a run at a time;
//! * few buckets: by comparing all ids with each bucket, a vector at a time;
//! * otherwise with one increment for each id. Neighbouring ids go to different histograms: with a
//!   single one, equal neighbours would make each increment wait some five cycles for the one
//!   before it.

use super::MAX_BUCKETS;
use super::ids;
use super::plan::BLOCK;
use super::scratch::Chunk;
use super::simd::Job;

/// Up to this many buckets, comparing is faster than incrementing; at 16 the two are equal.
const FEW: usize = 12;

/// Histograms that take turns: as many as ids fit in a word.
const LANES: usize = 8;

/// Keys between two additions of the 32-bit histograms to the totals.
const SPAN: usize = 1 << 24;

type Histogram = [u32; MAX_BUCKETS];

/// The prescan of one chunk; leaves the counts in `chunk.end`.
pub(super) struct Count<'a, K, B> {
    pub keys: &'a [K],
    pub m: usize,
    pub bucket: &'a B,
    pub chunk: &'a mut Chunk,
}

impl<K: Copy, B: Fn(K) -> u32> Job for Count<'_, K, B> {
    #[inline(always)]
    fn run(self) {
        let Count { keys, m, bucket, chunk } = self;
        chunk.end = [0; MAX_BUCKETS];
        chunk.strays = 0;
        for keys in keys.chunks(SPAN) {
            let mut counts = [[0; MAX_BUCKETS]; LANES];
            for keys in keys.chunks(BLOCK) {
                chunk.strays += count_block(keys, m, bucket, &mut counts);
            }
            for (b, end) in chunk.end.iter_mut().enumerate() {
                *end += counts.iter().map(|lane| lane[b] as usize).sum::<usize>();
            }
        }
    }
}

/// Adds one block to the histograms; returns how many of its keys are out of range.
#[inline(always)]
fn count_block<K: Copy>(keys: &[K], m: usize, bucket: &impl Fn(K) -> u32, counts: &mut [Histogram; LANES]) -> u64 {
    let mut ids = [0; BLOCK];
    let ids = &mut ids[..keys.len().min(BLOCK)];
    let largest = ids::fill(ids, keys, m, bucket);
    if ids::in_runs(ids) {
        count_runs(ids, &mut counts[0]);
    } else if m <= FEW {
        count_few(ids, m, &mut counts[0]);
    } else {
        count_many(ids, counts);
    }
    if (largest as usize) < m {
        return 0;
    }
    keys.iter().filter(|&&key| bucket(key) as usize >= m).count() as u64
}

#[inline(always)]
fn count_runs(mut ids: &[u8], counts: &mut Histogram) {
    while let Some(&id) = ids.first() {
        let run = ids::run(ids);
        counts[id as usize] += run as u32;
        ids = &ids[run..];
    }
}

#[inline(always)]
fn count_few(ids: &[u8], m: usize, counts: &mut Histogram) {
    let mut others = 0;
    for (b, count) in counts.iter_mut().enumerate().take(m).skip(1) {
        let equal = count_equal(ids, b as u8);
        *count += equal;
        others += equal;
    }
    counts[0] += ids.len() as u32 - others;
}

/// How many of a block's ids are `b`. Each byte lane sums at most `BLOCK / 64` ones.
#[inline(always)]
fn count_equal(ids: &[u8], b: u8) -> u32 {
    const { assert!(BLOCK / 64 <= u8::MAX as usize) };
    let (groups, rest) = ids.as_chunks::<64>();
    let mut sums = [0; 64];
    for group in groups {
        for (sum, &id) in sums.iter_mut().zip(group) {
            *sum += u8::from(id == b);
        }
    }
    let sum: u32 = sums.iter().map(|&sum| u32::from(sum)).sum();
    sum + rest.iter().map(|&id| u32::from(id == b)).sum::<u32>()
}

#[inline(always)]
fn count_many(ids: &[u8], counts: &mut [Histogram; LANES]) {
    let (groups, rest) = ids.as_chunks::<LANES>();
    for group in groups {
        let mut word = u64::from_le_bytes(*group);
        for lane in counts.iter_mut() {
            lane[(word & 0xff) as usize] += 1;
            word >>= 8;
        }
    }
    for &id in rest {
        counts[0][id as usize] += 1;
    }
}
