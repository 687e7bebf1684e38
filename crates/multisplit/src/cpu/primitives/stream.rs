//! Whole cache lines, written around the caches where that pays.
//!
//! An ordinary store to a line that is not in the cache first reads the line from memory. A
//! non-temporal store of a whole line does not, and leaves the caches to those who read: a third
//! less traffic in the postscan. In exchange the line is not in the cache afterwards, so it is done
//! for large outputs only.

use super::simd::Level;
use crate::cpu::primitives::cache_line::LINE;
use crate::cpu::table::Cell;
#[cfg(target_arch = "x86_64")]
use std::mem::transmute_copy;

/// Copies whole cache lines, with non-temporal stores where the processor has them. Other threads
/// see the lines for certain only after [`fence`] and whatever hands the data over.
///
/// # Safety
///
/// `from` is readable and `to` writable for `lines` lines, the two do not overlap, and `to` is the
/// address of a cache line.
#[inline(always)]
pub(crate) unsafe fn lines(level: Level, from: *const u8, to: *mut u8, lines: usize) {
    debug_assert!((to as usize).is_multiple_of(LINE));
    // SAFETY: passed on; a level is proof of its features.
    unsafe {
        match level {
            #[cfg(target_arch = "x86_64")]
            Level::Avx512(_) | Level::Avx512Vbmi(_) => lines_avx512(from, to, lines),
            #[cfg(target_arch = "x86_64")]
            Level::Avx2(_) => lines_avx2(from, to, lines),
            Level::Baseline => lines_any(from, to, lines),
        }
    }
}

/// Writes out a buffer whose last row is not in it yet, `around` the caches like [`lines`] or through them. Whether the
/// buffer has that row afterwards is not said.
///
/// # Safety
///
/// `to` is writable for as many rows as the buffer has, not in the buffer, and the address of a cache line; the
/// buffer is of whole lines, one at least. `VECTOR` is the size of vectors: with 32 bytes, the processor has the
/// features of [`Level::Avx2`], and with 64 those of [`Level::Avx512`].
#[inline(always)]
pub(crate) unsafe fn lines_with<W: Cell, const VECTOR: usize>(around: bool, buffer: &mut [W], to: *mut W, last: W) {
    debug_assert!((to as usize).is_multiple_of(LINE) && size_of_val(buffer).is_multiple_of(LINE));
    #[cfg(target_arch = "x86_64")]
    // SAFETY: passed on.
    unsafe {
        match VECTOR {
            64 => return lines_with_avx512(around, buffer, to, last),
            32 => return lines_with_avx2(around, buffer, to, last),
            _ => {}
        }
    }
    if let Some(row) = buffer.last_mut() {
        *row = last;
    }
    // SAFETY: passed on.
    unsafe {
        match around {
            true => lines_any(buffer.as_ptr().cast(), to.cast(), size_of_val(buffer) / LINE),
            false => to.copy_from_nonoverlapping(buffer.as_ptr(), buffer.len()),
        }
    }
}

/// # Safety
///
/// As for [`lines_with`].
#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
unsafe fn lines_with_avx512<W: Cell>(around: bool, buffer: &[W], to: *mut W, last: W) {
    use std::arch::x86_64::*;
    let before = size_of_val(buffer) - LINE;
    let (from, to) = (buffer.as_ptr().cast::<u8>(), to.cast::<u8>());
    // SAFETY: inside the lines the caller vouches for; `to` is aligned. A row has the size of the number it is copied
    // to.
    unsafe {
        match around {
            true => lines_avx512(from, to, before / LINE),
            false => to.copy_from_nonoverlapping(from, before),
        }
        let line = _mm512_loadu_si512(from.add(before).cast());
        let line = match size_of::<W>() {
            1 => _mm512_mask_set1_epi8(line, 1 << 63, transmute_copy(&last)),
            2 => _mm512_mask_set1_epi16(line, 1 << 31, transmute_copy(&last)),
            4 => _mm512_mask_set1_epi32(line, 1 << 15, transmute_copy(&last)),
            _ => _mm512_mask_set1_epi64(line, 1 << 7, transmute_copy(&last)),
        };
        match around {
            true => _mm512_stream_si512(to.add(before).cast(), line),
            false => _mm512_store_si512(to.add(before).cast(), line),
        }
    }
}

/// # Safety
///
/// As for [`lines_with`].
#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn lines_with_avx2<W: Cell>(around: bool, buffer: &[W], to: *mut W, last: W) {
    use std::arch::x86_64::*;
    let before = size_of_val(buffer) - LINE / 2;
    let (from, to) = (buffer.as_ptr().cast::<u8>(), to.cast::<u8>());
    // SAFETY: as in `lines_with_avx512`, with half a line at the end.
    unsafe {
        for at in (0..before).step_by(LINE / 2) {
            let half = _mm256_loadu_si256(from.add(at).cast());
            match around {
                true => _mm256_stream_si256(to.add(at).cast(), half),
                false => _mm256_store_si256(to.add(at).cast(), half),
            }
        }
        let half = _mm256_loadu_si256(from.add(before).cast());
        let half = match size_of::<W>() {
            1 => _mm256_insert_epi8::<31>(half, transmute_copy(&last)),
            2 => _mm256_insert_epi16::<15>(half, transmute_copy(&last)),
            4 => _mm256_insert_epi32::<7>(half, transmute_copy(&last)),
            _ => _mm256_insert_epi64::<3>(half, transmute_copy(&last)),
        };
        match around {
            true => _mm256_stream_si256(to.add(before).cast(), half),
            false => _mm256_store_si256(to.add(before).cast(), half),
        }
    }
}

/// # Safety
///
/// As for [`lines`].
#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn lines_avx2(from: *const u8, to: *mut u8, lines: usize) {
    use std::arch::x86_64::{_mm256_loadu_si256, _mm256_stream_si256};
    for at in (0..lines * LINE).step_by(LINE / 2) {
        // SAFETY: inside the lines the caller vouches for; `to` is aligned.
        unsafe {
            let half = _mm256_loadu_si256(from.add(at).cast());
            _mm256_stream_si256(to.add(at).cast(), half);
        }
    }
}

/// # Safety
///
/// As for [`lines`].
#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn lines_avx512(from: *const u8, to: *mut u8, lines: usize) {
    use std::arch::x86_64::{_mm512_loadu_si512, _mm512_stream_si512};
    for at in (0..lines).map(|line| line * LINE) {
        // SAFETY: inside the lines the caller vouches for; `to` is aligned.
        unsafe {
            let line = _mm512_loadu_si512(from.add(at).cast());
            _mm512_stream_si512(to.add(at).cast(), line);
        }
    }
}

/// [`lines`] without vectors of a whole line.
///
/// # Safety
///
/// As for [`lines`].
#[inline(always)]
unsafe fn lines_any(from: *const u8, to: *mut u8, lines: usize) {
    #[cfg(target_arch = "x86_64")]
    for at in (0..lines * LINE).step_by(16) {
        use std::arch::x86_64::{_mm_loadu_si128, _mm_stream_si128};
        // SAFETY: inside the lines the caller vouches for; `to` is aligned. Every x86-64 processor
        // has SSE2.
        unsafe {
            let quarter = _mm_loadu_si128(from.add(at).cast());
            _mm_stream_si128(to.add(at).cast(), quarter);
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    // SAFETY: passed on.
    unsafe {
        std::ptr::copy_nonoverlapping(from, to, lines * LINE);
    }
}

/// Orders this thread's streamed lines before its later stores, among them those by which it tells
/// others that it is done: x86 does not do that by itself for non-temporal stores.
pub(crate) fn fence() {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: every x86-64 processor has SSE.
    unsafe {
        std::arch::x86_64::_mm_sfence();
    }
}
