//! Histograms: the prescan alone, for any number of bins.
//!
//! Every thread counts parts of the keys by itself, and the counts are added up. With up to 255 bins the prescan does
//! it ([`super::prescan`]), in pieces whose ids stay in the cache; keys outside are one bucket more. With more bins
//! the ids of a few keys at a time are computed first, in a loop that vectorizes, and counted with one increment
//! each. Neighbours go to different histograms, as long as these are small: equal neighbours would wait for each
//! other.

use super::function::{Function, Keys};
use super::plan::BLOCK;
use super::plan::MAX_BUCKETS;
use super::primitives::simd::Level;
use super::scratch::Chunk;
use super::split::prescan::Count;
use crate::device::Device;
use crate::error::Result;
use crate::memory::allocate;
use crate::memory::buffer::zeroed;
use rayon::prelude::*;

/// Keys per thread, at least: waking one costs as much as a few thousand.
const MIN_PART: usize = 32 * BLOCK;
/// Parts per thread, so that a thread that is held up can leave some to the others.
const PARTS_PER_THREAD: usize = 4;
/// Keys that the prescan is given at a time.
const PIECE: usize = 64 * BLOCK;
/// Histograms that take turns, and the most counters that they have together: as many as fit the second-level cache.
const LANES: usize = 4;
const LANE_COUNTERS: usize = 1 << 16;

/// How many keys `f` puts into bucket b, for each b below `m`; and at the end, how many have none. No more than `block`
/// keys (of which there must be fewer than 2^32) are counted before their counts are added to the result.
pub(crate) fn histogram(device: &Device, keys: Keys<'_>, m: u32, f: &dyn Function, block: usize) -> Result<Vec<u64>> {
    let rows = m as usize + 1;
    let mut total: Vec<u64> = zeroed(device, rows)?;
    let part = part_of(keys.len(), rows).min(block);
    let level = Level::detect();
    // As many parts at a time as there are threads and more, so that memory for their counts is bounded.
    for keys in keys.chunks(part.saturating_mul(PARTS_PER_THREAD.saturating_mul(rayon::current_num_threads()))) {
        let mut parts = allocate::filled(keys.len().div_ceil(part), Vec::new)?;
        parts.par_iter_mut().enumerate().try_for_each(|(i, counts)| {
            let start = i * part;
            *counts = count(device, level, keys.range(start..keys.len().min(start + part)), rows, f)?;
            Ok(())
        })?;
        total.par_iter_mut().enumerate().with_min_len(BLOCK).for_each(|(row, total)| {
            *total += parts.iter().map(|counts| u64::from(counts[row])).sum::<u64>();
        });
    }
    Ok(total)
}

/// Keys per part. Clearing and adding up the counters must not take longer than counting.
fn part_of(n: usize, rows: usize) -> usize {
    let threads = rayon::current_num_threads();
    let parts = if rows <= MAX_BUCKETS { PARTS_PER_THREAD * threads } else { threads };
    n.div_ceil(parts).max(MIN_PART).max(rows)
}

/// The counts of one part, by whatever way is the fastest.
fn count(device: &Device, level: Level, keys: Keys<'_>, rows: usize, f: &dyn Function) -> Result<Vec<u32>> {
    if rows <= MAX_BUCKETS {
        return count_few(level, keys, rows, f);
    }
    let lanes = if LANES * rows <= LANE_COUNTERS { LANES } else { 1 };
    let mut counts = zeroed(device, lanes * rows)?;
    count_many(level, keys, rows, f, &mut counts);
    if lanes > 1 {
        let (sums, others) = counts.split_at_mut(rows);
        for lane in others.chunks(rows) {
            sums.iter_mut().zip(lane).for_each(|(sum, count)| *sum += count);
        }
        counts.truncate(rows);
    }
    Ok(counts)
}

fn count_few(level: Level, keys: Keys<'_>, rows: usize, f: &dyn Function) -> Result<Vec<u32>> {
    let mut counts = allocate::filled(rows, || 0)?;
    for keys in keys.chunks(PIECE) {
        let mut chunk = Chunk::new();
        level.run(Count { f, keys, ids: None, m: rows, level, chunk: &mut chunk });
        counts.iter_mut().zip(&chunk.end).for_each(|(count, &more)| *count += more as u32);
    }
    Ok(counts)
}

/// Counts into one or [`LANES`] histograms of `rows` counters each.
fn count_many(level: Level, keys: Keys<'_>, rows: usize, f: &dyn Function, counts: &mut [u32]) {
    let outside = rows as u32 - 1;
    let mut lanes = counts.chunks_exact_mut(rows);
    if let [Some(a), Some(b), Some(c), Some(d)] = [(); LANES].map(|()| lanes.next()) {
        f.words(level, keys, outside, &mut |ids| {
            // As variables of its own, which stay in registers.
            let (a, b, c, d) = (&mut *a, &mut *b, &mut *c, &mut *d);
            let (groups, rest) = ids.as_chunks::<LANES>();
            for &[i, j, k, l] in groups {
                a[i as usize] += 1;
                b[j as usize] += 1;
                c[k as usize] += 1;
                d[l as usize] += 1;
            }
            rest.iter().for_each(|&id| a[id as usize] += 1);
        });
    } else {
        f.words(level, keys, outside, &mut |ids| ids.iter().for_each(|&id| counts[id as usize] += 1));
    }
}
