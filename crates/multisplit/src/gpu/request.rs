//! From the public calls to a plan and a job: buffers become slices on a stream, host slices go up and come down.

use super::function::Function;
use super::many;
use super::primitives::digit::DigitOf;
use super::split::pass_fusion::Links;
use super::split::payload::Load;
use super::split::{COLUMNS_PER_PASS, GpuColumn, Job, split};
use super::tuning::plan::Plan;
use super::tuning::selector;
use super::workspace::{Arena, Needs, Room};
use crate::Method;
use crate::bucket::digits::Digits;
use crate::bucket::key::Key;
use crate::error::Result;
use crate::memory::buffer::{Buffer, ErasedBuffer};
use crate::memory::column::{Column, ColumnKind};
use crate::memory::offsets::Offsets;
use crate::memory::result::{read_result, result_words};
use crate::memory::value::Width;
use crate::request::method::Stage;
use crate::request::outputs::Outputs;
use crate::request::policy::{ONE_PASS, Policy};
use crate::runtime::{Gpu, Memory, Slice};
use cubecl::prelude::Runtime;

/// How a split into m buckets was asked for. m was read once, so that a function that changes it changes nothing.
pub(crate) struct Request<'f, R: Runtime, K: Key> {
    pub f: &'f dyn Function<R, K>,
    pub m: u32,
    pub method: Method,
    pub policy: Option<Policy>,
    pub through: Stage,
}

impl<'f, R: Runtime, K: Key> Request<'f, R, K> {
    /// A whole split by `f`, as is best on the device.
    pub fn by(f: &'f dyn Function<R, K>, m: u32) -> Self {
        Self { f, m, method: Method::Auto, policy: None, through: Stage::Postscan }
    }

    /// The same by digits of the ids of this one.
    pub fn digits(&self) -> Digits {
        Digits::of(self.m)
    }
}

/// What moves besides the keys: narrow columns, wide ones, and whether the permutation is made.
pub(super) type Carried = (usize, usize, bool);

/// What a split needs, whatever columns come along, if there are no more than `columns` of them.
pub(crate) fn most_needs<R: Runtime, K: Key>(
    gpu: &Gpu<R>,
    request: &Request<'_, R, K>,
    n: usize,
    columns: usize,
) -> Result<Needs> {
    selector::check_buckets(&gpu.facts, request.method, request.m)?;
    if request.m <= ONE_PASS {
        return most_of_a_pass(gpu, request, request.f, n, request.m);
    }
    let digits = request.digits();
    let f = DigitOf { f: request.f, digits, pass: 0 };
    let needs = most_of_a_pass(gpu, request, &f, n, digits.values())?;
    Ok(many::with_passes(needs, request, n, (0, columns)))
}

/// What a pass into m buckets needs, whatever columns come along.
fn most_of_a_pass<R: Runtime, K: Key>(
    gpu: &Gpu<R>,
    request: &Request<'_, R, K>,
    f: &dyn Function<R, K>,
    n: usize,
    m: u32,
) -> Result<Needs> {
    let needs = |narrow, wide, permutation| {
        let load = Load::new(f, narrow, wide, permutation);
        Plan::new(&gpu.facts, request.method, request.policy, n, m, load).map(|plan| plan.needs())
    };
    let mut most = needs(0, 0, false)?;
    for wide in 0..=COLUMNS_PER_PASS {
        for narrow in 0..=COLUMNS_PER_PASS - wide {
            // A policy of the user's may be too large for columns that will never come.
            let others = [false, true].into_iter().filter_map(|permutation| needs(narrow, wide, permutation).ok());
            most = others.fold(most, Needs::max);
        }
    }
    Ok(most)
}

/// The plan of a pass into m buckets, if the device can do it at all.
pub(super) fn plan<R: Runtime, K: Key>(
    gpu: &Gpu<R>,
    request: &Request<'_, R, K>,
    f: &dyn Function<R, K>,
    n: usize,
    m: u32,
    (narrow, wide, permutation): Carried,
) -> Result<Plan> {
    gpu.check_planes()?;
    // What the heaviest postscan may carry.
    let wide = (wide as u32).min(COLUMNS_PER_PASS);
    let narrow = (narrow as u32).min(COLUMNS_PER_PASS - wide);
    Plan::new(&gpu.facts, request.method, request.policy, n, m, Load::new(f, narrow, wide, permutation))
}

/// A split, worked out.
enum Planned {
    One(Plan),
    /// Several passes, each planned in its turn, and what all of them need.
    Many(Needs),
}

impl Planned {
    fn new<R: Runtime, K: Key>(gpu: &Gpu<R>, request: &Request<'_, R, K>, n: usize, job: &Job<'_>) -> Result<Self> {
        selector::check_buckets(&gpu.facts, request.method, request.m)?;
        let (narrow, wide) = job.widths();
        let carried = (narrow, wide, job.permutation.is_some());
        if request.m > ONE_PASS {
            return many::needs(gpu, request, n, carried).map(Self::Many);
        }
        plan(gpu, request, request.f, n, request.m, carried).map(Self::One)
    }

    fn needs(&self) -> Needs {
        match self {
            Self::One(plan) => plan.needs(),
            Self::Many(needs) => *needs,
        }
    }

    /// Splits, in as many passes as it takes.
    fn run<R: Runtime, K: Key>(
        &self,
        gpu: &Gpu<R>,
        request: &Request<'_, R, K>,
        n: usize,
        job: &Job<'_>,
        result: &Slice<u32>,
        room: &Room,
    ) -> Result<()> {
        match self {
            Self::One(plan) => split(gpu, plan, request.f, job, &Links::NONE, result, room),
            Self::Many(_) => many::split_many(gpu, request, n, job, result, room),
        }
    }
}

/// A split of n keys between slices of this device.
pub(crate) fn enqueue<R: Runtime, K: Key>(
    gpu: &Gpu<R>,
    request: &Request<'_, R, K>,
    n: usize,
    moved: &Moved,
    offsets: &mut Offsets,
    arena: &Arena,
) -> Result<()> {
    let job = moved.job(request.through);
    let planned = Planned::new(gpu, request, n, &job)?;
    let needs = planned.needs();
    let room = Room::cut(&mut arena.cut(gpu, needs.bytes(gpu))?, &needs)?;
    let result = offsets.write_on(gpu, request.m, 1)?;
    planned.run(gpu, request, n, &job, &result, &room)
}

/// A split on slices, by way of the device: up, split, down.
pub(crate) fn split_slices<R: Runtime, K: Key>(
    gpu: &Gpu<R>,
    request: &Request<'_, R, K>,
    keys: &[K],
    to: Outputs<'_, '_, K>,
) -> Result<Vec<usize>> {
    let n = keys.len();
    let moved = Moved::upload(gpu, keys, &to)?;
    let job = moved.job(Stage::Postscan);
    let planned = Planned::new(gpu, request, n, &job)?;
    let needs = planned.needs();
    let arena = Arena::new(gpu, needs.bytes(gpu))?;
    let room = Room::cut(&mut arena.cut(gpu, needs.bytes(gpu))?, &needs)?;
    let result_memory = gpu.allocate(4 * result_words(request.m))?;
    let result = gpu.writes(&result_memory)?;
    planned.run(gpu, request, n, &job, &result, &room)?;

    let offsets = read_result(gpu, &result, request.m, 1)?;
    moved.download(gpu, to)?;
    Ok(offsets)
}

/// What a split moves, on the device.
pub(crate) struct Moved {
    pub keys: Slice,
    pub keys_out: Slice,
    pub columns: Vec<GpuColumn>,
    pub permutation: Option<Slice>,
    /// What was uploaded or made for it.
    _owned: Vec<Memory>,
}

impl Moved {
    /// Buffers of this device.
    pub fn between<K: Key>(
        gpu: &Gpu<impl Runtime>,
        keys: &Buffer<K>,
        keys_out: &Buffer<K>,
        columns: &[Column<'_>],
    ) -> Result<Self> {
        let (mut moves, mut permutation) = (Vec::new(), None);
        for column in columns {
            match &column.0 {
                ColumnKind::Values { width, from, to } => {
                    let (from, to) = (gpu.reads(from.memory()?)?, gpu.writes(to.memory()?)?);
                    moves.push(GpuColumn { width: *width, from, to });
                }
                ColumnKind::Permutation { to } => permutation = Some(gpu.writes(to.memory()?)?),
            }
        }
        let (keys, keys_out) = (gpu.reads(keys.memory()?)?, gpu.writes(keys_out.memory()?)?);
        Ok(Self { keys, keys_out, columns: moves, permutation, _owned: Vec::new() })
    }

    /// Host slices, uploaded, and room for what becomes of them.
    pub fn upload<K: Key>(gpu: &Gpu<impl Runtime>, keys: &[K], to: &Outputs<'_, '_, K>) -> Result<Self> {
        let mut owned = Vec::new();
        let mut own = |memory: Memory| {
            let slice = gpu.writes::<u8>(&memory);
            owned.push(memory);
            slice
        };
        let mut columns = Vec::new();
        for column in to.columns.iter() {
            let (from, to) = (own(gpu.upload(column.from)?)?, own(gpu.allocate(column.to.len())?)?);
            columns.push(GpuColumn { width: column.width, from, to });
        }
        let permutation = match &to.permutation {
            Some(_) => Some(own(gpu.allocate(4 * keys.len())?)?),
            None => None,
        };
        let (keys, keys_out) = (own(gpu.upload(keys)?)?, own(gpu.allocate(size_of_val(keys))?)?);
        Ok(Self { keys, keys_out, columns, permutation, _owned: owned })
    }

    /// The job of moving it.
    pub fn job(&self, through: Stage) -> Job<'_> {
        let Self { keys, keys_out, columns, permutation, .. } = self;
        let (keys, keys_out, permutation) = (keys.clone(), keys_out.clone(), permutation.clone());
        Job { keys, keys_out, columns, permutation, through }
    }

    /// Waits, and copies what became of it to host slices.
    pub fn download<K: Key>(&self, gpu: &Gpu<impl Runtime>, to: Outputs<'_, '_, K>) -> Result<()> {
        gpu.read_into(&self.keys_out, bytemuck::cast_slice_mut(to.keys))?;
        for (from, to) in self.columns.iter().zip(to.columns) {
            gpu.read_into(&from.to, to.to)?;
        }
        if let (Some(from), Some(to)) = (&self.permutation, to.permutation) {
            gpu.read_into(from, bytemuck::cast_slice_mut(to))?;
        }
        Ok(())
    }
}

/// A column or the keys, on their way between passes. The spare place may be the input: it has been read when
/// something is written there.
pub(crate) struct Track {
    /// Of a value; the keys' is known.
    pub width: Width,
    /// Nothing for the permutation, which the first pass makes up.
    pub from: Option<Slice>,
    pub to: Slice,
    pub spare: Slice,
}

impl Track {
    /// What pass `i` of `count` writes to: the last one to the output.
    pub fn target(&self, i: usize, count: usize) -> &Slice {
        if (count - 1 - i).is_multiple_of(2) { &self.to } else { &self.spare }
    }

    /// What pass `i` of `count` reads from.
    pub fn source(&self, i: usize, count: usize) -> Option<&Slice> {
        if i == 0 { self.from.as_ref() } else { Some(self.target(i - 1, count)) }
    }
}

/// Keys and columns on their way between passes, the permutation last.
pub(crate) struct Tracks {
    pub keys: Track,
    pub columns: Vec<Track>,
}

impl Tracks {
    /// Between what a job names and a room's spare places. Where there is no pass between, there may be none of
    /// those; the output stands in for it.
    pub fn new(job: &Job<'_>, room: &Room) -> Self {
        let (mut narrow, mut wide) = room.columns();
        let mut spare_of = |width: Width, to: &Slice| {
            let spare = if width == Width::Wide { wide.next() } else { narrow.next() };
            spare.unwrap_or(to).clone()
        };
        let spare = if room.keys.is_empty() { &job.keys_out } else { &room.keys };
        let keys = Track {
            width: Width::Narrow,
            from: Some(job.keys.clone()),
            to: job.keys_out.clone(),
            spare: spare.clone(),
        };
        let values = job.columns.iter().map(|column| (column.width, Some(&column.from), &column.to));
        let permutation = job.permutation.as_ref().map(|to| (Width::Narrow, None, to));
        let track = |(width, from, to): (Width, Option<&Slice>, &Slice)| {
            let spare = spare_of(width, to);
            Track { width, from: from.cloned(), to: to.clone(), spare }
        };
        Self { keys, columns: values.chain(permutation).map(track).collect() }
    }

    /// The slices of pass `i` of `count`.
    pub fn pass(&self, i: usize, count: usize) -> PassSlices {
        let (mut columns, mut permutation) = (Vec::new(), None);
        for track in &self.columns {
            let to = track.target(i, count).clone();
            match track.source(i, count) {
                Some(from) => columns.push(GpuColumn { width: track.width, from: from.clone(), to }),
                None => permutation = Some(to),
            }
        }
        // Keys always have an input.
        let keys = self.keys.source(i, count).unwrap_or(&self.keys.to).clone();
        PassSlices { keys, keys_out: self.keys.target(i, count).clone(), columns, permutation }
    }
}

/// What one of several passes moves.
pub(crate) struct PassSlices {
    pub keys: Slice,
    keys_out: Slice,
    columns: Vec<GpuColumn>,
    permutation: Option<Slice>,
}

impl PassSlices {
    pub fn job(&self, through: Stage) -> Job<'_> {
        let Self { keys, keys_out, columns, permutation } = self;
        let (keys, keys_out, permutation) = (keys.clone(), keys_out.clone(), permutation.clone());
        Job { keys, keys_out, columns, permutation, through }
    }

    pub fn carried(&self) -> Carried {
        let narrow = self.columns.iter().filter(|column| column.width == Width::Narrow).count();
        (narrow, self.columns.len() - narrow, self.permutation.is_some())
    }
}
