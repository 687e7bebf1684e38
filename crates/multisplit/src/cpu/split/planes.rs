//! Counting with AVX-512, 512 ids at a time and without a counter for each bucket in memory being
//! incremented for each id.
//!
//! The ids are turned into bit planes: vectors with one bit of each of 512 ids. That is a matrix transposed
//! ([`transpose`](super::primitives::transpose)). The ids equal to `b` are then the ones in an intersection of planes
//! and complements of planes, and there is an instruction that counts ones. Part of the intersection depends on the low
//! four bits of `b` only, the rest on the others, so each is computed once for many buckets; what is left is three
//! instructions for each bucket and 512 ids. An increment for each id takes a cycle at least, and more where neighbours
//! are equal; this does not depend on the ids at all.
//!
//! Three instructions for each of 256 buckets are many, though. So the ids of more than 64 buckets
//! are first parted by what is above their low six bits, with an instruction that packs chosen
//! bytes together; each part then has 64 buckets to count. The prescan of 256 buckets took 0.76 of
//! the time.

use super::block_counter::BlockCounter;
use crate::cpu::plan::BLOCK;
use crate::cpu::plan::MAX_BUCKETS;
use crate::cpu::primitives::transpose::{BITS, VECTOR, WORD, planes};
use std::arch::x86_64::*;

/// Buckets that planes tell apart.
const PART: usize = 1 << BITS;
const PARTS: usize = MAX_BUCKETS / PART;

/// Ids of one part that are not yet a vector, with room for a block of them and what a store of a
/// whole word of ids writes behind the last.
#[derive(Clone, Copy)]
struct Waiting {
    ids: [u8; VECTOR + BLOCK + WORD],
    len: usize,
}

/// Counts of each bucket, still to be added up: one in each 64-bit lane of a vector.
pub(super) struct Counter {
    lanes: [[__m512i; PART]; PARTS],
    parts: [Waiting; PARTS],
    m: usize,
}

impl BlockCounter for Counter {
    #[target_feature(enable = "avx512f")]
    unsafe fn new(m: usize) -> Counter {
        let lanes = [[_mm512_setzero_si512(); PART]; PARTS];
        Counter { lanes, parts: [Waiting { ids: [0; _], len: 0 }; PARTS], m }
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512vbmi2,avx512vpopcntdq,gfni,popcnt")]
    unsafe fn add(&mut self, ids: &[u8; BLOCK]) {
        if self.m <= PART {
            return count(ids, &mut self.lanes[0], self.m);
        }
        for ids in ids.as_chunks::<WORD>().0 {
            // SAFETY: a vector of ids.
            let ids = unsafe { _mm512_loadu_si512(ids.as_ptr().cast()) };
            let half = _mm512_movepi8_mask(ids);
            let quarter = _mm512_movepi8_mask(_mm512_add_epi8(ids, ids));
            self.parts[0].push(ids, !half & !quarter);
            self.parts[1].push(ids, !half & quarter);
            if self.m > 2 * PART {
                self.parts[2].push(ids, half & !quarter);
                self.parts[3].push(ids, half & quarter);
            }
        }
        for (part, lanes) in self.parts.iter_mut().zip(&mut self.lanes) {
            let whole = part.len - part.len % VECTOR;
            if whole > 0 {
                count(&part.ids[..whole], lanes, PART);
                part.ids.copy_within(whole..whole + VECTOR, 0);
                part.len -= whole;
            }
        }
    }

    /// Adds up the lanes, and what was left over.
    #[target_feature(enable = "avx512f")]
    unsafe fn sums(&mut self) -> [usize; MAX_BUCKETS] {
        let mut sums = [0; MAX_BUCKETS];
        for (sum, lanes) in sums.iter_mut().zip(self.lanes.as_flattened()) {
            *sum = _mm512_reduce_add_epi64(*lanes) as usize;
        }
        for part in &self.parts {
            part.ids[..part.len].iter().for_each(|&id| sums[id as usize] += 1);
        }
        sums
    }
}

impl Waiting {
    /// Takes the ids in the mask. No more than a block of them are pushed before they are counted.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi2,popcnt")]
    fn push(&mut self, ids: __m512i, mask: u64) {
        let packed = _mm512_maskz_compress_epi8(mask, ids);
        let room = &mut self.ids[self.len..][..WORD];
        // SAFETY: a vector of ids.
        unsafe { _mm512_storeu_si512(room.as_mut_ptr().cast(), packed) };
        self.len += mask.count_ones() as usize;
    }
}

/// Counts whole vectors of ids by their low bits, which are less than `m`.
#[inline]
#[target_feature(enable = "avx512f,avx512vbmi,avx512vpopcntdq,gfni")]
fn count(ids: &[u8], lanes: &mut [__m512i; PART], m: usize) {
    for ids in ids.as_chunks::<VECTOR>().0 {
        let planes = planes(ids);
        let (low, high) = planes.split_at(4);
        let (low, high) = (minterms::<16>(low), minterms::<4>(high));
        let rows = lanes.as_chunks_mut::<16>().0.iter_mut().zip(high);
        for (lanes, high) in rows.take(m.div_ceil(16)) {
            for (lane, low) in lanes.iter_mut().zip(low) {
                let ones = _mm512_popcnt_epi64(_mm512_and_si512(low, high));
                *lane = _mm512_add_epi64(*lane, ones);
            }
        }
    }
}

/// For each number of as many bits as there are planes, which ids have it in them.
#[inline]
#[target_feature(enable = "avx512f")]
fn minterms<const TERMS: usize>(planes: &[__m512i]) -> [__m512i; TERMS] {
    debug_assert_eq!(TERMS, 1 << planes.len());
    let mut terms = [_mm512_set1_epi64(-1); TERMS];
    let mut half = 1;
    for &plane in planes {
        for b in 0..half {
            terms[half + b] = _mm512_and_si512(terms[b], plane);
            terms[b] = _mm512_andnot_si512(plane, terms[b]);
        }
        half *= 2;
    }
    terms
}
