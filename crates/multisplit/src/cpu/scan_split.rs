//! Scan-based split: rounds of binary splits, each of which is a [`split`](super::split) into two buckets.
//!
//! Rows go back and forth between the output and a spare side. Unlike a GPU, the host knows after each round where the
//! parts are, so that groups without rows are passed over.

use super::Scratch;
use super::function::{Function, Keys, Of};
use super::many::split_any;
use super::primitives::simd::Level;
use super::table::Column;
use crate::device::Device;
use crate::error::Result;
use crate::memory::allocate;
use crate::request::rounds::Rounds;
use bytemuck::{Pod, cast_slice, cast_slice_mut};
use rayon::prelude::*;
use std::ops::Range;

/// Keys whose ids are looked at by one thread.
const PART: usize = 1 << 16;

/// The keys or a column, as bytes: its input, its output, and a spare side.
pub(crate) struct SidedColumn<'a> {
    /// Bytes of a row.
    pub width: usize,
    /// Nothing for the permutation, which the first round makes up.
    pub from: Option<&'a [u8]>,
    pub out: &'a mut [u8],
    pub spare: &'a mut [u8],
}

impl<'a> SidedColumn<'a> {
    pub fn of_keys<K: Pod>(from: &'a [K], out: &'a mut [K], spare: &'a mut [K]) -> Self {
        let (out, spare) = (cast_slice_mut(out), cast_slice_mut(spare));
        Self { width: size_of::<K>(), from: Some(cast_slice(from)), out, spare }
    }

    /// The rows of a binary split, from one side to another.
    fn column(&mut self, route: Route, rows: Range<usize>) -> Column<'_> {
        let bytes = rows.start * self.width..rows.end * self.width;
        let (out, spare) = (&mut self.out[bytes.clone()], &mut self.spare[bytes.clone()]);
        let (side, to): (&[u8], &mut [u8]) = if route.to_output { (spare, out) } else { (out, spare) };
        let from = match self.from {
            Some(from) if route.first => &from[bytes],
            None if route.first => return Column::Index { first: 0, to: cast_slice_mut(to) },
            _ => side,
        };
        match self.width {
            1 => Column::W1 { from: cast_slice(from), to: cast_slice_mut(to) },
            2 => Column::W2 { from: cast_slice(from), to: cast_slice_mut(to) },
            4 => Column::W4 { from: cast_slice(from), to: cast_slice_mut(to) },
            _ => Column::W8 { from: cast_slice(from), to: cast_slice_mut(to) },
        }
    }

    /// Brings rows that are done from the spare side to the output.
    fn finish(&mut self, rows: Range<usize>) {
        let bytes = rows.start * self.width..rows.end * self.width;
        self.out[bytes.clone()].copy_from_slice(&self.spare[bytes]);
    }
}

/// Where the rows of a round come from and go to.
#[derive(Clone, Copy)]
struct Route {
    /// Whether they come from the input.
    first: bool,
    /// Whether they go to the output; else to the spare side.
    to_output: bool,
}

impl Route {
    fn new(i: u32, count: u32) -> Self {
        Self { first: i == 0, to_output: (count - 1 - i).is_multiple_of(2) }
    }
}

/// Splits. The first column is the keys' own. Returns how many ids are out of range; those keys go to the last bucket.
pub(crate) fn scan_split(
    device: &Device,
    rounds: Rounds,
    keys: Keys<'_>,
    columns: &mut [SidedColumn<'_>],
    m: u32,
    f: &dyn Function,
    offsets: &mut [usize],
    scratch: &mut Scratch,
) -> Result<u64> {
    let n = keys.len();
    offsets.fill(0);
    offsets[m as usize] = n;
    let count = rounds.count(m);
    // Each gives the end of the first half of the rows.
    let mut part =
        |columns: &mut [SidedColumn<'_>], route, rows: Range<usize>, goes_first: &(dyn Fn(u32) -> bool + Sync)| {
            if rows.is_empty() {
                return Ok(rows.start);
            }
            let mut columns = allocate::collect(columns.iter_mut().map(|column| column.column(route, rows.clone())))?;
            let keys = keys.like(columns.first().map_or(&[], |column| column.input()));
            let second = Of { f, of_id: |id: u32| u32::from(!goes_first(id.min(m - 1))) };
            let mut boundaries = [0; 3];
            split_any(device, keys, &mut columns, 2, &second, &mut boundaries, scratch)?;
            Ok(rows.start + boundaries[1])
        };
    match rounds {
        Rounds::Iterated => {
            for b in 0..count {
                let (route, start) = (Route::new(b, count), offsets[b as usize]);
                let end = part(columns, route, start..n, &|id| id == b)?;
                if b + 1 < m {
                    offsets[b as usize + 1] = end;
                }
                if !route.to_output {
                    columns.iter_mut().for_each(|column| column.finish(start..end));
                }
            }
        }
        Rounds::Recursive => {
            for i in 0..count {
                let (route, bit) = (Route::new(i, count), count - 1 - i);
                let half = 1usize << bit;
                for b in (0..m as usize).step_by(2 * half) {
                    let rows = offsets[b]..offsets[(b + 2 * half).min(m as usize)];
                    let middle = part(columns, route, rows, &|id| (id >> bit) & 1 == 0)?;
                    if b + half < m as usize {
                        offsets[b + half] = middle;
                    }
                }
            }
        }
    }
    let level = Level::detect();
    let count = |start: usize| f.out_of_range(level, keys.range(start..n.min(start + PART)), m);
    Ok((0..n.div_ceil(PART)).into_par_iter().map(|part| count(part * PART)).sum())
}
