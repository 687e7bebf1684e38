//! GPUs through Vulkan, Metal, DX12 or WebGPU.

use super::{DeviceInfo, DeviceKind, next_id, quietly};
use crate::error::{Error, Result};
use crate::gpu::{Dialect, Facts, Gpu};
use crate::overlap::Place;
use ::wgpu::{Backends, DeviceType, Features, Instance, InstanceDescriptor};
use cubecl::client::ComputeClient;
use cubecl::future::block_on;
use cubecl::prelude::*;
use cubecl::server::Handle;
use cubecl::wgpu::{AutoGraphicsApi, GraphicsApi, WgpuDevice, WgpuRuntime};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::OnceLock;

/// An adapter that can vote in subgroups, under the name CubeCL has for it.
#[derive(Clone)]
struct Found {
    info: DeviceInfo,
    device: WgpuDevice,
}

pub(super) fn list() -> Vec<DeviceInfo> {
    adapters().into_iter().map(|found| found.info).collect()
}

/// Asked once: it takes a while, and some drivers write to standard error each time.
fn adapters() -> Vec<Found> {
    static FOUND: OnceLock<Vec<Found>> = OnceLock::new();
    FOUND.get_or_init(enumerate).clone()
}

fn enumerate() -> Vec<Found> {
    let backend = AutoGraphicsApi::backend();
    let describe =
        InstanceDescriptor { backends: Backends::from(backend), ..InstanceDescriptor::new_without_display_handle() };
    // A broken driver must not take the CPU down with it.
    let adapters = quietly("wgpu", || block_on(Instance::new(describe).enumerate_adapters(backend.into())));
    let (mut discrete, mut integrated, mut virtuals, mut software) = (0, 0, 0, 0);
    let next = |counter: &mut usize| {
        *counter += 1;
        *counter - 1
    };
    let mut found = Vec::new();
    for adapter in adapters.unwrap_or_default() {
        let about = adapter.get_info();
        let (kind, device) = match about.device_type {
            DeviceType::DiscreteGpu => (DeviceKind::DiscreteGpu, WgpuDevice::DiscreteGpu(next(&mut discrete))),
            DeviceType::IntegratedGpu => (DeviceKind::IntegratedGpu, WgpuDevice::IntegratedGpu(next(&mut integrated))),
            DeviceType::VirtualGpu => (DeviceKind::IntegratedGpu, WgpuDevice::VirtualGpu(next(&mut virtuals))),
            // CubeCL can name only one of these.
            DeviceType::Cpu if next(&mut software) == 0 => (DeviceKind::Software, WgpuDevice::Cpu),
            DeviceType::Cpu | DeviceType::Other => continue,
        };
        if !adapter.features().contains(Features::SUBGROUP) {
            continue;
        }
        let description = format!("{}, {:?}", about.name, about.backend);
        found.push(Found { info: DeviceInfo { name: format!("wgpu:{}", found.len()), description, kind }, device });
    }
    found
}

pub(super) fn open(info: &DeviceInfo, _index: &str) -> Result<Gpu<WgpuRuntime>> {
    let Some(found) = adapters().into_iter().find(|found| found.info == *info) else {
        return Err(Error::DeviceFailed { device: info.name.clone(), reason: "it has gone".into() });
    };
    let client = quietly(&info.name, || WgpuRuntime::client(&found.device))?;
    adopt(&info.name, client, info.kind == DeviceKind::Software)
}

pub(super) fn adopt(name: &str, client: ComputeClient<WgpuRuntime>, software: bool) -> Result<Gpu<WgpuRuntime>> {
    let hardware = client.properties().hardware.clone();
    let threads = rayon::current_num_threads() as u32;
    let mut gpu = Gpu::new(
        next_id(),
        name.into(),
        client,
        Facts {
            plane: hardware.plane_size_max,
            // Not to be had from these interfaces; more cubes than processors do no harm.
            processors: hardware.num_streaming_multiprocessors.unwrap_or(if software { threads } else { 64 }),
            shared_memory: hardware.max_shared_memory_size as u32,
            max_units: hardware.max_units_per_cube.min(hardware.max_cube_dim.0),
            max_bindings: hardware.max_bindings,
            copies: false,
            bytes: false,
            dialect: Dialect::Wgsl,
            software,
        },
    );
    if hardware.plane_size_min != hardware.plane_size_max {
        gpu.facts.plane = measure_plane(&gpu)?;
    }
    Ok(gpu)
}

impl Gpu<WgpuRuntime> {
    /// Where the first bytes of a handle's memory are: in a buffer of its own, or with others in one.
    pub(crate) fn locate(&self, handle: &Handle, bytes: usize) -> Result<Place> {
        let found = self.answer(|| self.client.get_resource(handle.clone()))?;
        let memory = found.resource();
        let mut space = DefaultHasher::new();
        memory.buffer.hash(&mut space);
        Ok(Place { space: space.finish(), start: memory.offset, end: memory.offset + bytes as u64 })
    }
}

/// Some drivers choose the plane size themselves. Kernels check it again as they run.
fn measure_plane(gpu: &Gpu<WgpuRuntime>) -> Result<u32> {
    let size = gpu.upload(&[0; 16])?;
    gpu.launch(|| {
        // SAFETY: the kernel writes the first word of a buffer of four.
        unsafe {
            let out = ArrayArg::from_raw_parts(size.clone(), 4);
            plane_size::launch_unchecked::<WgpuRuntime>(&gpu.client, CubeCount::new_1d(1), CubeDim::new_1d(256), out)
        }
    })?;
    Ok(bytemuck::pod_read_unaligned(&gpu.read(&size, 16)?[..4]))
}

#[cube(launch_unchecked)]
fn plane_size(out: &mut Array<u32>) {
    if UNIT_POS_X == 0 {
        out[0] = PLANE_DIM;
    }
}
