//! The inner loop of write combining: single rows to the slots of their buckets.
//!
//! What bounds it are its two stores a row, to the buffer and to the cursor: the processor writes one to its cache in a
//! cycle. So everything else must be out of the way: six more instructions a row, all variables in registers, and what
//! happens to a full buffer inside the loop but after it in memory. For that the loop is a function of its own, and the
//! size of a buffer a constant in it. (It used to return when a buffer was full: with 64 buckets and more, the postscan
//! took 1.1 times as long. With the flush as a call that saves registers, which are stores too, it took 1.05.)
//!
//! Slower were: two to eight rows at a time with all cursors before all values (a cursor then waits for those before
//! it), cursors of one or two bytes, taking the ids from a word, and a full buffer's last line some rows later than
//! the others.

use super::combine::Combiner;
use super::outlet::Outlet;
use crate::cpu::plan::BLOCK;
use crate::cpu::plan::MAX_BUCKETS;
use crate::cpu::primitives::prefetch;
use crate::cpu::primitives::simd::Level;
use crate::cpu::table::Cell;

/// Rows whose loop is unrolled: a cache line of rows of 4 bytes.
const GROUP: usize = 16;
/// The same where speed matters less than the size of the program.
const SMALL_GROUP: usize = 4;

impl<W: Cell> Combiner<'_, W> {
    /// Takes rows that change buckets often, one for each id. Not with a spare line.
    ///
    /// # Safety
    ///
    /// All ids are less than `m`.
    #[inline(always)]
    pub(super) unsafe fn push_mixed(&mut self, ids: &[u8], values: &[W]) {
        debug_assert_eq!(self.full, self.room);
        // SAFETY: passed on.
        unsafe {
            match self.outlet.plan.lines_per_bucket {
                2 => self.place_in::<2>(ids, values),
                4 => self.place_in::<4>(ids, values),
                8 => self.place_in::<8>(ids, values),
                16 => self.place_in::<16>(ids, values),
                lines => unreachable!("buffers of {lines} lines"),
            }
        }
    }

    /// # Safety
    ///
    /// As for [`Combiner::place`].
    #[inline(always)]
    unsafe fn place_in<const LINES: usize>(&mut self, ids: &[u8], values: &[W]) {
        // SAFETY: passed on; a level is proof of its features.
        unsafe {
            match self.outlet.plan.level {
                #[cfg(target_arch = "x86_64")]
                Level::Avx512(_) | Level::Avx512Vbmi(_) => self.place_avx512::<LINES>(ids, values),
                #[cfg(target_arch = "x86_64")]
                Level::Avx2(_) => self.place_avx2::<LINES>(ids, values),
                Level::Baseline => self.place_any::<LINES>(ids, values),
            }
        }
    }

    /// # Safety
    ///
    /// As for [`Combiner::place`], and the processor has the features.
    #[cfg(target_arch = "x86_64")]
    #[inline(never)]
    #[target_feature(enable = "avx512f,avx512bw")]
    unsafe fn place_avx512<const LINES: usize>(&mut self, ids: &[u8], values: &[W]) {
        // SAFETY: passed on.
        unsafe { self.place::<LINES, 64>(ids, values) }
    }

    /// # Safety
    ///
    /// As for [`Combiner::place`], and the processor has the features.
    #[cfg(target_arch = "x86_64")]
    #[inline(never)]
    #[target_feature(enable = "avx2,bmi1,bmi2")]
    unsafe fn place_avx2<const LINES: usize>(&mut self, ids: &[u8], values: &[W]) {
        // SAFETY: passed on.
        unsafe { self.place::<LINES, 32>(ids, values) }
    }

    /// # Safety
    ///
    /// As for [`Combiner::place`].
    #[inline(never)]
    unsafe fn place_any<const LINES: usize>(&mut self, ids: &[u8], values: &[W]) {
        // SAFETY: passed on.
        unsafe { self.place::<LINES, 16>(ids, values) }
    }

    /// # Safety
    ///
    /// All ids are less than `m`, and buffers have `LINES` lines; `VECTOR` as for
    /// [`lines_with`](super::primitives::stream::lines_with).
    #[inline(always)]
    unsafe fn place<const LINES: usize, const VECTOR: usize>(&mut self, ids: &[u8], values: &[W]) {
        // Borrowed anew, so that where they are is known to be the same for all rows.
        let (outlet, buffer, slots) = (&mut self.outlet, &mut *self.buffer, &mut *self.slots);
        debug_assert_eq!(LINES, outlet.plan.lines_per_bucket);
        let (id_groups, last_ids) = ids.as_chunks::<GROUP>();
        let (value_groups, last_values) = values[..ids.len()].as_chunks::<GROUP>();
        for (ids, values) in id_groups.iter().zip(value_groups) {
            prefetch::fetch(values, BLOCK * size_of::<W>());
            // The compiler would not unroll a loop with so much in it.
            macro_rules! put_each {
                ($ids:ident, $values:ident: $($i:literal)*) => {{
                    $(put::<W, LINES, VECTOR>(outlet, slots, buffer, $ids[$i], $values[$i]);)*
                }};
            }
            if const { unrolls_all::<W>(VECTOR) } {
                // SAFETY: passed on.
                unsafe { put_each!(ids, values: 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15) };
            } else {
                for (ids, values) in ids.as_chunks::<SMALL_GROUP>().0.iter().zip(values.as_chunks::<SMALL_GROUP>().0) {
                    // SAFETY: passed on.
                    unsafe { put_each!(ids, values: 0 1 2 3) };
                }
            }
        }
        for (&id, &value) in last_ids.iter().zip(last_values) {
            // SAFETY: passed on.
            unsafe { put::<W, LINES, VECTOR>(outlet, slots, buffer, id, value) };
        }
    }
}

/// Whether all rows of a [`GROUP`] are unrolled: not narrow ones, and not for x86 processors from before 2013.
const fn unrolls_all<W>(vector: usize) -> bool {
    size_of::<W>() >= 4 && (vector > 16 || !cfg!(target_arch = "x86_64"))
}

/// Puts a row in its slot, or sends it off with the others if it is the last one.
///
/// # Safety
///
/// As for [`Combiner::place`]; outlet, slots and buffer are a combiner's.
#[inline(always)]
unsafe fn put<W: Cell, const LINES: usize, const VECTOR: usize>(
    outlet: &mut Outlet<'_, W>,
    slots: &mut [u32; MAX_BUCKETS],
    buffer: &mut [W],
    id: u8,
    value: W,
) {
    let room = LINES * Outlet::<W>::PER_LINE;
    let b = id as usize;
    let slot = slots[b];
    let next = slot + 1;
    debug_assert!(slot as usize / room == b && (slot as usize) < buffer.len());
    if next.is_multiple_of(room as u32) {
        std::hint::cold_path();
        let first = next as usize - room;
        // SAFETY: by the combiner's invariant, these are the slots of the bucket.
        let head = unsafe { outlet.complete::<VECTOR>(b, buffer.get_unchecked_mut(first..first + room), value) };
        slots[b] = (first + head) as u32;
    } else {
        // SAFETY: by the invariant.
        unsafe { *buffer.get_unchecked_mut(slot as usize) = value };
        slots[b] = next;
    }
}
