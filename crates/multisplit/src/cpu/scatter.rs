//! More than 256 buckets at once: chunks count, and every row goes straight to its place.
//!
//! No write-combining: with so many buckets their buffers would be no nearer than the output. The ids are kept
//! between the passes, and become places, which all columns share.

use super::Scratch;
use super::function::{Function, Keys};
use super::plan::BLOCK;
use super::primitives::simd::Level;
use super::table::{Cell, Column, Shared, Target};
use crate::device::Device;
use crate::error::Result;
use crate::memory::allocate;
use bytemuck::cast_slice_mut;
use rayon::prelude::*;

/// Rows of a chunk, at least: waking a worker costs as much as a few thousand.
const MIN_ROWS: usize = 32 * BLOCK;
/// Counters of all chunks per row, at most: clearing and adding them up must not be most of the work.
const MOST_COUNTERS: usize = 4;

/// How the rows are dealt out.
#[derive(Clone, Copy)]
pub(super) struct Deal {
    chunk: usize,
    chunks: usize,
    m: usize,
}

impl Deal {
    /// Whether this is the way to go, and how. On two cores it took a third of the time of passes over digits at 257 to
    /// 65,536 buckets (2^24 keys of 4 bytes), and half of it at as many buckets as keys.
    pub fn new(n: usize, m: u32, threads: usize) -> Option<Self> {
        let m = m as usize;
        let chunk = n.div_ceil(threads.max(1)).max(MIN_ROWS);
        let chunks = n.div_ceil(chunk).max(1);
        (m.saturating_mul(chunks) <= n.saturating_mul(MOST_COUNTERS)).then_some(Self { chunk, chunks, m })
    }

    /// Bytes of ids, and of counters.
    pub fn bytes(&self, n: usize) -> [usize; 2] {
        let counters = self.m.saturating_mul(self.chunks);
        [n, counters].map(|words| words.saturating_mul(size_of::<u32>()))
    }
}

/// A [`split`](super::split::split) for more buckets.
pub(super) fn split(
    device: &Device,
    deal: Deal,
    keys: Keys<'_>,
    columns: &mut [Column<'_>],
    f: &dyn Function,
    offsets: &mut [usize],
    scratch: &mut Scratch,
) -> Result<u64> {
    // Changes nothing for a caller whose columns are as long as the keys.
    let n = columns.iter().fold(keys.len(), |n, column| n.min(column.rows()));
    let Deal { chunk, m, .. } = deal;
    let chunks = n.div_ceil(chunk);
    let mut spare = scratch.take_spare(device, deal.bytes(n).into_iter())?;
    let columns: Vec<Shared<'_>> = allocate::collect(columns.iter_mut().map(|column| column.share(n)))?;
    let [ids, counters, ..] = &mut spare[..] else { return Ok(0) };
    let ids: &mut [u32] = &mut cast_slice_mut(ids)[..n];
    let counters: &mut [u32] = &mut cast_slice_mut(counters)[..m * chunks];

    let level = Level::detect();
    let parts = ids.par_chunks_mut(chunk).zip(counters.par_chunks_mut(m)).enumerate();
    let count = |(i, (ids, counts)): (usize, (&mut [u32], &mut [u32]))| {
        let start = i * chunk;
        count(level, ids, counts, keys.range(start..start + ids.len()), f)
    };
    let out_of_range = parts.map(count).sum();
    scan(counters, m, offsets);

    let parts = ids.par_chunks_mut(chunk).zip(counters.par_chunks_mut(m)).enumerate();
    parts.for_each(|(i, (ids, next))| {
        for (j, ids) in ids.chunks_mut(BLOCK).enumerate() {
            // What was an id becomes a place.
            for id in &mut *ids {
                let next = &mut next[*id as usize];
                *id = *next;
                *next += 1;
            }
            // SAFETY: the scan gave each chunk as many places in each bucket as it has rows there, all different and
            // together the n rows that every column has; each row of a chunk took the next one.
            unsafe { write(&columns, ids, i * chunk + j * BLOCK) };
        }
    });
    scratch.give_back(spare);
    Ok(out_of_range)
}

/// The ids of a chunk and how often each occurs; how many were out of range.
fn count(level: Level, ids: &mut [u32], counts: &mut [u32], keys: Keys<'_>, f: &dyn Function) -> u64 {
    counts.fill(0);
    let last = counts.len() as u32 - 1;
    let mut out_of_range = 0;
    let mut rest = ids;
    f.words(level, keys, u32::MAX, &mut |words| {
        // All in local variables, which stay in registers: what a closure captured is in memory.
        let (counts, mut larger) = (&mut *counts, 0);
        let (ids, others) = std::mem::take(&mut rest).split_at_mut(words.len());
        for (&word, id) in words.iter().zip(ids) {
            larger += u64::from(word > last);
            *id = word.min(last);
            counts[*id as usize] += 1;
        }
        out_of_range += larger;
        rest = others;
    });
    out_of_range
}

/// Counts become places, bucket by bucket and in each chunk by chunk.
fn scan(counters: &mut [u32], m: usize, offsets: &mut [usize]) {
    let mut sum = 0;
    for b in 0..m {
        if let Some(offset) = offsets.get_mut(b) {
            *offset = sum as usize;
        }
        for count in counters.iter_mut().skip(b).step_by(m) {
            sum += std::mem::replace(count, sum);
        }
    }
    if let Some(end) = offsets.get_mut(m) {
        *end = sum as usize;
    }
}

/// Writes the rows from `start` on to their places.
///
/// # Safety
///
/// Every column has rows `start..` for the places, and at the places, which nobody else writes.
unsafe fn write(columns: &[Shared<'_>], places: &[u32], start: usize) {
    for column in columns {
        // SAFETY: passed on.
        unsafe {
            match *column {
                Shared::W1(from, to) => put(places, from[start..].iter().copied(), to),
                Shared::W2(from, to) => put(places, from[start..].iter().copied(), to),
                Shared::W4(from, to) => put(places, from[start..].iter().copied(), to),
                Shared::W8(from, to) => put(places, from[start..].iter().copied(), to),
                Shared::Index(first, to) => put(places, (first + start as u32..).map(u32::to_ne_bytes), to),
            }
        }
    }
}

/// # Safety
///
/// There is a row at every place, and nobody else writes it.
#[inline(always)]
unsafe fn put<W: Cell>(places: &[u32], rows: impl Iterator<Item = W>, to: Target<'_, W>) {
    for (&place, row) in places.iter().zip(rows) {
        // SAFETY: passed on.
        unsafe { to.at(place as usize).write(row) };
    }
}
