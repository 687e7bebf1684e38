//! Asking for memory before it is needed.
//!
//! Both passes read their input from one end to the other. Processors recognize that, but stop at each page of 4 KiB
//! and look only so far ahead: reading and hardly any work (ids, few buckets) became 1.5 times as fast on one
//! machine, and a twentieth faster on another, by asking for each line a page or more early. The requests must be
//! spread over the work, since many at once wait for each other; asked for all at once, a block at a time, they
//! gained nothing.
//!
//! They go to the second-level cache. The first has better use for its space, and for its few slots
//! for lines on their way, which the streaming stores need too: 2 to 4 % of the postscan.

/// Bytes between what is read and what is asked for, where there is nothing better to go by.
pub(crate) const DISTANCE: usize = 4096;

/// Asks for the memory as far behind `rows` as it says, which need not exist.
#[inline(always)]
pub(crate) fn fetch<T>(rows: &[T], distance: usize) {
    #[cfg(target_arch = "x86_64")]
    for at in (0..size_of_val(rows)).step_by(super::cache_line::LINE) {
        use std::arch::x86_64::{_MM_HINT_T1, _mm_prefetch};
        let address = rows.as_ptr().cast::<i8>().wrapping_add(distance + at);
        // SAFETY: every x86-64 processor has SSE, and a prefetch never faults.
        unsafe { _mm_prefetch::<_MM_HINT_T1>(address) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (rows, distance);
}
