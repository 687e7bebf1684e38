//! The launches: prescan, scan, postscan.

use super::pass_fusion;
use super::pass_fusion::Fusion;
use super::postscan_cube::postscan_cube;
use super::postscan_direct::postscan_direct;
use super::postscan_plane::postscan_plane;
use super::postscan_stored_ids::postscan_stored_ids;
use super::published_sums::{PublishedSums, PublishedSumsLaunch};
use super::{Job, Pass};
use super::{few_tiles, one_launch, prescan, published_sums, scan};
use crate::bucket::key::Key;
use crate::bucket::{Identity, Upload};
use crate::error::Result;
use crate::gpu::function::{AnyArg, Function};
use crate::gpu::key::KeyWidth;
use crate::gpu::primitives::elements::{Columns, ColumnsLaunch, Rows, RowsLaunch};
use crate::gpu::primitives::next_digit::{NextDigit, NextDigitLaunch};
use crate::gpu::primitives::sizes::{Sizes, SizesLaunch};
use crate::gpu::table::GpuColumn;
use crate::gpu::tuning::plan::SplitPlan;
use crate::gpu::workspace::Scratch;
use crate::memory::value::Width;
use crate::method::Method;
use crate::runtime::{Arg, Gpu, Slice, launch, sequence};
use bytemuck::Pod;
use cubecl::prelude::*;

/// How often a unit looks at words that other cubes have not published yet, before its cube counts all keys itself. A
/// look takes a third of a microsecond on an H200.
pub(crate) const PATIENCE: u32 = 1 << 10;
/// The same where cubes run one after the other.
pub(crate) const SOFTWARE_PATIENCE: u32 = 4;

/// What the launches of one split have in common.
pub(crate) struct Launches<'a, R: Runtime, K: Key> {
    pub gpu: &'a Gpu<R>,
    pub plan: &'a SplitPlan,
    pub f: &'a dyn Function<R, K>,
    pub fusion: &'a Fusion<'a, R, K>,
    /// Bucket ids in a word, if the prescan stores them; else 0.
    pub ids_per_word: u32,
    /// The words of a result for m buckets.
    pub result: &'a Slice<u32>,
    pub scratch: &'a Scratch,
}

impl<R: Runtime, K: Key> Launches<'_, R, K> {
    fn function(&self) -> AnyArg<R> {
        self.f.arg(&self.upload())
    }

    fn upload(&self) -> Upload<'_, R> {
        Upload::new(self.gpu)
    }

    fn h(&self) -> Result<Slice<u32>> {
        self.scratch.h.first(self.plan.needs().h)
    }

    fn totals(&self) -> Result<Slice<u32>> {
        self.scratch.totals.first(self.plan.needs().totals)
    }

    /// Where bucket ids are stored, if they are.
    fn stored(&self) -> Result<Option<Slice<u32>>> {
        let stored = || self.scratch.ids.first(self.plan.needs().ids);
        (self.ids_per_word > 0).then(stored).transpose()
    }

    /// Where a split leaves the ids of the next, a byte each, and finds its own.
    fn left(&self) -> Result<Slice<u8>> {
        self.scratch.ids.bytes().first(4 * pass_fusion::words(self.plan.n as usize))
    }

    /// `launch` counts the postscans of a split.
    fn sizes(&self, launch: u32) -> Arg<Sizes, R> {
        let SplitPlan { n, m, chunks, chunk_size, scheduler, .. } = *self.plan;
        Arg(SizesLaunch::new(n, m, chunks, self.plan.columns(), chunk_size, scheduler, launch))
    }

    /// What the next split is left, if a postscan leaves it something.
    fn next_digit(&self, pass: &Pass<'_>) -> Result<Arg<NextDigit, R>> {
        let next = self.fusion.next.filter(|_| pass.payload.leaves_ids);
        let ids = next.map(|_| self.left()?.first(self.plan.n as usize)).transpose()?;
        let next = next.map(|next| next.arg(&self.upload())).into_iter().collect();
        Ok(Arg(NextDigitLaunch::new(next, sequence(ids).0)))
    }

    pub fn prescan(&self, keys: &Slice<K>) -> Result<()> {
        let n = self.plan.n as usize;
        if self.fusion.left {
            let ids = self.left()?;
            return self.count(&ids, pass_fusion::per_load(self.plan), &Identity::<u8>::new(self.plan.m));
        }
        self.count(keys, keys.per_load(n), self.f)
    }

    /// The kernel reads keys below n in whole loads, and writes H, a word of ids per load, and the flag.
    fn count<G: Key>(&self, keys: &Slice<G>, per_load: usize, f: &dyn Function<R, G>) -> Result<()> {
        let bp = self.plan.prescan(self.ids_per_word);
        let (cubes, units) = (CubeCount::new_1d(self.plan.prescan_cubes), CubeDim::new_1d(bp.units()));
        launch!(
            *self.gpu, prescan::prescan::Prescan<R>, cubes, units;
            width: KeyWidth::of::<G>(),
            keys: keys.loads(self.plan.n as usize, per_load)?,
            h: self.h()?,
            stored: sequence(self.stored()?),
            result: self.result,
            f: f.arg(&self.upload()),
            sizes: self.sizes(0);
            per_load, bp,
        )
    }

    /// The kernel stays within H's m + 1 rows and the m + 1 totals.
    pub fn scan(&self) -> Result<()> {
        let bp = self.plan.scan();
        let (cubes, units) = (CubeCount::new_1d(self.plan.m + 1), CubeDim::new_1d(bp.units()));
        launch!(
            *self.gpu, scan::scan::Scan<R>, cubes, units;
            h: self.scratch.h.loads(self.plan.needs().h, scan::LOAD as usize)?,
            totals: self.totals()?,
            result: self.result,
            sizes: self.sizes(0);
            bp,
        )
    }

    /// Final positions are a permutation of 0..n, since bucket ids are brought into range the same way in both stages.
    pub fn postscan(&self, job: &Job<'_>, pass: &Pass<'_>, launch: u32) -> Result<()> {
        let bp = self.plan.postscan(pass.payload, pass.aligned);
        let (cubes, units) = (CubeCount::new_1d(self.plan.postscan_cubes), CubeDim::new_1d(bp.units()));
        // With stored ids a kernel takes them instead of the function.
        macro_rules! launch {
            ($kernel:ty $(, ids: $ids:expr)? $(; $($name:ident: $argument:expr),*)?) => {
                crate::runtime::launch!(
                    *self.gpu, $kernel, cubes, units;
                    width: KeyWidth::of::<K>(),
                    $(ids: $ids,)?
                    from: rows_in::<R, K>(job, pass, self.plan.n)?,
                    to: rows_out::<R, K>(job, pass, self.plan.n)?,
                    g: self.h()?,
                    totals: self.totals()?,
                    result: self.result,
                    $($($name: $argument,)*)?
                    sizes: self.sizes(launch);
                    bp,
                )
            };
        }
        match (self.plan.method, self.stored()?) {
            (_, Some(stored)) => launch!(postscan_stored_ids::PostscanStoredIds<R>, ids: stored),
            (Method::Direct, None) => launch!(postscan_direct::PostscanDirect<R>; f: self.function()),
            (Method::WarpLevel, None) => launch!(postscan_plane::PostscanPlane<R>; f: self.function()),
            (Method::BlockLevel | Method::Auto, None) => {
                launch!(postscan_cube::PostscanCube<R>; next_digit: self.next_digit(pass)?, f: self.function())
            }
        }
    }

    /// The whole split, of an input whose tiles are all resident at once. Final positions are a permutation of 0..n,
    /// whoever counts.
    pub fn split_at_once(&self, job: &Job<'_>, pass: &Pass<'_>) -> Result<()> {
        let bp = self.plan.postscan(pass.payload, false);
        let published = &self.scratch.published;
        let launch = published.next_launch(self.gpu)?;
        let words = published.words.first(published_sums::words(self.plan.chunks, self.plan.m) as usize)?;
        let patience = if self.gpu.facts.software { SOFTWARE_PATIENCE } else { PATIENCE };
        launch!(
            *self.gpu, one_launch::split_at_once::SplitAtOnce<R>,
            CubeCount::new_1d(self.plan.chunks), CubeDim::new_1d(bp.units());
            width: KeyWidth::of::<K>(),
            from: rows_in::<R, K>(job, pass, self.plan.n)?,
            to: rows_out::<R, K>(job, pass, self.plan.n)?,
            g: sequence(job.leaves_g.then(|| self.h()).transpose()?),
            published: Arg::<PublishedSums, R>(PublishedSumsLaunch::new(words.arg(), launch, patience)),
            result: self.result,
            f: self.function(),
            sizes: self.sizes(0);
            bp,
        )
    }

    /// The whole split, of so few tiles that every cube counts all keys. Final positions are a permutation of 0..n.
    pub fn split_few_tiles(&self, job: &Job<'_>, pass: &Pass<'_>) -> Result<()> {
        // There is nothing to copy ahead.
        let bp = self.plan.postscan(pass.payload, false);
        launch!(
            *self.gpu, few_tiles::split_few_tiles::SplitFewTiles<R>,
            CubeCount::new_1d(self.plan.chunks), CubeDim::new_1d(bp.units());
            width: KeyWidth::of::<K>(),
            from: rows_in::<R, K>(job, pass, self.plan.n)?,
            to: rows_out::<R, K>(job, pass, self.plan.n)?,
            g: sequence(job.leaves_g.then(|| self.h()).transpose()?),
            result: self.result,
            f: self.function(),
            sizes: self.sizes(0);
            bp,
        )
    }
}

/// What a pass reads: the first n keys, and its columns.
pub(crate) fn rows_in<R: Runtime, K: Key>(job: &Job<'_>, pass: &Pass<'_>, n: u32) -> Result<Arg<Rows, R>> {
    rows::<R, K>(&job.table.keys, n, columns(n, pass, |column| &column.from, None)?)
}

/// What a pass writes.
pub(crate) fn rows_out<R: Runtime, K: Key>(job: &Job<'_>, pass: &Pass<'_>, n: u32) -> Result<Arg<Rows, R>> {
    let permutation = job.table.permutation.as_ref().filter(|_| pass.permutation);
    rows::<R, K>(&job.table.keys_out, n, columns(n, pass, |column| &column.to, permutation)?)
}

/// The first n keys, and columns of as many.
pub(crate) fn rows<R: Runtime, K: Key>(keys: &Slice, n: u32, columns: Arg<Columns, R>) -> Result<Arg<Rows, R>> {
    Ok(Arg(RowsLaunch::new(keys.part::<K>(0, n as usize)?.arg(), columns.0)))
}

/// The columns of a pass, the first n elements of each: the inputs, or the outputs.
fn columns<R: Runtime>(
    n: u32,
    pass: &Pass<'_>,
    side: fn(&GpuColumn) -> &Slice,
    permutation: Option<&Slice>,
) -> Result<Arg<Columns, R>> {
    let of = |width| pass.columns.iter().filter(move |column| column.width == width).map(side);
    columns_of(n, of(Width::Narrow), of(Width::Wide), permutation.into_iter())
}

/// Columns of 4 bytes, of 8, and the permutation, as arguments of a kernel: the first n elements of each.
pub(crate) fn columns_of<'s, R: Runtime>(
    n: u32,
    narrow: impl Iterator<Item = &'s Slice>,
    wide: impl Iterator<Item = &'s Slice>,
    permutation: impl Iterator<Item = &'s Slice>,
) -> Result<Arg<Columns, R>> {
    Ok(Arg(ColumnsLaunch::new(
        arrays::<u32, _, R>(n, narrow)?,
        arrays::<u64, _, R>(n, wide)?,
        arrays::<u32, _, R>(n, permutation)?,
    )))
}

/// The first n elements of type T of each slice, as arrays of type E in a kernel.
fn arrays<'s, T: Pod, E: CubePrimitive, R: Runtime>(
    n: u32,
    slices: impl Iterator<Item = &'s Slice>,
) -> Result<SequenceArg<R, Array<E>>> {
    let mut arrays = SequenceArg::new();
    for slice in slices {
        arrays.push(slice.part::<T>(0, n as usize)?.arg());
    }
    Ok(arrays)
}
