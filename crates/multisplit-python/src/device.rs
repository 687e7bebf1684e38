//! Devices, by the names that they have everywhere, and what came back from other libraries.

use crate::error::{Error, Raise};
use multisplit::Device;
use pyo3::prelude::*;
#[cfg(feature = "cuda")]
use std::any::Any;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{LazyLock, Mutex, PoisonError};

/// Memory of CUDA devices that nobody needs any more, with the number of its device.
#[cfg(feature = "cuda")]
static RETURNED: Mutex<Vec<(i32, Box<dyn Any + Send>)>> = Mutex::new(Vec::new());

/// Devices that were opened, by their names.
static OPENED: Mutex<Vec<(String, Device)>> = Mutex::new(Vec::new());

/// The CPU.
static CPU: LazyLock<Device> = LazyLock::new(Device::cpu);

/// The process that has opened a GPU; 0 if none has.
static PROCESS_OF_GPU: AtomicU32 = AtomicU32::new(0);

/// The device of a name; the CPU without.
pub fn open(name: Option<&str>) -> PyResult<Device> {
    let Some(name) = name.filter(|&name| name != "cpu") else { return Ok(CPU.clone()) };
    let process = std::process::id();
    if ![0, process].contains(&PROCESS_OF_GPU.load(Ordering::Relaxed)) {
        return Err(Error::new_err(
            "a GPU that was used before a fork cannot be used in the new process; start processes by \"spawn\" \
             (multiprocessing.set_start_method)",
        ));
    }
    let name = match name {
        "cuda" => "cuda:0",
        "wgpu" => "wgpu:0",
        name => name,
    };
    let mut opened = OPENED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, device)) = opened.iter().find(|(known, _)| known == name) {
        return Ok(device.clone());
    }
    let device = Device::open(name).raise()?;
    PROCESS_OF_GPU.store(process, Ordering::Relaxed);
    opened.push((name.into(), device.clone()));
    Ok(device)
}

/// The driver's number of a CUDA device.
#[cfg(feature = "cuda")]
pub fn ordinal(device: &Device) -> Option<i32> {
    device.name().strip_prefix("cuda:")?.parse().ok()
}

/// Takes memory back. It is freed when all is known to be done that may use it; this neither waits nor calls a driver.
#[cfg(feature = "cuda")]
pub fn give_back(ordinal: i32, memory: Box<dyn Any + Send>) {
    RETURNED.lock().unwrap_or_else(PoisonError::into_inner).push((ordinal, memory));
}

/// Frees what came back of a CUDA device, after all that this process has left to do there.
#[cfg(feature = "cuda")]
pub fn free_returned(device: &Device) -> PyResult<()> {
    let of = ordinal(device);
    let returned: Vec<_> = {
        let mut all = RETURNED.lock().unwrap_or_else(PoisonError::into_inner);
        all.extract_if(.., |(ordinal, _)| Some(*ordinal) == of).collect()
    };
    if !returned.is_empty() {
        device.wait_for_cuda_context().raise()?;
    }
    Ok(())
}

/// The names of the devices of this machine, best first.
///
/// >>> import multisplit
/// >>> "cpu" in multisplit.devices()
/// True
#[pyfunction]
pub fn devices(py: Python<'_>) -> PyResult<Vec<String>> {
    crate::error::work(py, || Ok(Device::list().into_iter().map(|device| device.name).collect()))
}
