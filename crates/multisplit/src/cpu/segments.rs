//! Segmented splits. Threads split groups of small segments, one after the other; a large segment is split by all
//! threads together.

use super::function::{Function, Keys};
use super::plan::MAX_BUCKETS;
use super::plan::{BLOCK, LARGE_ROWS, is_direct};
use super::primitives::simd::Level;
use super::split::direct;
use super::split::direct::DirectScratch;
use super::table::Column;
use super::{Scratch, split_any};
use crate::device::Device;
use crate::error::Result;
use crate::memory::allocate;
use crate::request::segments::Segments;
use rayon::prelude::*;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

/// A group has as many small segments as it takes for this many rows, or for this many buckets: waking a worker costs
/// as much as a few thousand of either.
const GROUP_ROWS: usize = 32 * BLOCK;
const GROUP_BUCKETS: usize = 32 * BLOCK;

/// [`super::split_any`] of each segment. `offsets` has m entries for each, and one for the end.
pub(crate) fn split_segments(
    device: &Device,
    keys: Keys<'_>,
    columns: &mut [Column<'_>],
    segments: Segments<'_>,
    m: u32,
    f: &dyn Function,
    offsets: &mut [usize],
    scratch: &mut Scratch,
) -> Result<u64> {
    let call = Call { device, level: Level::detect(), keys, segments: segments.offsets(), m, f };
    let (buckets, end) = offsets.split_at_mut((m * segments.count()) as usize);
    end.fill(keys.len());
    let (large, small) = call.groups(columns, buckets)?;
    let mut out_of_range = 0;
    for group in large {
        out_of_range += call.split(group, &mut DirectScratch::new(), scratch)?;
    }
    let helpers = Mutex::new(std::mem::take(&mut scratch.helpers));
    let run = |group: Group<'_>| {
        let lock = || helpers.lock().unwrap_or_else(PoisonError::into_inner);
        let mut helper = lock().pop().unwrap_or_default();
        let out_of_range = call.split(group, &mut DirectScratch::new(), &mut helper);
        let mut helpers = lock();
        // It is kept to save time. Without memory to keep it in, the next one is made anew.
        if helpers.try_reserve(1).is_ok() {
            helpers.push(helper);
        }
        out_of_range
    };
    // A lone group stays on the calling thread.
    let more = match small.len() {
        1 => small.into_iter().map(run).sum::<Result<u64>>(),
        _ => small.into_par_iter().map(run).sum::<Result<u64>>(),
    };
    scratch.helpers = helpers.into_inner().unwrap_or_else(PoisonError::into_inner);
    Ok(out_of_range + more?)
}

/// What all groups have in common.
struct Call<'a> {
    device: &'a Device,
    level: Level,
    keys: Keys<'a>,
    segments: &'a [usize],
    m: u32,
    f: &'a dyn Function,
}

/// Neighbouring segments, and what is theirs.
struct Group<'a> {
    /// Their numbers.
    segments: Range<usize>,
    rows: Range<usize>,
    columns: Vec<Column<'a>>,
    offsets: &'a mut [usize],
}

impl Call<'_> {
    /// Deals the segments out: large ones alone, small ones together. The groups of the former come first.
    fn groups<'a>(
        &self,
        columns: &'a mut [Column<'_>],
        mut offsets: &'a mut [usize],
    ) -> Result<(Vec<Group<'a>>, Vec<Group<'a>>)> {
        let n = self.keys.len();
        let mut columns: Vec<Column<'a>> = allocate::collect(columns.iter_mut().map(|column| column.part(0..n)))?;
        let (mut large, mut small) = (0, 0);
        for group in self.group_ranges() {
            *if self.is_large(&group) { &mut large } else { &mut small } += 1;
        }
        let (mut large, mut small) = (allocate::with_room(large)?, allocate::with_room(small)?);
        for segments in self.group_ranges() {
            let rows = self.segments[segments.start]..self.segments[segments.end];
            let groups = if self.is_large(&segments) { &mut large } else { &mut small };
            let columns = allocate::collect(columns.iter_mut().map(|column| column.take_first(rows.len())))?;
            let (mine, rest) = offsets.split_at_mut(segments.len() * self.m as usize);
            groups.push(Group { segments, rows, columns, offsets: mine });
            offsets = rest;
        }
        Ok((large, small))
    }

    /// The numbers of each group's segments.
    fn group_ranges(&self) -> impl Iterator<Item = Range<usize>> {
        let (mut start, count) = (0, self.segments.len() - 1);
        std::iter::from_fn(move || {
            let group = (start < count).then(|| start..self.group_end(start, count))?;
            start = group.end;
            Some(group)
        })
    }

    fn is_large(&self, group: &Range<usize>) -> bool {
        group.len() == 1 && self.segments[group.end] - self.segments[group.start] >= LARGE_ROWS
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
    fn split(&self, mut group: Group<'_>, room: &mut DirectScratch, scratch: &mut Scratch) -> Result<u64> {
        let m = self.m as usize;
        let mut boundaries = allocate::filled(m + 1, || 0)?;
        let mut out_of_range = 0;
        for (s, offsets) in group.segments.zip(group.offsets.chunks_exact_mut(m)) {
            let segment = self.segments[s]..self.segments[s + 1];
            if segment.is_empty() {
                offsets.fill(segment.start);
                continue;
            }
            let keys = self.keys.range(segment.clone());
            let rows = segment.start - group.rows.start..segment.end - group.rows.start;
            out_of_range += if m <= MAX_BUCKETS && is_direct(keys.len(), m) {
                direct::split(self.level, keys, &mut group.columns, rows, m, self.f, &mut boundaries, room)
            } else {
                let columns = group.columns.iter_mut().map(|column| column.part(rows.clone()));
                let mut columns = allocate::collect(columns)?;
                split_any(self.device, keys, &mut columns, self.m, self.f, &mut boundaries, scratch)?
            };
            for (offset, boundary) in offsets.iter_mut().zip(&boundaries) {
                *offset = segment.start + boundary;
            }
        }
        Ok(out_of_range)
    }
}
