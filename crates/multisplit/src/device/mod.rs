//! Devices: the CPU, and the GPUs of every back end that is built in.

#[cfg(feature = "cuda")]
mod cuda;
#[cfg(feature = "wgpu")]
mod wgpu;

use crate::error::{Error, Result};
#[cfg(feature = "gpu")]
use crate::gpu::Gpu;
use std::fmt;
use std::sync::Arc;
#[cfg(feature = "gpu")]
use std::sync::atomic::{AtomicU64, Ordering};

/// What a device is, in the order in which [`Device::best`] prefers them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum DeviceKind {
    /// An NVIDIA GPU through CUDA.
    Cuda,
    /// A graphics card through Vulkan, Metal, DX12 or WebGPU.
    DiscreteGpu,
    /// A GPU that shares the processor's memory, or a virtual one.
    IntegratedGpu,
    /// This machine's processor.
    Cpu,
    /// A GPU imitated in software: for tests. Never chosen unless asked for.
    Software,
}

/// A device that was found.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct DeviceInfo {
    /// The name to open it by: `cpu`, `cuda:0`, `wgpu:1`, ….
    pub name: String,
    /// What the driver calls it.
    pub description: String,
    /// What it is.
    pub kind: DeviceKind,
}

impl fmt::Display for DeviceInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.name, self.description)
    }
}

/// A device to split on. Cheap to clone.
///
/// ```
/// use multisplit::Device;
/// for info in Device::list() {
///     println!("{info}");
/// }
/// let device = Device::best(); // a GPU if there is one, else the CPU
/// let cpu = Device::open("cpu")?;
/// # let _ = (device, cpu);
/// # Ok::<(), multisplit::Error>(())
/// ```
#[derive(Clone)]
pub struct Device(Arc<Inner>);

struct Inner {
    info: DeviceInfo,
    backend: Backend,
}

pub(crate) enum Backend {
    Cpu,
    #[cfg(feature = "cuda")]
    Cuda(Gpu<cubecl::cuda::CudaRuntime>),
    #[cfg(feature = "wgpu")]
    Wgpu(Gpu<cubecl::wgpu::WgpuRuntime>),
}

/// Runs `$on_gpu` with the GPU of a device, whatever its runtime, or `$on_cpu`.
macro_rules! dispatch {
    ($device:expr, $gpu:ident => $on_gpu:expr, cpu => $on_cpu:expr) => {
        match $device.backend() {
            $crate::device::Backend::Cpu => $on_cpu,
            #[cfg(feature = "cuda")]
            $crate::device::Backend::Cuda($gpu) => $on_gpu,
            #[cfg(feature = "wgpu")]
            $crate::device::Backend::Wgpu($gpu) => $on_gpu,
        }
    };
}
pub(crate) use dispatch;

impl Device {
    /// The CPU. Always there.
    pub fn cpu() -> Self {
        Self(Arc::new(Inner { info: cpu_info(), backend: Backend::Cpu }))
    }

    /// Every device of this machine that the built-in back ends can use, best first.
    pub fn list() -> Vec<DeviceInfo> {
        let mut devices = vec![cpu_info()];
        #[cfg(feature = "cuda")]
        devices.extend(cuda::list());
        #[cfg(feature = "wgpu")]
        devices.extend(wgpu::list());
        devices.sort_by_key(|device| device.kind);
        devices
    }

    /// Opens a device by its name in [`Device::list`].
    ///
    /// # Errors
    /// [`Error::NoSuchDevice`] if it is not there, [`Error::DeviceFailed`] if it cannot be used.
    pub fn open(name: &str) -> Result<Self> {
        let devices = Self::list();
        match devices.iter().find(|device| device.name == name) {
            Some(info) => Self::open_found(info.clone()),
            None => {
                let available = devices.into_iter().map(|device| device.name).collect();
                Err(Error::NoSuchDevice { name: name.into(), available })
            }
        }
    }

    fn open_found(info: DeviceInfo) -> Result<Self> {
        let backend = match info.name.split_once(':') {
            #[cfg(feature = "cuda")]
            Some(("cuda", index)) => Backend::Cuda(cuda::open(&info, index)?),
            #[cfg(feature = "wgpu")]
            Some(("wgpu", index)) => Backend::Wgpu(wgpu::open(&info, index)?),
            _ => Backend::Cpu,
        };
        Ok(Self(Arc::new(Inner { info, backend })))
    }

    /// The best device that can be opened: CUDA, else another GPU, else the CPU. Never a software GPU.
    pub fn best() -> Self {
        let candidates = Self::list().into_iter().filter(|device| device.kind < DeviceKind::Cpu);
        candidates.filter_map(|info| Self::open_found(info).ok()).next().unwrap_or_else(Self::cpu)
    }

    /// The name to open it by.
    pub fn name(&self) -> &str {
        &self.0.info.name
    }

    /// What it is.
    pub fn info(&self) -> &DeviceInfo {
        &self.0.info
    }

    /// Waits until everything submitted to the device has run, and reports what failed.
    ///
    /// # Errors
    /// [`Error::DeviceFailed`] with what the driver said.
    pub fn sync(&self) -> Result<()> {
        dispatch!(self, gpu => gpu.sync(), cpu => Ok(()))
    }

    pub(crate) fn backend(&self) -> &Backend {
        &self.0.backend
    }

    pub(crate) fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
            || (matches!(self.backend(), Backend::Cpu) && matches!(other.backend(), Backend::Cpu))
    }

    /// A device on a CubeCL client of your own.
    #[cfg(feature = "cuda")]
    pub fn from_cuda(client: cubecl::client::ComputeClient<cubecl::cuda::CudaRuntime>) -> Self {
        let info = given("cuda", DeviceKind::Cuda);
        let backend = Backend::Cuda(cuda::adopt(&info.name, client));
        Self(Arc::new(Inner { info, backend }))
    }

    /// A device on a CubeCL client of your own.
    ///
    /// # Errors
    /// [`Error::DeviceFailed`] if the client does not answer.
    #[cfg(feature = "wgpu")]
    pub fn from_wgpu(client: cubecl::client::ComputeClient<cubecl::wgpu::WgpuRuntime>) -> Result<Self> {
        let info = given("wgpu", DeviceKind::DiscreteGpu);
        let backend = Backend::Wgpu(wgpu::adopt(&info.name, client, false)?);
        Ok(Self(Arc::new(Inner { info, backend })))
    }
}

impl fmt::Debug for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Device").field(&self.0.info).finish()
    }
}

#[cfg(feature = "gpu")]
fn given(runtime: &str, kind: DeviceKind) -> DeviceInfo {
    DeviceInfo { name: format!("{runtime}:given"), description: "a CubeCL client of the caller's".into(), kind }
}

/// A number that no other device of this process has.
#[cfg(feature = "gpu")]
fn next_id() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

fn cpu_info() -> DeviceInfo {
    let threads = rayon::current_num_threads();
    let description = format!("this machine's processor, {threads} thread{}", if threads == 1 { "" } else { "s" });
    DeviceInfo { name: "cpu".into(), description, kind: DeviceKind::Cpu }
}

/// Runs CubeCL code that panics where it should answer.
#[cfg(feature = "gpu")]
fn quietly<T>(device: &str, call: impl FnOnce() -> T) -> Result<T> {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(call)).map_err(|panic| {
        let said = panic.downcast_ref::<String>().map(String::as_str);
        let said = said.or(panic.downcast_ref::<&str>().copied()).unwrap_or("it could not be opened");
        Error::DeviceFailed { device: device.into(), reason: said.into() }
    })
}
