//! Packing rows: those of one bucket, among a few, moved together. What [`super::compress`] is made of.
//!
//! AVX-512 has an instruction for it. With AVX2 it is a permutation of the lanes of a vector, by a table that has one
//! for each set of lanes. Splits into 2 to 8 buckets took 1.05 to 1.2 times as long that way, on the same machine.

use super::combine::SPARE_LINES;
use crate::cpu::primitives::cache_line::LINE;
use std::arch::x86_64::*;

/// Rows that are packed together: those of two lines.
pub(super) const fn rows<W>() -> usize {
    SPARE_LINES * LINE / size_of::<W>()
}

/// A few rows of 4 or 8 bytes and their ids, in registers.
///
/// Functions are `#[inline(always)]` and without features of their own, so that they are part of the loop.
pub(super) trait Group<W>: Copy {
    /// # Safety
    ///
    /// The processor has the features of the type. There are [`rows`] ids and as many values.
    unsafe fn load(ids: &[u8], values: &[W]) -> Self;

    /// Which rows are of bucket `b`, a bit for each.
    ///
    /// # Safety
    ///
    /// The processor has the features of the type.
    unsafe fn of_bucket(&self, b: u8) -> u32;

    /// Writes the rows in the mask to `to`, and rubbish behind them, but not more than [`rows`] altogether.
    ///
    /// # Safety
    ///
    /// The processor has the features of the type, the mask is from `of_bucket`, and `to` is writable for [`rows`].
    unsafe fn pack(&self, mask: u32, to: *mut W);
}

/// With AVX2 and the instruction that counts ones.
#[derive(Clone, Copy)]
pub(super) struct Avx2 {
    ids: __m256i,
    rows: [__m256i; 4],
}

/// With AVX-512 F, BW and VL, and the instruction that counts ones.
#[derive(Clone, Copy)]
pub(super) struct Avx512 {
    ids: __m256i,
    rows: [__m512i; 2],
}

impl<W> Group<W> for Avx2 {
    #[inline(always)]
    unsafe fn load(ids: &[u8], values: &[W]) -> Self {
        debug_assert!(ids.len() == rows::<W>() && values.len() == rows::<W>());
        // SAFETY: passed on; the values are two lines.
        unsafe {
            let at: *const __m256i = values.as_ptr().cast();
            let rows = std::array::from_fn(|v| _mm256_loadu_si256(at.add(v)));
            Self { ids: load_ids::<W>(ids), rows }
        }
    }

    #[inline(always)]
    unsafe fn of_bucket(&self, b: u8) -> u32 {
        // SAFETY: passed on.
        let equal = unsafe { _mm256_movemask_epi8(_mm256_cmpeq_epi8(self.ids, _mm256_set1_epi8(b as i8))) };
        equal as u32 & existing::<W>()
    }

    #[inline(always)]
    unsafe fn pack(&self, mask: u32, mut to: *mut W) {
        let lanes = 32 / size_of::<W>();
        for (v, &rows) in self.rows.iter().enumerate() {
            let mask = mask >> (v * lanes) & ((1 << lanes) - 1);
            // SAFETY: passed on. A vector of rows is stored behind `v` vectors of rows at most: they end where the
            // fourth does, or before. The mask has as many bits as its table has places for.
            unsafe {
                let order = match size_of::<W>() {
                    8 => FOURS.get_unchecked(mask as usize),
                    _ => EIGHTS.get_unchecked(mask as usize),
                };
                let order = _mm256_load_si256(order.0.as_ptr().cast());
                _mm256_storeu_si256(to.cast(), _mm256_permutevar8x32_epi32(rows, order));
                to = to.add(mask.count_ones() as usize);
            }
        }
    }
}

impl<W> Group<W> for Avx512 {
    #[inline(always)]
    unsafe fn load(ids: &[u8], values: &[W]) -> Self {
        debug_assert!(ids.len() == rows::<W>() && values.len() == rows::<W>());
        // SAFETY: passed on; the values are two lines.
        unsafe {
            let at: *const __m512i = values.as_ptr().cast();
            let rows = std::array::from_fn(|v| _mm512_loadu_si512(at.add(v)));
            Self { ids: load_ids::<W>(ids), rows }
        }
    }

    #[inline(always)]
    unsafe fn of_bucket(&self, b: u8) -> u32 {
        // SAFETY: passed on.
        let equal = unsafe { _mm256_cmpeq_epi8_mask(self.ids, _mm256_set1_epi8(b as i8)) };
        equal & existing::<W>()
    }

    #[inline(always)]
    unsafe fn pack(&self, mask: u32, mut to: *mut W) {
        for (v, &rows) in self.rows.iter().enumerate() {
            // SAFETY: passed on. The second line is stored behind a line of rows at most.
            unsafe {
                let (packed, count) = match size_of::<W>() {
                    8 => {
                        let mask = (mask >> (8 * v)) as u8;
                        (_mm512_maskz_compress_epi64(mask, rows), mask.count_ones())
                    }
                    _ => {
                        let mask = (mask >> (16 * v)) as u16;
                        (_mm512_maskz_compress_epi32(mask, rows), mask.count_ones())
                    }
                };
                _mm512_storeu_si512(to.cast(), packed);
                to = to.add(count as usize);
            }
        }
    }
}

/// The ids of a group, and something else in the other lanes.
///
/// # Safety
///
/// The processor has AVX2, and there are [`rows`] ids.
#[inline(always)]
unsafe fn load_ids<W>(ids: &[u8]) -> __m256i {
    // SAFETY: 32 ids for rows of 4 bytes, and 16 for rows of 8.
    unsafe {
        match size_of::<W>() {
            8 => _mm256_castsi128_si256(_mm_loadu_si128(ids.as_ptr().cast())),
            _ => _mm256_loadu_si256(ids.as_ptr().cast()),
        }
    }
}

/// A bit for each row of a group.
#[inline(always)]
fn existing<W>() -> u32 {
    if rows::<W>() >= 32 { u32::MAX } else { (1 << rows::<W>()) - 1 }
}

/// For each set of places of rows of 4 bytes in a vector, which 4 bytes go where.
static EIGHTS: [Order; 256] = orders::<256>(1);
/// Likewise for rows of 8 bytes.
static FOURS: [Order; 16] = orders::<16>(2);

#[derive(Clone, Copy)]
#[repr(align(32))]
struct Order([u32; 8]);

/// Of rows of so many words.
const fn orders<const SETS: usize>(words: usize) -> [Order; SETS] {
    let mut orders = [Order([0; 8]); SETS];
    let mut set = 0;
    while set < SETS {
        let (mut from, mut to) = (0, 0);
        while from < 8 {
            if set >> (from / words) & 1 == 1 {
                orders[set].0[to] = from as u32;
                to += 1;
            }
            from += 1;
        }
        set += 1;
    }
    orders
}
