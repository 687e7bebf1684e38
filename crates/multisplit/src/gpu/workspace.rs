//! Device memory that calls need besides their inputs and outputs: one allocation, cut up anew by each call.

use super::published::{Published, published_words};
use super::segments::tile_table::STATUS;
use crate::error::{Error, Result};
use crate::memory::result::result_words;
use crate::request::policy::ONE_PASS;
use crate::runtime::{Gpu, Memory, Slice};
use bytemuck::Pod;
use cubecl::prelude::Runtime;
use std::sync::Arc;
use std::sync::atomic::AtomicU32;

/// The memory of a workspace. Its first bytes are where kernels of segmented splits report to, then come the words that
/// splits in one launch publish; the rest is cut up by each call as it needs.
pub(crate) struct Arena {
    memory: Option<Memory>,
    bytes: usize,
    /// Whether the words that segmented splits report to are 0, as they leave them.
    clean: bool,
    /// The launches that have published there.
    launches: Option<Arc<AtomicU32>>,
}

impl Arena {
    /// With no memory at all.
    pub const EMPTY: Self = Self { memory: None, bytes: 0, clean: false, launches: None };

    pub fn new(gpu: &Gpu<impl Runtime>, bytes: usize) -> Result<Self> {
        let mut arena = Self::EMPTY;
        arena.reserve(gpu, bytes)?;
        Ok(arena)
    }

    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Has it hold at least so many bytes. What was in it is lost if it grows; if it cannot, it stays as it is.
    pub fn reserve(&mut self, gpu: &Gpu<impl Runtime>, bytes: usize) -> Result<()> {
        if bytes > self.bytes {
            let memory = gpu.allocate(bytes)?;
            *self = Self { bytes: memory.len(), memory: Some(memory), clean: false, launches: Some(Arc::default()) };
        }
        Ok(())
    }

    /// Refuses a call that needs more.
    pub fn check(&self, needed: usize) -> Result<()> {
        if needed <= self.bytes { Ok(()) } else { Err(Error::WorkspaceTooSmall { got: self.bytes, needed }) }
    }

    /// All of it, for a call on this GPU's stream that needs so many bytes.
    pub fn cut(&self, gpu: &Gpu<impl Runtime>, needed: usize) -> Result<Cutter> {
        self.check(needed)?;
        let too_small = || Error::WorkspaceTooSmall { got: self.bytes, needed };
        let all = gpu.writes::<u8>(self.memory.as_ref().ok_or_else(too_small)?)?;
        let words = all.part(status_bytes(gpu), published_words(&gpu.facts))?;
        let published = Published::new(words, self.launches.clone().ok_or_else(too_small)?);
        Ok(Cutter { all, at: header(gpu), align: gpu.part_alignment(), published })
    }

    /// Where kernels of segmented splits report to: words that are 0.
    pub fn status(&mut self, gpu: &Gpu<impl Runtime>, cutter: &Cutter) -> Result<Slice<u32>> {
        let status = cutter.all.cast::<u32>()?.first(STATUS)?;
        if !self.clean {
            gpu.fill(&status, 0)?;
            self.clean = true;
        }
        Ok(status)
    }

    /// Says that a segmented split failed half-way, so that the words may be anything.
    pub fn soil(&mut self) {
        self.clean = false;
    }
}

/// Bytes that no call is given to cut up.
fn header(gpu: &Gpu<impl Runtime>) -> usize {
    status_bytes(gpu) + part_bytes(gpu, 4 * published_words(&gpu.facts))
}

/// Bytes of the part that segmented splits report to.
fn status_bytes(gpu: &Gpu<impl Runtime>) -> usize {
    gpu.part_alignment()
}

/// Cuts memory into parts, one after the other.
pub(crate) struct Cutter {
    all: Slice,
    /// Where the next part begins.
    at: usize,
    align: usize,
    published: Published,
}

impl Cutter {
    /// The next `len` elements.
    pub fn take<T: Pod>(&mut self, len: usize) -> Result<Slice<T>> {
        let part = self.all.part(self.at, len)?;
        self.at += (len * size_of::<T>()).next_multiple_of(self.align);
        Ok(part)
    }
}

/// How much a call needs, but for one pass that leaves several: in 4-byte words.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Needs {
    /// Counters, a row per bucket.
    pub h: usize,
    /// Sums of the rows, and the numbers that cubes draw.
    pub totals: usize,
    /// Bucket ids, where they are kept.
    pub ids: usize,
    /// Sums of parts of counts or offsets.
    pub parts: usize,
    /// The table of tiles, where segments are dealt out on the device.
    pub tiles: usize,
    pub passes: Passes,
}

/// What more than one pass needs besides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Passes {
    /// Passes that leave a result.
    pub results: usize,
    /// Rows that wait between passes; none if there is no pass between.
    pub rows: usize,
    /// Bytes of a key.
    pub key: usize,
    /// Columns of 4 bytes, the permutation among them, and of 8.
    pub narrow: usize,
    pub wide: usize,
}

/// Words of what a pass leaves.
const PASS_RESULT: usize = result_words(ONE_PASS);

impl Needs {
    /// What is enough for both.
    pub fn max(self, other: Self) -> Self {
        let (a, b) = (self.passes, other.passes);
        Self {
            h: self.h.max(other.h),
            totals: self.totals.max(other.totals),
            ids: self.ids.max(other.ids),
            parts: self.parts.max(other.parts),
            tiles: self.tiles.max(other.tiles),
            passes: Passes {
                results: a.results.max(b.results),
                rows: a.rows.max(b.rows),
                key: a.key.max(b.key),
                narrow: a.narrow.max(b.narrow),
                wide: a.wide.max(b.wide),
            },
        }
    }

    /// The bytes of a workspace that is enough.
    pub fn bytes(&self, gpu: &Gpu<impl Runtime>) -> usize {
        header(gpu).saturating_add(self.part_bytes(gpu))
    }

    /// The bytes of all parts.
    pub fn part_bytes(&self, gpu: &Gpu<impl Runtime>) -> usize {
        let Passes { results, rows, key, narrow, wide } = self.passes;
        let part = |bytes: usize| part_bytes(gpu, bytes);
        let words = |words: usize| part(words.saturating_mul(4));
        let row = |count: usize, bytes: usize| count.saturating_mul(part(rows.saturating_mul(bytes)));
        let fixed = [self.h, self.totals, self.ids, self.parts, self.tiles].map(words);
        let several = [results.saturating_mul(words(PASS_RESULT)), row(1, key), row(narrow, 4), row(wide, 8)];
        fixed.into_iter().chain(several).fold(0, usize::saturating_add)
    }
}

/// The bytes that a part takes.
pub(crate) fn part_bytes(gpu: &Gpu<impl Runtime>, bytes: usize) -> usize {
    bytes.checked_next_multiple_of(gpu.part_alignment()).unwrap_or(usize::MAX)
}

/// Scratch memory of one call: its part of a workspace.
pub(crate) struct Scratch {
    pub published: Published,
    pub h: Slice<u32>,
    pub totals: Slice<u32>,
    pub ids: Slice<u32>,
    pub parts: Slice<u32>,
    pub tiles: Slice<u32>,
    /// What each pass leaves: its own offsets, and whether it ran as it should.
    pub results: Vec<Slice<u32>>,
    /// Where rows wait between passes.
    pub keys: Slice,
    narrow: Vec<Slice>,
    wide: Vec<Slice>,
}

impl Scratch {
    /// Cuts out what is needed.
    pub fn cut(cutter: &mut Cutter, needs: &Needs) -> Result<Self> {
        let Passes { results, rows, key, narrow, wide } = needs.passes;
        Ok(Self {
            published: cutter.published.clone(),
            h: cutter.take(needs.h)?,
            totals: cutter.take(needs.totals)?,
            ids: cutter.take(needs.ids)?,
            parts: cutter.take(needs.parts)?,
            tiles: cutter.take(needs.tiles)?,
            results: (0..results).map(|_| cutter.take(PASS_RESULT)).collect::<Result<_>>()?,
            keys: cutter.take(rows * key)?,
            narrow: (0..narrow).map(|_| cutter.take(rows * 4)).collect::<Result<_>>()?,
            wide: (0..wide).map(|_| cutter.take(rows * 8)).collect::<Result<_>>()?,
        })
    }

    /// Places for columns between passes: those of 4 bytes, and those of 8.
    pub fn columns(&self) -> (impl Iterator<Item = &Slice>, impl Iterator<Item = &Slice>) {
        (self.narrow.iter(), self.wide.iter())
    }
}
