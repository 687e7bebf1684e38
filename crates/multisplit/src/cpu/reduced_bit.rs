//! Reduced-bit sort (the paper's section 3.4): bucket ids, a sort by the few bits they have, and what came along.

use crate::bucket::Buckets;
use crate::cpu;
use crate::cpu::Scratch;
use crate::cpu::sort::{Carried, DoubleSlice, Input, Rows, Source, sort_from};
use crate::error::Result;
use crate::memory::column::MovedColumn;
use crate::memory::offsets::Offsets;
use crate::memory::slice::BufferSlice;
use crate::memory::slice_mut::BufferSliceMut;
use crate::memory::value::Width;
use crate::request::carry::Carry;
use crate::request::order::Order;
use crate::request::policy::ONE_PASS;
use bytemuck::{Pod, cast_slice, cast_slice_mut};
use rayon::prelude::*;

/// Keys that the histogram counts before it adds up.
const BLOCK: usize = 1 << 31;
/// Elements per thread and step, at least.
const FEW: usize = 1 << 12;

/// Bytes of the rows of ids, twice and once more where they wait, and of what they carry.
fn rows(n: usize, carry: Carry) -> [usize; 6] {
    let of = |bytes: usize| n.saturating_mul(bytes);
    let [carried, carried_out, carried_room] = match carry {
        Carry::Key(Width::Narrow) => [0, 0, 4],
        Carry::Key(Width::Wide) => [0, 0, 8],
        Carry::Packed => [8, 8, 8],
        Carry::Index => [0, 4, 4],
    };
    [of(4), of(4), of(4), of(carried), of(carried_out), of(carried_room)]
}

/// The bytes that a split on the CPU needs.
pub(crate) fn cpu_bytes(n: usize, carry: Carry) -> usize {
    let sort = Scratch::bytes_for(n, ONE_PASS, 1, rayon::current_num_threads());
    rows(n, carry).into_iter().fold(sort, usize::saturating_add)
}

/// Splits in host memory. All buffers have been checked.
pub(crate) fn run_on_cpu<F: Buckets>(
    f: &F,
    m: u32,
    carry: Carry,
    keys: BufferSlice<'_, F::Key>,
    keys_out: &mut BufferSliceMut<'_, F::Key>,
    columns: &mut [MovedColumn<'_>],
    offsets: &mut Offsets,
    scratch: &mut Scratch,
) -> Result<()> {
    let (device, n) = (keys.device().clone(), keys.len());
    let keys = keys.as_slice().unwrap_or_default();
    let keys_out = &mut keys_out.as_mut_slice().unwrap_or_default()[..n];
    let bytes = rows(n, carry);
    let mut spare = scratch.take_spare(&device, bytes.iter().copied())?;
    let mut parts = spare.iter_mut().zip(bytes).map(|(memory, bytes)| &mut cast_slice_mut::<u64, u8>(memory)[..bytes]);
    let mut part = || parts.next().unwrap_or_default();
    let (ids, sorted, room, carried, carried_out, carried_room) = (part(), part(), part(), part(), part(), part());
    let ids: &mut [u32] = cast_slice_mut(ids);
    cpu::fill_ids(&f.loops(), cpu::Keys::of(keys), m - 1, ids);
    let mut sort_with = |width: Width, source: Source<'_>, to: &mut [u8], room_of: &mut [u8]| {
        let from = Input { keys: &*ids, values: vec![source] };
        let sides = DoubleSlice { data: cast_slice_mut(sorted), room: cast_slice_mut(room) };
        let rows = Rows { keys: sides, values: vec![Carried::new(width, to, room_of)] };
        sort_from(Order::of_ids(m), &from, rows, scratch)
    };
    let done = match (carry, &mut *columns) {
        (Carry::Key(width), _) => {
            sort_with(width, Source::Bytes(cast_slice(keys)), cast_slice_mut(keys_out), carried_room)
        }
        (Carry::Packed, [MovedColumn::Values { from, to, .. }]) => {
            pack(cast_slice(keys), cast_slice(from.host), cast_slice_mut(carried));
            let sorted = sort_with(Width::Wide, Source::Bytes(carried), carried_out, carried_room);
            let values: &mut [[u8; 4]] = cast_slice_mut(&mut to.host[..4 * n]);
            unpack(cast_slice(carried_out), cast_slice_mut(keys_out), values);
            sorted
        }
        (_, columns) => {
            let sorted = sort_with(Width::Narrow, Source::Index, carried_out, carried_room);
            let index: &[u32] = cast_slice(carried_out);
            gather(keys, index, keys_out);
            columns.iter_mut().for_each(|column| gather_column(index, column));
            sorted
        }
    };
    scratch.give_back(spare);
    done?;
    // The offsets come from the keys, which also tell how many ids are out of range: sorted ids no longer do.
    offsets.write_on_cpu(n, m, 1, |device, offsets| {
        let counts = cpu::histogram(device, cpu::Keys::of(keys), m, &f.loops(), BLOCK)?;
        Ok(cpu::offsets_of(&counts, offsets, n))
    })
}

/// Puts keys and values of 4 bytes side by side.
fn pack(keys: &[u32], values: &[[u8; 4]], packed: &mut [[u32; 2]]) {
    let each = packed.par_iter_mut().zip(keys).zip(values).with_min_len(FEW);
    each.for_each(|((to, &key), value)| *to = [key, u32::from_ne_bytes(*value)]);
}

/// Takes pairs apart.
fn unpack(packed: &[[u32; 2]], keys: &mut [u32], values: &mut [[u8; 4]]) {
    let each = keys.par_iter_mut().zip(values).zip(packed).with_min_len(FEW);
    each.for_each(|((key, value), pair)| (*key, *value) = (pair[0], pair[1].to_ne_bytes()));
}

/// Brings a value column into the order of an index; the permutation is the index.
fn gather_column(index: &[u32], column: &mut MovedColumn<'_>) {
    match column {
        MovedColumn::Values { width: Width::Narrow, from, to } => {
            gather::<[u8; 4]>(cast_slice(from.host), index, cast_slice_mut(to.host));
        }
        MovedColumn::Values { width: Width::Wide, from, to } => {
            gather::<[u8; 8]>(cast_slice(from.host), index, cast_slice_mut(to.host));
        }
        MovedColumn::Permutation { to } => {
            to.as_mut_slice().unwrap_or_default()[..index.len()].copy_from_slice(index);
        }
    }
}

fn gather<T: Pod + Send + Sync>(from: &[T], index: &[u32], to: &mut [T]) {
    to.par_iter_mut().zip(index).with_min_len(FEW).for_each(|(to, &i)| *to = from[i as usize]);
}
