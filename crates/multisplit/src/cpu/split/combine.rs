//! Write combining: rows are gathered in small buffers, one for each bucket, and leave for the
//! output in whole cache lines.
//!
//! Why. A plain scatter has m places of the output open at once. Each row touches a line that has
//! to be read before it can be written, and with more buckets than the processor has entries for
//! pages (a few dozen in the first level), most rows look up a page as well. Here the rows go to
//! buffers that stay in the cache, and each page and line of the output is visited only when there
//! is a buffer full of rows for it. Whole lines then need not be read at all ([`crate::cpu::primitives::stream`]).
//! Buffers are laid over the output's own cache lines: the first buffer of a bucket begins in the middle of
//! a line if the bucket does. Only the ends of a chunk's parts of the buckets are partial lines;
//! those are written with ordinary stores, since the neighbours write the rest of them.
//!
//! What was measured (2 cores of a Xeon with 48 KiB of first-level and 2 MiB of second-level cache,
//! 2^17 and 2^24 rows of 4 bytes, uniform buckets):
//!
//! * whole lines with ordinary instead of streaming stores: at 2^24 rows the postscan took 1.3 times as long for 32
//!   buckets and 2.6 times for 256, in large pages too; at 2^18 rows 0.8 times for 16 buckets, the same for 64, and
//!   1.5 times for 256, but then the output is in the caches of those who read it;
//! * size of the buffers: the branch that finds a buffer full is mispredicted once for each time, so one line each is
//!   bad (1.3 times as long). But the buffers, the block and the cursors should fit in the first-level cache
//!   together: 32 buckets took 15 % longer with 16 lines each than with 8, 64 buckets 3 % longer with 8 than with 4,
//!   and 256 buckets 9 % longer with 4, which do not fit, than with 2;
//! * the inner loop: see [`super::place`];
//! * flushing at fixed times all buckets that have a line, instead of each when it is full: slower;
//! * without cursors, by counting for each row the ones before it in a bit mask of its bucket's
//!   rows among 64: faster than the first version of the inner loop for up to 16 buckets, slower
//!   than what there is now for all.

use super::ids;
use super::outlet::Outlet;
use crate::cpu::plan::ChunkPlan;
use crate::cpu::plan::MAX_BUCKETS;
use crate::cpu::primitives::cache_line::Line;
use crate::cpu::scratch::Cursors;
use crate::cpu::table::{Cell, Target};

/// Lines that [`super::compress`] packs together.
pub(super) const SPARE_LINES: usize = 2;

/// One chunk's way into one column, apart from the column.
pub(super) struct ChunkColumn<'a> {
    pub plan: &'a ChunkPlan,
    /// Ends of the chunk's parts of the buckets.
    pub end: &'a [usize; MAX_BUCKETS],
    pub cursors: &'a mut Cursors,
    pub lines: &'a mut [Line],
}

/// One chunk's way into one column.
///
/// Bucket `b` owns the slots `b * room .. (b + 1) * room` of the buffer. Its rows that are not yet
/// in the output lie in consecutive slots that end before `slots[b]`, and belong to the output rows
/// from `next[b]` of the outlet on. The first of them lies in slot `b * room + head(b)`, so that a slot and its
/// output row have the same place in their cache lines.
///
/// Invariant, between calls, for every `b < m`:
/// `b * room + head(b) <= slots[b] < b * room + full <= (b + 1) * room <= buffer.len()`.
pub(super) struct Combiner<'a, W> {
    pub(super) outlet: Outlet<'a, W>,
    pub(super) buffer: &'a mut [W],
    pub(super) slots: &'a mut [u32; MAX_BUCKETS],
    /// Slots of each bucket: a power of two, and whole lines.
    pub(super) room: usize,
    /// How many of them are filled before they are flushed: all, or all but the spare lines.
    pub(super) full: usize,
}

impl<'a, W: Cell> Combiner<'a, W> {
    pub(super) const PER_LINE: usize = Outlet::<W>::PER_LINE;

    /// `spare`: keep as many lines of each bucket free as [`super::compress`] wants; there are more of them then.
    ///
    /// # Safety
    ///
    /// While the combiner lives, the rows `begin[b] .. end[b]` of `to`, for all `b < plan.m`, exist
    /// and are nobody else's. The next call is [`Combiner::begin`] with that `begin`, or else the
    /// invariant holds: the cursors are as a combiner for the same column and with the same `spare`
    /// left them.
    #[inline(always)]
    pub(super) unsafe fn new(to: Target<'a, W>, state: ChunkColumn<'a>, spare: bool) -> Self {
        let ChunkColumn { plan, end, cursors, lines } = state;
        let buffer = rows_in(lines);
        let room = plan.lines_per_bucket * Self::PER_LINE;
        let full = if spare { room - SPARE_LINES * Self::PER_LINE } else { room };
        debug_assert!(buffer.len() >= plan.m * room && room.is_power_of_two());
        let outlet = Outlet { to, next: &mut cursors.next, whole: &mut cursors.whole, end, plan };
        Combiner { outlet, buffer, slots: &mut cursors.slot, room, full }
    }

    /// Empties the buffers and goes to the beginnings of the chunk's parts of the buckets.
    pub(super) fn begin(&mut self, begin: &[usize; MAX_BUCKETS]) {
        for (b, &begin) in begin.iter().enumerate().take(self.outlet.plan.m) {
            self.outlet.begin(b, begin);
            self.slots[b] = (b * self.room + self.outlet.head(b)) as u32;
        }
    }

    /// Writes what is left in the buffers.
    pub(super) fn finish(&mut self) {
        for b in 0..self.outlet.plan.m {
            // SAFETY: b < m.
            unsafe { self.flush(b) };
        }
    }

    /// Writes what is in the buffer of bucket `b`.
    ///
    /// # Safety
    ///
    /// `b` is less than `m`.
    #[inline(never)]
    pub(super) unsafe fn flush(&mut self, b: usize) {
        let first = b * self.room + self.outlet.head(b);
        // SAFETY: passed on.
        unsafe { self.outlet.flush(b, &self.buffer[first..self.slots[b] as usize]) };
        self.slots[b] = (b * self.room + self.outlet.head(b)) as u32;
    }

    /// Takes rows that stay in their buckets for long.
    ///
    /// # Safety
    ///
    /// All ids are less than `m`.
    #[inline(always)]
    pub(super) unsafe fn push_runs(&mut self, mut ids: &[u8], mut values: &[W]) {
        while let (Some(&id), false) = (ids.first(), values.is_empty()) {
            let run = ids::run(ids).min(values.len());
            // SAFETY: passed on.
            unsafe { self.push_run(id, &values[..run]) };
            ids = &ids[run..];
            values = &values[run..];
        }
    }

    /// Takes rows of one bucket.
    ///
    /// # Safety
    ///
    /// The id is less than `m`.
    #[inline(always)]
    pub(super) unsafe fn push_run(&mut self, id: u8, mut values: &[W]) {
        let b = id as usize;
        let full = b * self.room + self.full;
        while !values.is_empty() {
            let slot = self.slots[b] as usize;
            let (now, later) = values.split_at((full - slot).min(values.len()));
            self.buffer[slot..slot + now.len()].copy_from_slice(now);
            self.slots[b] += now.len() as u32;
            if slot + now.len() == full {
                // SAFETY: passed on.
                unsafe { self.flush(b) };
            }
            values = later;
        }
    }
}

/// The memory of the lines as rows.
fn rows_in<W: Cell>(lines: &mut [Line]) -> &mut [W] {
    let rows = size_of_val(lines) / size_of::<W>();
    // SAFETY: the same memory, borrowed for as long; a row is any bytes, and its size divides that
    // of a line.
    unsafe { std::slice::from_raw_parts_mut(lines.as_mut_ptr().cast(), rows) }
}
