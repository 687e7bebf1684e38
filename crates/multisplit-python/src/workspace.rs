//! Workspaces: memory that calls need, kept from one to the next.

use crate::freed::Freed;
use multisplit::{Device, Workspace};
use pyo3::prelude::*;
use std::sync::{Arc, Mutex, PoisonError};

/// Memory that calls need besides arrays, kept for the next call; and on the CPU that of the last eight results that are
/// gone, which saves clearing it.
///
/// Any function takes it as `workspace`, for keys of any type on any device, and it grows as they need it. Without,
/// each call has its own memory, which takes a moment to get. Threads that share one wait for each other.
///
/// >>> import multisplit
/// >>> workspace = multisplit.Workspace()
/// >>> for keys in [3, 1, 2], [9, 7, 8]:
/// ...     print(multisplit.sort(keys, workspace=workspace))
/// [1 2 3]
/// [7 8 9]
#[pyclass(frozen, name = "Workspace", module = "multisplit")]
#[derive(Default)]
pub struct Kept {
    workspaces: Mutex<Vec<Workspace>>,
    freed: Arc<Freed>,
}

impl Kept {
    /// Memory for results.
    pub fn freed(&self) -> Arc<Freed> {
        self.freed.clone()
    }

    /// Lends the memory on a device to a call.
    pub fn lend<T>(&self, device: &Device, call: impl FnOnce(&mut Workspace) -> T) -> T {
        let mut all = self.workspaces.lock().unwrap_or_else(PoisonError::into_inner);
        let known = all.iter().position(|workspace| workspace.device().name() == device.name());
        let at = known.unwrap_or_else(|| {
            all.push(Workspace::new(device));
            all.len() - 1
        });
        call(&mut all[at])
    }
}

#[pymethods]
impl Kept {
    #[new]
    fn new() -> Self {
        Self::default()
    }

    /// The bytes that it holds, on all devices together.
    #[getter]
    fn nbytes(&self, py: Python<'_>) -> usize {
        let workspaces = || self.workspaces.lock().unwrap_or_else(PoisonError::into_inner);
        py.detach(|| self.freed.bytes() + workspaces().iter().map(Workspace::bytes).sum::<usize>())
    }

    /// Gives all of it back.
    fn clear(&self, py: Python<'_>) {
        py.detach(|| {
            self.freed.clear();
            self.workspaces.lock().unwrap_or_else(PoisonError::into_inner).clear();
        });
    }
}
