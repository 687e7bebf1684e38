//! DLPack: arrays that are handed from one library to another, in capsules.
//!
//! The layouts are those of DLPack's header: that of its first version, which everyone reads, and that with a number of
//! the version, which some libraries prefer to hand over. They are written down here since they never change.

use crate::dtype::DType;
use crate::error::{type_error, value_error};
use pyo3::exceptions::PyBufferError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use std::any::Any;
use std::ffi::{CStr, c_void};
use std::ptr::NonNull;
use std::sync::Arc;

/// Memory of the host.
pub const CPU: i32 = 1;
/// Memory of a CUDA device.
pub const CUDA: i32 = 2;
/// Memory of the host that CUDA devices reach.
pub const CUDA_HOST: i32 = 3;

const NAME: &CStr = c"dltensor";
const USED: &CStr = c"used_dltensor";
const VERSIONED: &CStr = c"dltensor_versioned";
const USED_VERSIONED: &CStr = c"used_dltensor_versioned";

#[repr(C)]
struct DLTensor {
    data: *mut c_void,
    device_type: i32,
    device_id: i32,
    dimensions: i32,
    code: u8,
    bits: u8,
    lanes: u16,
    shape: *mut i64,
    strides: *mut i64,
    byte_offset: u64,
}

#[repr(C)]
struct DLManagedTensor {
    tensor: DLTensor,
    context: *mut c_void,
    deleter: Option<unsafe extern "C" fn(*mut DLManagedTensor)>,
}

/// The layout of version 1.
#[repr(C)]
struct DLManagedTensorVersioned {
    major: u32,
    minor: u32,
    context: *mut c_void,
    deleter: Option<unsafe extern "C" fn(*mut DLManagedTensorVersioned)>,
    flags: u64,
    tensor: DLTensor,
}

/// An array that another library handed over. It is given back when this is dropped.
pub enum Imported {
    /// In the first layout.
    Plain(NonNull<DLManagedTensorLayout>),
    /// In that of version 1.
    Versioned(NonNull<DLManagedTensorVersionedLayout>),
}

/// The first layout, for nobody to look into.
#[repr(transparent)]
pub struct DLManagedTensorLayout(DLManagedTensor);

/// That of version 1.
#[repr(transparent)]
pub struct DLManagedTensorVersionedLayout(DLManagedTensorVersioned);

// SAFETY: a capsule may be used, and its deleter called, on any thread; whoever drops this holds the interpreter.
unsafe impl Send for Imported {}
// SAFETY: what is shared is only read.
unsafe impl Sync for Imported {}

impl Imported {
    /// Takes the array out of a capsule, which nobody else can do after that.
    pub fn new(capsule: &Bound<'_, PyAny>) -> PyResult<Self> {
        let capsule = capsule.cast::<PyCapsule>().map_err(|_| type_error("__dlpack__ did not return a capsule"))?;
        // SAFETY: it is a capsule.
        let versioned = unsafe { ffi::PyCapsule_IsValid(capsule.as_ptr(), VERSIONED.as_ptr()) } == 1;
        let (name, used) = if versioned { (VERSIONED, USED_VERSIONED) } else { (NAME, USED) };
        let tensor = capsule.pointer_checked(Some(name))?;
        // SAFETY: it is a capsule, and the name lives for as long as the program.
        if unsafe { ffi::PyCapsule_SetName(capsule.as_ptr(), used.as_ptr()) } != 0 {
            return Err(PyErr::fetch(capsule.py()));
        }
        if !versioned {
            return Ok(Self::Plain(tensor.cast()));
        }
        let tensor = tensor.cast::<DLManagedTensorVersionedLayout>();
        // SAFETY: a capsule of this name has such a layout, whose first numbers are those of the version for good.
        let major = unsafe { tensor.as_ref() }.0.major;
        let imported = Self::Versioned(tensor);
        if major == 1 { Ok(imported) } else { Err(type_error(format!("DLPack {major} is not supported"))) }
    }

    fn tensor(&self) -> &DLTensor {
        // SAFETY: it is there until the deleter is called.
        unsafe {
            match self {
                Self::Plain(managed) => &managed.as_ref().0.tensor,
                Self::Versioned(managed) => &managed.as_ref().0.tensor,
            }
        }
    }

    /// The address of the first element.
    pub fn address(&self) -> u64 {
        let tensor = self.tensor();
        (tensor.data.addr() as u64).wrapping_add(tensor.byte_offset)
    }

    /// The kind of device that it is on, and its number.
    pub fn device(&self) -> (i32, i32) {
        (self.tensor().device_type, self.tensor().device_id)
    }

    /// The type of its elements.
    pub fn dtype(&self) -> PyResult<DType> {
        let &DLTensor { code, bits, lanes, .. } = self.tensor();
        let dtype = DType::of_dlpack(code, bits).filter(|_| lanes == 1);
        dtype.ok_or_else(|| type_error(format!("elements of DLPack's type {code} with {bits} bits are not supported")))
    }

    /// The lengths along its axes.
    pub fn shape(&self) -> PyResult<Vec<usize>> {
        self.axes(self.tensor().shape).iter().map(|&length| usize::try_from(length).map_err(value_error)).collect()
    }

    /// Whether its elements are one behind the other.
    pub fn is_contiguous(&self) -> bool {
        let tensor = self.tensor();
        let (shape, mut next) = (self.axes(tensor.shape), 1);
        if tensor.strides.is_null() || shape.contains(&0) {
            return true;
        }
        shape.iter().zip(self.axes(tensor.strides)).rev().all(|(&length, &stride)| {
            let fits = length == 1 || stride == next;
            next = i64::wrapping_mul(next, length);
            fits
        })
    }

    fn axes(&self, numbers: *mut i64) -> &[i64] {
        let count = usize::try_from(self.tensor().dimensions).unwrap_or(0);
        if count == 0 || numbers.is_null() {
            return &[];
        }
        // SAFETY: DLPack says that there is one for each dimension.
        unsafe { std::slice::from_raw_parts(numbers, count) }
    }
}

impl Drop for Imported {
    fn drop(&mut self) {
        // SAFETY: it is called once, and the array is not used any more.
        unsafe {
            match self {
                Self::Plain(managed) => {
                    if let Some(deleter) = managed.as_ref().0.deleter {
                        deleter(managed.as_ptr().cast());
                    }
                }
                Self::Versioned(managed) => {
                    if let Some(deleter) = managed.as_ref().0.deleter {
                        deleter(managed.as_ptr().cast());
                    }
                }
            }
        }
    }
}

/// An array that is handed over, and what keeps its memory.
struct Exported {
    managed: DLManagedTensor,
    _shape: Vec<i64>,
    _strides: Vec<i64>,
    _owner: Arc<dyn Any + Send + Sync>,
}

/// Hands an array over whose elements are one behind the other. Whoever takes it keeps its memory for as long as it is
/// needed, and may give it back on any thread.
pub fn export<'py>(
    py: Python<'py>,
    owner: Arc<dyn Any + Send + Sync>,
    address: u64,
    device: (i32, i32),
    dtype: DType,
    shape: &[usize],
) -> PyResult<Bound<'py, PyCapsule>> {
    let mut shape: Vec<i64> = shape.iter().map(|&length| length as i64).collect();
    let mut strides = vec![1; shape.len()];
    for axis in (1..shape.len()).rev() {
        strides[axis - 1] = strides[axis] * shape[axis];
    }
    let (code, bits) = dtype.dlpack();
    let tensor = DLTensor {
        data: std::ptr::with_exposed_provenance_mut(address as usize),
        device_type: device.0,
        device_id: device.1,
        dimensions: shape.len() as i32,
        code,
        bits,
        lanes: 1,
        shape: shape.as_mut_ptr(),
        strides: strides.as_mut_ptr(),
        byte_offset: 0,
    };
    let managed = DLManagedTensor { tensor, context: std::ptr::null_mut(), deleter: Some(delete) };
    // Vectors stay where they are when they are moved.
    let exported = Box::into_raw(Box::new(Exported { managed, _shape: shape, _strides: strides, _owner: owner }));
    // SAFETY: it was just made, and nobody else has it. Its first field is at its address; `repr(C)` is not needed, as
    // the context says where the whole is.
    let tensor = unsafe {
        (*exported).managed.context = exported.cast();
        NonNull::new_unchecked(&raw mut (*exported).managed)
    };
    // SAFETY: the tensor is there until its deleter is called, which the destructor does unless another library took
    // it.
    unsafe { PyCapsule::new_with_pointer_and_destructor(py, tensor.cast(), NAME, Some(forget)) }
}

/// Frees an array that was handed over.
///
/// # Safety
/// It was made by [`export`], and is not used any more.
unsafe extern "C" fn delete(managed: *mut DLManagedTensor) {
    // SAFETY: the context is the box that the tensor is in. Nothing of it needs the interpreter.
    drop(unsafe { Box::from_raw((*managed).context.cast::<Exported>()) });
}

/// Frees the array in a capsule that nobody took.
///
/// # Safety
/// It is a capsule that was made by [`export`].
unsafe extern "C" fn forget(capsule: *mut ffi::PyObject) {
    // SAFETY: it is a capsule; whoever took the array has changed its name.
    unsafe {
        if ffi::PyCapsule_IsValid(capsule, NAME.as_ptr()) == 1 {
            delete(ffi::PyCapsule_GetPointer(capsule, NAME.as_ptr()).cast());
        }
    }
}

/// The error for memory that cannot be handed over so.
pub fn refused(message: &str) -> PyErr {
    PyBufferError::new_err(message.to_string())
}
