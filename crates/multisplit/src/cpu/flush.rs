//! The way from a write-combining buffer to the output.
//!
//! Nearly every flush is of a full buffer, to whole cache lines; it has a function of its own,
//! which is compiled into the loops with the vector instructions they have. The general case also
//! handles the ends of the chunk's parts of the buckets.

use super::combine::Combiner;
use super::scratch::LINE;
use super::stream;
use super::table::Row;

impl<W: Row> Combiner<'_, W> {
    /// [`Combiner::flush`] of a full buffer, if it is the simple case, which it is but for the first
    /// and the last time: whole lines that are streamed. Returns whether it was.
    ///
    /// # Safety
    ///
    /// `b` is less than `m`, and the buffer is full.
    #[inline(always)]
    pub(super) unsafe fn flush_lines(&mut self, b: usize) -> bool {
        let next = self.cursors.next[b];
        let to = self.to.at(next);
        let aligned = (to as usize).is_multiple_of(LINE);
        if !aligned || self.end[b] - next < self.room || !self.plan.streams(size_of::<W>()) {
            return false;
        }
        let from = &self.buffer[b * self.room..][..self.room];
        let lines = self.plan.lines_per_bucket;
        // SAFETY: `room` rows are that many lines, and next .. next + room is inside
        // begin[b] .. end[b].
        unsafe { stream::lines(self.plan.level, from.as_ptr().cast(), to.cast(), lines) };
        self.cursors.next[b] = next + self.room;
        self.cursors.slot[b] = (b * self.room) as u32;
        true
    }

    /// [`Combiner::flush`], out of the way of the loops.
    ///
    /// # Safety
    ///
    /// `b` is less than `m`.
    #[inline(never)]
    pub(super) unsafe fn flush_full(&mut self, b: usize) {
        // SAFETY: passed on.
        unsafe { self.flush(b) };
    }

    /// Writes the rows of bucket `b` to the output. There are as many as the prescan counted; if it
    /// miscounted, rows would be dropped rather than written to somebody else's part.
    ///
    /// # Safety
    ///
    /// `b` is less than `m`.
    #[inline]
    pub(super) unsafe fn flush(&mut self, b: usize) {
        let next = self.cursors.next[b];
        let first = b * self.room + self.head(b);
        let filled = &self.buffer[first..self.cursors.slot[b] as usize];
        let rows = filled.len().min(self.end[b] - next);
        // SAFETY: next .. next + rows is inside begin[b] .. end[b].
        unsafe { self.store(next, &filled[..rows]) };
        self.cursors.next[b] = next + rows;
        self.cursors.slot[b] = (b * self.room + self.head(b)) as u32;
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
