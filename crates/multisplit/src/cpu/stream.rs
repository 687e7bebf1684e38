//! Whole cache lines written around the caches.
//!
//! An ordinary store to a line that is not in the cache first reads the line from memory. A
//! non-temporal store of a whole line does not, and leaves the caches to those who read: a third
//! less traffic in the postscan. In exchange the line is not in the cache afterwards, so it is done
//! for large outputs only.

use super::scratch::LINE;
use super::simd::Level;

/// Copies whole cache lines, with non-temporal stores where the processor has them. Other threads
/// see the lines for certain only after [`fence`] and whatever hands the data over.
///
/// # Safety
///
/// `from` is readable and `to` writable for `lines` lines, the two do not overlap, and `to` is the
/// address of a cache line.
#[inline(always)]
pub(super) unsafe fn lines(level: Level, from: *const u8, to: *mut u8, lines: usize) {
    debug_assert!((to as usize).is_multiple_of(LINE));
    // SAFETY: passed on; a level is proof of its features.
    unsafe {
        match level {
            #[cfg(target_arch = "x86_64")]
            Level::Avx512(_) => lines_avx512(from, to, lines),
            #[cfg(target_arch = "x86_64")]
            _ => lines_sse2(from, to, lines),
            #[cfg(not(target_arch = "x86_64"))]
            Level::Baseline => std::ptr::copy_nonoverlapping(from, to, lines * LINE),
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

/// # Safety
///
/// As for [`lines`].
#[cfg(target_arch = "x86_64")]
#[inline]
unsafe fn lines_sse2(from: *const u8, to: *mut u8, lines: usize) {
    use std::arch::x86_64::{_mm_loadu_si128, _mm_stream_si128};
    for at in (0..lines * LINE).step_by(16) {
        // SAFETY: inside the lines the caller vouches for; `to` is aligned. Every x86-64 processor
        // has SSE2.
        unsafe {
            let quarter = _mm_loadu_si128(from.add(at).cast());
            _mm_stream_si128(to.add(at).cast(), quarter);
        }
    }
}

/// Orders this thread's streamed lines before its later stores, among them those by which it tells
/// others that it is done: x86 does not do that by itself for non-temporal stores.
pub(super) fn fence() {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: every x86-64 processor has SSE.
    unsafe {
        std::arch::x86_64::_mm_sfence();
    }
}
