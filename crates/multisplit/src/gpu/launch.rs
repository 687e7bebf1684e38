//! From a plan to kernels: prescan, scan, postscan.

use super::client::Gpu;
use super::kernels::elements::ElementsLaunch;
use super::kernels::sizes::SizesLaunch;
use super::kernels::{gather, postscan_cube, postscan_direct, postscan_plane};
use super::kernels::{prescan_cube, prescan_plane, scan};
use super::plan::Plan;
use super::selector::Load;
use crate::Method;
use crate::bucket::{Buckets, Upload};
use crate::error::{Error, Result};
use crate::value::Width;
use cubecl::prelude::*;
use cubecl::server::Handle;
use std::any::TypeId;
use std::hash::{DefaultHasher, Hash, Hasher};

/// Value columns that one postscan carries; more take another pass.
const COLUMNS_PER_PASS: usize = 4;
/// Buffers of a postscan besides the columns: keys in and out, G, totals, result; and room for two tables.
const OTHER_BINDINGS: usize = 7;
/// What `result` holds before a kernel has written to it.
const UNWRITTEN: u32 = 0x5eed_f00d;

/// A value column on the device.
pub(crate) struct GpuColumn {
    pub width: Width,
    pub from: Handle,
    pub to: Handle,
}

/// All buffers of one split.
pub(crate) struct Job<'a> {
    pub keys: Handle,
    pub keys_out: Handle,
    pub columns: &'a [GpuColumn],
    pub permutation: Option<Handle>,
}

/// Device memory for the counters.
pub(crate) struct GpuWorkspace {
    h: Handle,
    h_words: usize,
    totals: Handle,
    total_words: usize,
}

impl GpuWorkspace {
    pub fn new<R: Runtime>(gpu: &Gpu<R>, plan: &Plan) -> Result<Self> {
        let (h_words, total_words) = (plan.h_words(), plan.total_words());
        Ok(Self { h: gpu.allocate(4 * h_words)?, h_words, totals: gpu.allocate(4 * total_words)?, total_words })
    }

    pub fn bytes(&self) -> usize {
        4 * (self.h_words + self.total_words)
    }

    fn check(&self, plan: &Plan) -> Result<()> {
        if self.h_words >= plan.h_words() && self.total_words >= plan.total_words() {
            return Ok(());
        }
        Err(Error::WorkspaceTooSmall { got: self.bytes(), needed: 4 * (plan.h_words() + plan.total_words()) })
    }
}

/// Words of a result: the offsets, the count of keys without a valid bucket, the flag.
pub(crate) const fn result_words(m: u32) -> usize {
    m as usize + 3
}

/// Splits. `result` is replaced by a fresh buffer where nothing else would write to it (no keys) or where it must be
/// seen to be written (the first run of a kernel).
pub(crate) fn split<R: Runtime, F: Buckets>(
    gpu: &Gpu<R>,
    plan: &Plan,
    f: &F,
    job: &Job<'_>,
    result: &mut Handle,
    workspace: &GpuWorkspace,
) -> Result<()> {
    if plan.n == 0 {
        *result = gpu.upload(bytemuck::cast_slice(&vec![0u32; result_words(plan.m)]))?;
        return Ok(());
    }
    workspace.check(plan)?;
    let passes = passes::<F>(gpu, job);
    let variant = variant(plan, f, &passes);
    let first_run = !gpu.is_proven(variant);
    if first_run {
        *result = gpu.upload(bytemuck::cast_slice(&vec![UNWRITTEN; result_words(plan.m)]))?;
    }
    gpu.launch(|| {
        let stage = Stage { gpu, plan, f, result, workspace };
        stage.prescan(&job.keys);
        stage.scan();
        for pass in &passes {
            stage.postscan(job, pass);
        }
    })?;
    if first_run {
        prove(gpu, plan, result)?;
        gpu.set_proven(variant);
    }
    Ok(())
}

/// Waits for the first run of a kernel and looks whether it did run: CubeCL can lose a launch that fails on its own
/// thread, and later reads then return stale memory without an error.
fn prove<R: Runtime>(gpu: &Gpu<R>, plan: &Plan, result: &Handle) -> Result<()> {
    let failed = |kernel: &str, reason: String| Error::KernelFailed {
        device: gpu.name.clone(),
        kernel: format!("{kernel} ({} multisplit)", plan.method),
        reason,
    };
    gpu.sync().map_err(|error| failed("multisplit", error.to_string()))?;
    let bytes = gpu.read(result, 4 * result_words(plan.m))?;
    let words: &[u32] = bytemuck::cast_slice(&bytes[..4 * result_words(plan.m)]);
    let m = plan.m as usize;
    let lost = "it was submitted but did not run; the driver's message may be on standard error".to_string();
    if words[m + 2] == UNWRITTEN {
        return Err(failed("prescan", lost));
    }
    if words[m + 2] == 0 && words[m] != plan.n {
        return Err(failed("postscan", lost));
    }
    Ok(())
}

/// The columns that one postscan carries.
struct Pass<'a> {
    columns: &'a [GpuColumn],
    permutation: bool,
    load: Load,
}

/// Deals the columns out to passes that the device can bind. The keys move in each: a pass without them would be
/// another kernel.
fn passes<'a, F: Buckets>(gpu: &Gpu<impl Runtime>, job: &Job<'a>) -> Vec<Pass<'a>> {
    let room = (gpu.facts.max_bindings as usize).saturating_sub(OTHER_BINDINGS + 1) / 2;
    let mut groups: Vec<&[GpuColumn]> = job.columns.chunks(room.clamp(1, COLUMNS_PER_PASS)).collect();
    if groups.is_empty() {
        groups.push(&[]);
    }
    let pass = |(i, columns): (usize, &'a [GpuColumn])| {
        let count = |width| columns.iter().filter(|c| c.width == width).count() as u32;
        let permutation = i == 0 && job.permutation.is_some();
        let (narrow, wide) = (count(Width::Narrow), count(Width::Wide));
        let load = Load { key_bytes: size_of::<F::Key>() as u32, narrow, wide, permutation };
        Pass { columns, permutation, load }
    };
    groups.into_iter().enumerate().map(pass).collect()
}

/// Tells apart the kernels that a split compiles.
fn variant<F: Buckets>(plan: &Plan, f: &F, passes: &[Pass<'_>]) -> u64 {
    let mut hasher = DefaultHasher::new();
    TypeId::of::<F>().hash(&mut hasher);
    f.kernel_variant().hash(&mut hasher);
    (plan.method, plan.prescan()).hash(&mut hasher);
    for pass in passes {
        plan.postscan(pass.load).hash(&mut hasher);
    }
    hasher.finish()
}

/// What the launches of one split have in common.
struct Stage<'a, R: Runtime, F> {
    gpu: &'a Gpu<R>,
    plan: &'a Plan,
    f: &'a F,
    result: &'a Handle,
    workspace: &'a GpuWorkspace,
}

impl<R: Runtime, F: Buckets> Stage<'_, R, F> {
    fn function(&self) -> <F as LaunchArg>::RuntimeArg<R> {
        self.f.kernel_arg(&Upload { client: &self.gpu.client, device: self.gpu.id })
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
        Self::array(&self.workspace.h, self.plan.h_words())
    }

    fn totals(&self) -> ArrayArg<R> {
        Self::array(&self.workspace.totals, self.plan.total_words())
    }

    fn cubes(&self) -> CubeCount {
        CubeCount::new_1d(self.plan.cubes)
    }

    fn sizes(&self) -> SizesLaunch<R> {
        let Plan { n, m, chunks, chunk_size, .. } = *self.plan;
        SizesLaunch::new(n, m, chunks, chunk_size)
    }

    fn prescan(&self, keys: &Handle) {
        let bp = self.plan.prescan();
        let n = self.plan.n as usize;
        let (client, dim, address) = (&self.gpu.client, CubeDim::new_1d(bp.units()), address(self.gpu));
        let (h, result, f, sizes) = (self.h(), self.result_array(), self.function(), self.sizes());
        if self.plan.method == Method::BlockLevel {
            let per_load = keys_per_load::<F>(keys, self.plan.n);
            let keys = Self::array(keys, n.div_ceil(per_load));
            // SAFETY: the kernel reads keys below n in whole loads, which lie within the allocation (see
            // `keys_per_load`), and writes H and the flag.
            unsafe {
                prescan_cube::prescan_cube::launch_unchecked::<F, R>(
                    client,
                    self.cubes(),
                    dim,
                    address,
                    per_load,
                    keys,
                    h,
                    result,
                    f,
                    sizes,
                    bp,
                )
            }
        } else {
            let keys = Self::array(keys, n);
            // SAFETY: the kernel reads keys below n, and writes H and the flag.
            unsafe {
                prescan_plane::prescan_plane::launch_unchecked::<F, R>(
                    client,
                    self.cubes(),
                    dim,
                    address,
                    keys,
                    h,
                    result,
                    f,
                    sizes,
                    bp,
                )
            }
        }
    }

    fn scan(&self) {
        let bp = self.plan.scan();
        // SAFETY: the kernel stays within H's m + 1 rows and the m + 1 totals.
        unsafe {
            scan::scan::launch_unchecked::<R>(
                &self.gpu.client,
                CubeCount::new_1d(self.plan.m + 1),
                CubeDim::new_1d(bp.units()),
                address(self.gpu),
                self.h(),
                self.totals(),
                self.result_array(),
                self.plan.m,
                self.plan.columns,
                bp,
            )
        }
    }

    fn postscan(&self, job: &Job<'_>, pass: &Pass<'_>) {
        let bp = self.plan.postscan(pass.load);
        let permutation = job.permutation.as_ref().filter(|_| pass.permutation);
        let from = self.elements(&job.keys, pass, |column| &column.from, None);
        let to = self.elements(&job.keys_out, pass, |column| &column.to, permutation);
        macro_rules! launch {
            ($kernel:ident) => {
                // SAFETY: final positions are a permutation of 0..n, since bucket ids are brought into range the same
                // way in both stages; every column holds n elements.
                unsafe {
                    $kernel::$kernel::launch_unchecked::<F, R>(
                        &self.gpu.client,
                        self.cubes(),
                        CubeDim::new_1d(bp.units()),
                        address(self.gpu),
                        from,
                        to,
                        self.h(),
                        self.totals(),
                        self.result_array(),
                        self.function(),
                        self.sizes(),
                        bp,
                    )
                }
            };
        }
        match self.plan.method {
            Method::Direct => launch!(postscan_direct),
            Method::WarpLevel => launch!(postscan_plane),
            Method::BlockLevel | Method::Auto => launch!(postscan_cube),
        }
    }

    /// Keys and the columns of a pass: the inputs, or the outputs.
    fn elements(
        &self,
        keys: &Handle,
        pass: &Pass<'_>,
        side: fn(&GpuColumn) -> &Handle,
        permutation: Option<&Handle>,
    ) -> ElementsLaunch<F::Key, R> {
        let n = self.plan.n as usize;
        let of = |width| {
            let columns = pass.columns.iter().filter(move |column| column.width == width);
            columns.map(|column| Self::array(side(column), n))
        };
        let permutation = permutation.map(|handle| Self::array(handle, n));
        ElementsLaunch::new(
            Self::array(keys, n),
            of(Width::Narrow).collect(),
            of(Width::Wide).collect(),
            permutation.into_iter().collect(),
        )
    }
}

/// 64-bit addresses where the device has them: fewer instructions there, and buffers of over 4 GiB.
fn address(gpu: &Gpu<impl Runtime>) -> AddressType {
    if gpu.client.properties().supports_address(AddressType::U64) { AddressType::U64 } else { AddressType::U32 }
}

/// Keys per load of the block-level prescan: 16 bytes' worth of 4- and 8-byte keys, if the allocation holds whole
/// loads.
fn keys_per_load<F: Buckets>(keys: &Handle, n: u32) -> usize {
    let size = size_of::<F::Key>();
    let whole_loads = keys.size_in_used() >= (n as u64 * size as u64).next_multiple_of(16);
    if size >= 4 && whole_loads { 16 / size } else { 1 }
}

/// Output row i = input row `permutation[i]`, for rows of `words` words.
pub(crate) struct Gather {
    pub from: Handle,
    pub from_rows: u32,
    pub permutation: Handle,
    pub to: Handle,
    pub rows: u32,
    pub words: u32,
}

impl Gather {
    pub fn launch<R: Runtime>(self, gpu: &Gpu<R>) -> Result<()> {
        let Self { from, from_rows, permutation, to, rows, words } = self;
        if rows == 0 || from_rows == 0 {
            return Ok(());
        }
        let across = words.next_power_of_two().min(32);
        let down = 128 / across;
        let cubes = rows.div_ceil(down).min(gpu.facts.processors * 64);
        let array = |handle: Handle, rows: u32, words: u32| {
            // SAFETY: the caller checked that the buffer holds that many rows.
            unsafe { ArrayArg::from_raw_parts(handle, rows as usize * words as usize) }
        };
        // SAFETY: the kernel clamps what it reads of the permutation, and writes `rows` rows.
        gpu.launch(|| unsafe {
            gather::gather::launch_unchecked::<R>(
                &gpu.client,
                CubeCount::new_1d(cubes),
                CubeDim::new_2d(across, down),
                address(gpu),
                array(from, from_rows, words),
                array(permutation, rows, 1),
                array(to, rows, words),
                words,
                from_rows,
                rows,
            )
        })
    }
}
