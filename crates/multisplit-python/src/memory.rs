//! Results: memory of the library as other libraries take it.

#[cfg(feature = "cuda")]
use crate::device;
use crate::dlpack;
use crate::dtype::{DType, Element};
use crate::error::Raise;
use crate::freed::{Freed, Returning};
use crate::job::Stage;
use multisplit::Buffer;
use pyo3::exceptions::PyAttributeError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict, PyTuple};
use std::any::Any;
use std::ffi::c_int;
use std::sync::Arc;

/// Where the elements of a result are, and what keeps them there.
pub struct Owned {
    owner: Arc<dyn Any + Send + Sync>,
    address: u64,
    /// Bytes of all elements.
    bytes: usize,
    /// The number of the CUDA device; none of the host.
    pub cuda: Option<i32>,
}

/// A buffer that was taken over.
#[cfg(feature = "cuda")]
struct Keeper<T: Send + 'static>(Option<Buffer<T>>, i32);

#[cfg(feature = "cuda")]
impl<T: Send + 'static> Drop for Keeper<T> {
    fn drop(&mut self) {
        // Who had the result may have left work with it on streams that are not known here.
        if let Some(buffer) = self.0.take() {
            device::give_back(self.1, Box::new(buffer));
        }
    }
}

impl Owned {
    /// Elements of the host.
    pub fn of_vec<T: Element>(elements: Vec<T>) -> Self {
        Self::returning(elements, None)
    }

    /// The same, whose memory goes back when they are gone.
    fn returning<T: Element>(elements: Vec<T>, to: Option<&Arc<Freed>>) -> Self {
        let (address, bytes) = (elements.as_ptr().expose_provenance() as u64, size_of_val(&elements[..]));
        Self { owner: Arc::new(Returning::new(elements, to)), address, bytes, cuda: None }
    }

    /// The elements of a buffer: on a CUDA device, if they are to stay there, else on the host. On a CUDA device what
    /// wrote them must have been waited for.
    pub fn of_buffer<T: Element>(buffer: Buffer<T>, stage: &Stage) -> PyResult<Self> {
        #[cfg(feature = "cuda")]
        if let Some(ordinal) = device::ordinal(buffer.device()).filter(|_| stage.stay) {
            let address = buffer.cuda_address().raise()?.unwrap_or_default();
            let bytes = buffer.len() * size_of::<T>();
            return Ok(Self { owner: Arc::new(Keeper(Some(buffer), ordinal)), address, bytes, cuda: Some(ordinal) });
        }
        Ok(Self::returning(buffer.into_vec().raise()?, stage.freed.as_ref()))
    }

    /// Some of the elements, which share the memory.
    pub fn part(&self, start: usize, bytes: usize) -> Self {
        let start = start.min(self.bytes);
        let bytes = bytes.min(self.bytes - start);
        Self { owner: self.owner.clone(), address: self.address + start as u64, bytes, cuda: self.cuda }
    }
}

/// An array of the library's own, which other libraries read where it is: NumPy by the buffer protocol, others by
/// DLPack, or on CUDA devices by `__cuda_array_interface__`.
#[pyclass(frozen, module = "multisplit")]
pub struct Memory {
    owned: Owned,
    /// None of items that only NumPy has a name for.
    dtype: Option<DType>,
    /// The lengths along its axes.
    lengths: Vec<usize>,
}

impl Memory {
    pub fn new(owned: Owned, dtype: Option<DType>, lengths: Vec<usize>) -> Self {
        Self { owned, dtype, lengths }
    }

    /// The array as DLPack hands it over.
    pub fn capsule<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        let Owned { owner, address, .. } = &self.owned;
        dlpack::export(py, owner.clone(), *address, self.__dlpack_device__(), self.dtype()?, &self.lengths)
    }

    fn dtype(&self) -> PyResult<DType> {
        self.dtype.ok_or_else(|| dlpack::refused("DLPack has no such type of elements"))
    }
}

#[pymethods]
impl Memory {
    /// The lengths along its axes.
    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, &self.lengths)
    }

    fn __len__(&self) -> usize {
        self.lengths.first().copied().unwrap_or(0)
    }

    fn __repr__(&self) -> String {
        let place = self.owned.cuda.map_or_else(|| "cpu".into(), |ordinal| format!("cuda:{ordinal}"));
        let dtype = self.dtype.map_or("bytes", DType::name);
        format!("<multisplit.Memory of {dtype} {:?} on {place}>", self.lengths)
    }

    /// The kind of its device and the number of that.
    fn __dlpack_device__(&self) -> (i32, i32) {
        self.owned.cuda.map_or((dlpack::CPU, 0), |ordinal| (dlpack::CUDA, ordinal))
    }

    /// A capsule with the array. Its elements have been written: no stream needs to wait.
    #[pyo3(signature = (*, stream=None, max_version=None, dl_device=None, copy=None))]
    fn __dlpack__<'py>(
        &self,
        py: Python<'py>,
        stream: Option<&Bound<'py, PyAny>>,
        max_version: Option<&Bound<'py, PyAny>>,
        dl_device: Option<(i32, i32)>,
        copy: Option<bool>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let _ = (stream, max_version);
        let device = self.__dlpack_device__();
        if dl_device.is_some_and(|wanted| wanted != device) || copy == Some(true) {
            return Err(dlpack::refused("this array is handed over where it is, without a copy"));
        }
        self.capsule(py)
    }

    /// Numba's and CuPy's interface, on CUDA devices.
    #[getter]
    fn __cuda_array_interface__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let name = self.dtype.filter(|&dtype| self.owned.cuda.is_some() && dtype != DType::Bf16);
        let Some(name) = name else {
            return Err(PyAttributeError::new_err("this array has no __cuda_array_interface__"));
        };
        let kind = match name.dlpack().0 {
            0 => 'i',
            1 => 'u',
            2 => 'f',
            _ => 'b',
        };
        let order = if name.size() == 1 { '|' } else { '<' };
        let interface = PyDict::new(py);
        interface.set_item("shape", self.shape(py)?)?;
        interface.set_item("typestr", format!("{order}{kind}{}", name.size()))?;
        interface.set_item("data", (self.owned.address, false))?;
        interface.set_item("version", 3)?;
        interface.set_item("stream", py.None())?;
        Ok(interface)
    }

    /// The elements as bytes.
    ///
    /// # Safety
    /// Python gives a valid view.
    unsafe fn __getbuffer__(slf: Bound<'_, Self>, view: *mut ffi::Py_buffer, flags: c_int) -> PyResult<()> {
        let owned = &slf.get().owned;
        if owned.cuda.is_some() {
            return Err(dlpack::refused("this array is on a CUDA device"));
        }
        let address = std::ptr::with_exposed_provenance_mut(owned.address as usize);
        // SAFETY: the view is valid. The bytes are there for as long as this object, which the view keeps; nobody else
        // has them, but for other views, which Python's code keeps in order.
        let done =
            unsafe { ffi::PyBuffer_FillInfo(view, slf.as_ptr(), address, owned.bytes as ffi::Py_ssize_t, 0, flags) };
        if done == 0 { Ok(()) } else { Err(PyErr::fetch(slf.py())) }
    }
}
