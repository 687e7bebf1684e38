//! The direct way, for tables so small that they stay in the first-level cache: count, add up,
//! and put each row where it belongs. No workers, no buffers, no unsafe code.

use crate::cpu::function::{Function, Keys};
use crate::cpu::plan::DIRECT_ROWS;
use crate::cpu::plan::MAX_BUCKETS;
use crate::cpu::primitives::simd::Level;
use crate::cpu::table::Column;
use std::ops::Range;

/// What it takes: on the stack for one split, or kept for many small ones, which clear only what
/// they use.
pub(in crate::cpu) struct DirectScratch {
    ids: [u8; DIRECT_ROWS],
    begin: [usize; MAX_BUCKETS],
    next: [usize; MAX_BUCKETS],
}

impl DirectScratch {
    pub(in crate::cpu) fn new() -> DirectScratch {
        DirectScratch { ids: [0; DIRECT_ROWS], begin: [0; MAX_BUCKETS], next: [0; MAX_BUCKETS] }
    }
}

/// [`crate::cpu::split`] for at most [`DIRECT_ROWS`] rows: those of a larger table, whose keys are given.
pub(in crate::cpu) fn split(
    level: Level,
    keys: Keys<'_>,
    columns: &mut [Column<'_>],
    rows: Range<usize>,
    m: usize,
    f: &dyn Function,
    offsets: &mut [usize],
    room: &mut DirectScratch,
) -> u64 {
    let keys = keys.range(0..keys.len().min(DIRECT_ROWS));
    let ids = &mut room.ids[..keys.len()];
    let largest = f.bytes(level, &[keys], (m - 1) as u8, ids);
    let out_of_range = if largest as usize >= m { f.out_of_range(level, keys, m as u32) } else { 0 };
    let begin = &mut room.begin[..m];
    boundaries(ids, begin, offsets);
    for column in columns {
        room.next[..m].copy_from_slice(begin);
        let next = &mut room.next;
        match column.part(rows.clone()) {
            Column::W1 { from, to } => scatter(ids, from.iter().copied(), to, next),
            Column::W2 { from, to } => scatter(ids, from.iter().copied(), to, next),
            Column::W4 { from, to } => scatter(ids, from.iter().copied(), to, next),
            Column::W8 { from, to } => scatter(ids, from.iter().copied(), to, next),
            Column::Index { first, to } => scatter(ids, (first..).map(u32::to_ne_bytes), to, next),
        }
    }
    out_of_range
}

/// Where each bucket begins.
fn boundaries(ids: &[u8], begin: &mut [usize], offsets: &mut [usize]) {
    begin.fill(0);
    for &id in ids {
        begin[id as usize] += 1;
    }
    let mut sum = 0;
    for begin in &mut *begin {
        sum += std::mem::replace(begin, sum);
    }
    for (offset, begin) in offsets.iter_mut().zip(begin.iter().chain([&sum])) {
        *offset = *begin;
    }
}

fn scatter<W>(ids: &[u8], from: impl Iterator<Item = W>, to: &mut [W], next: &mut [usize; MAX_BUCKETS]) {
    for (&id, value) in ids.iter().zip(from) {
        let next = &mut next[id as usize];
        if let Some(to) = to.get_mut(*next) {
            *to = value;
        }
        *next += 1;
    }
}
