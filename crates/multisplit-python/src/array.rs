//! Arrays that calls are given: of whose library they are, where their elements are, and of what type.

use crate::dlpack;
use crate::dlpack::Imported;
use crate::dtype::DType;
#[cfg(feature = "cuda")]
use crate::error::Raise;
use crate::error::{type_error, value_error};
use crate::memory::Owned;
use crate::numpy;
use crate::style::Style;
use pyo3::buffer::PyUntypedBuffer;
use pyo3::exceptions::PyTypeError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// An array whose elements are one behind the other.
pub struct Array {
    /// None of items that only NumPy has a name for.
    pub dtype: Option<DType>,
    /// Bytes of an element.
    pub item: usize,
    /// The lengths along its axes.
    pub shape: Vec<usize>,
    /// Where they are.
    pub place: Place,
    /// What results are to be.
    pub style: Style,
    /// A stream of CUDA's to wait for before they are read.
    pub stream: Option<u64>,
    /// What keeps them there.
    _keep: Keep,
}

/// Where the elements of an array are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// An address of the host.
    Host(usize),
    /// The number of a CUDA device, and an address there.
    Cuda(i32, u64),
}

impl Place {
    /// The address, wherever it is one.
    pub fn address(self) -> u64 {
        match self {
            Self::Host(address) => address as u64,
            Self::Cuda(_, address) => address,
        }
    }
}

/// Dropped with the interpreter.
enum Keep {
    Buffer(#[expect(dead_code)] PyUntypedBuffer),
    Capsule(#[expect(dead_code)] Imported),
    Object(#[expect(dead_code)] Py<PyAny>),
    Ids(#[expect(dead_code)] Vec<u32>),
}

impl Array {
    /// Any array, or what NumPy makes one of, such as a list. What `what` it is messages say.
    pub fn new(object: &Bound<'_, PyAny>, what: &str) -> PyResult<Self> {
        if numpy::is_array(object)? {
            return Self::of_numpy(object, what);
        }
        let py = object.py();
        if object.hasattr(intern!(py, "__dlpack_device__"))? {
            return Self::of_dlpack(object, what);
        }
        if let Some(interface) = object.getattr_opt(intern!(py, "__cuda_array_interface__"))? {
            return Self::of_cuda_interface(object, &interface, what);
        }
        let array = numpy::module(py)?.call_method1(intern!(py, "asarray"), (object,))?;
        Self::of_numpy(&array, what)
    }

    /// Ids that were computed on the host.
    pub fn of_ids(ids: Vec<u32>) -> Self {
        let (shape, place) = (vec![ids.len()], Place::Host(ids.as_ptr().expose_provenance()));
        let (dtype, item) = (Some(DType::U32), size_of::<u32>());
        Self { dtype, item, shape, place, style: Style::Own, stream: None, _keep: Keep::Ids(ids) }
    }

    fn of_numpy(array: &Bound<'_, PyAny>, what: &str) -> PyResult<Self> {
        let py = array.py();
        let dtype = array.getattr(intern!(py, "dtype"))?;
        if array.getattr(intern!(py, "ndim"))?.extract::<usize>()? == 0 {
            return Err(value_error(format!("{what} must have 1 dimension or more, but it is a single {dtype}")));
        }
        let mut buffer = PyUntypedBuffer::get(array).ok();
        let mut known = buffer.as_ref().and_then(plain);
        let contiguous = buffer.as_ref().is_some_and(PyUntypedBuffer::is_c_contiguous);
        if known.is_none() || !contiguous {
            let plain = numpy::Plain::new(array, &dtype, what)?;
            buffer = Some(PyUntypedBuffer::get(&plain.array)?);
            known = plain.dtype;
            // Of items that are seen as bytes, those are the last axis.
            let shape: Vec<usize> = array.getattr(intern!(py, "shape"))?.extract()?;
            let buffer = buffer.ok_or_else(|| type_error("NumPy gave no buffer"))?;
            return Ok(Self::of_buffer(buffer, known, plain.item, shape, Style::Numpy(plain.style)));
        }
        let buffer = buffer.ok_or_else(|| type_error("NumPy gave no buffer"))?;
        let (item, shape) = (buffer.item_size(), buffer.shape().to_vec());
        Ok(Self::of_buffer(buffer, known, item, shape, Style::Numpy(dtype.unbind())))
    }

    fn of_buffer(buffer: PyUntypedBuffer, dtype: Option<DType>, item: usize, shape: Vec<usize>, style: Style) -> Self {
        let place = Place::Host(buffer.buf_ptr().expose_provenance());
        Self { dtype, item, shape, place, style, stream: None, _keep: Keep::Buffer(buffer) }
    }

    fn of_dlpack(object: &Bound<'_, PyAny>, what: &str) -> PyResult<Self> {
        let py = object.py();
        let (kind, number): (i32, i32) = object.call_method0(intern!(py, "__dlpack_device__"))?.extract()?;
        let style = Style::of(object)?;
        if kind != dlpack::CUDA && matches!(style, Style::Own) {
            // NumPy has what nobody else has a name for.
            let array = numpy::module(py)?.call_method1(intern!(py, "asarray"), (object,))?;
            return Self::of_numpy(&array, what);
        }
        let mut stream = None;
        let arguments = PyDict::new(py);
        match kind {
            dlpack::CPU | dlpack::CUDA_HOST => {}
            dlpack::CUDA => {
                let asked = style.stream(py, number)?;
                // -1: it need not wait for anything itself.
                let waits = if asked.is_some() { -1 } else { join_stream(number)? as i64 };
                arguments.set_item(intern!(py, "stream"), waits)?;
                stream = Some(asked.unwrap_or(waits as u64));
            }
            _ => {
                return Err(type_error(format!(
                    "{what} is on a device of DLPack's kind {kind}; arrays of the CPU and of CUDA devices are taken"
                )));
            }
        }
        arguments.set_item(intern!(py, "max_version"), (1, 0))?;
        let hand_over = || object.call_method(intern!(py, "__dlpack__"), (), Some(&arguments));
        let capsule = hand_over().or_else(|error| {
            // Libraries from before version 1 do not know this.
            if !error.is_instance_of::<PyTypeError>(py) {
                return Err(error);
            }
            arguments.del_item(intern!(py, "max_version"))?;
            hand_over()
        })?;
        let imported = Imported::new(&capsule)?;
        if !imported.is_contiguous() {
            drop(imported);
            return Self::of_dlpack(&crate::style::contiguous(object, what)?, what);
        }
        let (kind, number) = imported.device();
        let place = match kind {
            dlpack::CUDA => Place::Cuda(number, imported.address()),
            _ => Place::Host(imported.address() as usize),
        };
        let (dtype, shape) = (imported.dtype()?, imported.shape()?);
        let keep = Keep::Capsule(imported);
        let array = Self { dtype: Some(dtype), item: dtype.size(), shape, place, style, stream, _keep: keep };
        array.check_alignment(what)?;
        Ok(array)
    }

    fn of_cuda_interface(object: &Bound<'_, PyAny>, interface: &Bound<'_, PyAny>, what: &str) -> PyResult<Self> {
        let bad = || type_error(format!("the __cuda_array_interface__ of {what} cannot be read"));
        let typestr: String = interface.get_item("typestr")?.extract()?;
        let mut letters = typestr.chars();
        let (order, kind, bytes) = (letters.next(), letters.next(), letters.as_str().parse().ok());
        let dtype =
            kind.zip(bytes).filter(|_| order != Some('>')).and_then(|(kind, bytes)| DType::of_kind(kind, bytes));
        let dtype =
            dtype.ok_or_else(|| type_error(format!("{what} has elements of type {typestr}; see multisplit.split")))?;
        let shape: Vec<usize> = interface.get_item("shape")?.extract()?;
        let (address, _): (u64, bool) = interface.get_item("data")?.extract()?;
        let strides: Option<Vec<isize>> = match interface.get_item("strides") {
            Ok(strides) => strides.extract().map_err(|_| bad())?,
            Err(_) => None,
        };
        if strides.is_some_and(|strides| !is_contiguous(&shape, &strides, dtype.size())) {
            return Err(value_error(format!("{what} must be contiguous in memory; make it so first")));
        }
        let stream: Option<u64> = match interface.get_item("stream") {
            Ok(stream) => stream.extract()?,
            Err(_) => Some(1),
        };
        let (place, keep) = (Place::Cuda(cuda_number(object)?, address), Keep::Object(object.clone().unbind()));
        let style = Style::of(object)?;
        let array = Self { dtype: Some(dtype), item: dtype.size(), shape, place, style, stream, _keep: keep };
        array.check_alignment(what)?;
        Ok(array)
    }

    fn check_alignment(&self, what: &str) -> PyResult<()> {
        let address = self.place.address();
        if self.len() == 0 || address.is_multiple_of(self.item.max(1) as u64) {
            return Ok(());
        }
        Err(value_error(format!(
            "{what} begins at an address that is not a multiple of the size of its elements; copy it"
        )))
    }

    /// Whether it has ids that were computed here.
    pub fn is_computed(&self) -> bool {
        matches!(self._keep, Keep::Ids(_))
    }

    /// An array like this one of so many rows.
    pub fn like(&self, py: Python<'_>, owned: Owned, rows: usize) -> PyResult<Py<PyAny>> {
        let mut shape = self.shape.clone();
        if let Some(first) = shape.first_mut() {
            *first = rows;
        }
        self.style.array(py, owned, self.dtype, shape)
    }

    /// The length along the first axis.
    pub fn rows(&self) -> usize {
        self.shape.first().copied().unwrap_or(1)
    }

    /// The number of elements.
    pub fn len(&self) -> usize {
        self.shape.iter().product()
    }

    /// Bytes along all axes but the first.
    pub fn row_bytes(&self) -> usize {
        self.shape.iter().skip(1).product::<usize>() * self.item
    }

    /// Refuses arrays of other than so many axes.
    pub fn expect_axes(&self, axes: usize, what: &str) -> PyResult<()> {
        if self.shape.len() == axes {
            return Ok(());
        }
        Err(value_error(format!(
            "{what} must have {axes} dimension{}, but its shape is {:?}",
            if axes == 1 { "" } else { "s" },
            self.shape
        )))
    }

    /// The type of its elements, which must be one of keys.
    pub fn key_type(&self, what: &str) -> PyResult<DType> {
        match self.dtype {
            Some(DType::Bool) | None => Err(type_error(format!(
                "{what} must be integers of 8 to 64 bits or floats of 16 to 64 bits, not {}",
                self.dtype.map_or("other elements", DType::name)
            ))),
            Some(dtype) => Ok(dtype),
        }
    }
}

/// The type of the elements of a buffer, if the library has it.
fn plain(buffer: &PyUntypedBuffer) -> Option<DType> {
    DType::of_format(buffer.format().to_bytes(), buffer.item_size())
}

fn is_contiguous(shape: &[usize], strides: &[isize], item: usize) -> bool {
    let mut next = item as isize;
    shape.contains(&0)
        || shape.iter().zip(strides).rev().all(|(&length, &stride)| {
            let fits = length == 1 || stride == next;
            next *= length as isize;
            fits
        })
}

/// The stream by which other libraries order their work on a CUDA device before what is done here.
fn join_stream(number: i32) -> PyResult<u64> {
    let device = crate::device::open(Some(&format!("cuda:{number}")))?;
    #[cfg(feature = "cuda")]
    return Ok(device.cuda_join_stream().raise()?.unwrap_or_default());
    #[cfg(not(feature = "cuda"))]
    {
        drop(device);
        Ok(0)
    }
}

/// The number of the device of an array that does not tell it by DLPack: as CuPy has it, or Numba; else the first.
fn cuda_number(object: &Bound<'_, PyAny>) -> PyResult<i32> {
    let Some(device) = object.getattr_opt(intern!(object.py(), "device"))? else { return Ok(0) };
    let id = device.getattr_opt(intern!(object.py(), "id"))?;
    Ok(id.and_then(|id| id.extract().ok()).unwrap_or(0))
}
