//! NVIDIA GPUs.

use super::{DeviceInfo, DeviceKind, next_id, quietly};
use crate::error::{Error, Result};
use crate::gpu::{Dialect, Facts, Gpu};
use crate::overlap::Place;
use cubecl::client::ComputeClient;
use cubecl::cuda::{CudaDevice, CudaRuntime, install};
use cubecl::prelude::Runtime;
use cubecl::server::Handle;
use cudarc::driver::result;

/// The GPUs that the driver lists; none if there is no driver. Asked before CubeCL, which would panic without one.
pub(super) fn list() -> Vec<DeviceInfo> {
    if !driver_is_there() || result::init().is_err() {
        return Vec::new();
    }
    let count = result::device::get_count().unwrap_or(0);
    (0..count)
        .map(|index| {
            let name = result::device::get(index).and_then(result::device::get_name);
            DeviceInfo {
                name: format!("cuda:{index}"),
                description: name.unwrap_or_else(|_| "an NVIDIA GPU".into()),
                kind: DeviceKind::Cuda,
            }
        })
        .collect()
}

/// Both libraries are loaded at run time: the driver, and the compiler of kernels.
fn driver_is_there() -> bool {
    // SAFETY: these only try to load the libraries.
    unsafe { cudarc::driver::sys::is_culib_present() && cudarc::nvrtc::sys::is_culib_present() }
}

pub(super) fn open(info: &DeviceInfo, index: &str) -> Result<Gpu<CudaRuntime>> {
    let index = index.parse().map_err(|_| Error::DeviceFailed {
        device: info.name.clone(),
        reason: format!("'{index}' is not a device number"),
    })?;
    let client = quietly(&info.name, || CudaRuntime::client(&CudaDevice::new(index)))?;
    let context = primary_context(index as i32);
    Ok(adopt(&info.name, client).with_free_memory(move || free_memory(context?)))
}

pub(super) fn adopt(name: &str, client: ComputeClient<CudaRuntime>) -> Gpu<CudaRuntime> {
    let hardware = &client.properties().hardware;
    let facts = Facts {
        plane: hardware.plane_size_max,
        processors: hardware.num_streaming_multiprocessors.unwrap_or(64),
        shared_memory: hardware.max_shared_memory_size as u32,
        max_units: hardware.max_units_per_cube,
        max_bindings: hardware.max_bindings,
        bytes: true,
        copies: client.properties().features.copy_async && barrier_header_is_there(),
        dialect: Dialect::Cuda,
        software: false,
    };
    Gpu::new(next_id(), name.into(), client, facts)
}

impl Gpu<CudaRuntime> {
    /// Where the first bytes of a handle's memory are.
    pub(crate) fn locate(&self, handle: &Handle, bytes: usize) -> Result<Place> {
        let start = self.answer(|| self.client.get_resource(handle.clone()))?.resource().ptr;
        Ok(Place { space: 0, start, end: start + bytes as u64 })
    }
}

/// Kernels that copy ahead include a header of CUDA's C++ library, which some installations lack.
fn barrier_header_is_there() -> bool {
    let Some(root) = install::cuda_path() else { return false };
    ["include", "include/cccl"].iter().any(|headers| root.join(headers).join("cuda/barrier").exists())
}

/// The device's context, as a number so that it can travel between threads. It stays until the process ends.
fn primary_context(index: i32) -> Option<usize> {
    let device = result::device::get(index).ok()?;
    // SAFETY: the device is valid.
    unsafe { result::primary_ctx::retain(device) }.ok().map(|context| context as usize)
}

/// Bytes that the driver could still allocate. CubeCL uses the context on a thread of its own, so it is made current
/// on this one too.
fn free_memory(context: usize) -> Option<u64> {
    // SAFETY: a context that `primary_context` retained.
    unsafe { result::ctx::set_current(context as _) }.ok()?;
    result::mem_get_info().ok().map(|(free, _total)| free as u64)
}
