//! Scan-based split on a GPU: the rounds, and where elements are between them.

pub(crate) mod kernels;

use super::double_buffer::DoubleBuffer;
use super::function::{AnyArg, Function};
use super::primitives::elements::Rows;
use super::reduced_bit::kernels::{TILE, UNITS};
use super::split::launch::{columns_of, rows};
use super::split::payload::COLUMNS_PER_PASS;
use super::table::Table;
use super::tuning::room;
use super::workspace::{Arena, Cutter, Needs, part_bytes};
use crate::bucket::Upload;
use crate::bucket::key::Key;
use crate::error::Result;
use crate::gpu::key::KeyWidth;
use crate::memory::result::result_words;
use crate::memory::value::Width;
use crate::request::rounds::Rounds;
use crate::runtime::{Arg, Fault, FirstRun, Gpu, Slice, UNWRITTEN, launch, tile_cubes, variant};
use cubecl::prelude::*;
use kernels::{Round, RoundLaunch};

/// Flags of a part, at least.
const LEAST_PART: u32 = 1 << 14;
/// Parts, at most: each cube adds up what comes before its own.
const MOST_PARTS: u32 = 1 << 12;
/// Buffers of a scatter besides the columns: keys and two outputs, flags, result; and room for two tables.
const OTHER_BINDINGS: usize = 7;

/// Flags of a part.
fn part_size(n: u32) -> u32 {
    n.div_ceil(MOST_PARTS).next_power_of_two().max(LEAST_PART)
}

/// The words of sums that n flags need.
fn sums(n: usize) -> usize {
    (n as u32).div_ceil(part_size(n as u32)) as usize
}

/// The bytes of a workspace for a split of n keys of `key` bytes with so many columns of 4 and of 8 bytes.
pub(crate) fn bytes(
    gpu: &Gpu<impl Runtime>,
    rounds: Rounds,
    n: usize,
    key: usize,
    (narrow, wide): (usize, usize),
) -> usize {
    let part = |count: usize, bytes: usize| count.saturating_mul(part_bytes(gpu, n.saturating_mul(bytes)));
    let side = part(1, key).saturating_add(part(narrow, 4)).saturating_add(part(wide, 8));
    let flags = part_bytes(gpu, n.saturating_add(1).saturating_mul(4)) + part_bytes(gpu, 4 * sums(n));
    let sides = rounds.sides().saturating_mul(side);
    Needs::default().bytes(gpu).saturating_add(flags).saturating_add(sides)
}

/// The keys or one column of a split in rounds.
struct SidedColumn {
    /// Recursive rounds write to the output and to a spare place in turn.
    double: DoubleBuffer,
    /// Iterated rounds write what is done to the output, and the rest to two spare places in turn: this is the second.
    other: Option<Slice>,
}

impl SidedColumn {
    /// What round `i` of `count` reads; nothing for the permutation, which the first round makes up.
    fn source(&self, rounds: Rounds, i: usize, count: usize) -> Option<&Slice> {
        match rounds {
            Rounds::Recursive => self.double.source(i, count),
            Rounds::Iterated if i == 0 => self.double.from.as_ref(),
            Rounds::Iterated => self.second(rounds, i - 1, count),
        }
    }

    /// Where its first halves go.
    fn first(&self, rounds: Rounds, i: usize, count: usize) -> &Slice {
        if rounds == Rounds::Iterated { &self.double.to } else { self.double.target(i, count) }
    }

    /// Where its second halves go, if not to the same place: what is done stays in the output, the rest moves on.
    fn second(&self, rounds: Rounds, i: usize, count: usize) -> Option<&Slice> {
        let moves_on = rounds == Rounds::Iterated && i + 1 < count;
        let spare = if i.is_multiple_of(2) { Some(&self.double.spare) } else { self.other.as_ref() };
        spare.filter(|_| moves_on)
    }
}

/// All slices of a split.
struct Buffers {
    rounds: Rounds,
    n: usize,
    m: u32,
    keys: SidedColumn,
    columns: Vec<SidedColumn>,
    /// n + 1 words.
    flags: Slice<u32>,
    sums: Slice<u32>,
}

/// Splits n keys into m buckets. `result` has the words of a result.
pub(crate) fn enqueue<R: Runtime, K: Key>(
    gpu: &Gpu<R>,
    f: &dyn Function<R, K>,
    m: u32,
    rounds: Rounds,
    n: usize,
    table: &Table,
    result: &Slice<u32>,
    arena: &Arena,
) -> Result<()> {
    let key = size_of::<K>();
    let wide = table.columns.iter().filter(|column| column.width == Width::Wide).count();
    let narrow = table.columns.len() - wide + usize::from(table.permutation.is_some());
    let mut cutter = arena.cut(gpu, bytes(gpu, rounds, n, key, (narrow, wide)))?;
    let result = &result.first(result_words(m))?;
    if n == 0 {
        return gpu.fill(result, 0);
    }
    Buffers::new(rounds, n, m, key, table, &mut cutter)?.run(gpu, f, result)
}

impl Buffers {
    fn new(rounds: Rounds, n: usize, m: u32, key: usize, table: &Table, cutter: &mut Cutter) -> Result<Self> {
        let (flags, sums) = (cutter.take(n + 1)?, cutter.take(sums(n))?);
        let mut sided = |width: Width, bytes: usize, from: Option<&Slice>, out: &Slice| {
            let mut spare = || cutter.take(n * bytes);
            let double = DoubleBuffer { width, from: from.cloned(), to: out.clone(), spare: spare()? };
            Ok(SidedColumn { double, other: (rounds.sides() == 2).then(spare).transpose()? })
        };
        let keys = sided(Width::Narrow, key, Some(&table.keys), &table.keys_out)?;
        let values = table.columns.iter().map(|column| (column.width, Some(&column.from), &column.to));
        let permutation = table.permutation.as_ref().map(|to| (Width::Narrow, None, to));
        let columns = values.chain(permutation).map(|(width, from, out)| {
            let bytes = if width == Width::Wide { 8 } else { 4 };
            sided(width, bytes, from, out)
        });
        let columns = columns.collect::<Result<_>>()?;
        Ok(Self { rounds, n, m, keys, columns, flags, sums })
    }

    /// The first time, looks whether all kernels did run.
    fn run<R: Runtime, K: Key>(&self, gpu: &Gpu<R>, f: &dyn Function<R, K>, result: &Slice<u32>) -> Result<()> {
        let first_run = FirstRun { kernel: "scan-based split", variants: &[self.variant(gpu, f)] };
        let first_words = |slice: &Slice<u32>| slice.first(1);
        let (flag, sum) = (first_words(&self.flags)?, first_words(&self.sums)?);
        let launches = || {
            if !first_run.is_over(gpu) {
                gpu.fill(&flag, UNWRITTEN)?;
                gpu.fill(&sum, UNWRITTEN)?;
            }
            self.submit(gpu, f, result)
        };
        let mut seen = Ok((0, 0));
        first_run.watch(gpu, result, launches, |words| {
            seen = gpu.read(&flag).and_then(|flag| Ok((flag[0], gpu.read(&sum)?[0])));
            let (flag, sum) = *seen.as_ref().unwrap_or(&(UNWRITTEN, UNWRITTEN));
            self.ran(words, flag, sum)
        })?;
        seen.map(drop)
    }

    fn submit<R: Runtime, K: Key>(&self, gpu: &Gpu<R>, f: &dyn Function<R, K>, result: &Slice<u32>) -> Result<()> {
        let count = self.rounds.count(self.m) as usize;
        let launches = Launches { gpu, f, buffers: self, result };
        launches.open()?;
        (0..count).try_for_each(|i| launches.round(i, count))
    }

    /// Whether all kernels ran, by what they left of words that were unwritten: the result, the first flag and the
    /// first sum.
    fn ran(&self, words: &[u32], flag: u32, sum: u32) -> Result<(), Fault> {
        let m = self.m as usize;
        match () {
            () if words[m + 2] != 0 => Err(Fault::Lost("flag")),
            () if sum == UNWRITTEN => Err(Fault::Lost("sum")),
            // In every round the first of the prefix sums is 0.
            () if flag != 0 => Err(Fault::Lost("scan")),
            () if words[m] as usize != self.n => Err(Fault::Lost("scatter")),
            () if words[0] != 0 || !words[..=m].is_sorted() => Err(Fault::Lost("middles")),
            () => Ok(()),
        }
    }

    /// Columns that one scatter carries.
    fn columns_per_launch(gpu: &Gpu<impl Runtime>) -> usize {
        let room = (gpu.facts.max_bindings as usize).saturating_sub(OTHER_BINDINGS) / 3;
        room.clamp(1, COLUMNS_PER_PASS as usize)
    }

    /// Tells apart the kernels that a split compiles.
    fn variant<R: Runtime, K: Key>(&self, gpu: &Gpu<R>, f: &dyn Function<R, K>) -> u64 {
        let kind = |SidedColumn { double, .. }: &SidedColumn| (double.width == Width::Wide, double.from.is_none());
        let launches = self.columns.chunks(Self::columns_per_launch(gpu));
        let kinds: Vec<Vec<_>> = launches.map(|columns| columns.iter().map(kind).collect()).collect();
        variant(("scan split", f.variant(), self.rounds, self.m > 2, kinds))
    }
}

/// What the launches of one split have in common.
struct Launches<'a, R: Runtime, K: Key> {
    gpu: &'a Gpu<R>,
    f: &'a dyn Function<R, K>,
    buffers: &'a Buffers,
    result: &'a Slice<u32>,
}

impl<R: Runtime, K: Key> Launches<'_, R, K> {
    fn function(&self) -> AnyArg<R> {
        self.f.arg(&Upload::new(self.gpu))
    }

    fn numbers(&self, i: usize, count: usize) -> Arg<Round, R> {
        let (n, m) = (self.buffers.n as u32, self.buffers.m);
        let (opens, closes) = (u32::from(i == 0), u32::from(i + 1 == count));
        match self.buffers.rounds {
            // One bucket against all that are left: a group as large as can be.
            Rounds::Iterated => {
                let bucket = i as u32;
                Arg(RoundLaunch::new(n, m, 0, u32::MAX, bucket, 31, bucket, 1, opens, closes))
            }
            // One bit of the id, the highest first.
            Rounds::Recursive => {
                let bit = (count - 1 - i) as u32;
                Arg(RoundLaunch::new(n, m, bit, 1, 0, bit + 1, 0, 1 << bit, opens, closes))
            }
        }
    }

    fn cubes(&self) -> CubeCount {
        tile_cubes(self.buffers.n as u32, TILE, self.gpu.client().properties().hardware.max_cube_count.0)
    }

    /// The kernel writes two words of the result.
    fn open(&self) -> Result<()> {
        launch!(
            *self.gpu, kernels::open::Open<R>, CubeCount::new_1d(1), CubeDim::new_1d(1);
            result: self.result, m: self.buffers.m,
        )
    }

    fn round(&self, i: usize, count: usize) -> Result<()> {
        let Some(keys) = self.buffers.keys.source(self.buffers.rounds, i, count) else { return Ok(()) };
        self.flag(keys, i, count)?;
        self.scan(i, count)?;
        self.middles(i, count)?;
        let columns = &self.buffers.columns;
        if columns.is_empty() {
            return self.scatter(keys, &[], i, count);
        }
        // The keys move with each: a kernel without them would be another one.
        columns
            .chunks(Buffers::columns_per_launch(self.gpu))
            .try_for_each(|columns| self.scatter(keys, columns, i, count))
    }

    /// The kernel reads offsets that are known, prefix sums at them, and writes offsets below m.
    fn middles(&self, i: usize, count: usize) -> Result<()> {
        let groups = match self.buffers.rounds {
            Rounds::Iterated => 1,
            Rounds::Recursive => self.buffers.m.div_ceil(1 << (count - i)),
        };
        let cubes = CubeCount::new_1d(groups.div_ceil(UNITS).clamp(1, self.gpu.facts.processors * 64));
        launch!(
            *self.gpu, kernels::middles::Middles<R>, cubes, CubeDim::new_1d(UNITS);
            flags: &self.buffers.flags, result: self.result, round: self.numbers(i, count), groups,
        )
    }

    /// The kernel reads keys below n, and writes a flag for each, and two words of the result.
    fn flag(&self, keys: &Slice, i: usize, count: usize) -> Result<()> {
        launch!(
            *self.gpu, kernels::flag::Flag<R>, self.cubes(), CubeDim::new_1d(UNITS);
            width: KeyWidth::of::<K>(),
            keys: keys.part::<K>(0, self.buffers.n)?,
            flags: &self.buffers.flags,
            result: self.result,
            f: self.function(),
            round: self.numbers(i, count),
        )
    }

    /// The kernels stay within the flags of n elements, the one word after them, and a sum per part.
    fn scan(&self, i: usize, count: usize) -> Result<()> {
        let units = UNITS.min(room::most_units(&self.gpu.facts));
        let part = part_size(self.buffers.n as u32);
        macro_rules! launch {
            ($module:ident, $kernel:ident) => {
                crate::runtime::launch!(
                    *self.gpu, kernels::$module::$kernel<R>,
                    CubeCount::new_1d(sums(self.buffers.n) as u32), CubeDim::new_1d(units);
                    flags: &self.buffers.flags,
                    sums: &self.buffers.sums,
                    result: self.result,
                    round: self.numbers(i, count),
                    part;
                    units,
                )
            };
        }
        launch!(sum_flags, SumFlags)?;
        launch!(scan_flags, ScanFlags)
    }

    /// Every element's position is the start of its half of its group, and how many come before it there: with what is
    /// done, a permutation of 0..n.
    fn scatter(&self, keys: &Slice, columns: &[SidedColumn], i: usize, count: usize) -> Result<()> {
        let rounds = self.buffers.rounds;
        let from = |column: &SidedColumn| column.source(rounds, i, count).cloned();
        let to = |column: &SidedColumn| Some(column.first(rounds, i, count).clone());
        let other = |column: &SidedColumn| column.second(rounds, i, count).cloned();
        let other_keys = other(&self.buffers.keys);
        let apart = other_keys.is_some();
        let others = other_keys.map(|keys| self.rows(&keys, columns, i, count, other, true)).transpose()?;
        launch!(
            *self.gpu, kernels::scatter::Scatter<R>, self.cubes(), CubeDim::new_1d(UNITS);
            width: KeyWidth::of::<K>(),
            from: self.rows(keys, columns, i, count, from, false)?,
            flags: &self.buffers.flags,
            to: self.rows(self.buffers.keys.first(rounds, i, count), columns, i, count, to, true)?,
            others: Arg::<Sequence<Rows>, R>(others.map(|rows| rows.0).into_iter().collect()),
            result: self.result,
            f: self.function(),
            round: self.numbers(i, count);
            apart,
        )
    }

    /// Keys, and one side of the columns of a scatter; `output`: whether the permutation can be made there.
    fn rows(
        &self,
        keys: &Slice,
        columns: &[SidedColumn],
        i: usize,
        count: usize,
        side: impl Fn(&SidedColumn) -> Option<Slice>,
        output: bool,
    ) -> Result<Arg<Rows, R>> {
        let made = |column: &SidedColumn| column.source(self.buffers.rounds, i, count).is_none();
        let of = |width: Width| -> Vec<Slice> {
            columns.iter().filter(|column| column.double.width == width && !made(column)).filter_map(&side).collect()
        };
        let permutation: Vec<Slice> =
            columns.iter().filter(|column| output && made(column)).filter_map(&side).collect();
        let (n, narrow, wide) = (self.buffers.n as u32, of(Width::Narrow), of(Width::Wide));
        rows::<R, K>(keys, n, columns_of(n, narrow.iter(), wide.iter(), permutation.iter())?)
    }
}
