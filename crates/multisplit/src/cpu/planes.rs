//! Counting with AVX-512, 512 ids at a time and without a counter for each bucket in memory being
//! incremented for each id.
//!
//! The ids are turned into bit planes: vectors with one bit of each of 512 ids. The ids equal to
//! `b` are then the ones in an intersection of planes and complements of planes, and there is an
//! instruction that counts ones. Half of the intersection depends on the low four bits of `b` only,
//! the other half on the high four bits, so each is computed once for 16 buckets; what is left is
//! three instructions for each bucket and 512 ids. An increment for each id takes a cycle at least,
//! and more where neighbours are equal; this does not depend on the ids at all.

use super::MAX_BUCKETS;
use super::plan::BLOCK;
use std::arch::x86_64::*;

/// Counts of each bucket, still to be added up: one in each 64-bit lane of a vector.
pub(super) type Lanes = [__m512i; MAX_BUCKETS];

/// Ids in a vector of bytes, and bits in a word of a plane.
const WORD: usize = 64;
/// Words in a vector of a plane.
const WORDS: usize = 8;

/// Adds the ids of a block, all less than `m`, to the counts.
///
/// There need only be as many planes as ids have bits.
#[target_feature(enable = "avx512f,avx512bw,avx512vpopcntdq")]
pub(super) fn count(ids: &[u8; BLOCK], m: usize, counts: &mut Lanes) {
    if m <= 64 {
        count_bits::<6>(ids, m, counts);
    } else {
        count_bits::<8>(ids, m, counts);
    }
}

/// The same for ids of `BITS` bits.
#[target_feature(enable = "avx512f,avx512bw,avx512vpopcntdq")]
fn count_bits<const BITS: usize>(ids: &[u8; BLOCK], m: usize, counts: &mut Lanes) {
    const { assert!(BLOCK.is_multiple_of(WORD * WORDS) && 4 <= BITS && BITS <= 8) };
    let mut planes = [[0; BLOCK / WORD]; BITS];
    let unused = _mm_cvtsi32_si128(8 - BITS as i32);
    for (w, ids) in ids.as_chunks::<WORD>().0.iter().enumerate() {
        // SAFETY: a vector of ids.
        let ids = unsafe { _mm512_loadu_si512(ids.as_ptr().cast()) };
        // The unused bits go. What comes from the byte below never gets to the highest bit.
        let mut ids = _mm512_sll_epi16(ids, unused);
        for plane in planes.iter_mut().rev() {
            // The highest bit of each byte; then the next lower one takes its place.
            plane[w] = _mm512_movepi8_mask(ids);
            ids = _mm512_add_epi8(ids, ids);
        }
    }
    for w in (0..BLOCK / WORD).step_by(WORDS) {
        let planes = planes.each_ref().map(|plane| {
            let words: &[u64; WORDS] = plane[w..].first_chunk().unwrap();
            // SAFETY: a vector of words.
            unsafe { _mm512_loadu_si512(words.as_ptr().cast()) }
        });
        let (low, high) = planes.split_at(4);
        let low = minterms(low);
        let high = minterms(high);
        let rows = counts.as_chunks_mut::<16>().0.iter_mut().zip(high);
        for (counts, high) in rows.take(m.div_ceil(16)) {
            for (count, low) in counts.iter_mut().zip(low) {
                let ones = _mm512_popcnt_epi64(_mm512_and_si512(low, high));
                *count = _mm512_add_epi64(*count, ones);
            }
        }
    }
}

/// For each number of as many bits as there are planes, at most four, which ids have it in them.
#[inline]
#[target_feature(enable = "avx512f")]
fn minterms(planes: &[__m512i]) -> [__m512i; 16] {
    let mut terms = [_mm512_set1_epi64(-1); 16];
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

/// No counts yet.
#[target_feature(enable = "avx512f")]
pub(super) fn none() -> Lanes {
    [_mm512_setzero_si512(); MAX_BUCKETS]
}

/// Adds up the lanes.
#[target_feature(enable = "avx512f")]
pub(super) fn sums(counts: &Lanes) -> [usize; MAX_BUCKETS] {
    counts.map(|lanes| _mm512_reduce_add_epi64(lanes) as usize)
}
