//! Prescan: the bucket ids of a chunk's keys, and how many keys go to each bucket.
//!
//! A chunk is read at a few places in turn, its *strands*: a processor has more lines on their way to it when it reads
//! on in several pages than in one (computing the ids of 2^24 keys and nothing else took 2.9 ms on two cores with four
//! strands, and 4.0 with one; 3.3 with two, 2.9 with eight). A block of ids has a piece of each.
//!
//! The ids of a block are computed first, in a loop that vectorizes, and counted from the
//! first-level cache in one of five ways:
//!
//! * with all of AVX-512, in bit planes ([`super::planes`]): at 2^24 keys, the prescan of 32 buckets took
//!   half the time of the best of the last three;
//! * with AVX2 and up to 64 buckets, eight buckets at a time ([`super::one_hot`]): at 2^20 keys, the prescan took 0.8
//!   of the time of the best of the last three for 4 buckets, 0.5 to 0.65 for 8 to 32, and 0.9 for 64;
//! * a block of long runs (sorted input), a run at a time;
//! * few buckets: by comparing all ids with each bucket, a vector at a time;
//! * otherwise with one increment for each id. Neighbouring ids go to different histograms: with a
//!   single one, equal neighbours would make each increment wait some five cycles for the one
//!   before it.

#[cfg(target_arch = "x86_64")]
use super::block_counter::BlockCounter;
use super::ids;
#[cfg(target_arch = "x86_64")]
use super::{
    one_hot::{self, Adder},
    planes,
};
use crate::cpu::function::{Function, Keys};
use crate::cpu::plan::BLOCK;
use crate::cpu::plan::MAX_BUCKETS;
use crate::cpu::primitives::simd::{Level, SimdLoop};
use crate::cpu::scratch::Chunk;

/// Up to this many buckets, comparing is faster than incrementing; at 16 the two are equal.
const FEW: usize = 12;

/// Histograms that take turns: as many as ids fit in a word.
const LANES: usize = 8;

/// Keys between two additions of the 32-bit histograms to the totals.
const SPAN: usize = 1 << 24;

/// Places of a chunk that are read in turn, and the keys that each of them gives to a block.
const STRANDS: usize = 4;
const PIECE: usize = BLOCK / STRANDS;

type Histogram = [u32; MAX_BUCKETS];

/// The prescan of one chunk; leaves its ids in `ids`, if they are wanted, all less than `m`, and the counts in
/// `chunk.end`.
pub(in crate::cpu) struct Count<'a> {
    pub f: &'a dyn Function,
    pub keys: Keys<'a>,
    pub ids: Option<&'a mut [u8]>,
    pub m: usize,
    pub level: Level,
    pub chunk: &'a mut Chunk,
}

impl SimdLoop for Count<'_> {
    #[inline(always)]
    fn run(self) {
        let Self { f, keys, m, level, .. } = self;
        let ids = Ids { f, level, keys, m };
        let (largest, counts) = match level {
            // SAFETY: the level is proof of its features.
            #[cfg(target_arch = "x86_64")]
            Level::Avx512Vbmi(_) => unsafe { count_blocks::<planes::Counter>(&ids, self.ids) },
            // SAFETY: likewise.
            #[cfg(target_arch = "x86_64")]
            Level::Avx512(_) if (2..=one_hot::Avx512::MOST_BUCKETS).contains(&m) => unsafe {
                count_blocks::<one_hot::Counter<one_hot::Avx512>>(&ids, self.ids)
            },
            // SAFETY: likewise.
            #[cfg(target_arch = "x86_64")]
            Level::Avx2(_) if (2..=one_hot::Avx2::MOST_BUCKETS).contains(&m) => unsafe {
                count_blocks::<one_hot::Counter<one_hot::Avx2>>(&ids, self.ids)
            },
            _ => count_rows(&ids, self.ids),
        };
        self.chunk.end = counts;
        self.chunk.out_of_range = 0;
        if largest as usize >= m {
            self.chunk.out_of_range = f.out_of_range(level, keys, m as u32);
        }
    }
}

/// Returns the largest answer of `bucket`, and the counts.
///
/// # Safety
///
/// The processor has the features of the counter.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn count_blocks<C: BlockCounter>(from: &Ids<'_>, ids: Option<&mut [u8]>) -> (u32, [usize; MAX_BUCKETS]) {
    // SAFETY: passed on.
    let mut counter = unsafe { C::new(from.m) };
    let mut odd = [0; MAX_BUCKETS];
    let largest = from.each_block(ids, |block| match block.as_array() {
        // SAFETY: passed on.
        Some(block) => unsafe { counter.add(block) },
        None => block.iter().for_each(|&id| odd[id as usize] += 1),
    });
    // SAFETY: passed on.
    let mut counts = unsafe { counter.sums() };
    counts.iter_mut().zip(odd).for_each(|(count, odd)| *count += odd);
    (largest, counts)
}

/// Returns the largest answer of `bucket`, and the counts.
#[inline(always)]
fn count_rows(from: &Ids<'_>, mut ids: Option<&mut [u8]>) -> (u32, [usize; MAX_BUCKETS]) {
    let mut largest = 0;
    let mut total = [0; MAX_BUCKETS];
    for keys in from.keys.chunks(SPAN) {
        let from = Ids { keys, ..*from };
        let ids = ids.as_mut().and_then(|ids| ids.split_off_mut(..keys.len()));
        let mut counts = [[0; MAX_BUCKETS]; LANES];
        largest = largest.max(from.each_block(ids, |block| count_block(block, from.m, &mut counts)));
        for (b, total) in total.iter_mut().enumerate() {
            *total += counts.iter().map(|lane| lane[b] as usize).sum::<usize>();
        }
    }
    (largest, total)
}

/// The ids of a chunk's keys.
struct Ids<'a> {
    f: &'a dyn Function,
    level: Level,
    keys: Keys<'a>,
    m: usize,
}

impl Ids<'_> {
    /// Leaves them in `ids`, if there is such memory, and shows them to `count`, a block at a time and in no particular order. Returns the
    /// largest answer of the function.
    #[inline(always)]
    fn each_block(&self, mut ids: Option<&mut [u8]>, mut count: impl FnMut(&[u8])) -> u32 {
        let Self { f, level, keys, m } = *self;
        let last = (m - 1) as u8;
        let mut largest = 0;
        // So long that no more than a block is left over.
        let strand = keys.len() / BLOCK * PIECE;
        // The ids are made in a block of our own, which is in the cache: the prescan is some 10 % faster.
        let mut block = [0; BLOCK];
        for at in (0..strand).step_by(PIECE) {
            let pieces: [Keys<'_>; STRANDS] = std::array::from_fn(|s| {
                let start = s * strand + at;
                keys.range(start..start + PIECE)
            });
            largest = largest.max(f.bytes(level, &pieces, last, &mut block));
            count(&block);
            if let Some(ids) = &mut ids {
                for (s, piece) in block.as_chunks::<PIECE>().0.iter().enumerate() {
                    ids[s * strand + at..][..PIECE].copy_from_slice(piece);
                }
            }
        }
        let keys = keys.range(STRANDS * strand..keys.len());
        let block = &mut block[..keys.len()];
        largest = largest.max(f.bytes(level, &[keys], last, block));
        count(block);
        if let Some(ids) = ids {
            ids[STRANDS * strand..].copy_from_slice(block);
        }
        largest
    }
}

/// Adds one block to the histograms.
#[inline(always)]
fn count_block(ids: &[u8], m: usize, counts: &mut [Histogram; LANES]) {
    if ids::in_runs(ids) {
        count_runs(ids, &mut counts[0]);
    } else if m <= FEW {
        count_few(ids, m, &mut counts[0]);
    } else {
        count_many(ids, counts);
    }
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
