//! The postscan for few buckets, with vector instructions: two cache lines of rows at a time.
//!
//! With few buckets most rows follow a row of the same bucket closely, and the loop over single rows waits for its own
//! cursors. Here the rows of one bucket among those of two lines are packed together ([`super::pack`]) and stored at
//! the bucket's slot, once for each bucket: first the rows that count, then rubbish that the next ones overwrite. That
//! needs spare lines at the end of each buffer. The work grows with the number of buckets. With one line at a time, and
//! buffers at places that the compiler did not know, splits took 1.02 to 1.1 times as long for 2 to 5 buckets.

use super::combine::Combiner;
use super::pack::{self, Avx2, Avx512, Group};
use crate::cpu::plan::{BLOCK, ChunkPlan};
use crate::cpu::primitives::prefetch;
use crate::cpu::primitives::simd::Level;
use crate::cpu::table::Cell;

/// The most buckets for which this is faster than the loop over rows, for each level and width of rows. With one bucket
/// more it was as fast or slower, and with three more splits took 1.04 to 1.2 times as long.
const AVX2_W4: usize = 7;
const AVX2_W8: usize = 5;
const AVX512_W4: usize = 8;
const AVX512_W8: usize = 7;

/// The lines of a buffer, a constant so that the buckets' buffers are at fixed places.
const LINES: usize = 16;

/// Whether a column of rows of `width` bytes should go this way.
#[inline(always)]
pub(super) fn wanted(plan: &ChunkPlan, width: usize) -> bool {
    let most = match (plan.level, width) {
        (Level::Avx2(_), 4) => AVX2_W4,
        (Level::Avx2(_), 8) => AVX2_W8,
        (Level::Avx512(_) | Level::Avx512Vbmi(_), 4) => AVX512_W4,
        (Level::Avx512(_) | Level::Avx512Vbmi(_), 8) => AVX512_W8,
        _ => 0,
    };
    plan.lines_per_bucket == LINES && (2..=most).contains(&plan.m)
}

impl<W: Cell> Combiner<'_, W> {
    /// Takes rows that change buckets often. The combiner has spare lines.
    ///
    /// # Safety
    ///
    /// This way is [`wanted`], and all ids are less than `m`.
    #[inline(always)]
    pub(super) unsafe fn push_packed(&mut self, ids: &[u8], values: &[W]) {
        // SAFETY: passed on; a level is proof of its features.
        unsafe {
            match self.outlet.plan.level {
                Level::Baseline => self.push_runs(ids, values),
                Level::Avx2(_) => self.push_avx2(ids, values),
                Level::Avx512(_) | Level::Avx512Vbmi(_) => self.push_avx512(ids, values),
            }
        }
    }

    /// # Safety
    ///
    /// As for [`Combiner::push_packed`], and the processor has the features.
    #[inline(never)]
    #[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
    unsafe fn push_avx2(&mut self, ids: &[u8], values: &[W]) {
        // SAFETY: passed on.
        unsafe { self.push_by::<Avx2>(ids, values) }
    }

    /// # Safety
    ///
    /// As for [`Combiner::push_packed`], and the processor has the features.
    #[inline(never)]
    #[target_feature(enable = "avx2,bmi1,bmi2,popcnt,avx512f,avx512bw,avx512vl")]
    unsafe fn push_avx512(&mut self, ids: &[u8], values: &[W]) {
        // SAFETY: passed on.
        unsafe { self.push_by::<Avx512>(ids, values) }
    }

    /// # Safety
    ///
    /// As for [`Combiner::push_packed`], and the processor has the features of the group.
    #[inline(always)]
    unsafe fn push_by<G: Group<W>>(&mut self, ids: &[u8], values: &[W]) {
        let rows = ids.len().min(values.len());
        let whole = rows - rows % pack::rows::<W>();
        let (ids, last_ids) = ids[..rows].split_at(whole);
        let (values, last_values) = values[..rows].split_at(whole);
        // SAFETY: passed on; whole groups of rows, and an id for each.
        unsafe {
            match self.outlet.plan.m {
                2 => self.push_groups::<G, 2>(ids, values),
                3 => self.push_groups::<G, 3>(ids, values),
                4 => self.push_groups::<G, 4>(ids, values),
                5 => self.push_groups::<G, 5>(ids, values),
                6 => self.push_groups::<G, 6>(ids, values),
                7 => self.push_groups::<G, 7>(ids, values),
                8 => self.push_groups::<G, 8>(ids, values),
                _ => self.push_runs(ids, values),
            }
        }
        for (&id, value) in last_ids.iter().zip(last_values) {
            // SAFETY: passed on.
            unsafe { self.push_run(id, std::slice::from_ref(value)) };
        }
    }

    /// # Safety
    ///
    /// As above, with whole groups of rows and as many ids, and `M` is `m`.
    #[inline(always)]
    unsafe fn push_groups<G: Group<W>, const M: usize>(&mut self, ids: &[u8], values: &[W]) {
        let rows = pack::rows::<W>();
        let room = LINES * Self::PER_LINE;
        let full = room - rows;
        debug_assert!((self.room, self.full) == (room, full) && self.buffer.len() >= M * room);
        // From the beginning of each buffer.
        let mut slots: [usize; M] = std::array::from_fn(|b| self.slots[b] as usize - b * room);
        for (ids, values) in ids.chunks_exact(rows).zip(values.chunks_exact(rows)) {
            prefetch::fetch(values, BLOCK * size_of::<W>());
            // SAFETY: passed on.
            let group = unsafe { G::load(ids, values) };
            for (b, slot) in slots.iter_mut().enumerate() {
                // SAFETY: the slot is before `full`, so there is room for as many rows as a group has.
                unsafe {
                    let mask = group.of_bucket(b as u8);
                    group.pack(mask, self.buffer.as_mut_ptr().add(b * room + *slot));
                    *slot += mask.count_ones() as usize;
                }
                if *slot >= full {
                    // SAFETY: b < M = m.
                    *slot = unsafe { self.spill(b, *slot) };
                }
            }
        }
        for (b, slot) in slots.into_iter().enumerate() {
            self.slots[b] = (b * room + slot) as u32;
        }
    }

    /// Flushes the buffer of bucket `b`, filled up to `slot` which may be in the spare lines, and
    /// moves what is in the spare lines to the front. Slots are counted from the beginning of the buffer.
    /// Returns the new slot.
    ///
    /// # Safety
    ///
    /// `b` is less than `m`.
    #[inline(never)]
    unsafe fn spill(&mut self, b: usize, slot: usize) -> usize {
        let first = b * self.room;
        let full = first + self.full;
        self.slots[b] = full as u32;
        // SAFETY: passed on.
        unsafe { self.flush(b) };
        let front = self.slots[b] as usize;
        self.buffer.copy_within(full..first + slot, front);
        front - first + (slot - self.full)
    }
}
