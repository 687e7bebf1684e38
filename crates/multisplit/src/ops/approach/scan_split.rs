//! Scan-based split (the paper's section 3.2): rounds of binary splits.

use crate::bucket::Buckets;
use crate::bucket::key::Key;
use crate::cpu;
use crate::cpu::{Scratch, SidedColumn};
use crate::error::Result;
use crate::memory::column::{MovedColumn, row_bytes};
use crate::memory::offsets::Offsets;
use crate::memory::slice::BufferSlice;
use crate::memory::slice_mut::BufferSliceMut;
use crate::memory::value::Width;
use crate::request::rounds::Rounds;
use bytemuck::cast_slice_mut;

/// Bytes of the spare rows of keys of `key` bytes and of columns.
fn rows(n: usize, key: usize, widths: impl Iterator<Item = usize>) -> Vec<usize> {
    std::iter::once(key).chain(widths).map(|bytes| n.saturating_mul(bytes)).collect()
}

/// The bytes that a split on the CPU needs.
pub(super) fn cpu_bytes<K>(n: usize, (narrow, wide): (usize, usize)) -> usize {
    let splits = Scratch::bytes_for(n, 2, 1, rayon::current_num_threads());
    n.saturating_mul(row_bytes(size_of::<K>(), narrow, wide)).saturating_add(splits)
}

fn element_bytes(column: &MovedColumn<'_>) -> usize {
    match column {
        MovedColumn::Values { width: Width::Wide, .. } => 8,
        _ => 4,
    }
}

/// Splits in host memory. All buffers have been checked.
pub(super) fn run_on_cpu<F: Buckets>(
    f: &F,
    m: u32,
    rounds: Rounds,
    keys: BufferSlice<'_, F::Key>,
    keys_out: &mut BufferSliceMut<'_, F::Key>,
    columns: &mut [MovedColumn<'_>],
    offsets: &mut Offsets,
    scratch: &mut Scratch,
) -> Result<()> {
    let (device, n) = (keys.device().clone(), keys.len());
    let bytes = rows(n, size_of::<F::Key>(), columns.iter().map(element_bytes));
    let mut spare = scratch.take_spare(&device, bytes.iter().copied())?;
    let mut sides =
        spare.iter_mut().zip(&bytes).map(|(memory, &bytes)| &mut cast_slice_mut::<u64, u8>(memory)[..bytes]);
    let keys = keys.as_slice().unwrap_or_default();
    let out = &mut keys_out.as_mut_slice().unwrap_or_default()[..n];
    let mut sided = vec![key_column(keys, out, sides.next().unwrap_or_default())];
    for (column, spare) in columns.iter_mut().zip(sides) {
        let width = element_bytes(column);
        let (from, out) = match column {
            MovedColumn::Values { from, to, .. } => (Some(from.host), &mut *to.host),
            MovedColumn::Permutation { to } => (None, cast_slice_mut(to.as_mut_slice().unwrap_or_default())),
        };
        sided.push(SidedColumn { width, from, out: &mut out[..width * n], spare });
    }
    let done = offsets.write_on_cpu(n, m, 1, |device, offsets| {
        let (keys, f) = (cpu::Keys::of(keys), f.loops());
        cpu::scan_split(device, rounds, keys, &mut sided, m, &f, offsets, scratch)
    });
    scratch.give_back(spare);
    done
}

fn key_column<'a, K: Key>(from: &'a [K], out: &'a mut [K], spare: &'a mut [u8]) -> SidedColumn<'a> {
    SidedColumn::of_keys(from, out, cast_slice_mut(spare))
}
