//! Postscan: moves the rows of a chunk.
//!
//! Block by block, by the ids that the prescan left, or that are computed again: each column in turn takes its rows of
//! a few blocks, through write-combining buffers of its own ([`super::combine`]).

use super::combine::{ChunkColumn, Combiner};
use super::ids;
use crate::cpu::function::{Function, Keys};
use crate::cpu::plan::MAX_BUCKETS;
use crate::cpu::plan::{BLOCK, ChunkPlan};
use crate::cpu::primitives::prefetch;
use crate::cpu::primitives::simd::SimdLoop;
use crate::cpu::primitives::stream;
use crate::cpu::scratch::Chunk;
use crate::cpu::table::{Cell, Shared, Target};
use std::iter::once;
use std::ops::Range;

/// Rows that a column takes before it is the next one's turn, whose buffers will push its own out of the first-level
/// cache: pairs took 1.15 times as long to go to 256 buckets in turns of one block.
const TURN: usize = 8 * BLOCK;

/// Where the ids of a chunk's rows are from.
#[derive(Clone, Copy)]
pub(super) enum Ids<'a> {
    Stored(&'a [u8]),
    /// From the function, once more.
    Computed(&'a dyn Function, Keys<'a>),
}

/// The postscan of one chunk.
pub(super) struct Scatter<'a> {
    ids: Ids<'a>,
    rows: Range<usize>,
    columns: &'a [Shared<'a>],
    plan: &'a ChunkPlan,
    chunk: &'a mut Chunk,
}

/// What a column does.
#[derive(Clone, Copy)]
enum Step<'a> {
    Begin(&'a [usize; MAX_BUCKETS]),
    Block { start: usize, ids: &'a [u8] },
    Finish,
}

impl<'a> Scatter<'a> {
    /// # Safety
    ///
    /// The ids are as many as the rows, and less than `plan.m` if they are stored. All columns have rows for all ranges
    /// `begin[b] .. end[b]` of the chunk, for `b < plan.m`, and while this lives nobody else writes or
    /// reads those rows of the outputs.
    pub(super) unsafe fn new(
        ids: Ids<'a>,
        rows: Range<usize>,
        columns: &'a [Shared<'a>],
        plan: &'a ChunkPlan,
        chunk: &'a mut Chunk,
    ) -> Self {
        Scatter { ids, rows, columns, plan, chunk }
    }

    /// Takes all columns through the steps, one after the other.
    #[inline(always)]
    fn all_columns<'b>(&mut self, steps: impl Iterator<Item = Step<'b>> + Clone) {
        let (plan, end) = (self.plan, &self.chunk.end);
        let lines = self.chunk.lines.chunks_exact_mut(plan.lines_per_column());
        let states = self.chunk.cursors.iter_mut().zip(lines);
        for (column, (cursors, lines)) in self.columns.iter().zip(states) {
            for step in steps.clone() {
                let state = ChunkColumn { plan, end, cursors, lines };
                // SAFETY: as promised to `new`, or to those who call a `Function`, whose ids are below `m`; `run` begins
                // with `Begin`. Each column always gets the same buffers.
                unsafe {
                    match *column {
                        Shared::W1(from, to) => advance(from, to, state, step),
                        Shared::W2(from, to) => advance(from, to, state, step),
                        Shared::W4(from, to) => advance(from, to, state, step),
                        Shared::W8(from, to) => advance(from, to, state, step),
                        Shared::Index(first, to) => advance_index(first, to, state, step),
                    }
                }
            }
        }
    }
}

impl SimdLoop for Scatter<'_> {
    #[inline(always)]
    fn run(mut self) {
        let begin = self.chunk.begin;
        self.all_columns(once(Step::Begin(&begin)));
        // Of a lone column as many ids are computed at a time as stay in the first-level cache with its buffers.
        let alone = matches!(self.ids, Ids::Computed(..)) && self.columns.len() == 1;
        let (most, mut room) = (if alone { BLOCK } else { TURN }, [0; TURN]);
        for start in self.rows.clone().step_by(most) {
            let rows = start - self.rows.start..(start + most).min(self.rows.end) - self.rows.start;
            let ids = match self.ids {
                Ids::Stored(ids) => &ids[rows],
                Ids::Computed(f, keys) => {
                    let ids = &mut room[..rows.len()];
                    f.bytes(self.plan.level, &[keys.range(rows)], (self.plan.m - 1) as u8, ids);
                    ids
                }
            };
            let blocks = (start..).step_by(BLOCK).zip(ids.chunks(BLOCK));
            self.all_columns(blocks.map(|(start, ids)| Step::Block { start, ids }));
        }
        self.all_columns(once(Step::Finish));
        stream::fence();
    }
}

/// One step of one column. `from` is the whole column.
///
/// # Safety
///
/// As for [`Combiner::new`], with all ids less than `m`.
#[inline(always)]
unsafe fn advance<W: Cell>(from: &[W], to: Target<'_, W>, state: ChunkColumn<'_>, step: Step<'_>) {
    let values = match step {
        Step::Block { start, ids, .. } => &from[start..start + ids.len()],
        Step::Begin(_) | Step::Finish => &[],
    };
    // SAFETY: passed on.
    unsafe { advance_by(values, to, state, step) }
}

/// The same for a column of indices from `first` on, which are made up as they are needed.
///
/// # Safety
///
/// As for [`Combiner::new`], with all ids less than `m`.
#[inline(always)]
unsafe fn advance_index(first: u32, to: Target<'_, [u8; 4]>, state: ChunkColumn<'_>, step: Step<'_>) {
    let mut indices = [[0; 4]; BLOCK];
    if let Step::Block { start, .. } = step {
        for (i, index) in indices.iter_mut().enumerate() {
            *index = first.wrapping_add((start + i) as u32).to_ne_bytes();
        }
    }
    // SAFETY: passed on.
    unsafe { advance_by(&indices, to, state, step) }
}

/// One step of one column. `values` are the column's rows of the block.
///
/// # Safety
///
/// As for [`Combiner::new`], with all ids less than `m`.
#[inline(always)]
unsafe fn advance_by<W: Cell>(values: &[W], to: Target<'_, W>, state: ChunkColumn<'_>, step: Step<'_>) {
    #[cfg(target_arch = "x86_64")]
    let pack = super::compress::wanted(state.plan, size_of::<W>());
    #[cfg(not(target_arch = "x86_64"))]
    let pack = false;
    // SAFETY: passed on; `pack` is the same for all steps of a column.
    let mut combiner = unsafe { Combiner::new(to, state, pack) };
    match step {
        Step::Begin(begin) => combiner.begin(begin),
        Step::Finish => combiner.finish(),
        // SAFETY: ids are less than m; `pack` is only wanted where the rest holds as well.
        Step::Block { ids, .. } => unsafe {
            prefetch::fetch(ids, prefetch::DISTANCE);
            match (ids::in_runs(ids), pack) {
                (true, _) => combiner.push_runs(ids, values),
                #[cfg(target_arch = "x86_64")]
                (false, true) => combiner.push_packed(ids, values),
                _ => combiner.push_mixed(ids, values),
            }
        },
    }
}
