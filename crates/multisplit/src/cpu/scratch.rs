//! Memory that outlives one split, so that repeated splits allocate next to nothing.

use super::plan::MAX_BUCKETS;
use super::plan::{ChunkPlan, LARGE_ROWS};
use super::primitives::cache_line::{LINE, Line};
use super::primitives::simd::Level;
use super::scatter::Deal;
use crate::device::Device;
use crate::error::{Error, Result};
use crate::memory::allocate::{grow, out_of_memory};
use crate::memory::buffer::zeroed;
use crate::memory::large_pages;
use crate::request::digits::Digits;
use crate::request::policy::ONE_PASS;

/// Where one chunk stands in one column: see [`super::combine`] and [`super::outlet`].
#[derive(Clone)]
pub(super) struct Cursors {
    pub slot: [u32; MAX_BUCKETS],
    pub next: [usize; MAX_BUCKETS],
    pub whole: [usize; MAX_BUCKETS],
}

/// What one chunk needs, from the prescan to the end.
pub(super) struct Chunk {
    /// After the scan, the beginnings of the chunk's parts of the buckets.
    pub begin: [usize; MAX_BUCKETS],
    /// After the prescan the chunk's counts; after the scan the ends of its parts of the buckets.
    pub end: [usize; MAX_BUCKETS],
    /// How many bucket ids were out of range.
    pub out_of_range: u64,
    /// One for each column.
    pub cursors: Vec<Cursors>,
    /// The write-combining buffers of the first column, then those of the second, ...
    pub lines: Vec<Line>,
}

impl Chunk {
    pub(super) fn new() -> Chunk {
        let (begin, end) = ([0; MAX_BUCKETS], [0; MAX_BUCKETS]);
        Chunk { begin, end, out_of_range: 0, cursors: Vec::new(), lines: Vec::new() }
    }

    fn grow(&mut self, plan: &ChunkPlan) -> Result<()> {
        let blank = Cursors { slot: [0; MAX_BUCKETS], next: [0; MAX_BUCKETS], whole: [0; MAX_BUCKETS] };
        grow(&mut self.cursors, plan.columns, || blank.clone())?;
        let lines = plan.columns.saturating_mul(plan.lines_per_column());
        grow(&mut self.lines, lines, || Line([0; LINE]))
    }
}

/// The buckets of one pass of a split into `m`.
fn in_a_pass(m: u32) -> usize {
    if m > ONE_PASS { Digits::of(m).values() as usize } else { m.max(1) as usize }
}

/// Bytes of each piece of the spare memory of a split into `m`, whatever the columns are.
fn spare_for(n: usize, m: u32, columns: usize, threads: usize) -> impl ExactSizeIterator<Item = usize> {
    let (bytes, count) = match Deal::new(n, m, threads) {
        _ if m <= ONE_PASS => ([0, 0], 0),
        Some(deal) => (deal.bytes(n), 2),
        None => ([n.saturating_mul(size_of::<u64>()); 2], columns),
    };
    // The pieces are two that differ, or as many as there are columns and all alike.
    (0..count).map(move |i| bytes[i.min(1)])
}

/// Reusable scratch memory: bucket ids, counters, cursors and write-combining buffers. Grows on
/// demand and never shrinks.
#[derive(Default)]
pub(crate) struct Scratch {
    chunks: Vec<Chunk>,
    /// One for each row.
    ids: Vec<u8>,
    /// Whether a split has used it.
    used: bool,
    /// More than 256 buckets: ids and counters, or where columns are between passes.
    spare: Vec<Vec<u64>>,
    /// Of threads that each split segments of their own.
    pub(super) helpers: Vec<Scratch>,
}

impl Scratch {
    /// The bytes a fresh scratch holds after one split of `n` rows into `m` buckets, with this
    /// many columns (the keys' own included), on this many threads.
    pub(crate) fn bytes_for(n: usize, m: u32, columns: usize, threads: usize) -> usize {
        let mut pieces = spare_for(n, m, columns, threads);
        let of_piece = |bytes: usize| {
            let words = bytes.div_ceil(size_of::<u64>());
            words.saturating_mul(size_of::<u64>()).saturating_add(size_of::<Vec<u64>>())
        };
        // All but the first are alike.
        let (first, rest) = (pieces.next().map_or(0, of_piece), pieces.len());
        let spare = first.saturating_add(pieces.next().map_or(0, of_piece).saturating_mul(rest));
        if m > ONE_PASS && Deal::new(n, m, threads).is_some() {
            return spare;
        }
        let plan = ChunkPlan::new(n, in_a_pass(m), columns, threads, Level::detect());
        if plan.direct() {
            return spare;
        }
        let column = size_of::<Cursors>().saturating_add(plan.lines_per_column().saturating_mul(LINE));
        let chunk = size_of::<Chunk>().saturating_add(columns.saturating_mul(column));
        spare.saturating_add(n).saturating_add(plan.chunks.saturating_mul(chunk))
    }

    /// A scratch that already holds what such a split needs, whatever the columns are.
    pub(crate) fn for_split(device: &Device, n: usize, m: u32, columns: usize) -> Result<Scratch> {
        let threads = rayon::current_num_threads();
        // More than any allocation can be: nothing of it is worth a try.
        let bytes = Self::bytes_for(n, m, columns, threads);
        if bytes > isize::MAX as usize {
            let reason = "the workspace is larger than the address space".into();
            return Err(Error::OutOfMemory { device: device.name().into(), bytes: bytes as u64, reason });
        }
        let mut scratch = Scratch::default();
        let spare = scratch.take_spare(device, spare_for(n, m, columns, threads))?;
        scratch.give_back(spare);
        let plan = ChunkPlan::new(n, in_a_pass(m), columns, threads, Level::detect());
        if !(plan.direct() || m > ONE_PASS && Deal::new(n, m, threads).is_some()) {
            scratch.chunks(&plan, false)?;
            scratch.used = false;
        }
        Ok(scratch)
    }

    /// [`bytes_for`](Scratch::bytes_for) the split of any segments of `n` rows together.
    pub(crate) fn bytes_for_segments(n: usize, m: u32, columns: usize, threads: usize) -> usize {
        let helper = size_of::<Scratch>().saturating_add(Self::bytes_for(n.min(LARGE_ROWS), m, columns, threads));
        Self::bytes_for(n, m, columns, threads).saturating_add(threads.saturating_mul(helper))
    }

    /// A scratch that already holds what such a split needs.
    pub(crate) fn for_segments(device: &Device, n: usize, m: u32, columns: usize) -> Result<Scratch> {
        let helper = || Self::for_split(device, n.min(LARGE_ROWS), m, columns);
        let mut helpers = Vec::new();
        grow(&mut helpers, rayon::current_num_threads(), Scratch::default)?;
        helpers.iter_mut().try_for_each(|slot| helper().map(|helper| *slot = helper))?;
        Ok(Scratch { helpers, ..Self::for_split(device, n, m, columns)? })
    }

    /// Pieces of memory of at least so many bytes each. Their contents are left over from whatever came before.
    pub(crate) fn take_spare(
        &mut self,
        device: &Device,
        bytes: impl ExactSizeIterator<Item = usize>,
    ) -> Result<Vec<Vec<u64>>> {
        grow(&mut self.spare, bytes.len(), Vec::new)?;
        for (memory, bytes) in self.spare.iter_mut().zip(bytes) {
            let words = bytes.div_ceil(size_of::<u64>());
            if memory.len() < words {
                *memory = Vec::new();
                *memory = zeroed(device, words)?;
            }
        }
        Ok(std::mem::take(&mut self.spare))
    }

    /// For the next split.
    pub(crate) fn give_back(&mut self, spare: Vec<Vec<u64>>) {
        self.spare = spare;
    }

    /// The bytes held now.
    pub(crate) fn size(&self) -> usize {
        let inner = |chunk: &Chunk| chunk.cursors.capacity() * size_of::<Cursors>() + chunk.lines.capacity() * LINE;
        let inner: usize = self.chunks.iter().map(inner).sum();
        let spare: usize = self.spare.iter().map(|column| column.capacity() * size_of::<u64>()).sum();
        let spare = spare + self.spare.capacity() * size_of::<Vec<u64>>();
        let helpers: usize = self.helpers.iter().map(Scratch::size).sum();
        let spare = spare + helpers + self.helpers.capacity() * size_of::<Scratch>();
        spare + self.ids.capacity() + self.chunks.capacity() * size_of::<Chunk>() + inner
    }

    /// The chunks of a split, each with room for what it needs, and an id for each row; their contents are left over
    /// from whatever came before. `can_repeat` says that ids can do without: then there are none for the first split,
    /// for which to take new memory takes as long as to compute them twice.
    pub(super) fn chunks(&mut self, plan: &ChunkPlan, can_repeat: bool) -> Result<(&mut [Chunk], Option<&mut [u8]>)> {
        let with_ids = !can_repeat || self.used;
        self.used = true;
        grow(&mut self.chunks, plan.chunks, Chunk::new)?;
        let chunks = &mut self.chunks[..plan.chunks];
        for chunk in &mut *chunks {
            chunk.grow(plan)?;
        }
        if with_ids && self.ids.len() < plan.n {
            self.ids = Vec::new();
            self.ids = large_pages::zeroed_vec(plan.n).map_err(|error| out_of_memory::<u8>(plan.n, error))?;
        }
        Ok((chunks, with_ids.then(|| &mut self.ids[..plan.n])))
    }
}
