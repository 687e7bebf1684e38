//! The launches: prescan, scan, postscan.

use super::client::Gpu;
use super::function::{Function, KeyOf};
use super::kernels::ahead::AheadLaunch;
use super::kernels::elements::ColumnsLaunch;
use super::kernels::sizes::SizesLaunch;
use super::kernels::{postscan_cube, postscan_direct, postscan_labels, postscan_plane, prescan, scan, split_tile};
use super::links::{self, Links};
use super::plan::Plan;
use super::split::{GpuColumn, Job, Pass, is_aligned, result_words};
use super::workspace::GpuWorkspace;
use crate::Method;
use crate::bucket::{Identity, Upload};
use crate::key::Key;
use crate::value::Width;
use cubecl::prelude::*;
use cubecl::server::Handle;

/// What the launches of one split have in common.
pub(super) struct Launches<'a, R: Runtime, F> {
    pub gpu: &'a Gpu<R>,
    pub plan: &'a Plan,
    pub f: &'a F,
    pub links: &'a Links<'a, F>,
    /// Labels in a word, if the prescan keeps any; else 0.
    pub labels: u32,
    pub result: &'a Handle,
    pub workspace: &'a GpuWorkspace,
}

impl<R: Runtime, F: Function> Launches<'_, R, F> {
    fn function(&self) -> <F::Kernel as LaunchArg>::RuntimeArg<R> {
        self.f.arg(&self.upload())
    }

    fn upload(&self) -> Upload<'_, R> {
        Upload { client: &self.gpu.client, device: self.gpu.id }
    }

    fn array(handle: &Handle, len: usize) -> ArrayArg<R> {
        // SAFETY: every buffer was checked to hold at least `len` elements: inputs and outputs by the caller of
        // `split`, the workspace by `GpuWorkspace::check`, the result by construction.
        unsafe { ArrayArg::from_raw_parts(handle.clone(), len) }
    }

    fn result_array(&self) -> ArrayArg<R> {
        Self::array(self.result, result_words(self.plan.m))
    }

    fn h(&self) -> ArrayArg<R> {
        Self::array(&self.workspace.h, self.plan.needs().h)
    }

    fn totals(&self) -> ArrayArg<R> {
        Self::array(&self.workspace.totals, self.plan.needs().totals)
    }

    /// Where bucket ids are kept, if they are.
    fn kept(&self) -> Option<ArrayArg<R>> {
        let kept = self.workspace.labels.as_ref().filter(|_| self.labels > 0)?;
        Some(Self::array(kept, self.plan.needs().labels))
    }

    /// `launch` counts the postscans of a split.
    fn sizes(&self, launch: u32) -> SizesLaunch<R> {
        let Plan { n, m, chunks, chunk_size, turns, .. } = *self.plan;
        SizesLaunch::new(n, m, chunks, self.plan.columns(), chunk_size, turns, launch)
    }

    /// What the next split is left, if a postscan leaves it something.
    fn ahead(&self, pass: &Pass<'_>) -> AheadLaunch<F::Kernel, R> {
        let next = self.links.next.filter(|_| pass.load.leaves_ids);
        let ids = self.workspace.labels.as_ref().filter(|_| next.is_some());
        AheadLaunch::new(
            next.map(|next| next.arg(&self.upload())).into_iter().collect(),
            ids.map(|ids| Self::array(ids, self.plan.n as usize)).into_iter().collect(),
        )
    }

    pub fn prescan(&self, keys: &Handle) {
        match self.workspace.labels.as_ref().filter(|_| self.links.left) {
            Some(ids) => self.count(ids, links::per_load(self.plan), &Identity::<u8>::new(self.plan.m)),
            None => self.count(keys, keys_per_load::<KeyOf<F>>(keys, self.plan.n), self.f),
        }
    }

    fn count<G: Function>(&self, keys: &Handle, per_load: usize, f: &G) {
        let bp = self.plan.prescan(self.labels);
        let keys = Self::array(keys, (self.plan.n as usize).div_ceil(per_load));
        // SAFETY: the kernel reads keys below n in whole loads, which lie within the allocation (see `keys_per_load`
        // and `links::words`),
        // and writes H, a label word per load, and the flag.
        unsafe {
            prescan::prescan::launch_unchecked::<G::Kernel, R>(
                &self.gpu.client,
                CubeCount::new_1d(self.plan.prescan_cubes),
                CubeDim::new_1d(bp.units()),
                self.gpu.address(),
                per_load,
                keys,
                self.h(),
                self.kept().into_iter().collect(),
                self.result_array(),
                f.arg(&self.upload()),
                self.sizes(0),
                bp,
            )
        }
    }

    pub fn scan(&self) {
        let bp = self.plan.scan();
        // SAFETY: the kernel stays within H's m + 1 rows and the m + 1 totals.
        unsafe {
            scan::scan::launch_unchecked::<R>(
                &self.gpu.client,
                CubeCount::new_1d(self.plan.m + 1),
                CubeDim::new_1d(bp.units()),
                self.gpu.address(),
                Self::array(&self.workspace.h, self.plan.needs().h / scan::LOAD as usize),
                self.totals(),
                self.result_array(),
                self.sizes(0),
                bp,
            )
        }
    }

    pub fn postscan(&self, job: &Job<'_>, pass: &Pass<'_>, launch: u32) {
        let bp = self.plan.postscan(pass.load, pass.aligned);
        let permutation = job.permutation.as_ref().filter(|_| pass.permutation);
        let from = columns(self.plan.n, pass, |column| &column.from, None);
        let to = columns(self.plan.n, pass, |column| &column.to, permutation);
        let n = self.plan.n as usize;
        // By labels a kernel takes them instead of the function.
        macro_rules! launch {
            ($kernel:ident of $type:ty $(, labels $labels:expr)? $(, ahead $ahead:expr)? $(, function $function:expr)?) => {
                // SAFETY: final positions are a permutation of 0..n, since bucket ids are brought into range the same
                // way in both stages; every column holds n elements.
                unsafe {
                    $kernel::$kernel::launch_unchecked::<$type, R>(
                        &self.gpu.client,
                        CubeCount::new_1d(self.plan.postscan_cubes),
                        CubeDim::new_1d(bp.units()),
                        self.gpu.address(),
                        $($labels,)?
                        Self::array(&job.keys, n),
                        from,
                        Self::array(&job.keys_out, n),
                        to,
                        self.h(),
                        self.totals(),
                        self.result_array(),
                        $($ahead,)?
                        $($function,)?
                        self.sizes(launch),
                        bp,
                    )
                }
            };
        }
        match (self.plan.method, self.kept()) {
            (_, Some(kept)) => launch!(postscan_labels of KeyOf<F>, labels kept),
            (Method::Direct, None) => launch!(postscan_direct of F::Kernel, function self.function()),
            (Method::WarpLevel, None) => launch!(postscan_plane of F::Kernel, function self.function()),
            (Method::BlockLevel | Method::Auto, None) => {
                launch!(postscan_cube of F::Kernel, ahead self.ahead(pass), function self.function())
            }
        }
    }

    /// The whole split, of an input that fits one tile.
    pub fn split_tile(&self, job: &Job<'_>, pass: &Pass<'_>) {
        // There is nothing to copy ahead.
        let bp = self.plan.postscan(pass.load, false);
        let permutation = job.permutation.as_ref().filter(|_| pass.permutation);
        let n = self.plan.n as usize;
        // SAFETY: places in the tile below n are a permutation of 0..n; every column holds n elements.
        unsafe {
            split_tile::split_tile::launch_unchecked::<F::Kernel, R>(
                &self.gpu.client,
                CubeCount::new_1d(1),
                CubeDim::new_1d(bp.units()),
                self.gpu.address(),
                Self::array(&job.keys, n),
                columns(self.plan.n, pass, |column| &column.from, None),
                Self::array(&job.keys_out, n),
                columns(self.plan.n, pass, |column| &column.to, permutation),
                self.result_array(),
                self.function(),
                self.sizes(0),
                bp,
            )
        }
    }
}

/// The columns of a pass: the inputs, or the outputs. Each holds n elements.
pub(super) fn columns<R: Runtime>(
    n: u32,
    pass: &Pass<'_>,
    side: fn(&GpuColumn) -> &Handle,
    permutation: Option<&Handle>,
) -> ColumnsLaunch<R> {
    // SAFETY: every column was checked to hold at least n elements by the caller of the split.
    let array = |handle: &Handle| unsafe { ArrayArg::from_raw_parts(handle.clone(), n as usize) };
    let of = |width| pass.columns.iter().filter(move |column| column.width == width).map(|column| array(side(column)));
    let permutation = permutation.map(array);
    ColumnsLaunch::new(of(Width::Narrow).collect(), of(Width::Wide).collect(), permutation.into_iter().collect())
}

/// Keys per load of the prescan and of histograms: 16 bytes' worth of 4- and 8-byte keys, if the buffer is
/// aligned and holds whole loads.
pub(super) fn keys_per_load<K: Key>(keys: &Handle, n: u32) -> usize {
    let size = size_of::<K>();
    let whole_loads = keys.size_in_used() >= (n as u64 * size as u64).next_multiple_of(16);
    if size >= 4 && whole_loads && is_aligned(keys) { 16 / size } else { 1 }
}
