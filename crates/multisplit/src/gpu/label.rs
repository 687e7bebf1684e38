//! The launches of a reduced-bit sort besides the sort.

use super::client::{Gpu, variant};
use super::kernels::label::{self, TILE, UNITS};
use super::offsets::{Ordered, parts};
use super::split::{LOST, UNWRITTEN, result_words};
use crate::bucket::{Buckets, Upload};
use crate::digits::Digits;
use crate::error::{Error, Result};
use crate::key::Key;
use cubecl::prelude::*;
use cubecl::server::Handle;
use std::any::TypeId;

/// Keys that a kernel is given to prove that it runs.
const PROOF: usize = 1 << 12;

/// Labels to be made of n keys, and perhaps pairs to be packed.
pub(crate) struct Labelling<'a> {
    pub n: usize,
    pub keys: &'a Handle,
    pub labels: &'a Handle,
    /// Values of 4 bytes, and where they go with their keys.
    pub pairs: Option<(&'a Handle, &'a Handle)>,
}

impl Labelling<'_> {
    /// Submits it. The first time that a function is used here, a few keys are labelled before, and looked at: CubeCL can
    /// lose a launch that fails on its own thread.
    pub fn launch<F: Buckets>(&self, gpu: &Gpu<impl Runtime>, f: &F) -> Result<()> {
        gpu.check_key::<F::Key>()?;
        if self.n == 0 {
            return Ok(());
        }
        let variant = variant(("label", TypeId::of::<F>(), f.kernel_variant(), self.pairs.is_some()));
        if !gpu.is_proven(variant) {
            let n = self.n.min(PROOF);
            let labels = gpu.upload(bytemuck::cast_slice(&vec![UNWRITTEN; n]))?;
            let packed = gpu.allocate(8 * n)?;
            let pairs = self.pairs.map(|(values, _)| (values, &packed));
            Labelling { n, keys: self.keys, labels: &labels, pairs }.submit(gpu, f)?;
            let written: Vec<u32> = bytemuck::pod_collect_to_vec(&gpu.read(&labels, 4 * n)?[..4 * n]);
            if written.contains(&UNWRITTEN) {
                return Err(lost(gpu, "label"));
            }
            gpu.set_proven(variant);
        }
        self.submit(gpu, f)
    }

    fn submit<R: Runtime, F: Buckets>(&self, gpu: &Gpu<R>, f: &F) -> Result<()> {
        let (values, packed) = self.pairs.unzip();
        // SAFETY: the kernel reads n keys and values and writes n labels and pairs; the caller's buffers hold as many.
        gpu.launch(|| unsafe {
            label::label::launch_unchecked::<F, R>(
                &gpu.client,
                cubes(gpu, self.n),
                CubeDim::new_1d(UNITS),
                gpu.address(),
                array(self.keys, self.n),
                values.map(|values| array(values, self.n)).into_iter().collect(),
                array(self.labels, self.n),
                packed.map(|packed| array(packed, self.n)).into_iter().collect(),
                f.kernel_arg(&Upload { client: &gpu.client, device: gpu.id }),
                self.n as u32,
                f.buckets() - 1,
            )
        })
    }
}

/// Takes `n` packed pairs apart.
pub(crate) fn unpack(gpu: &Gpu<impl Runtime>, n: usize, packed: &Handle, keys: &Handle, values: &Handle) -> Result<()> {
    let variant = variant("unpack");
    if !gpu.is_proven(variant) {
        let (pair, key, value) = (gpu.upload(&[1, 2, 3, 4, 5, 6, 7, 8])?, gpu.upload(&[0; 4])?, gpu.upload(&[0; 4])?);
        submit_unpack(gpu, 1, &pair, &key, &value)?;
        if gpu.read(&key, 4)?[..4] != [1, 2, 3, 4] || gpu.read(&value, 4)?[..4] != [5, 6, 7, 8] {
            return Err(lost(gpu, "unpack"));
        }
        gpu.set_proven(variant);
    }
    submit_unpack(gpu, n, packed, keys, values)
}

fn submit_unpack<R: Runtime>(gpu: &Gpu<R>, n: usize, packed: &Handle, keys: &Handle, values: &Handle) -> Result<()> {
    if n == 0 {
        return Ok(());
    }
    // SAFETY: the kernel reads n pairs and writes n keys and values of 4 bytes; the caller's buffers hold as many.
    gpu.launch(|| unsafe {
        label::unpack::launch_unchecked::<R>(
            &gpu.client,
            cubes(gpu, n),
            CubeDim::new_1d(UNITS),
            gpu.address(),
            array(packed, n),
            array(keys, n),
            array(values, n),
            n as u32,
        )
    })
}

/// Brings `n` keys into the order of a permutation.
pub(crate) fn gather_keys<K: Key>(
    gpu: &Gpu<impl Runtime>,
    n: usize,
    keys: &Handle,
    permutation: &Handle,
    keys_out: &Handle,
) -> Result<()> {
    let variant = variant(("gather keys", TypeId::of::<K>()));
    if !gpu.is_proven(variant) {
        let (from, to) = (gpu.upload(&[0x5a; 16])?, gpu.upload(&[0; 16])?);
        submit_gather::<_, K>(gpu, 1, &from, &gpu.upload(&[0; 4])?, &to)?;
        if gpu.read(&to, size_of::<K>())?[..size_of::<K>()].contains(&0) {
            return Err(lost(gpu, "gather"));
        }
        gpu.set_proven(variant);
    }
    submit_gather::<_, K>(gpu, n, keys, permutation, keys_out)
}

fn submit_gather<R: Runtime, K: Key>(
    gpu: &Gpu<R>,
    n: usize,
    keys: &Handle,
    permutation: &Handle,
    keys_out: &Handle,
) -> Result<()> {
    if n == 0 {
        return Ok(());
    }
    // SAFETY: the permutation is that of a sort of n elements, so that the kernel reads keys below n, and it writes n keys.
    gpu.launch(|| unsafe {
        label::gather_keys::launch_unchecked::<K, R>(
            &gpu.client,
            cubes(gpu, n),
            CubeDim::new_1d(UNITS),
            gpu.address(),
            array(keys, n),
            array(permutation, n),
            array(keys_out, n),
            n as u32,
        )
    })
}

/// The words of room that [`offsets`] needs.
pub(crate) fn room(m: u32) -> usize {
    parts(m) as usize
}

/// The offsets of a reduced-bit sort, from the keys that it ordered. `passes` are what the sort's splits left.
pub(crate) fn offsets<F: Buckets>(
    gpu: &Gpu<impl Runtime>,
    f: &F,
    n: usize,
    keys: &Handle,
    passes: &[Handle],
    room: &Handle,
    result: &mut Handle,
) -> Result<()> {
    let m = f.buckets();
    if n == 0 {
        *result = gpu.upload(bytemuck::cast_slice(&vec![0u32; result_words(m)]))?;
        return Ok(());
    }
    Ordered { n: n as u32, m, digits: Digits::of(m).values(), passes, least: room }.offsets(gpu, f, keys, result)
}

/// A cube per tile; where a launch cannot have that many, each takes several.
pub(super) fn cubes(gpu: &Gpu<impl Runtime>, n: usize) -> CubeCount {
    let most = gpu.client.properties().hardware.max_cube_count.0;
    CubeCount::new_1d((n as u32).div_ceil(TILE).clamp(1, most))
}

fn array<R: Runtime>(handle: &Handle, len: usize) -> ArrayArg<R> {
    // SAFETY: callers see to it that their buffers hold that many elements.
    unsafe { ArrayArg::from_raw_parts(handle.clone(), len) }
}

fn lost(gpu: &Gpu<impl Runtime>, kernel: &str) -> Error {
    Error::KernelFailed { device: gpu.name.clone(), kernel: kernel.into(), reason: LOST.into() }
}
