//! The way from the write-combining buffers to the output.
//!
//! Nearly every buffer leaves when it is full, to whole cache lines; that case is compiled into the loops, with the
//! vector instructions they have. The general one also handles the ends of the chunk's parts of the buckets.

use crate::cpu::plan::ChunkPlan;
use crate::cpu::plan::MAX_BUCKETS;
use crate::cpu::primitives::cache_line::LINE;
use crate::cpu::primitives::stream;
use crate::cpu::table::{Cell, Target};

/// One chunk's way from its buffers to one column.
///
/// Invariant, for every `b < m`, and for `begin[b]` and `end[b]` from the scan:
///
/// * `begin[b] <= next[b] <= end[b]`;
/// * if `next[b] < whole[b]`, a full buffer fits before `end[b]`, and row `next[b]` begins a cache line.
pub(super) struct Outlet<'a, W> {
    pub to: Target<'a, W>,
    /// The next row of each bucket.
    pub next: &'a mut [usize; MAX_BUCKETS],
    /// Before which row of each bucket a full buffer goes to whole lines; 0 until that is known.
    pub whole: &'a mut [usize; MAX_BUCKETS],
    pub end: &'a [usize; MAX_BUCKETS],
    pub plan: &'a ChunkPlan,
}

impl<W: Cell> Outlet<'_, W> {
    pub(super) const PER_LINE: usize = LINE / size_of::<W>();

    /// Goes to a row of bucket `b`.
    pub(super) fn begin(&mut self, b: usize, row: usize) {
        self.next[b] = row;
        self.whole[b] = 0;
    }

    /// The place in its cache line of the row that bucket `b` writes next.
    #[inline(always)]
    pub(super) fn head(&self, b: usize) -> usize {
        let phase = self.to.at(0) as usize % LINE / size_of::<W>();
        (self.next[b] + phase) % Self::PER_LINE
    }

    /// Writes the full buffer of bucket `b`, whose last row is not in it yet. Returns the slot for the next row in it.
    ///
    /// The last row is handed over because lines are read as a whole: one that was written to just now has to wait
    /// until the processor is done with everything it wrote before that, which took a twentieth of the postscan.
    ///
    /// # Safety
    ///
    /// `b` is less than `m`, and the buffer is all slots of a bucket; `VECTOR` as for [`stream::lines_with`].
    #[inline(always)]
    pub(super) unsafe fn complete<const VECTOR: usize>(&mut self, b: usize, buffer: &mut [W], last: W) -> usize {
        let next = self.next[b];
        if next < self.whole[b] {
            // SAFETY: by the invariant, and the buffer is whole lines.
            unsafe {
                stream::lines_with::<W, VECTOR>(self.plan.streams(size_of::<W>()), buffer, self.to.at(next), last)
            };
            self.next[b] = next + buffer.len();
            return 0;
        }
        // SAFETY: passed on.
        unsafe { self.complete_any(b, buffer, last) }
    }

    /// [`Outlet::complete`] in the general case, out of the way of the loops.
    ///
    /// # Safety
    ///
    /// `b` is less than `m`, and the buffer is all slots of a bucket.
    #[cold]
    #[inline(never)]
    unsafe fn complete_any(&mut self, b: usize, buffer: &mut [W], last: W) -> usize {
        if let Some(row) = buffer.last_mut() {
            *row = last;
        }
        let head = self.head(b);
        // SAFETY: passed on.
        unsafe { self.flush(b, &buffer[head..]) };
        let aligned = (self.to.at(self.next[b]) as usize).is_multiple_of(LINE);
        self.whole[b] = if aligned { (self.end[b] + 1).saturating_sub(buffer.len()) } else { 0 };
        self.head(b)
    }

    /// Writes rows of bucket `b` to the output. There are as many as the prescan counted; if it
    /// miscounted, rows would be dropped rather than written to somebody else's part.
    ///
    /// # Safety
    ///
    /// `b` is less than `m`.
    #[inline]
    pub(super) unsafe fn flush(&mut self, b: usize, rows: &[W]) {
        let next = self.next[b];
        let rows = &rows[..rows.len().min(self.end[b] - next)];
        // SAFETY: next .. next + rows.len() is inside begin[b] .. end[b].
        unsafe { self.store(next, rows) };
        self.next[b] = next + rows.len();
    }

    /// Writes rows to the output from `row` on: whole cache lines in one way, what is before and
    /// after them in another.
    ///
    /// # Safety
    ///
    /// The output has all those rows, and they are this chunk's.
    #[inline(always)]
    unsafe fn store(&self, row: usize, from: &[W]) {
        let to = self.to.at(row);
        let width = size_of::<W>();
        // Rows across lines, if the column is that badly aligned, are not worth the trouble.
        if !self.plan.streams(width) || !(to as usize).is_multiple_of(width) {
            // SAFETY: as promised by the caller; buffers and output are separate allocations.
            unsafe { to.copy_from_nonoverlapping(from.as_ptr(), from.len()) };
            return;
        }
        let before = (to as usize).wrapping_neg() % LINE / width;
        let (before, from) = from.split_at(before.min(from.len()));
        let (lines, after) = from.split_at(from.len() / Self::PER_LINE * Self::PER_LINE);
        // SAFETY: as above; the three parts follow each other in the output as they do here, and
        // `before` ends at a cache line unless nothing comes after it.
        unsafe {
            let line = to.add(before.len());
            to.copy_from_nonoverlapping(before.as_ptr(), before.len());
            if !lines.is_empty() {
                let count = lines.len() / Self::PER_LINE;
                stream::lines(self.plan.level, lines.as_ptr().cast(), line.cast(), count);
            }
            line.add(lines.len()).copy_from_nonoverlapping(after.as_ptr(), after.len());
        }
    }
}
