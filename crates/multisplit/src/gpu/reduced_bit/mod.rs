//! Reduced-bit sort on a GPU: bucket ids, a sort by the few bits they have, and what came along.

pub(crate) mod kernels;

use super::double_buffer::DoubleTable;
use super::function::Function;
use super::gather::Gather;
use super::offsets::{Ordered, parts};
use super::sort;
use super::sort::SortBy;
use super::table::{GpuColumn, Table};
use super::workspace::{Arena, Needs, Scratch, part_bytes};
use crate::bucket::Upload;
use crate::bucket::key::Key;
use crate::error::Result;
use crate::gpu::key::KeyWidth;
use crate::memory::result::result_words;
use crate::memory::value::Width;
use crate::request::carry::Carry;
use crate::request::digits::Digits;
use crate::request::order::Order;
use crate::runtime::{FirstRun, Gpu, Slice, Span, UNWRITTEN, launch, sequence, tile_cubes, variant};
use cubecl::prelude::*;
use kernels::{TILE, UNITS};
use std::any::TypeId;

/// Keys that a kernel is given to prove that it runs.
const REHEARSED: usize = 1 << 12;

/// The bytes of a workspace for a split of n keys into m buckets.
pub(crate) fn bytes(gpu: &Gpu<impl Runtime>, n: usize, m: u32, carry: Carry) -> Result<usize> {
    let rows = |count: usize, bytes: usize| count.saturating_mul(part_bytes(gpu, n.saturating_mul(bytes)));
    let extra = match carry {
        Carry::Key(_) => 0,
        Carry::Packed => rows(2, 8),
        Carry::Index => rows(1, 4),
    };
    Ok(sort_needs(gpu, n, m, carry)?.bytes(gpu).saturating_add(rows(2, 4)).saturating_add(extra))
}

/// What the sort of ids needs, and the search for the offsets.
fn sort_needs(gpu: &Gpu<impl Runtime>, n: usize, m: u32, carry: Carry) -> Result<Needs> {
    let columns = match carry {
        Carry::Key(Width::Narrow) | Carry::Index => (1, 0),
        Carry::Key(Width::Wide) | Carry::Packed => (0, 1),
    };
    let needs = sort::most_needs(gpu, &SortBy::new(&Order::of_ids(m).functions::<u32>()?, &[]), n, n, columns)?;
    Ok(Needs { parts: needs.parts.max(parts(m) as usize), ..needs })
}

/// Splits n keys into m buckets. `result` has the words of a result.
pub(crate) fn enqueue<R: Runtime, K: Key>(
    gpu: &Gpu<R>,
    f: &dyn Function<R, K>,
    m: u32,
    carry: Carry,
    n: usize,
    table: &Table,
    result: &Slice<u32>,
    arena: &Arena,
) -> Result<()> {
    let mut cutter = arena.cut(gpu, bytes(gpu, n, m, carry)?)?;
    let result = &result.first(result_words(m))?;
    if n == 0 {
        return gpu.fill(result, 0);
    }
    let digits = Order::of_ids(m).functions::<u32>()?;
    let by = SortBy::new(&digits, &[]);
    let scratch = Scratch::cut(&mut cutter, &sort_needs(gpu, n, m, carry)?)?;
    let (ids, sorted) = (cutter.take::<u32>(n)?, cutter.take::<u32>(n)?);
    let keys = table.keys.cast::<K>()?;
    let sort_with = |columns: Vec<GpuColumn>, permutation: Option<Slice>| {
        let table = Table::new(ids.bytes(), sorted.bytes(), columns, permutation);
        sort::sort_by_splits(gpu, &by, n, &DoubleTable::new(&table, &scratch), &scratch)
    };
    match (carry, &table.columns[..]) {
        (Carry::Key(width), _) => {
            BucketIds { n, m, keys, ids: ids.clone(), pairs: None }.launch(gpu, f)?;
            sort_with(vec![GpuColumn { width, from: table.keys.clone(), to: table.keys_out.clone() }], None)?;
        }
        (Carry::Packed, [column]) => {
            let (packed, packed_out) = (cutter.take::<u64>(n)?, cutter.take::<u64>(n)?);
            let pairs = Some((column.from.cast()?, packed.clone()));
            BucketIds { n, m, keys, ids: ids.clone(), pairs }.launch(gpu, f)?;
            sort_with(vec![GpuColumn { width: Width::Wide, from: packed.bytes(), to: packed_out.bytes() }], None)?;
            unpack(gpu, n, &packed_out, &table.keys_out.cast()?, &column.to.cast()?)?;
        }
        (_, columns) => {
            BucketIds { n, m, keys: keys.clone(), ids: ids.clone(), pairs: None }.launch(gpu, f)?;
            // Where the permutation is asked for, it is the index that everything is gathered by.
            let index = match &table.permutation {
                Some(permutation) => permutation.clone(),
                None => cutter.take::<u32>(n)?.bytes(),
            };
            sort_with(Vec::new(), Some(index.clone()))?;
            let index = index.cast::<u32>()?;
            gather_keys(gpu, n, &keys, &index, &table.keys_out.cast()?)?;
            columns.iter().try_for_each(|column| gather_column(gpu, n as u32, &index, column))?;
        }
    }
    // The offsets come from the ordered keys, which also tell how many ids are out of range: sorted ids no longer do.
    let (passes, digits) = (&scratch.results[..by.splits()], Digits::of(m).values());
    Ordered { n: n as u32, m, digits, passes, least: &scratch.parts }.offsets(gpu, f, &table.keys_out, result)
}

fn gather_column(gpu: &Gpu<impl Runtime>, rows: u32, index: &Slice<u32>, column: &GpuColumn) -> Result<()> {
    let bytes = if column.width == Width::Wide { 8 } else { 4 };
    let [from, to] = [&column.from, &column.to].map(|slice| Span::new(slice.clone(), 0, rows as usize * bytes));
    Gather { from, from_rows: rows, permutation: index.clone(), to, rows, bytes }.launch(gpu)
}

/// Computes the bucket ids of n keys, and packs pairs where there are any.
struct BucketIds<K> {
    n: usize,
    m: u32,
    keys: Slice<K>,
    ids: Slice<u32>,
    /// Values of 4 bytes, and where they go with their keys.
    pairs: Option<(Slice<u32>, Slice<u64>)>,
}

impl<K: Key> BucketIds<K> {
    /// Submits it. The first time that a function is used here, it runs on a few keys before, and the ids are checked.
    fn launch<R: Runtime>(&self, gpu: &Gpu<R>, f: &dyn Function<R, K>) -> Result<()> {
        let variants = &[variant(("bucket ids", f.variant(), self.pairs.is_some()))];
        FirstRun { kernel: "bucket ids", variants }.rehearse(gpu, || {
            let n = self.n.min(REHEARSED);
            let memory = [gpu.upload(&vec![UNWRITTEN; n])?, gpu.allocate(8 * n)?];
            let ids = gpu.writes::<u32>(&memory[0])?.first(n)?;
            let packed = gpu.writes::<u64>(&memory[1])?;
            let pairs = self.pairs.as_ref().map(|(values, _)| (values.clone(), packed));
            BucketIds { n, m: self.m, keys: self.keys.clone(), ids: ids.clone(), pairs }.submit(gpu, f)?;
            Ok(!gpu.read(&ids)?.contains(&UNWRITTEN))
        })?;
        self.submit(gpu, f)
    }

    /// The kernel reads n keys and values and writes n ids and pairs.
    fn submit<R: Runtime>(&self, gpu: &Gpu<R>, f: &dyn Function<R, K>) -> Result<()> {
        let n = self.n;
        let values = self.pairs.as_ref().map(|(values, _)| values.first(n)).transpose()?;
        let packed = self.pairs.as_ref().map(|(_, packed)| packed.first(n)).transpose()?;
        launch!(
            *gpu, kernels::bucket_ids::BucketIds<R>, cubes(gpu, n), CubeDim::new_1d(UNITS);
            width: KeyWidth::of::<K>(),
            keys: self.keys.first(n)?,
            values: sequence(values),
            ids: self.ids.first(n)?,
            packed: sequence(packed),
            f: f.arg(&Upload::new(gpu)),
            n: n as u32,
            last: self.m - 1,
        )
    }
}

/// Takes `n` packed pairs apart.
fn unpack<R: Runtime>(
    gpu: &Gpu<R>,
    n: usize,
    packed: &Slice<u64>,
    keys: &Slice<u32>,
    values: &Slice<u32>,
) -> Result<()> {
    FirstRun { kernel: "unpack", variants: &[variant("unpack")] }.rehearse(gpu, || {
        let memory = [gpu.upload(&[0x1234u32, 0x5678])?, gpu.upload(&[0u32])?, gpu.upload(&[0u32])?];
        let (key, value) = (gpu.writes::<u32>(&memory[1])?.first(1)?, gpu.writes::<u32>(&memory[2])?.first(1)?);
        submit_unpack(gpu, 1, &gpu.writes(&memory[0])?, &key, &value)?;
        Ok(gpu.read(&key)? == [0x1234] && gpu.read(&value)? == [0x5678])
    })?;
    submit_unpack(gpu, n, packed, keys, values)
}

/// The kernel reads n pairs and writes n keys and values of 4 bytes.
fn submit_unpack<R: Runtime>(
    gpu: &Gpu<R>,
    n: usize,
    packed: &Slice<u64>,
    keys: &Slice<u32>,
    values: &Slice<u32>,
) -> Result<()> {
    launch!(
        *gpu, kernels::unpack::Unpack<R>, cubes(gpu, n), CubeDim::new_1d(UNITS);
        packed: packed.first(n)?, keys: keys.first(n)?, values: values.first(n)?, n: n as u32,
    )
}

/// Brings `n` keys into the order of a permutation.
fn gather_keys<R: Runtime, K: Key>(
    gpu: &Gpu<R>,
    n: usize,
    keys: &Slice<K>,
    permutation: &Slice<u32>,
    keys_out: &Slice<K>,
) -> Result<()> {
    let variants = &[variant(("gather keys", TypeId::of::<K>()))];
    FirstRun { kernel: "gather", variants }.rehearse(gpu, || {
        let memory = [gpu.upload(&[0x5au8; 16])?, gpu.upload(&[0u32])?, gpu.upload(&[0u8; 16])?];
        let to = gpu.writes::<K>(&memory[2])?.first(1)?;
        submit_gather(gpu, 1, &gpu.writes(&memory[0])?, &gpu.writes(&memory[1])?, &to)?;
        Ok(!gpu.read(&to.bytes())?.contains(&0))
    })?;
    submit_gather(gpu, n, keys, permutation, keys_out)
}

/// The kernel reads keys below n, and writes n keys.
fn submit_gather<R: Runtime, K: Key>(
    gpu: &Gpu<R>,
    n: usize,
    keys: &Slice<K>,
    permutation: &Slice<u32>,
    keys_out: &Slice<K>,
) -> Result<()> {
    launch!(
        *gpu, kernels::gather_keys::GatherKeys<R>, cubes(gpu, n), CubeDim::new_1d(UNITS);
            width: KeyWidth::of::<K>(),
        keys: keys.first(n)?, permutation: permutation.first(n)?, keys_out: keys_out.first(n)?, n: n as u32,
    )
}

fn cubes(gpu: &Gpu<impl Runtime>, n: usize) -> CubeCount {
    tile_cubes(n as u32, TILE, gpu.client().properties().hardware.max_cube_count.0)
}
