//! Of which library results are: of that of the arrays that a call is given.

use crate::dtype::DType;
use crate::error::value_error;
use crate::memory::{Memory, Owned};
use crate::numpy;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

/// What results are made of.
pub enum Style {
    /// NumPy's arrays, of this type.
    Numpy(Py<PyAny>),
    /// PyTorch's tensors.
    Torch,
    /// What a function of another library makes of an array that it is handed by DLPack.
    Imported(Py<PyAny>),
    /// Our own arrays, which others take.
    Own,
}

impl Style {
    /// That of an array which is handed over by DLPack or by `__cuda_array_interface__`.
    pub fn of(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        let py = object.py();
        let module: String = object.get_type().module()?.extract()?;
        let from_dlpack = |module: &Bound<'_, PyAny>| module.getattr(intern!(py, "from_dlpack")).map(Bound::unbind);
        match module.split('.').next() {
            Some("torch") => Ok(Self::Torch),
            Some("cupy") => Ok(Self::Imported(from_dlpack(py.import("cupy")?.as_any())?)),
            Some("jax" | "jaxlib") => Ok(Self::Imported(from_dlpack(py.import("jax.dlpack")?.as_any())?)),
            _ => match object.getattr_opt(intern!(py, "__array_namespace__"))? {
                Some(namespace) => Ok(Self::Imported(from_dlpack(&namespace.call0()?)?)),
                None => Ok(Self::Own),
            },
        }
    }

    /// The same for results of another type.
    pub fn with(&self, py: Python<'_>, dtype: DType) -> PyResult<Self> {
        Ok(match self {
            Self::Numpy(_) => Self::Numpy(numpy::dtype(py, dtype)?.unbind()),
            Self::Imported(function) => Self::Imported(function.clone_ref(py)),
            Self::Torch => Self::Torch,
            Self::Own => Self::Own,
        })
    }

    /// The stream of CUDA's that the caller works on, on the device of this number, for libraries that are asked faster
    /// than DLPack has them answer.
    pub fn stream(&self, py: Python<'_>, number: i32) -> PyResult<Option<u64>> {
        static CURRENT_STREAM: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
        let Self::Torch = self else { return Ok(None) };
        let stream = CURRENT_STREAM.import(py, "torch.cuda", "current_stream")?.call1((number,))?;
        stream.getattr(intern!(py, "cuda_stream"))?.extract().map(Some)
    }

    /// Makes an array of a result.
    pub fn array(&self, py: Python<'_>, owned: Owned, dtype: Option<DType>, shape: Vec<usize>) -> PyResult<Py<PyAny>> {
        match self {
            Self::Numpy(numpy_dtype) => {
                let (axes, empty) = (shape.len(), shape.contains(&0));
                if empty {
                    let made = numpy::module(py)?.call_method1(intern!(py, "empty"), (shape, numpy_dtype))?;
                    return Ok(made.unbind());
                }
                static FROM_BUFFER: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
                let from_buffer = FROM_BUFFER.import(py, "numpy", "frombuffer")?;
                let memory = Bound::new(py, Memory::new(owned, dtype, shape))?;
                let flat = from_buffer.call1((&memory, numpy_dtype))?;
                if axes == 1 {
                    return Ok(flat.unbind());
                }
                let shape = memory.getattr(intern!(py, "shape"))?;
                Ok(flat.call_method1(intern!(py, "reshape"), (shape,))?.unbind())
            }
            Self::Torch => {
                // It takes a capsule, too, and saves to ask for it.
                static FROM_DLPACK: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
                let capsule = Memory::new(owned, dtype, shape).capsule(py)?;
                Ok(FROM_DLPACK.import(py, "torch", "from_dlpack")?.call1((capsule,))?.unbind())
            }
            Self::Imported(function) => {
                let memory = Bound::new(py, Memory::new(owned, dtype, shape))?;
                Ok(function.bind(py).call1((memory,))?.unbind())
            }
            Self::Own => Ok(Bound::new(py, Memory::new(owned, dtype, shape))?.into_any().unbind()),
        }
    }
}

/// The same array with its elements one behind the other, on the same device, by the library that it is of.
pub fn contiguous<'py>(object: &Bound<'py, PyAny>, what: &str) -> PyResult<Bound<'py, PyAny>> {
    let py = object.py();
    if let Some(contiguous) = object.getattr_opt(intern!(py, "contiguous"))? {
        return contiguous.call0();
    }
    let module: String = object.get_type().module()?.extract()?;
    let library = module.split('.').next().unwrap_or_default();
    let ascontiguousarray = match library {
        "cupy" => Some(py.import("cupy")?.getattr("ascontiguousarray")?),
        _ => match object.getattr_opt(intern!(py, "__array_namespace__"))? {
            Some(namespace) => namespace.call0()?.getattr_opt("ascontiguousarray")?,
            None => None,
        },
    };
    match ascontiguousarray {
        Some(function) => function.call1((object,)),
        None => Err(value_error(format!("{what} must be contiguous in memory; make it so first"))),
    }
}
