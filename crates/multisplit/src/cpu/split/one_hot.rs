//! Counting with AVX2, 1024 ids at a time and without a counter in memory being incremented for each id.
//!
//! Eight buckets at a time: each id is turned into a byte with the bit of its bucket, or no bit if it is of none of the
//! eight. What is left is to count the ones at each of the eight places of many bytes. Carry-save adders do that for a
//! vector of bytes at once: three numbers of one bit become two, a sum and a carry, with five instructions (with
//! AVX-512, with two). That makes some seven to nine instructions for 32 ids and eight buckets, whatever the ids are.

use super::block_counter::BlockCounter;
use super::ids;
use crate::cpu::plan::{BLOCK, MAX_BUCKETS};
use std::arch::x86_64::*;
use std::marker::PhantomData;

/// The most buckets of a counter.
const MOST: usize = 96;
/// Buckets that are counted together: bits of a byte.
const EIGHT: usize = 8;
/// Buckets that one table tells apart: what the instruction that looks up bytes can.
const WINDOW: usize = 16;
/// Bytes of a vector.
const VECTOR: usize = 32;
/// Carries that are kept: of weight 1, 2, 4, 8 and 16.
const CARRIES: usize = 5;
/// What a whole block adds to a total.
const WEIGHT: usize = 1 << CARRIES;

/// How numbers are added.
pub(super) trait Adder {
    /// The most buckets for which counting with it is faster than an increment for each id.
    const MOST_BUCKETS: usize;

    /// Adds two vectors of numbers of one bit to a third, in each place. Returns the carries.
    ///
    /// # Safety
    ///
    /// The processor has the features of the type.
    unsafe fn add(to: &mut __m256i, a: __m256i, b: __m256i) -> __m256i;
}

/// With AVX2.
pub(super) struct Avx2;

/// With AVX-512 F and VL.
pub(super) struct Avx512;

impl Adder for Avx2 {
    const MOST_BUCKETS: usize = 64;

    #[inline(always)]
    unsafe fn add(to: &mut __m256i, a: __m256i, b: __m256i) -> __m256i {
        // SAFETY: passed on.
        unsafe {
            let half = _mm256_xor_si256(a, b);
            let carry = _mm256_or_si256(_mm256_and_si256(a, b), _mm256_and_si256(half, *to));
            *to = _mm256_xor_si256(half, *to);
            carry
        }
    }
}

impl Adder for Avx512 {
    const MOST_BUCKETS: usize = MOST;

    #[inline(always)]
    unsafe fn add(to: &mut __m256i, a: __m256i, b: __m256i) -> __m256i {
        // SAFETY: passed on.
        unsafe {
            // Two of three, and an odd number of three.
            let carry = _mm256_ternarylogic_epi64::<0xe8>(*to, a, b);
            *to = _mm256_ternarylogic_epi64::<0x96>(*to, a, b);
            carry
        }
    }
}

/// Where the counts of eight buckets stand, one in each lane of bytes. A count is the sum of its bits of the carries,
/// by weight, and [`WEIGHT`] times its total.
#[derive(Clone, Copy)]
struct Counts {
    carries: [__m256i; CARRIES],
    totals: [__m256i; EIGHT],
}

/// Counts of each bucket, still to be added up.
pub(super) struct Counter<A> {
    counts: [Counts; MOST / EIGHT],
    /// What no longer fits bytes.
    sums: [usize; MOST],
    /// Blocks since then.
    blocks: u8,
    m: usize,
    adder: PhantomData<A>,
}

impl BlockCounter for Counter<Avx2> {
    #[target_feature(enable = "avx2")]
    unsafe fn new(m: usize) -> Self {
        Self::empty(m)
    }

    #[target_feature(enable = "avx2")]
    unsafe fn add(&mut self, ids: &[u8; BLOCK]) {
        // SAFETY: passed on.
        unsafe { self.add_block(ids) }
    }

    #[target_feature(enable = "avx2,popcnt")]
    unsafe fn sums(&mut self) -> [usize; MAX_BUCKETS] {
        self.sum_up()
    }
}

impl BlockCounter for Counter<Avx512> {
    #[target_feature(enable = "avx2")]
    unsafe fn new(m: usize) -> Self {
        Self::empty(m)
    }

    #[target_feature(enable = "avx2,avx512f,avx512vl")]
    unsafe fn add(&mut self, ids: &[u8; BLOCK]) {
        // SAFETY: passed on.
        unsafe { self.add_block(ids) }
    }

    #[target_feature(enable = "avx2,popcnt")]
    unsafe fn sums(&mut self) -> [usize; MAX_BUCKETS] {
        self.sum_up()
    }
}

impl<A: Adder> Counter<A> {
    #[target_feature(enable = "avx2")]
    fn empty(m: usize) -> Self {
        debug_assert!(m <= A::MOST_BUCKETS);
        let zero = _mm256_setzero_si256();
        let none = Counts { carries: [zero; CARRIES], totals: [zero; EIGHT] };
        Self { counts: [none; MOST / EIGHT], sums: [0; MOST], blocks: 0, m, adder: PhantomData }
    }

    /// # Safety
    ///
    /// The processor has AVX2 and the features of the adder.
    #[inline(always)]
    unsafe fn add_block(&mut self, block: &[u8; BLOCK]) {
        // SAFETY: passed on.
        unsafe {
            if self.blocks == u8::MAX {
                self.empty_totals();
            }
            // With more buckets, a block of long runs is counted faster a run at a time.
            if self.m > WINDOW && ids::in_runs(block) {
                return self.add_runs(block);
            }
            for (i, counts) in self.counts.iter_mut().enumerate().take(self.m.div_ceil(EIGHT)) {
                let first = i * EIGHT;
                let (window, later) = ((first - first % WINDOW) as u8, !first.is_multiple_of(WINDOW));
                match self.m <= WINDOW {
                    true => counts.add::<A, true>(block, window, later),
                    false => counts.add::<A, false>(block, window, later),
                }
            }
        }
        self.blocks += 1;
    }

    #[inline(always)]
    fn add_runs(&mut self, mut ids: &[u8]) {
        while let Some(&id) = ids.first() {
            let run = ids::run(ids);
            self.sums[id as usize % MOST] += run;
            ids = &ids[run..];
        }
    }

    /// Adds the totals to the sums.
    #[target_feature(enable = "avx2")]
    fn empty_totals(&mut self) {
        let zero = _mm256_setzero_si256();
        for (sums, counts) in self.sums.as_chunks_mut::<EIGHT>().0.iter_mut().zip(&mut self.counts) {
            for (sum, total) in sums.iter_mut().zip(&mut counts.totals) {
                let quarters = _mm256_sad_epu8(std::mem::replace(total, zero), zero);
                let halves = _mm_add_epi64(_mm256_castsi256_si128(quarters), _mm256_extracti128_si256::<1>(quarters));
                *sum += WEIGHT * (_mm_cvtsi128_si64(halves) + _mm_extract_epi64::<1>(halves)) as usize;
            }
        }
        self.blocks = 0;
    }

    #[target_feature(enable = "avx2,popcnt")]
    fn sum_up(&mut self) -> [usize; MAX_BUCKETS] {
        self.empty_totals();
        let mut sums = [0; MAX_BUCKETS];
        sums[..MOST].copy_from_slice(&self.sums);
        let used = self.counts.iter().take(self.m.div_ceil(EIGHT));
        for (sums, counts) in sums.as_chunks_mut::<EIGHT>().0.iter_mut().zip(used) {
            for (weight, &carry) in counts.carries.iter().enumerate() {
                let mut bits = carry;
                // The highest bit of each byte first.
                for sum in sums.iter_mut().rev() {
                    *sum += (_mm256_movemask_epi8(bits).count_ones() as usize) << weight;
                    bits = _mm256_add_epi8(bits, bits);
                }
            }
        }
        sums
    }
}

impl Counts {
    /// Adds the ids of a block: those of the eight buckets from `window` on, or of the eight after them. `ONLY`: there
    /// are no ids outside of the window.
    ///
    /// # Safety
    ///
    /// The processor has AVX2 and the features of the adder.
    #[inline(always)]
    unsafe fn add<A: Adder, const ONLY: bool>(&mut self, ids: &[u8; BLOCK], window: u8, later: bool) {
        // SAFETY: passed on; what is loaded is a vector of ids.
        unsafe {
            let bits = _mm_set1_epi64x(0x8040_2010_0804_0201_u64 as i64);
            let bits = if later { _mm_bslli_si128::<8>(bits) } else { _mm_bsrli_si128::<8>(bits) };
            let table = _mm256_broadcastsi128_si256(bits);
            let (window, outside) = (_mm256_set1_epi8(window as i8), _mm256_set1_epi8(0x70));
            let [mut ones, mut twos, mut fours, mut eights, mut sixteens] = self.carries;
            let mut carries = [_mm256_setzero_si256(); BLOCK / (8 * VECTOR)];
            for (carry, ids) in carries.iter_mut().zip(ids.as_chunks::<{ 8 * VECTOR }>().0) {
                let mut hot = [_mm256_setzero_si256(); 8];
                for (hot, ids) in hot.iter_mut().zip(ids.as_chunks::<VECTOR>().0) {
                    let mut ids = _mm256_loadu_si256(ids.as_ptr().cast());
                    if !ONLY {
                        // Those outside get the highest bit, which gives no bit, and the others keep the low four.
                        ids = _mm256_adds_epu8(_mm256_xor_si256(ids, window), outside);
                    }
                    *hot = _mm256_shuffle_epi8(table, ids);
                }
                let [a, b, c, d, e, f, g, h] = hot;
                let (ab, cd) = (A::add(&mut ones, a, b), A::add(&mut ones, c, d));
                let ad = A::add(&mut twos, ab, cd);
                let (ef, gh) = (A::add(&mut ones, e, f), A::add(&mut ones, g, h));
                let eh = A::add(&mut twos, ef, gh);
                *carry = A::add(&mut fours, ad, eh);
            }
            let [a, b, c, d] = carries;
            let (ab, cd) = (A::add(&mut eights, a, b), A::add(&mut eights, c, d));
            let mut totals = A::add(&mut sixteens, ab, cd);
            self.carries = [ones, twos, fours, eights, sixteens];
            let low = _mm256_set1_epi8(1);
            for total in &mut self.totals {
                *total = _mm256_add_epi8(*total, _mm256_and_si256(totals, low));
                // The bits that come in from the neighbour are above those that are still to come.
                totals = _mm256_srli_epi16::<1>(totals);
            }
        }
    }
}
