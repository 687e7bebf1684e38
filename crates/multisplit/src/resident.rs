//! Splits between device buffers: nothing is copied to or from the host, nothing is waited for.

use crate::bucket::Buckets;
use crate::buffer::Buffer;
use crate::cpu;
use crate::device::{Device, dispatch};
use crate::error::{Error, Result};
#[cfg(feature = "gpu")]
use crate::gpu::{self, Gather, Gpu, GpuColumn, GpuWorkspace, Job, Load, Plan, result_words};
#[cfg(feature = "gpu")]
use crate::split::Outputs;
use crate::split::{Multisplit, check_astray, cpu_column, cpu_keys};
#[cfg(feature = "gpu")]
use crate::value::Width;
use crate::value::{Column, ColumnKind};
use bytemuck::Pod;
#[cfg(feature = "gpu")]
use cubecl::{prelude::Runtime, server::Handle};

/// The bucket offsets of a split between device buffers, on the device.
///
/// Made by [`Multisplit::offsets`], written by [`Multisplit::enqueue`], and read when you choose to.
#[derive(Debug)]
pub struct Offsets {
    device: Device,
    m: u32,
    memory: OffsetsMemory,
}

#[derive(Debug)]
enum OffsetsMemory {
    Host {
        offsets: Vec<usize>,
        astray: u64,
    },
    #[cfg(feature = "gpu")]
    Gpu(Handle),
}

impl Offsets {
    /// Waits for the split and copies the m + 1 offsets to the host.
    ///
    /// # Errors
    /// [`Error::BucketOutOfRange`] if the bucket function returned ids that are not below m; [`Error::DeviceFailed`],
    /// [`Error::KernelFailed`] or [`Error::MissingCapability`] if the split failed on the device.
    pub fn read(&self) -> Result<Vec<usize>> {
        match &self.memory {
            OffsetsMemory::Host { offsets, astray } => {
                check_astray(*astray, self.m)?;
                Ok(offsets.clone())
            }
            #[cfg(feature = "gpu")]
            OffsetsMemory::Gpu(handle) => {
                dispatch!(self.device, gpu => read_result(gpu, handle, self.m), cpu => Ok(Vec::new()))
            }
        }
    }

    /// Waits for the split and reports what went wrong with it, if anything.
    ///
    /// # Errors
    /// As [`Offsets::read`].
    pub fn check(&self) -> Result<()> {
        self.read().map(drop)
    }

    /// The handle of the offsets on a GPU: m + 1 `u32` numbers (and two words of this crate's own after them).
    #[cfg(feature = "gpu")]
    pub fn handle(&self) -> Option<&Handle> {
        match &self.memory {
            OffsetsMemory::Host { .. } => None,
            OffsetsMemory::Gpu(handle) => Some(handle),
        }
    }
}

/// Memory that splits need besides their inputs and outputs. Made by [`Multisplit::workspace`]; can be used again for
/// any split of the same shape or smaller.
pub struct Workspace {
    device: Device,
    memory: WorkspaceMemory,
}

enum WorkspaceMemory {
    Host(cpu::Scratch),
    #[cfg(feature = "gpu")]
    Gpu(GpuWorkspace),
}

impl Workspace {
    /// Its size in bytes.
    pub fn bytes(&self) -> usize {
        match &self.memory {
            WorkspaceMemory::Host(scratch) => scratch.size(),
            #[cfg(feature = "gpu")]
            WorkspaceMemory::Gpu(workspace) => workspace.bytes(),
        }
    }
}

impl<F: Buckets> Multisplit<'_, F> {
    /// Room for the offsets of a split on `device`.
    ///
    /// # Errors
    /// [`Error::NoBuckets`], [`Error::TooManyBuckets`], [`Error::OutOfMemory`].
    pub fn offsets(&self, device: &Device) -> Result<Offsets> {
        self.check(0)?;
        let m = self.f.buckets();
        let memory = dispatch!(device,
            gpu => OffsetsMemory::Gpu(gpu.upload(bytemuck::cast_slice(&vec![0u32; result_words(m)]))?),
            cpu => OffsetsMemory::Host { offsets: vec![0; m as usize + 1], astray: 0 });
        Ok(Offsets { device: device.clone(), m, memory })
    }

    /// A workspace for splits of up to `n` keys with up to `columns` value columns on `device`.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`]; and what is wrong with the split itself.
    pub fn workspace(&self, device: &Device, n: usize, columns: usize) -> Result<Workspace> {
        self.check(n)?;
        let m = self.f.buckets();
        let memory = dispatch!(device,
            gpu => WorkspaceMemory::Gpu(GpuWorkspace::new(gpu, &largest_plan(gpu, self, n)?)?),
            cpu => WorkspaceMemory::Host(cpu::Scratch::for_split(n, m, columns + 1)));
        let _ = columns; // GPUs need the same for any number of columns
        Ok(Workspace { device: device.clone(), memory })
    }

    /// The bytes that [`Multisplit::workspace`] would allocate.
    ///
    /// # Errors
    /// What is wrong with the split itself.
    pub fn workspace_bytes(&self, device: &Device, n: usize, columns: usize) -> Result<usize> {
        self.check(n)?;
        let m = self.f.buckets();
        dispatch!(device,
            gpu => largest_plan(gpu, self, n).map(|plan| 4 * (plan.h_words() + plan.total_words())),
            cpu => Ok(cpu::Scratch::bytes_for(n, m, columns + 1, rayon::current_num_threads())))
    }

    /// Splits from device buffers to device buffers.
    ///
    /// On a GPU this returns when the work is submitted; nothing is copied to the host and nothing is waited for.
    /// (Except once: the first time that a kernel runs on a device it is compiled, and seen to run. Call it once with a
    /// small input to get that over with.) On the CPU it returns when the work is done.
    ///
    /// ```
    /// use multisplit::{Column, Device, Multisplit, bucket::Identity};
    /// let device = Device::best();
    /// let split = Multisplit::by(&Identity::new(3));
    ///
    /// let keys = device.upload(&[2u32, 0, 1, 0])?;
    /// let values = device.upload(&[20.0f32, 0.0, 10.0, 0.5])?;
    /// let (mut keys_out, mut values_out) = (device.alloc(4)?, device.alloc(4)?);
    /// let mut offsets = split.offsets(&device)?;
    /// let mut workspace = split.workspace(&device, 4, 1)?;
    ///
    /// let columns = &mut [Column::new(&values, &mut values_out)];
    /// split.enqueue(&keys, &mut keys_out, columns, &mut offsets, &mut workspace)?;
    /// assert_eq!(offsets.read()?, [0, 2, 3, 4]);
    /// assert_eq!(values_out.download()?, [0.0, 0.5, 10.0, 20.0]);
    /// # Ok::<(), multisplit::Error>(())
    /// ```
    ///
    /// Input and output cannot be the same buffer:
    ///
    /// ```compile_fail
    /// # use multisplit::{Device, Multisplit, bucket::Identity};
    /// # let device = Device::cpu();
    /// # let split = Multisplit::by(&Identity::new(3));
    /// # let mut offsets = split.offsets(&device)?;
    /// # let mut workspace = split.workspace(&device, 4, 0)?;
    /// let mut keys = device.upload(&[2u32, 0, 1, 0])?;
    /// split.enqueue(&keys, &mut keys, &mut [], &mut offsets, &mut workspace)?;
    /// # Ok::<(), multisplit::Error>(())
    /// ```
    ///
    /// # Errors
    /// What can be seen before the kernels run; [`Offsets::read`] and [`Offsets::check`] tell the rest.
    pub fn enqueue(
        &self,
        keys: &Buffer<F::Key>,
        keys_out: &mut Buffer<F::Key>,
        columns: &mut [Column<'_>],
        offsets: &mut Offsets,
        workspace: &mut Workspace,
    ) -> Result<()> {
        self.check(keys.len())?;
        self.check_buffers(keys, keys_out, columns, offsets, workspace)?;
        dispatch!(keys.device(),
            gpu => enqueue_on_gpu(gpu, self, keys, keys_out, columns, offsets, workspace),
            cpu => self.run_on_cpu(keys, keys_out, columns, offsets, workspace))
    }

    /// All on one device, as long as the keys, and in room for them.
    fn check_buffers(
        &self,
        keys: &Buffer<F::Key>,
        keys_out: &Buffer<F::Key>,
        columns: &[Column<'_>],
        offsets: &Offsets,
        workspace: &Workspace,
    ) -> Result<()> {
        let n = keys.len();
        let same_device = |what: &str, device: &Device| {
            if device.is_same(keys.device()) {
                return Ok(());
            }
            let (got, expected) = (device.name().into(), keys.device().name().into());
            Err(Error::WrongDevice { what: what.into(), got, expected })
        };
        let room = |what: String, got: usize| {
            if got >= n { Ok(()) } else { Err(Error::OutputTooSmall { what, got, needed: n }) }
        };
        same_device("the key output", keys_out.device())?;
        same_device("the offsets", &offsets.device)?;
        same_device("the workspace", &workspace.device)?;
        room("the key output".into(), keys_out.len())?;
        if offsets.m < self.f.buckets() {
            let (got, needed) = (offsets.m as usize + 1, self.f.buckets() as usize + 1);
            return Err(Error::OutputTooSmall { what: "the offsets".into(), got, needed });
        }
        for (i, column) in columns.iter().enumerate() {
            match &column.0 {
                ColumnKind::Values { from, to, .. } => {
                    same_device(&format!("value column {i}"), from.device())?;
                    same_device(&format!("the output of value column {i}"), to.device())?;
                    if from.len() != n {
                        let what = format!("value column {i}");
                        return Err(Error::LengthMismatch { what, got: from.len(), keys: n });
                    }
                    room(format!("the output of value column {i}"), to.len())?;
                }
                ColumnKind::Permutation { to } => {
                    same_device("the permutation", to.device())?;
                    room("the permutation".into(), to.len())?;
                }
            }
        }
        if columns.iter().filter(|c| matches!(c.0, ColumnKind::Permutation { .. })).count() > 1 {
            return Err(Error::InvalidPermutation("it was asked for twice".into()));
        }
        Ok(())
    }

    fn run_on_cpu(
        &self,
        keys: &Buffer<F::Key>,
        keys_out: &mut Buffer<F::Key>,
        columns: &mut [Column<'_>],
        out: &mut Offsets,
        workspace: &mut Workspace,
    ) -> Result<()> {
        let n = keys.len();
        let keys = keys.as_slice().unwrap_or_default();
        let mut moves = vec![cpu_keys(keys, &mut keys_out.as_mut_slice().unwrap_or_default()[..n])];
        for column in columns {
            moves.push(match &mut column.0 {
                ColumnKind::Values { width, from, to } => {
                    let bytes = from.host();
                    cpu_column(*width, bytes, &mut to.host_mut()[..bytes.len()])
                }
                ColumnKind::Permutation { to } => {
                    cpu::Column::Index { to: &mut to.as_mut_slice().unwrap_or_default()[..n] }
                }
            });
        }
        out.m = self.f.buckets();
        #[allow(irrefutable_let_patterns)] // without GPUs there is no other kind
        if let (OffsetsMemory::Host { offsets, astray }, WorkspaceMemory::Host(scratch)) =
            (&mut out.memory, &mut workspace.memory)
        {
            offsets.resize(out.m as usize + 1, 0);
            *astray = cpu::split(keys, &mut moves, out.m, |key| self.f.bucket(key), offsets, scratch);
        }
        Ok(())
    }
}

/// Brings the rows of `from` into the order of `permutation`: `to[i] = from[permutation[i]]`. For values that are too
/// large to travel with their keys: split, ask for the permutation, and gather. An index beyond `from` reads its last
/// row.
///
/// ```
/// use multisplit::{Device, gather};
/// let device = Device::best();
/// let rows = device.upload(&[[1u32, 10, 100], [2, 20, 200]])?;
/// let mut out = device.alloc(2)?;
/// gather(&rows, &device.upload(&[1, 0])?, &mut out)?;
/// assert_eq!(out.download()?, [[2, 20, 200], [1, 10, 100]]);
/// # Ok::<(), multisplit::Error>(())
/// ```
///
/// # Errors
/// [`Error::WrongDevice`], [`Error::OutputTooSmall`]; on a GPU [`Error::MissingCapability`] if a row is not of whole
/// 4-byte words.
pub fn gather<T: Pod + Send + Sync>(from: &Buffer<T>, permutation: &Buffer<u32>, to: &mut Buffer<T>) -> Result<()> {
    for (what, device) in [("the permutation", permutation.device()), ("the output", to.device())] {
        if !device.is_same(from.device()) {
            let (got, expected) = (device.name().into(), from.device().name().into());
            return Err(Error::WrongDevice { what: what.into(), got, expected });
        }
    }
    let (rows, from_rows) = (permutation.len(), from.len());
    if to.len() < rows {
        return Err(Error::OutputTooSmall { what: "the output".into(), got: to.len(), needed: rows });
    }
    if from_rows == 0 && rows > 0 {
        return Err(Error::InvalidPermutation("there are no rows to gather".into()));
    }
    dispatch!(from.device(),
    gpu => {
        if size_of::<T>() % 4 != 0 {
            return Err(gpu.lacks(format!("a gather of {}-byte rows (only whole 4-byte words)", size_of::<T>())));
        }
        let count = |n: usize| u32::try_from(n).map_err(|_| Error::TooManyKeys { n });
        let (Some(from), Some(permutation), Some(to)) = (from.handle(), permutation.handle(), to.handle()) else {
            return Ok(());
        };
        let (from, permutation, to) = (from.clone(), permutation.clone(), to.clone());
        let words = size_of::<T>() as u32 / 4;
        Gather { from, from_rows: count(from_rows)?, permutation, to, rows: count(rows)?, words }.launch(gpu)
    },
    cpu => {
        use rayon::prelude::*;
        let (from, permutation) = (from.as_slice().unwrap_or_default(), permutation.as_slice().unwrap_or_default());
        let to = to.as_mut_slice().unwrap_or_default();
        to.par_iter_mut().zip(permutation).for_each(|(to, &i)| *to = from[(i as usize).min(from_rows - 1)]);
        Ok(())
    })
}

/// The plan that needs the largest workspace, whatever columns come along.
#[cfg(feature = "gpu")]
fn largest_plan<F: Buckets>(gpu: &Gpu<impl Runtime>, split: &Multisplit<'_, F>, n: usize) -> Result<Plan> {
    let mut largest: Option<Plan> = None;
    for (narrow, wide) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
        let load = Load { key_bytes: size_of::<F::Key>() as u32, narrow, wide, permutation: false };
        let plan = Plan::new(&gpu.facts, split.method, split.policy, n, split.f.buckets(), load)?;
        if largest.as_ref().is_none_or(|best| plan.h_words() > best.h_words()) {
            largest = Some(plan);
        }
    }
    largest.ok_or(Error::NoBuckets)
}

/// The plan of a split with these columns, if the device can do it at all.
#[cfg(feature = "gpu")]
fn plan<F: Buckets>(
    gpu: &Gpu<impl Runtime>,
    split: &Multisplit<'_, F>,
    n: usize,
    columns: &[GpuColumn],
    permutation: bool,
) -> Result<Plan> {
    gpu.check_planes()?;
    gpu.check_key::<F::Key>()?;
    let count = |width| columns.iter().filter(|c| c.width == width).count() as u32;
    let (narrow, wide) = (count(Width::Narrow), count(Width::Wide));
    let load = Load { key_bytes: size_of::<F::Key>() as u32, narrow, wide, permutation };
    Plan::new(&gpu.facts, split.method, split.policy, n, split.f.buckets(), load)
}

#[cfg(feature = "gpu")]
fn enqueue_on_gpu<F: Buckets>(
    gpu: &Gpu<impl Runtime>,
    split: &Multisplit<'_, F>,
    keys: &Buffer<F::Key>,
    keys_out: &Buffer<F::Key>,
    columns: &[Column<'_>],
    offsets: &mut Offsets,
    workspace: &Workspace,
) -> Result<()> {
    let (mut moves, mut permutation) = (Vec::new(), None);
    for column in columns {
        match &column.0 {
            ColumnKind::Values { width, from, to } => {
                if let (Some(from), Some(to)) = (from.handle(), to.handle()) {
                    moves.push(GpuColumn { width: *width, from: from.clone(), to: to.clone() });
                }
            }
            ColumnKind::Permutation { to } => permutation = to.handle().cloned(),
        }
    }
    let plan = plan(gpu, split, keys.len(), &moves, permutation.is_some())?;
    let (Some(keys), Some(keys_out)) = (keys.handle().cloned(), keys_out.handle().cloned()) else {
        return Ok(());
    };
    let job = Job { keys, keys_out, columns: &moves, permutation };
    offsets.m = split.f.buckets();
    match (&mut offsets.memory, &workspace.memory) {
        (OffsetsMemory::Gpu(result), WorkspaceMemory::Gpu(workspace)) => {
            gpu::split(gpu, &plan, split.f, &job, result, workspace)
        }
        _ => Ok(()),
    }
}

/// A split on slices, by way of the device: up, split, down.
#[cfg(feature = "gpu")]
pub(crate) fn split_slices<R: Runtime, F: Buckets>(
    gpu: &Gpu<R>,
    split: &Multisplit<'_, F>,
    keys: &[F::Key],
    to: Outputs<'_, '_, F::Key>,
) -> Result<Vec<usize>> {
    let mut columns = Vec::new();
    for column in to.columns.iter() {
        let from = gpu.upload(column.from)?;
        columns.push(GpuColumn { width: column.width, from, to: gpu.allocate(column.to.len())? });
    }
    let n = keys.len();
    let permutation = to.permutation.as_ref().map(|_| gpu.allocate(4 * n)).transpose()?;
    let plan = plan(gpu, split, n, &columns, permutation.is_some())?;
    let bytes: &[u8] = bytemuck::cast_slice(keys);
    let job = Job { keys: gpu.upload(bytes)?, keys_out: gpu.allocate(bytes.len())?, columns: &columns, permutation };
    let workspace = GpuWorkspace::new(gpu, &plan)?;
    let mut result = gpu.upload(bytemuck::cast_slice(&vec![0u32; result_words(plan.m)]))?;
    gpu::split(gpu, &plan, split.f, &job, &mut result, &workspace)?;

    let offsets = read_result(gpu, &result, plan.m)?;
    download(gpu, &job.keys_out, bytemuck::cast_slice_mut(to.keys))?;
    for (from, to) in columns.iter().zip(to.columns) {
        download(gpu, &from.to, to.to)?;
    }
    if let (Some(from), Some(to)) = (&job.permutation, to.permutation) {
        download(gpu, from, bytemuck::cast_slice_mut(to))?;
    }
    Ok(offsets)
}

#[cfg(feature = "gpu")]
fn download(gpu: &Gpu<impl Runtime>, from: &Handle, to: &mut [u8]) -> Result<()> {
    if !to.is_empty() {
        to.copy_from_slice(&gpu.read(from, to.len())?[..to.len()]);
    }
    Ok(())
}

/// Waits for a split and reads its offsets, or what went wrong.
#[cfg(feature = "gpu")]
fn read_result(gpu: &Gpu<impl Runtime>, handle: &Handle, m: u32) -> Result<Vec<usize>> {
    let bytes = gpu.read(handle, 4 * result_words(m))?;
    let words: &[u32] = bytemuck::cast_slice(&bytes[..4 * result_words(m)]);
    let (offsets, status) = words.split_at(m as usize + 1);
    if status[1] != 0 {
        let plane = gpu.facts.plane;
        return Err(gpu.lacks(format!("a fixed plane size: a kernel made for {plane} lanes ran with another number")));
    }
    check_astray(u64::from(status[0]), m)?;
    Ok(offsets.iter().map(|&offset| offset as usize).collect())
}
