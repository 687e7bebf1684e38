//! The launches: prescan, scan, postscan.

use super::function::{AnyArg, AnyFn, Function};
use super::kernels::ahead::AheadLaunch;
use super::kernels::elements::ColumnsLaunch;
use super::kernels::sizes::SizesLaunch;
use super::kernels::{postscan_cube, postscan_direct, postscan_labels, postscan_plane, prescan, scan, split_tile};
use super::links::{self, Links};
use super::plan::Plan;
use super::runtime::{Gpu, Slice, launch};
use super::split::{GpuColumn, Job, Pass};
use super::workspace::Room;
use crate::Method;
use crate::bucket::{Identity, Upload};
use crate::error::Result;
use crate::key::Key;
use crate::value::Width;
use cubecl::prelude::*;

/// What the launches of one split have in common.
pub(super) struct Launches<'a, R: Runtime, K: Key> {
    pub gpu: &'a Gpu<R>,
    pub plan: &'a Plan,
    pub f: &'a dyn Function<R, K>,
    pub links: &'a Links<'a, R, K>,
    /// Labels in a word, if the prescan keeps any; else 0.
    pub labels: u32,
    /// The words of a result for m buckets.
    pub result: &'a Slice<u32>,
    pub room: &'a Room,
}

impl<R: Runtime, K: Key> Launches<'_, R, K> {
    fn function(&self) -> AnyArg<R, K> {
        self.f.arg(&self.upload())
    }

    fn upload(&self) -> Upload<'_, R> {
        Upload::new(self.gpu)
    }

    fn h(&self) -> Result<ArrayArg<R>> {
        Ok(self.room.h.first(self.plan.needs().h)?.arg())
    }

    fn totals(&self) -> Result<ArrayArg<R>> {
        Ok(self.room.totals.first(self.plan.needs().totals)?.arg())
    }

    /// Where bucket ids are kept, if they are.
    fn kept(&self) -> Result<Option<ArrayArg<R>>> {
        let kept = || Ok(self.room.labels.first(self.plan.needs().labels)?.arg());
        (self.labels > 0).then(kept).transpose()
    }

    /// Where a split leaves the ids of the next, a byte each, and finds its own.
    fn left(&self) -> Result<Slice<u8>> {
        self.room.labels.bytes().first(4 * links::words(self.plan.n as usize))
    }

    /// `launch` counts the postscans of a split.
    fn sizes(&self, launch: u32) -> SizesLaunch<R> {
        let Plan { n, m, chunks, chunk_size, turns, .. } = *self.plan;
        SizesLaunch::new(n, m, chunks, self.plan.columns(), chunk_size, turns, launch)
    }

    /// What the next split is left, if a postscan leaves it something.
    fn ahead(&self, pass: &Pass<'_>) -> Result<AheadLaunch<AnyFn<K>, R>> {
        let next = self.links.next.filter(|_| pass.load.leaves_ids);
        let ids = next.map(|_| self.left()?.first(self.plan.n as usize)).transpose()?;
        Ok(AheadLaunch::new(
            next.map(|next| next.arg(&self.upload())).into_iter().collect(),
            ids.map(|ids| ids.arg()).into_iter().collect(),
        ))
    }

    pub fn prescan(&self, keys: &Slice<K>) -> Result<()> {
        let n = self.plan.n as usize;
        if self.links.left {
            let ids = self.left()?;
            return self.count(&ids, links::per_load(self.plan), &Identity::<u8>::new(self.plan.m));
        }
        self.count(keys, keys.per_load(n), self.f)
    }

    /// The kernel reads keys below n in whole loads, and writes H, a word of labels per load, and the flag.
    fn count<G: Key>(&self, keys: &Slice<G>, per_load: usize, f: &dyn Function<R, G>) -> Result<()> {
        let bp = self.plan.prescan(self.labels);
        let (cubes, units) = (CubeCount::new_1d(self.plan.prescan_cubes), CubeDim::new_1d(bp.units()));
        launch!(
            *self.gpu, prescan::prescan::launch_unchecked::<AnyFn<G>, R>, cubes, units;
            per_load,
            keys.loads(self.plan.n as usize, per_load)?,
            self.h()?,
            self.kept()?.into_iter().collect(),
            self.result.arg(),
            f.arg(&self.upload()),
            self.sizes(0),
            bp,
        )
    }

    /// The kernel stays within H's m + 1 rows and the m + 1 totals.
    pub fn scan(&self) -> Result<()> {
        let bp = self.plan.scan();
        let (cubes, units) = (CubeCount::new_1d(self.plan.m + 1), CubeDim::new_1d(bp.units()));
        launch!(
            *self.gpu, scan::scan::launch_unchecked::<R>, cubes, units;
            self.room.h.loads(self.plan.needs().h, scan::LOAD as usize)?,
            self.totals()?,
            self.result.arg(),
            self.sizes(0),
            bp,
        )
    }

    /// Final positions are a permutation of 0..n, since bucket ids are brought into range the same way in both stages.
    pub fn postscan(&self, job: &Job<'_>, pass: &Pass<'_>, launch: u32) -> Result<()> {
        let bp = self.plan.postscan(pass.load, pass.aligned);
        let (cubes, units) = (CubeCount::new_1d(self.plan.postscan_cubes), CubeDim::new_1d(bp.units()));
        let from = columns(self.plan.n, pass, |column| &column.from, None)?;
        let to = columns(self.plan.n, pass, |column| &column.to, permutation(job, pass))?;
        // By labels a kernel takes them instead of the function.
        macro_rules! launch {
            ($kernel:ident of $type:ty $(, labels $labels:expr)? $(, ahead $ahead:expr)? $(, function $function:expr)?) => {
                super::runtime::launch!(
                    *self.gpu, $kernel::$kernel::launch_unchecked::<$type, R>, cubes, units;
                    $($labels,)?
                    elements::<R, K>(&job.keys, self.plan.n)?,
                    from,
                    elements::<R, K>(&job.keys_out, self.plan.n)?,
                    to,
                    self.h()?,
                    self.totals()?,
                    self.result.arg(),
                    $($ahead,)?
                    $($function,)?
                    self.sizes(launch),
                    bp,
                )
            };
        }
        match (self.plan.method, self.kept()?) {
            (_, Some(kept)) => launch!(postscan_labels of K, labels kept),
            (Method::Direct, None) => launch!(postscan_direct of AnyFn<K>, function self.function()),
            (Method::WarpLevel, None) => launch!(postscan_plane of AnyFn<K>, function self.function()),
            (Method::BlockLevel | Method::Auto, None) => {
                launch!(postscan_cube of AnyFn<K>, ahead self.ahead(pass)?, function self.function())
            }
        }
    }

    /// The whole split, of an input that fits one tile. Places in the tile below n are a permutation of 0..n.
    pub fn split_tile(&self, job: &Job<'_>, pass: &Pass<'_>) -> Result<()> {
        // There is nothing to copy ahead.
        let bp = self.plan.postscan(pass.load, false);
        launch!(
            *self.gpu, split_tile::split_tile::launch_unchecked::<AnyFn<K>, R>,
            CubeCount::new_1d(1), CubeDim::new_1d(bp.units());
            elements::<R, K>(&job.keys, self.plan.n)?,
            columns(self.plan.n, pass, |column| &column.from, None)?,
            elements::<R, K>(&job.keys_out, self.plan.n)?,
            columns(self.plan.n, pass, |column| &column.to, permutation(job, pass))?,
            self.result.arg(),
            self.function(),
            self.sizes(0),
            bp,
        )
    }
}

/// Where the permutation goes in a pass.
pub(super) fn permutation<'a>(job: &'a Job<'_>, pass: &Pass<'_>) -> Option<&'a Slice> {
    job.permutation.as_ref().filter(|_| pass.permutation)
}

/// The first n keys.
pub(super) fn elements<R: Runtime, K: Key>(keys: &Slice, n: u32) -> Result<ArrayArg<R>> {
    Ok(keys.cast::<K>()?.first(n as usize)?.arg())
}

/// The columns of a pass, the first n elements of each: the inputs, or the outputs.
pub(super) fn columns<R: Runtime>(
    n: u32,
    pass: &Pass<'_>,
    side: fn(&GpuColumn) -> &Slice,
    permutation: Option<&Slice>,
) -> Result<ColumnsLaunch<R>> {
    let of = |width| pass.columns.iter().filter(move |column| column.width == width).map(side);
    columns_of(n, of(Width::Narrow), of(Width::Wide), permutation.into_iter())
}

/// Columns of 4 bytes, of 8, and the permutation, as arguments of a kernel: the first n elements of each.
pub(super) fn columns_of<'s, R: Runtime>(
    n: u32,
    narrow: impl Iterator<Item = &'s Slice>,
    wide: impl Iterator<Item = &'s Slice>,
    permutation: impl Iterator<Item = &'s Slice>,
) -> Result<ColumnsLaunch<R>> {
    let n = n as usize;
    let narrow_arg = |slice: &Slice| Ok(slice.cast::<u32>()?.first(n)?.arg());
    let wide_arg = |slice: &Slice| Ok(slice.cast::<u64>()?.first(n)?.arg());
    Ok(ColumnsLaunch::new(
        narrow.map(narrow_arg).collect::<Result<Vec<_>>>()?.into_iter().collect(),
        wide.map(wide_arg).collect::<Result<Vec<_>>>()?.into_iter().collect(),
        permutation.map(narrow_arg).collect::<Result<Vec<_>>>()?.into_iter().collect(),
    ))
}
