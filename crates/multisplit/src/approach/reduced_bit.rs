//! Reduced-bit sort (the paper's section 3.4): labels, a sort by the few bits they have, and what came along.

use super::carry::{Carry, width_of};
use super::maps::{self, Pair};
use crate::bucket::Buckets;
use crate::buffer::Buffer;
use crate::column::{Column, ColumnKind};
use crate::cpu;
use crate::device::{Device, dispatch};
use crate::digits::Digits;
use crate::error::{Error, Result};
#[cfg(feature = "gpu")]
use crate::gpu;
use crate::offsets::{Offsets, OffsetsMemory};
use crate::sort::{Sort, SortWorkspace};
use crate::value::Width;

/// Keys that the histogram counts before it adds up.
const BLOCK: usize = 1 << 31;

/// The sort of labels below m. Their digits are all of one width, so that what its splits leave looks the same; bits that
/// this adds to ⌈log2 m⌉ are 0 in all labels.
fn sort_of(m: u32) -> Sort {
    let digits = Digits::of(m);
    let width = digits.values().ilog2();
    let sort = Sort::new().bits(0..width * digits.passes);
    if digits.passes > 1 { sort.digit_bits(width) } else { sort }
}

/// What there is room for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    n: usize,
    m: u32,
    /// Bytes of a key.
    key: usize,
    packs: bool,
    indexes: bool,
}

impl Shape {
    /// For keys of `key` bytes with up to `narrow` columns of 4 bytes and `wide` of 8.
    pub fn new(n: usize, m: u32, key: usize, (narrow, wide): (usize, usize), by_index: bool) -> Self {
        let packs = !by_index && narrow > 0 && width_of(key) == Some(Width::Narrow);
        let indexes = by_index || narrow + wide > 0 || width_of(key).is_none();
        Self { n, m, key, packs, indexes }
    }

    fn of_call(n: usize, m: u32, key: usize, carry: Carry) -> Self {
        Self { n, m, key, packs: carry == Carry::Packed, indexes: carry == Carry::Index }
    }

    fn holds(&self, other: &Self) -> bool {
        let more = |a: bool, b: bool| a || !b;
        self.n >= other.n && self.m >= other.m && more(self.packs, other.packs) && more(self.indexes, other.indexes)
    }

    /// Bytes of what is not the sort's.
    fn bytes(&self) -> usize {
        let element = 8 + if self.packs { 16 } else { 0 } + if self.indexes { 4 } else { 0 };
        self.n.saturating_mul(element)
    }
}

/// The memory of a reduced-bit sort.
pub(super) struct Room {
    has: Shape,
    labels: Buffer<u32>,
    sorted: Buffer<u32>,
    packed: Buffer<Pair>,
    packed_out: Buffer<Pair>,
    index: Buffer<u32>,
    sort: SortWorkspace<u32>,
    /// What looking for the offsets needs.
    #[cfg(feature = "gpu")]
    least: Buffer<u32>,
}

impl Room {
    pub fn new(device: &Device, has: Shape) -> Result<Self> {
        let Shape { n, m, key, packs, indexes } = has;
        let only_if = |needed: bool| if needed { n } else { 0 };
        let wide = packs || width_of(key) == Some(Width::Wide);
        let narrow = indexes || width_of(key) == Some(Width::Narrow);
        Ok(Self {
            has,
            labels: device.alloc(n)?,
            sorted: device.alloc(n)?,
            packed: device.alloc(only_if(packs))?,
            packed_out: device.alloc(only_if(packs))?,
            index: device.alloc(only_if(indexes))?,
            sort: sort_of(m).workspace(device, n, usize::from(narrow), usize::from(wide))?,
            #[cfg(feature = "gpu")]
            least: device.alloc(gpu::label::room(m))?,
        })
    }

    pub fn bytes(&self) -> usize {
        self.has.bytes() + self.sort.bytes()
    }

    fn check(&self, needs: Shape) -> Result<()> {
        if self.has.holds(&needs) {
            return Ok(());
        }
        Err(Error::WorkspaceTooSmall { got: self.has.bytes(), needed: needs.bytes() })
    }

    /// The offsets come from the ordered keys, which also tell how many ids are out of range: labels no longer do.
    fn make_offsets<F: Buckets>(&self, f: &F, n: usize, keys: &Buffer<F::Key>, out: &mut Offsets) -> Result<()> {
        let m = f.buckets();
        dispatch!(keys.device(),
        gpu => {
            let mut passes = self.sort.reports();
            passes.truncate(Digits::of(m).passes as usize);
            if let (OffsetsMemory::Gpu(result), Some(keys), Some(least)) =
                (&mut out.memory, keys.handle(), self.least.handle())
            {
                gpu::label::offsets(gpu, f, n, keys, &passes, least, result)?;
            }
        },
        cpu => {
            let counts = cpu::histogram(keys.device(), &keys.as_slice().unwrap_or_default()[..n], m, |key| f.bucket(key), BLOCK)?;
            #[allow(irrefutable_let_patterns)] // without GPUs there is no other kind
            if let OffsetsMemory::Host { offsets, astray } = &mut out.memory {
                offsets.resize(m as usize + 1, 0);
                *astray = cpu::offsets_of(&counts, offsets, n);
            }
        });
        out.holds(m, 1);
        Ok(())
    }
}

/// The bytes that a split needs, besides those of its sort.
pub(super) fn needed<F: Buckets>(f: &F, by_index: bool, n: usize, columns: &[Column<'_>]) -> usize {
    let key = size_of::<F::Key>();
    Shape::of_call(n, f.buckets(), key, Carry::of(key, columns, by_index)).bytes()
}

/// Splits. All buffers have been checked but the room.
pub(super) fn run<F: Buckets>(
    f: &F,
    by_index: bool,
    keys: &Buffer<F::Key>,
    keys_out: &mut Buffer<F::Key>,
    columns: &mut [Column<'_>],
    offsets: &mut Offsets,
    room: &mut Room,
) -> Result<()> {
    let (n, m, key) = (keys.len(), f.buckets(), size_of::<F::Key>());
    let carry = Carry::of(key, columns, by_index);
    room.check(Shape::of_call(n, m, key, carry))?;
    let Room { labels, sorted, packed, packed_out, index, sort: workspace, .. } = &mut *room;
    let sort = sort_of(m);
    labels.fit(n);
    sorted.fit(n);
    match (carry, &mut *columns) {
        (Carry::Key(width), _) => {
            maps::label(f, keys, labels, None)?;
            let column = Column(ColumnKind::Values { width, from: keys, to: keys_out });
            sort.enqueue(labels, sorted, &mut [column], workspace)?;
        }
        (Carry::Packed, [Column(ColumnKind::Values { from, to, .. })]) => {
            packed.fit(n);
            packed_out.fit(n);
            maps::label(f, keys, labels, Some((*from, packed)))?;
            sort.enqueue(labels, sorted, &mut [Column::new(packed, packed_out)], workspace)?;
            maps::unpack(packed_out, keys_out, &mut **to)?;
        }
        (_, columns) => {
            maps::label(f, keys, labels, None)?;
            // Where the permutation is asked for, it is the index that everything is gathered by.
            let asked = columns.iter().position(|column| matches!(column.0, ColumnKind::Permutation { .. }));
            let (before, at, after) = around(columns, asked);
            let index: &mut Buffer<u32> = match at {
                Some(Column(ColumnKind::Permutation { to })) => to,
                _ => index,
            };
            sort.enqueue(labels, sorted, &mut [Column::permutation(index)], workspace)?;
            maps::gather_keys(keys, index, keys_out)?;
            before.iter_mut().chain(after).try_for_each(|column| maps::gather_column(n, index, column))?;
        }
    }
    room.make_offsets(f, n, keys_out, offsets)
}

/// The columns before the one at `at`, that one, and those after it.
fn around<'s, 'c>(
    columns: &'s mut [Column<'c>],
    at: Option<usize>,
) -> (&'s mut [Column<'c>], Option<&'s mut Column<'c>>, &'s mut [Column<'c>]) {
    let (before, rest) = columns.split_at_mut(at.unwrap_or(0));
    match (at, rest) {
        (Some(_), [column, after @ ..]) => (before, Some(column), after),
        (_, rest) => (before, None, rest),
    }
}
