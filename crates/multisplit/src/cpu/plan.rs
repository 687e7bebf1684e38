//! The numbers of one split, fixed before it starts: how many chunks, how large the buffers.

use super::primitives::cache_line::LINE;
use super::primitives::simd::Level;
use std::ops::Range;

/// The most buckets of one split: ids are bytes inside it.
pub(super) const MAX_BUCKETS: usize = 256;

/// Rows taken at a time: their ids stay in the first-level cache while they are counted, or while
/// one column after the other takes its rows.
pub(super) const BLOCK: usize = 1024;

/// Tables of at most this many rows go the direct way, or of fewer if there are few buckets: it is
/// filling and emptying one buffer for each bucket that does not pay for a small table.
pub(super) const DIRECT_ROWS: usize = 4096;
const DIRECT_ROWS_PER_BUCKET: usize = 16;
const FEW_DIRECT_ROWS: usize = 1024;

/// Chunks are not made smaller than this: waking a worker costs as much as a few thousand rows.
const MIN_CHUNK_ROWS: usize = 32 * BLOCK;

/// Segments from this many rows on are split by all threads: there is a chunk for each of two.
pub(super) const LARGE_ROWS: usize = 64 * BLOCK;

/// Chunks for each thread, so that a thread that is held up can leave some to the others. Each chunk costs a few
/// partial lines in each bucket: with twice as many chunks, 2^20 rows and 256 buckets took 1.12 times as long, and
/// 2^24 rows as long.
const CHUNKS_PER_THREAD: usize = 4;

/// Write-combining buffers of one chunk and column together, if each bucket then has enough lines and not more than are
/// of use; and the most that may be; see [`super::combine`].
const BUFFER_BYTES: usize = 16 << 10;
const MOST_BUFFER_BYTES: usize = 32 << 10;
const MIN_LINES_PER_BUCKET: usize = 4;
const MAX_LINES_PER_BUCKET: usize = 16;

/// Columns whose output is at least this large are written around the caches.
const STREAM_BYTES: usize = 4 << 20;

pub(super) struct ChunkPlan {
    pub n: usize,
    pub m: usize,
    pub columns: usize,
    pub chunks: usize,
    pub chunk_rows: usize,
    /// Cache lines in each bucket's write-combining buffer; a power of two.
    pub lines_per_bucket: usize,
    pub level: Level,
}

/// Whether a table of `n` rows is small enough for [`super::direct`].
pub(super) fn is_direct(n: usize, m: usize) -> bool {
    n <= (m * DIRECT_ROWS_PER_BUCKET).clamp(FEW_DIRECT_ROWS, DIRECT_ROWS)
}

impl ChunkPlan {
    pub(super) fn new(n: usize, m: usize, columns: usize, threads: usize, level: Level) -> ChunkPlan {
        let wanted = match threads {
            0 | 1 => 1,
            _ => threads.saturating_mul(CHUNKS_PER_THREAD),
        };
        // Whole blocks, so that only the last one of all is short. The sum cannot overflow: a
        // slice that long would not fit in the address space beside its split.
        let blocks = n.div_ceil(wanted).max(MIN_CHUNK_ROWS).div_ceil(BLOCK);
        let chunk_rows = blocks.saturating_mul(BLOCK);
        let chunks = n.div_ceil(chunk_rows).max(1);
        let lines_in = |bytes: usize| bytes / LINE / m.next_power_of_two();
        let lines_per_bucket =
            lines_in(BUFFER_BYTES).clamp(MIN_LINES_PER_BUCKET, MAX_LINES_PER_BUCKET).min(lines_in(MOST_BUFFER_BYTES));
        ChunkPlan { n, m, columns, chunks, chunk_rows, lines_per_bucket, level }
    }

    /// Whether the whole table is small enough for [`super::direct`].
    pub(super) fn direct(&self) -> bool {
        is_direct(self.n, self.m)
    }

    /// Whether a column of rows of `width` bytes is written around the caches.
    #[inline(always)]
    pub(super) fn streams(&self, width: usize) -> bool {
        self.n >= STREAM_BYTES / width
    }

    pub(super) fn rows_of(&self, chunk: usize) -> Range<usize> {
        let start = chunk.saturating_mul(self.chunk_rows).min(self.n);
        start..start.saturating_add(self.chunk_rows).min(self.n)
    }

    #[inline(always)]
    pub(super) fn lines_per_column(&self) -> usize {
        self.m * self.lines_per_bucket
    }
}
