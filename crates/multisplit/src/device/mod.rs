//! Devices: the CPU, and the GPUs of every back end that is built in.

#[cfg(feature = "cuda")]
mod cuda;
#[cfg(feature = "cuda")]
mod cuda_context;
#[cfg(feature = "gpu")]
pub(crate) mod kernel_cache;
mod missing;
#[cfg(feature = "wgpu")]
mod wgpu;

use crate::error::{Error, Result};
#[cfg(feature = "gpu")]
use crate::runtime::Gpu;
#[cfg(feature = "gpu")]
use cubecl::stream_id::StreamId;
pub use missing::MissingBackEnd;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

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
#[non_exhaustive]
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

/// A device to split on, and on a GPU one of its streams. Cheap to clone.
///
/// A device is its back end and its number: opening it twice gives the same one. All that is submitted to it, by
/// whichever thread, goes to one stream and runs in the order of the calls. [`Device::stream`] gives another stream
/// of the same GPU; buffers may be used on any of them. `docs/threads-and-streams.md` has the rules.
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

#[allow(clippy::large_enum_variant)] // there is one for each device that is open
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

/// The devices that were opened, with all their streams. They stay open until the process ends, as CubeCL keeps them.
static OPENED: Mutex<Vec<Device>> = Mutex::new(Vec::new());

/// The first of this crate's streams on a GPU, far from those that CubeCL numbers threads by.
#[cfg(feature = "gpu")]
const FIRST_STREAM: StreamId = StreamId { value: 1 << 40 };

impl Device {
    /// The CPU. Always there.
    pub fn cpu() -> Self {
        Self::new(cpu_info(), Backend::Cpu)
    }

    fn new(info: DeviceInfo, backend: Backend) -> Self {
        Self(Arc::new(Inner { info, backend }))
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

    /// Opens a device by its name in [`Device::list`], or one of its streams by a name such as `cuda:0/uploads` (see
    /// [`Device::stream`]). Opening it again gives the same device. Only the back end that the name is of is started.
    ///
    /// # Errors
    /// [`Error::NoSuchDevice`] if it is not there, [`Error::DeviceFailed`] if it cannot be used.
    pub fn open(name: &str) -> Result<Self> {
        let (device, stream) = name.split_once('/').map_or((name, None), |(device, stream)| (device, Some(stream)));
        let found = match device.split_once(':') {
            None if device == "cpu" => vec![cpu_info()],
            #[cfg(feature = "cuda")]
            Some(("cuda", _)) => cuda::list(),
            #[cfg(feature = "wgpu")]
            Some(("wgpu", _)) => wgpu::list(),
            _ => Vec::new(),
        };
        let Some(info) = found.into_iter().find(|info| info.name == device) else {
            let available = Self::list().into_iter().map(|device| device.name).collect();
            return Err(Error::NoSuchDevice { name: name.into(), available });
        };
        let device = Self::open_found(info)?;
        stream.map_or(Ok(device.clone()), |stream| device.stream(stream))
    }

    fn open_found(info: DeviceInfo) -> Result<Self> {
        if info.kind == DeviceKind::Cpu {
            return Ok(Self::cpu());
        }
        let mut opened = OPENED.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(device) = opened.iter().find(|device| device.0.info.name == info.name) {
            return Ok(device.clone());
        }
        let backend = match info.name.split_once(':') {
            #[cfg(feature = "cuda")]
            Some(("cuda", index)) => Backend::Cuda(cuda::open(&info, index, FIRST_STREAM)?),
            #[cfg(feature = "wgpu")]
            Some(("wgpu", _)) => Backend::Wgpu(wgpu::open(&info, FIRST_STREAM)?),
            _ => Backend::Cpu,
        };
        let device = Self::new(info, backend);
        opened.push(device.clone());
        Ok(device)
    }

    /// The same GPU on another stream, which is made the first time that it is asked for. Work on different streams may
    /// overlap, and is ordered where it uses the same buffers. The CPU has no streams: there it is the same device.
    ///
    /// ```
    /// use multisplit::Device;
    /// let device = Device::best();
    /// let uploads = device.stream("uploads")?;
    /// let keys = uploads.upload(&[3u32, 1, 2])?; // while `device` works on something else
    /// # drop(keys);
    /// # Ok::<(), multisplit::Error>(())
    /// ```
    ///
    /// # Errors
    /// None at present; a back end may come to limit its streams.
    pub fn stream(&self, stream: &str) -> Result<Self> {
        match self.backend() {
            Backend::Cpu => {
                let _ = stream;
                Ok(self.clone())
            }
            #[cfg(feature = "gpu")]
            _ => Ok(self.gpu_stream(stream)),
        }
    }

    #[cfg(feature = "gpu")]
    fn gpu_stream(&self, stream: &str) -> Self {
        let base = self.name().split('/').next().unwrap_or_default();
        let info = DeviceInfo { name: format!("{base}/{stream}"), ..self.info().clone() };
        let mut opened = OPENED.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(device) = opened.iter().find(|device| self.is_same(device) && device.name() == info.name) {
            return device.clone();
        }
        let (number, name) = (StreamId { value: FIRST_STREAM.value + 1 + opened.len() as u64 }, info.name.clone());
        let backend = match self.backend() {
            Backend::Cpu => Backend::Cpu,
            #[cfg(feature = "cuda")]
            Backend::Cuda(gpu) => Backend::Cuda(gpu.on_stream(name, number)),
            #[cfg(feature = "wgpu")]
            Backend::Wgpu(gpu) => Backend::Wgpu(gpu.on_stream(name, number)),
        };
        let device = Self::new(info, backend);
        opened.push(device.clone());
        device
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

    /// Waits until everything submitted to the device, on its stream, has run, and reports what failed.
    ///
    /// # Errors
    /// [`Error::DeviceFailed`] with what the driver said.
    pub fn sync(&self) -> Result<()> {
        dispatch!(self, gpu => gpu.sync(), cpu => Ok(()))
    }

    /// The elements of type T that the beginning of a [slice](crate::BufferSlice) must be a multiple of, for operations
    /// to take it: 1 on the CPU and with CUDA, where slices may begin at any element. Other GPUs bind memory only from
    /// some bytes on, 256 at most; there a slice that begins elsewhere is refused with [`Error::Misaligned`]. Copies,
    /// to and from host memory and other buffers, take any.
    ///
    /// ```
    /// use multisplit::Device;
    /// let device = Device::best();
    /// let align = device.slice_alignment::<u32>();
    /// let second = 1000usize.next_multiple_of(align); // room for 1000 elements, and then for more
    /// assert_eq!(second % align, 0);
    /// ```
    #[must_use]
    pub fn slice_alignment<T>(&self) -> usize {
        let bytes: usize = dispatch!(self, gpu => gpu.offset_alignment(), cpu => 1);
        // The greatest common divisor with a power of two is one.
        let common = 1 << size_of::<T>().max(1).trailing_zeros().min(bytes.trailing_zeros());
        bytes / common
    }

    pub(crate) fn backend(&self) -> &Backend {
        &self.0.backend
    }

    /// Whether it is the same CPU or GPU, on whichever stream.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        match (self.backend(), other.backend()) {
            (Backend::Cpu, Backend::Cpu) => true,
            #[cfg(feature = "cuda")]
            (Backend::Cuda(gpu), Backend::Cuda(other)) => gpu.server_id() == other.server_id(),
            #[cfg(feature = "wgpu")]
            (Backend::Wgpu(gpu), Backend::Wgpu(other)) => gpu.server_id() == other.server_id(),
            #[cfg(feature = "gpu")]
            _ => false,
        }
    }

    /// Refuses a device that is not the same, under the name that `what` has in the message.
    pub(crate) fn check_same(&self, what: impl fmt::Display, got: &Self) -> Result<()> {
        if got.is_same(self) {
            return Ok(());
        }
        Err(Error::WrongDevice { what: what.to_string(), got: got.name().into(), expected: self.name().into() })
    }

    /// A device on a CubeCL client of your own. Its stream is the one that the client uses on this thread, so that
    /// what you launch there yourself and what this crate does are in one order. It is the same device as one that
    /// was opened by name, if that is on the same GPU.
    ///
    /// # Errors
    /// [`Error::DeviceFailed`] if the client does not answer.
    #[cfg(feature = "cuda")]
    pub fn from_cuda(client: cubecl::client::ComputeClient<cubecl::cuda::CudaRuntime>) -> Result<Self> {
        let info = given("cuda", DeviceKind::Cuda);
        let stream = quietly(&info.name, || client.empty(16).stream)?;
        let backend = Backend::Cuda(cuda::from_client(&info.name, client, stream));
        Ok(Self::new(info, backend))
    }

    /// A device on a CubeCL client of your own, as [`Device::from_cuda`] has it. Whether it is a software device is
    /// found out by a kernel.
    ///
    /// # Errors
    /// [`Error::DeviceFailed`] if the client does not answer.
    #[cfg(feature = "wgpu")]
    pub fn from_wgpu(client: cubecl::client::ComputeClient<cubecl::wgpu::WgpuRuntime>) -> Result<Self> {
        let mut info = given("wgpu", DeviceKind::DiscreteGpu);
        let stream = quietly(&info.name, || client.empty(16).stream)?;
        let gpu = wgpu::from_client(&info.name, client, stream)?;
        if gpu.facts.software {
            info.kind = DeviceKind::Software;
        }
        Ok(Self::new(info, Backend::Wgpu(gpu)))
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
