//! NumPy, which is imported when it is first needed.

use crate::dtype::DType;
use crate::error::type_error;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyType;

/// The module.
pub fn module(py: Python<'_>) -> PyResult<&Bound<'_, PyModule>> {
    static MODULE: PyOnceLock<Py<PyModule>> = PyOnceLock::new();
    Ok(MODULE.get_or_try_init(py, || py.import("numpy").map(Bound::unbind))?.bind(py))
}

/// Whether it is one of NumPy's arrays.
pub fn is_array(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    static NDARRAY: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    object.is_instance(NDARRAY.import(object.py(), "numpy", "ndarray")?)
}

/// The type of NumPy's that a type has, where it has one.
pub fn dtype(py: Python<'_>, dtype: DType) -> PyResult<Bound<'_, PyAny>> {
    static TYPES: [PyOnceLock<Py<PyAny>>; 13] = [const { PyOnceLock::new() }; 13];
    let known = TYPES[dtype as usize].get_or_try_init(py, || -> PyResult<_> {
        let made = match dtype {
            // It is not NumPy's own.
            DType::Bf16 => py.import("ml_dtypes")?.getattr("bfloat16")?,
            _ => dtype.name().into_pyobject(py)?.into_any(),
        };
        Ok(module(py)?.call_method1("dtype", (made,))?.unbind())
    })?;
    Ok(known.bind(py).clone())
}

/// An array of elements that the library knows, or of bytes, one behind the other, made of one that is not.
pub struct Plain<'py> {
    /// With the items as they are, or as bytes along a last axis.
    pub array: Bound<'py, PyAny>,
    /// The type that the library takes them as; none of bytes.
    pub dtype: Option<DType>,
    /// Bytes of an item.
    pub item: usize,
    /// NumPy's type of results.
    pub style: Py<PyAny>,
}

impl<'py> Plain<'py> {
    /// Copies an array whose elements are not one behind the other, or in another order of bytes. Dates and times are
    /// taken as the integers that they are.
    pub fn new(array: &Bound<'py, PyAny>, dtype: &Bound<'py, PyAny>, what: &str) -> PyResult<Self> {
        let py = array.py();
        let (kind, item): (char, usize) =
            (dtype.getattr(intern!(py, "kind"))?.extract()?, dtype.getattr(intern!(py, "itemsize"))?.extract()?);
        if kind == 'O' || dtype.getattr(intern!(py, "hasobject"))?.is_truthy()? {
            return Err(type_error(format!("{what} has elements that are Python objects; give it a type of NumPy's")));
        }
        // In the order of bytes of this machine.
        let native = match kind {
            'b' | 'u' | 'i' | 'f' => dtype.call_method1(intern!(py, "newbyteorder"), ("=",))?,
            _ => dtype.clone(),
        };
        let requirements = ("C_CONTIGUOUS", "ALIGNED");
        let array = module(py)?.call_method1(intern!(py, "require"), (array, &native, requirements))?;
        let style = native.clone().unbind();
        let name: String = dtype.getattr(intern!(py, "name"))?.extract()?;
        let known = match kind {
            'M' | 'm' => Some(DType::I64),
            _ if name == "bfloat16" => Some(DType::Bf16),
            _ => DType::of_kind(kind, item),
        };
        let view = match known {
            Some(DType::Bf16) => "uint16",
            Some(dtype) => dtype.name(),
            None => {
                // Views of other sizes are along the last axis alone, so that there must be one with room.
                let flat = array.call_method1(intern!(py, "reshape"), (-1,))?;
                let bytes = if item == 0 || flat.len()? == 0 {
                    module(py)?.call_method1(intern!(py, "empty"), (0, "uint8"))?
                } else {
                    flat.call_method1(intern!(py, "view"), ("uint8",))?
                };
                return Ok(Self { array: bytes, dtype: None, item, style });
            }
        };
        Ok(Self { array: array.call_method1(intern!(py, "view"), (view,))?, dtype: known, item, style })
    }
}
