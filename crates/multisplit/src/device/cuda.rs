//! NVIDIA GPUs.

use super::cuda_context::in_primary;
use super::{DeviceInfo, DeviceKind, quietly};
use crate::error::{Error, Result};
use crate::runtime::{Dialect, Facts, Gpu, Located, Place, Server};
use cubecl::client::ComputeClient;
use cubecl::cuda::{CudaDevice, CudaRuntime};
use cubecl::prelude::Runtime;
use cubecl::server::Handle;
use cubecl::stream_id::StreamId;
use cudarc::driver::{result, sys};
use std::sync::Arc;

/// The GPUs that the driver lists; none if there is no driver.
pub(super) fn list() -> Vec<DeviceInfo> {
    let count = count().unwrap_or(0);
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

/// Why there is no GPU, if there is none.
pub(super) fn missing() -> Option<String> {
    match count() {
        Ok(0) => Some("the driver lists no GPU".into()),
        Ok(_) => None,
        Err(reason) => Some(reason),
    }
}

/// Counts the GPUs. Asked before CubeCL, which would panic without a driver. Both libraries are loaded at run time: the
/// driver, and the compiler of kernels.
fn count() -> std::result::Result<i32, String> {
    // SAFETY: these only try to load the libraries.
    let (driver, compiler) = unsafe { (sys::is_culib_present(), cudarc::nvrtc::sys::is_culib_present()) };
    if !driver {
        return Err("no driver: there is no libcuda".into());
    }
    if !compiler {
        return Err("no compiler of kernels: there is no libnvrtc, which comes with the CUDA toolkit".into());
    }
    result::init().map_err(|error| format!("the driver does not start: {error}"))?;
    result::device::get_count().map_err(|error| format!("the driver does not answer: {error}"))
}

pub(super) fn open(info: &DeviceInfo, index: &str, stream: StreamId) -> Result<Gpu<CudaRuntime>> {
    let index: usize = index.parse().map_err(|_| Error::DeviceFailed {
        device: info.name.clone(),
        reason: format!("'{index}' is not a device number"),
    })?;
    let client = quietly(&info.name, || CudaRuntime::client(&CudaDevice::new(index)))?;
    let server = Server::new(&info.name, client.clone()).with_free_memory(move || free_memory(index as i32));
    Ok(Gpu::new(info.name.clone(), Arc::new(server), facts(&client), stream))
}

pub(super) fn from_client(name: &str, client: ComputeClient<CudaRuntime>, stream: StreamId) -> Gpu<CudaRuntime> {
    let facts = facts(&client);
    Gpu::new(name.into(), Arc::new(Server::new(name, client)), facts, stream)
}

fn facts(client: &ComputeClient<CudaRuntime>) -> Facts {
    let hardware = &client.properties().hardware;
    Facts {
        plane: hardware.plane_size_max,
        processors: hardware.num_streaming_multiprocessors.unwrap_or(64),
        shared_memory: hardware.max_shared_memory_size as u32,
        max_units: hardware.max_units_per_cube,
        max_bindings: hardware.max_bindings,
        bytes: true,
        copies: client.properties().features.copy_async,
        dialect: Dialect::Cuda,
        software: false,
    }
}

impl Located for Gpu<CudaRuntime> {
    fn locate(&self, handle: &Handle) -> Result<Place> {
        let found = self.ask(|client| client.get_resource(handle.clone()))?;
        let memory = found.resource();
        Ok(Place { space: 0, start: memory.ptr, end: memory.ptr + memory.size })
    }
}

/// Bytes that the driver could still allocate.
fn free_memory(index: i32) -> Option<u64> {
    let (free, _total) = in_primary(index, |_| result::mem_get_info()).ok()?;
    Some(free as u64)
}
