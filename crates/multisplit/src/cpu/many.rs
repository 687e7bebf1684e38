//! More than 256 buckets: at once ([`super::scatter`]), or where their counters would be too many, a pass for each
//! digit of the bucket id, the lowest first.
//!
//! Every pass is a stable split, so that together they are one. Rows go back and forth between the outputs and spare
//! columns, such that the last pass ends in the outputs. The boundaries come from a histogram of the whole ids.

use super::function::{Function, Keys, Of};
use super::scatter;
use super::scatter::Deal;
use super::split::split;
use super::table::Column;
use super::{Scratch, histogram};
use crate::device::Device;
use crate::error::Result;
use crate::memory::allocate;
use crate::request::digits::Digits;
use crate::request::policy::ONE_PASS;
use bytemuck::cast_slice_mut;

/// Keys that the histogram counts before it adds up.
const BLOCK: usize = 1 << 31;

/// [`split`] for any number of buckets. The first of the columns is the keys' own.
pub(crate) fn split_any(
    device: &Device,
    keys: Keys<'_>,
    columns: &mut [Column<'_>],
    m: u32,
    f: &dyn Function,
    offsets: &mut [usize],
    scratch: &mut Scratch,
) -> Result<u64> {
    if m <= ONE_PASS {
        return split(keys, columns, m, f, offsets, scratch);
    }
    let n = keys.len();
    if let Some(deal) = Deal::new(n, m, rayon::current_num_threads()) {
        return scatter::split(device, deal, keys, columns, f, offsets, scratch);
    }
    let digits = Digits::of(m);
    // Before anything is written.
    let counts = histogram(device, keys, m, f, BLOCK)?;
    let bytes = columns.iter().map(|column| n.saturating_mul(column.width()));
    let mut spare = scratch.take_spare(device, bytes)?;
    let mut boundaries = allocate::filled(digits.values() as usize + 1, || 0)?;
    for pass in 0..digits.passes {
        let route = Route { first: pass == 0, to_output: (digits.passes - 1 - pass).is_multiple_of(2) };
        let moves = columns.iter_mut().zip(&mut spare).map(|(column, spare)| route.column(column, spare, n));
        let mut moves: Vec<Column<'_>> = allocate::collect(moves)?;
        let keys = if route.first { keys } else { moves.first().map_or(keys, |column| keys.like(column.input())) };
        let digit = Of { f, of_id: |id: u32| (id.min(digits.last()) >> digits.shift(pass)) & digits.mask() };
        split(keys, &mut moves, digits.values(), &digit, &mut boundaries, scratch)?;
    }
    scratch.give_back(spare);

    Ok(offsets_of(&counts, offsets, n))
}

/// The boundaries of buckets that hold so many of `n` keys. Returns the last count, that of keys whose ids are out
/// of range, which stand in the last bucket.
pub(crate) fn offsets_of(counts: &[u64], offsets: &mut [usize], n: usize) -> u64 {
    let (out_of_range, counts) = counts.split_last().unwrap_or((&0, &[]));
    let mut sum = 0;
    for (offset, count) in offsets.iter_mut().zip(counts) {
        *offset = sum;
        sum += *count as usize;
    }
    if let Some(end) = offsets.get_mut(counts.len()) {
        *end = n;
    }
    *out_of_range
}

/// Where the rows of a pass come from and go to.
#[derive(Clone, Copy)]
struct Route {
    /// Whether they come from the input.
    first: bool,
    /// Whether they go to the output; else to the spare columns.
    to_output: bool,
}

impl Route {
    /// The column as this pass moves it.
    fn column<'s>(self, column: &'s mut Column<'_>, spare: &'s mut [u64], n: usize) -> Column<'s> {
        macro_rules! route {
            ($W:ident, $from:expr, $to:expr) => {{
                let (from, to) = self.ends($from, $to, &mut cast_slice_mut(spare)[..n]);
                Column::$W { from, to }
            }};
        }
        match column {
            Column::W1 { from, to } => route!(W1, from, to),
            Column::W2 { from, to } => route!(W2, from, to),
            Column::W4 { from, to } => route!(W4, from, to),
            Column::W8 { from, to } => route!(W8, from, to),
            Column::Index { first, to } => match self {
                Route { first: true, to_output: true } => Column::Index { first: *first, to },
                Route { first: true, .. } => Column::Index { first: *first, to: &mut cast_slice_mut(spare)[..n] },
                // Made by the first pass, a column like others to the next.
                _ => route!(W4, &[], cast_slice_mut(to)),
            },
        }
    }

    fn ends<'s, W>(self, from: &'s [W], to: &'s mut [W], spare: &'s mut [W]) -> (&'s [W], &'s mut [W]) {
        match (self.first, self.to_output) {
            (true, true) => (from, to),
            (true, false) => (from, spare),
            (false, true) => (spare, to),
            (false, false) => (to, spare),
        }
    }
}
