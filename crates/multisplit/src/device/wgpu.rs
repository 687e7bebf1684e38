//! GPUs through Vulkan, Metal, DX12 or WebGPU.

use super::{DeviceInfo, DeviceKind, quietly};
use crate::error::{Error, Result};
use crate::runtime::{Dialect, Facts, Gpu, Located, Place, Server, launch};
use ::wgpu::{Backends, DeviceType, Features, Instance, InstanceDescriptor};
use cubecl::client::ComputeClient;
use cubecl::future::block_on;
use cubecl::prelude::*;
use cubecl::server::Handle;
use cubecl::stream_id::StreamId;
use cubecl::wgpu::{AutoGraphicsApi, GraphicsApi, WgpuDevice, WgpuRuntime};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, OnceLock};

/// An adapter that can vote in subgroups, under the name CubeCL has for it.
#[derive(Clone)]
struct Found {
    info: DeviceInfo,
    device: WgpuDevice,
}

pub(super) fn list() -> Vec<DeviceInfo> {
    adapters().found.iter().map(|found| found.info.clone()).collect()
}

/// Why there is no device, if there is none.
pub(super) fn missing() -> Option<String> {
    let Adapters { found, without } = adapters();
    match without.as_slice() {
        _ if !found.is_empty() => None,
        [] => Some(format!("no driver: none offers a device by {:?}", AutoGraphicsApi::backend())),
        some => Some(format!("no subgroup operations: {}", some.join(", "))),
    }
}

/// What the drivers offer.
struct Adapters {
    found: Vec<Found>,
    /// The names of those that cannot vote in subgroups.
    without: Vec<String>,
}

/// Asked once: it takes a while, and some drivers write to standard error each time.
fn adapters() -> &'static Adapters {
    static FOUND: OnceLock<Adapters> = OnceLock::new();
    FOUND.get_or_init(enumerate)
}

fn enumerate() -> Adapters {
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
    let (mut found, mut without) = (Vec::new(), Vec::new());
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
            without.push(about.name);
            continue;
        }
        let description = format!("{}, {:?}", about.name, about.backend);
        found.push(Found { info: DeviceInfo { name: format!("wgpu:{}", found.len()), description, kind }, device });
    }
    Adapters { found, without }
}

pub(super) fn open(info: &DeviceInfo, stream: StreamId) -> Result<Gpu<WgpuRuntime>> {
    let Some(found) = adapters().found.iter().find(|found| found.info == *info) else {
        return Err(Error::DeviceFailed { device: info.name.clone(), reason: "it has gone".into() });
    };
    let client = quietly(&info.name, || WgpuRuntime::client(&found.device))?;
    measured(&info.name, client, info.kind == DeviceKind::Software, stream)
}

/// A client does not tell what kind of device it is on, so a kernel finds out what matters.
pub(super) fn from_client(
    name: &str,
    client: ComputeClient<WgpuRuntime>,
    stream: StreamId,
) -> Result<Gpu<WgpuRuntime>> {
    let mut gpu = measured(name, client, false, stream)?;
    if !runs_long_loops(&gpu)? {
        (gpu.facts.software, gpu.facts.processors) = (true, rayon::current_num_threads() as u32);
    }
    Ok(gpu)
}

fn measured(
    name: &str,
    client: ComputeClient<WgpuRuntime>,
    software: bool,
    stream: StreamId,
) -> Result<Gpu<WgpuRuntime>> {
    let hardware = client.properties().hardware.clone();
    let threads = rayon::current_num_threads() as u32;
    let facts = Facts {
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
    };
    let mut gpu = Gpu::new(name.into(), Arc::new(Server::new(name, client)), facts, stream);
    if hardware.plane_size_min != hardware.plane_size_max {
        gpu.facts.plane = measure_plane(&gpu)?;
    }
    Ok(gpu)
}

impl Located for Gpu<WgpuRuntime> {
    /// In a buffer of its own, or with others in one.
    fn locate(&self, handle: &Handle) -> Result<Place> {
        let found = self.ask(|client| client.get_resource(handle.clone()))?;
        let memory = found.resource();
        let mut space = DefaultHasher::new();
        memory.buffer.hash(&mut space);
        Ok(Place { space: space.finish(), start: memory.offset, end: memory.offset + memory.size })
    }
}

/// Some drivers choose the plane size themselves. Kernels check it again as they run.
fn measure_plane(gpu: &Gpu<WgpuRuntime>) -> Result<u32> {
    let memory = gpu.upload(&[0u32; 4])?;
    let out = gpu.writes::<u32>(&memory)?;
    let (cubes, units) = (CubeCount::new_1d(1), CubeDim::new_1d(256.min(gpu.facts.max_units)));
    launch!(*gpu, plane_size::PlaneSize<WgpuRuntime>, cubes, units; out: &out)?;
    Ok(gpu.read(&out)?[0])
}

/// Writes the plane size to the first word.
#[cube(launch_unchecked, address_type = "dynamic")]
fn plane_size(out: &mut Array<u32>) {
    if UNIT_POS_X == 0 {
        out[0] = PLANE_DIM;
    }
}

/// Rounds of a loop: more than Mesa's software device runs.
const LONG: u32 = 70_000;

/// Whether the device runs long loops to their end. Mesa's software device ends all loops of a kernel after 65535
/// rounds, and says nothing.
fn runs_long_loops(gpu: &Gpu<WgpuRuntime>) -> Result<bool> {
    let memory = gpu.upload(&[1u32, 0, 0, 0])?;
    let words = gpu.writes::<u32>(&memory)?;
    let (cubes, units) = (CubeCount::new_1d(1), CubeDim::new_1d(1));
    launch!(*gpu, count_rounds::CountRounds<WgpuRuntime>, cubes, units; words: &words, rounds: LONG)?;
    Ok(gpu.read(&words)?[1] == LONG)
}

/// Counts `rounds` rounds of a loop into the second word. The first is 1, which the compiler cannot know.
#[cube(launch_unchecked, address_type = "dynamic")]
fn count_rounds(words: &mut Array<u32>, rounds: u32) {
    let step = words[0];
    let mut count = 0u32;
    while count < rounds {
        count += step;
    }
    words[1] = count;
}
