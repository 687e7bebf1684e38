//! Segmented splits. Threads split groups of small segments, one after the other; a large segment is split by all threads
//! together.

use super::direct::{self, Room};
use super::plan::{BLOCK, is_direct};
use super::table::Column;
use super::{MAX_BUCKETS, Scratch, split_any};
use crate::device::Device;
use crate::error::Result;
use crate::segments::Segments;
use bytemuck::Pod;
use rayon::prelude::*;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

/// Segments from this many rows on are split by all threads: there is a chunk for each of two.
pub(super) const LARGE_ROWS: usize = 64 * BLOCK;

/// A group has as many small segments as it takes for this many rows, or for this many buckets: waking a worker costs as
/// much as a few thousand of either.
const GROUP_ROWS: usize = 32 * BLOCK;
const GROUP_BUCKETS: usize = 32 * BLOCK;

/// [`super::split_any`] of each segment. `offsets` has m entries for each, and one for the end.
pub(crate) fn split_segments<K: Pod + Send + Sync>(
    device: &Device,
    keys: &[K],
    columns: &mut [Column<'_>],
    segments: Segments<'_>,
    m: u32,
    bucket: impl Fn(K) -> u32 + Sync,
    offsets: &mut [usize],
    scratch: &mut Scratch,
) -> Result<u64> {
    let call = Call { device, keys, segments: segments.offsets(), m, bucket };
    let (buckets, end) = offsets.split_at_mut((m * segments.count()) as usize);
    end.fill(keys.len());
    let (large, small): (Vec<_>, Vec<_>) = call.groups(columns, buckets).into_iter().partition(Group::is_large);
    let mut astray = 0;
    for group in large {
        astray += call.split(group, &mut Room::new(), scratch)?;
    }
    let helpers = Mutex::new(std::mem::take(&mut scratch.helpers));
    let run = |group: Group<'_>| {
        let lock = || helpers.lock().unwrap_or_else(PoisonError::into_inner);
        let mut helper = lock().pop().unwrap_or_default();
        let astray = call.split(group, &mut Room::new(), &mut helper);
        lock().push(helper);
        astray
    };
    // A lone group stays on the calling thread.
    astray += match small.len() {
        1 => small.into_iter().map(run).sum::<Result<u64>>()?,
        _ => small.into_par_iter().map(run).sum::<Result<u64>>()?,
    };
    scratch.helpers = helpers.into_inner().unwrap_or_else(PoisonError::into_inner);
    Ok(astray)
}

/// What all groups have in common.
struct Call<'a, K, B> {
    device: &'a Device,
    keys: &'a [K],
    segments: &'a [usize],
    m: u32,
    bucket: B,
}

/// Neighbouring segments, and what is theirs.
struct Group<'a> {
    /// Their numbers.
    segments: Range<usize>,
    rows: Range<usize>,
    columns: Vec<Column<'a>>,
    offsets: &'a mut [usize],
}

impl Group<'_> {
    fn is_large(&self) -> bool {
        self.segments.len() == 1 && self.rows.len() >= LARGE_ROWS
    }
}

impl<K: Pod + Send + Sync, B: Fn(K) -> u32 + Sync> Call<'_, K, B> {
    /// Deals the segments out: large ones alone, small ones together.
    fn groups<'a>(&self, columns: &'a mut [Column<'_>], mut offsets: &'a mut [usize]) -> Vec<Group<'a>> {
        let n = self.keys.len();
        let mut columns: Vec<Column<'a>> = columns.iter_mut().map(|column| column.part(0..n)).collect();
        let mut groups = Vec::new();
        let (mut start, count) = (0, self.segments.len() - 1);
        while start < count {
            let end = self.group_end(start, count);
            let rows = self.segments[start]..self.segments[end];
            let (mine, rest) = columns.into_iter().map(|column| column.cut(rows.len())).unzip();
            let (my_offsets, rest_of_offsets) = offsets.split_at_mut((end - start) * self.m as usize);
            groups.push(Group { segments: start..end, rows, columns: mine, offsets: my_offsets });
            (columns, offsets, start) = (rest, rest_of_offsets, end);
        }
        groups
    }

    /// Where the group ends that begins with segment `start`.
    fn group_end(&self, start: usize, count: usize) -> usize {
        let len = |s: usize| self.segments[s + 1] - self.segments[s];
        let mut end = start + 1;
        if len(start) >= LARGE_ROWS {
            return end;
        }
        let is_full = |end: usize| {
            let rows = self.segments[end] - self.segments[start];
            rows >= GROUP_ROWS || (end - start) * self.m as usize >= GROUP_BUCKETS
        };
        while end < count && !is_full(end) && len(end) < LARGE_ROWS {
            end += 1;
        }
        end
    }

    /// Splits the segments of a group, one after the other.
    fn split(&self, mut group: Group<'_>, room: &mut Room, scratch: &mut Scratch) -> Result<u64> {
        let m = self.m as usize;
        let mut boundaries = vec![0; m + 1];
        let mut astray = 0;
        for (s, offsets) in group.segments.zip(group.offsets.chunks_exact_mut(m)) {
            let segment = self.segments[s]..self.segments[s + 1];
            if segment.is_empty() {
                offsets.fill(segment.start);
                continue;
            }
            let keys = &self.keys[segment.clone()];
            let rows = segment.start - group.rows.start..segment.end - group.rows.start;
            astray += if m <= MAX_BUCKETS && is_direct(keys.len(), m) {
                direct::split(keys, &mut group.columns, rows, m, &self.bucket, &mut boundaries, room)
            } else {
                let mut columns: Vec<_> = group.columns.iter_mut().map(|column| column.part(rows.clone())).collect();
                split_any(self.device, keys, &mut columns, self.m, &self.bucket, &mut boundaries, scratch)?
            };
            for (offset, boundary) in offsets.iter_mut().zip(&boundaries) {
                *offset = segment.start + boundary;
            }
        }
        Ok(astray)
    }
}
