//! The direct way, for tables so small that they stay in the first-level cache: count, add up,
//! and put each row where it belongs. No workers, no buffers, no scratch memory, no unsafe code.

use super::MAX_BUCKETS;
use super::plan::DIRECT_ROWS;
use super::table::Column;

/// [`super::split`] for at most [`DIRECT_ROWS`] rows.
pub(super) fn split<K: Copy>(
    keys: &[K],
    columns: &mut [Column<'_>],
    m: usize,
    bucket: impl Fn(K) -> u32,
    offsets: &mut [usize],
) -> u64 {
    let mut ids = [0; DIRECT_ROWS];
    let ids = &mut ids[..keys.len().min(DIRECT_ROWS)];
    let mut strays = 0;
    for (id, &key) in ids.iter_mut().zip(keys) {
        let b = bucket(key) as usize;
        strays += u64::from(b >= m);
        *id = b.min(m - 1) as u8;
    }
    let begin = boundaries(ids, m, offsets);
    for column in columns {
        match column {
            Column::W1 { from, to } => scatter(ids, from.iter().copied(), to, begin),
            Column::W2 { from, to } => scatter(ids, from.iter().copied(), to, begin),
            Column::W4 { from, to } => scatter(ids, from.iter().copied(), to, begin),
            Column::W8 { from, to } => scatter(ids, from.iter().copied(), to, begin),
            Column::Index { to } => scatter(ids, (0..).map(u32::to_ne_bytes), to, begin),
        }
    }
    strays
}

/// Where each bucket begins.
fn boundaries(ids: &[u8], m: usize, offsets: &mut [usize]) -> [usize; MAX_BUCKETS] {
    let mut begin = [0; MAX_BUCKETS];
    for &id in ids {
        begin[id as usize] += 1;
    }
    let mut sum = 0;
    for begin in &mut begin[..m] {
        sum += std::mem::replace(begin, sum);
    }
    for (offset, begin) in offsets.iter_mut().zip(begin[..m].iter().chain([&sum])) {
        *offset = *begin;
    }
    begin
}

fn scatter<W>(ids: &[u8], from: impl Iterator<Item = W>, to: &mut [W], mut next: [usize; MAX_BUCKETS]) {
    for (&id, value) in ids.iter().zip(from) {
        let next = &mut next[id as usize];
        if let Some(to) = to.get_mut(*next) {
            *to = value;
        }
        *next += 1;
    }
}
