//! Scan-based split on a GPU: the rounds, and where elements are between them.

use super::client::{Gpu, variant};
use super::kernels::elements::ColumnsLaunch;
use super::kernels::label::UNITS;
use super::kernels::scan_split::{self, RoundLaunch};
use super::label::cubes;
use super::selector;
use super::split::{COLUMNS_PER_PASS, LOST, UNWRITTEN, read_words, result_words};
use crate::approach::Rounds;
use crate::bucket::{Buckets, Upload};
use crate::error::{Error, Result};
use crate::value::Width;
use cubecl::prelude::*;
use cubecl::server::Handle;
use std::any::TypeId;

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
pub(crate) fn sums(n: usize) -> usize {
    (n as u32).div_ceil(part_size(n as u32)) as usize
}

/// The way of the keys or of one column.
pub(crate) struct Lane {
    /// Of a value; the keys' is known.
    pub width: Width,
    /// Nothing for the permutation, which the first round makes up.
    pub from: Option<Handle>,
    pub out: Handle,
    /// Where it is between rounds: one side, or two where first halves go to the output at once.
    pub spare: Vec<Handle>,
}

impl Lane {
    /// What round `i` of `count` reads.
    fn source(&self, rounds: Rounds, i: u32, count: u32) -> Option<&Handle> {
        match (i, rounds) {
            (0, _) => self.from.as_ref(),
            (_, Rounds::Recursive) => Some(self.first(rounds, i - 1, count)),
            (_, Rounds::Iterated) => self.second(rounds, i - 1, count),
        }
    }

    /// Where its first halves go.
    fn first(&self, rounds: Rounds, i: u32, count: u32) -> &Handle {
        let out = rounds == Rounds::Iterated || (count - 1 - i).is_multiple_of(2);
        if out { &self.out } else { self.spare.first().unwrap_or(&self.out) }
    }

    /// Where its second halves go, if not to the same place: what is done stays in the output, the rest moves on.
    fn second(&self, rounds: Rounds, i: u32, count: u32) -> Option<&Handle> {
        let moves_on = rounds == Rounds::Iterated && i + 1 < count;
        moves_on.then(|| self.spare.get(i as usize % 2)).flatten()
    }
}

/// All buffers of a split.
pub(crate) struct Job<'a> {
    pub rounds: Rounds,
    pub n: usize,
    pub keys: &'a Lane,
    pub columns: &'a [Lane],
    /// n + 1 words.
    pub flags: &'a Handle,
    pub sums: &'a Handle,
}

impl Job<'_> {
    /// Splits. `result` is replaced by a fresh buffer where nothing else would write to it, or where it must be seen to be
    /// written: the first run.
    pub fn run<R: Runtime, F: Buckets>(&self, gpu: &Gpu<R>, f: &F, result: &mut Handle) -> Result<()> {
        gpu.check_key::<F::Key>()?;
        let m = f.buckets();
        if self.n == 0 {
            *result = gpu.upload(bytemuck::cast_slice(&vec![0u32; result_words(m)]))?;
            return Ok(());
        }
        let variant = self.variant(gpu, f);
        if gpu.is_proven(variant) {
            return self.submit(gpu, f, result);
        }
        let marked = |words: usize| gpu.upload(bytemuck::cast_slice(&vec![UNWRITTEN; words]));
        *result = marked(result_words(m))?;
        let (flags, sums) = (marked(self.n + 1)?, marked(sums(self.n))?);
        let job = Job { flags: &flags, sums: &sums, ..*self };
        job.submit(gpu, f, result)?;
        job.prove(gpu, m, result)?;
        gpu.set_proven(variant);
        Ok(())
    }

    fn submit<R: Runtime, F: Buckets>(&self, gpu: &Gpu<R>, f: &F, result: &Handle) -> Result<()> {
        let count = self.rounds.count(f.buckets());
        let launches = Launches { gpu, f, job: self, result };
        gpu.launch(|| {
            launches.open();
            (0..count).for_each(|i| launches.round(i, count));
        })
    }

    /// Waits for the first run and looks whether all kernels did run: CubeCL can lose a launch that fails on its own
    /// thread, and later reads then return stale memory without an error.
    fn prove(&self, gpu: &Gpu<impl Runtime>, m: u32, result: &Handle) -> Result<()> {
        let failed = |kernel: &str, reason: String| Error::KernelFailed {
            device: gpu.name.clone(),
            kernel: format!("{kernel} (scan-based split)"),
            reason,
        };
        gpu.sync().map_err(|error| failed("split", error.to_string()))?;
        let words = read_words(gpu, result, m)?;
        let m = m as usize;
        let first_word =
            |handle: &Handle| -> Result<u32> { Ok(bytemuck::pod_read_unaligned(&gpu.read(handle, 4)?[..4])) };
        let lost = |kernel| Err(failed(kernel, LOST.into()));
        match () {
            () if words[m + 2] != 0 => lost("flag"),
            () if first_word(self.sums)? == UNWRITTEN => lost("sum"),
            // In every round the first of the prefix sums is 0.
            () if first_word(self.flags)? != 0 => lost("scan"),
            () if words[m] as usize != self.n => lost("scatter"),
            () if words[0] != 0 || !words[..=m].is_sorted() => lost("middles"),
            () => Ok(()),
        }
    }

    /// Columns that one scatter carries.
    fn columns_per_launch(gpu: &Gpu<impl Runtime>) -> usize {
        let room = (gpu.facts.max_bindings as usize).saturating_sub(OTHER_BINDINGS) / 3;
        room.clamp(1, COLUMNS_PER_PASS as usize)
    }

    /// Tells apart the kernels that a split compiles.
    fn variant<F: Buckets>(&self, gpu: &Gpu<impl Runtime>, f: &F) -> u64 {
        let kind = |lane: &Lane| (lane.width == Width::Wide, lane.from.is_none());
        let launches = self.columns.chunks(Self::columns_per_launch(gpu));
        let kinds: Vec<Vec<_>> = launches.map(|lanes| lanes.iter().map(kind).collect()).collect();
        variant(("scan split", TypeId::of::<F>(), f.kernel_variant(), self.rounds, f.buckets() > 2, kinds))
    }
}

/// What the launches of one split have in common.
struct Launches<'a, R: Runtime, F> {
    gpu: &'a Gpu<R>,
    f: &'a F,
    job: &'a Job<'a>,
    result: &'a Handle,
}

impl<R: Runtime, F: Buckets> Launches<'_, R, F> {
    fn array(handle: &Handle, len: usize) -> ArrayArg<R> {
        // SAFETY: inputs, outputs and the workspace were checked to hold that many elements, the result by construction.
        unsafe { ArrayArg::from_raw_parts(handle.clone(), len) }
    }

    fn result(&self) -> ArrayArg<R> {
        Self::array(self.result, result_words(self.f.buckets()))
    }

    fn flags(&self) -> ArrayArg<R> {
        Self::array(self.job.flags, self.job.n + 1)
    }

    fn sums(&self) -> ArrayArg<R> {
        Self::array(self.job.sums, sums(self.job.n))
    }

    fn function(&self) -> <F as LaunchArg>::RuntimeArg<R> {
        self.f.kernel_arg(&Upload { client: &self.gpu.client, device: self.gpu.id })
    }

    fn numbers(&self, i: u32, count: u32) -> RoundLaunch<R> {
        let (n, m) = (self.job.n as u32, self.f.buckets());
        let (opens, closes) = (u32::from(i == 0), u32::from(i + 1 == count));
        match self.job.rounds {
            // One bucket against all that are left: a group as large as can be.
            Rounds::Iterated => RoundLaunch::new(n, m, 0, u32::MAX, i, 31, i, 1, opens, closes),
            // One bit of the id, the highest first.
            Rounds::Recursive => {
                let bit = count - 1 - i;
                RoundLaunch::new(n, m, bit, 1, 0, bit + 1, 0, 1 << bit, opens, closes)
            }
        }
    }

    fn open(&self) {
        // SAFETY: the kernel writes two words of the result.
        unsafe {
            scan_split::open::launch_unchecked::<R>(
                &self.gpu.client,
                CubeCount::new_1d(1),
                CubeDim::new_1d(1),
                self.gpu.address(),
                self.result(),
                self.f.buckets(),
            )
        }
    }

    fn round(&self, i: u32, count: u32) {
        let Some(keys) = self.job.keys.source(self.job.rounds, i, count) else { return };
        self.flag(keys, i, count);
        self.scan(i, count);
        let groups = match self.job.rounds {
            Rounds::Iterated => 1,
            Rounds::Recursive => self.f.buckets().div_ceil(1 << (count - i)),
        };
        // SAFETY: the kernel reads offsets that are known, prefix sums at them, and writes offsets below m.
        unsafe {
            scan_split::middles::launch_unchecked::<R>(
                &self.gpu.client,
                CubeCount::new_1d(groups.div_ceil(UNITS).clamp(1, self.gpu.facts.processors * 64)),
                CubeDim::new_1d(UNITS),
                self.gpu.address(),
                self.flags(),
                self.result(),
                self.numbers(i, count),
                groups,
            )
        }
        let lanes = self.job.columns;
        if lanes.is_empty() {
            return self.scatter(keys, &[], i, count);
        }
        // The keys move with each: a kernel without them would be another one.
        lanes.chunks(Job::columns_per_launch(self.gpu)).for_each(|lanes| self.scatter(keys, lanes, i, count));
    }

    fn flag(&self, keys: &Handle, i: u32, count: u32) {
        // SAFETY: the kernel reads keys below n, and writes a flag for each, and two words of the result.
        unsafe {
            scan_split::flag::launch_unchecked::<F, R>(
                &self.gpu.client,
                cubes(self.gpu, self.job.n),
                CubeDim::new_1d(UNITS),
                self.gpu.address(),
                Self::array(keys, self.job.n),
                self.flags(),
                self.result(),
                self.function(),
                self.numbers(i, count),
            )
        }
    }

    fn scan(&self, i: u32, count: u32) {
        let units = UNITS.min(selector::most_units(&self.gpu.facts));
        let part = part_size(self.job.n as u32);
        macro_rules! launch {
            ($kernel:ident) => {
                // SAFETY: the kernels stay within the flags of n elements, the one word after them, and a sum per part.
                unsafe {
                    scan_split::$kernel::launch_unchecked::<R>(
                        &self.gpu.client,
                        CubeCount::new_1d(sums(self.job.n) as u32),
                        CubeDim::new_1d(units),
                        self.gpu.address(),
                        self.flags(),
                        self.sums(),
                        self.result(),
                        self.numbers(i, count),
                        part,
                        units,
                    )
                }
            };
        }
        launch!(sum_flags);
        launch!(scan_flags);
    }

    fn scatter(&self, keys: &Handle, lanes: &[Lane], i: u32, count: u32) {
        let (rounds, n) = (self.job.rounds, self.job.n);
        let to = |lane: &Lane| Some(lane.first(rounds, i, count).clone());
        let other = |lane: &Lane| lane.second(rounds, i, count).cloned();
        let from = |lane: &Lane| lane.source(rounds, i, count).cloned();
        let others = other(self.job.keys).map(|keys| Self::array(&keys, n));
        let apart = others.is_some();
        // SAFETY: every element's position is the start of its half of its group, and how many come before it there: with
        // what is done, a permutation of 0..n. Every column holds n elements.
        unsafe {
            scan_split::scatter::launch_unchecked::<F, R>(
                &self.gpu.client,
                cubes(self.gpu, n),
                CubeDim::new_1d(UNITS),
                self.gpu.address(),
                Self::array(keys, n),
                self.columns(lanes, i, count, from, false),
                self.flags(),
                Self::array(self.job.keys.first(rounds, i, count), n),
                self.columns(lanes, i, count, to, true),
                others.into_iter().collect(),
                self.columns(lanes, i, count, other, true),
                self.result(),
                self.function(),
                self.numbers(i, count),
                apart,
            )
        }
    }

    /// One side of the columns of a scatter; `output`: whether the permutation can be made there.
    fn columns(
        &self,
        lanes: &[Lane],
        i: u32,
        count: u32,
        side: impl Fn(&Lane) -> Option<Handle>,
        output: bool,
    ) -> ColumnsLaunch<R> {
        let n = self.job.n;
        let made = |lane: &Lane| lane.source(self.job.rounds, i, count).is_none();
        let of = |width: Width| {
            let moved = lanes.iter().filter(|lane| lane.width == width && !made(lane));
            moved.filter_map(&side).map(|handle| Self::array(&handle, n)).collect::<Vec<_>>()
        };
        let permutation = lanes.iter().filter(|lane| output && made(lane)).filter_map(&side);
        let permutation = permutation.map(|handle| Self::array(&handle, n)).collect::<Vec<_>>();
        ColumnsLaunch::new(
            of(Width::Narrow).into_iter().collect(),
            of(Width::Wide).into_iter().collect(),
            permutation.into_iter().collect(),
        )
    }
}
