//! The driver's functions. Memory is the host's, and a launch has run when it returns.
//!
//! Each has the signature that CUDA's documentation gives it, which says too what callers owe: pointers for results are
//! valid, strings end with 0, copies stay within allocations.
#![allow(non_snake_case)]

use crate::context;
use crate::kernel::Kernel;
use crate::status::{Handle, INVALID_VALUE, SUCCESS, Status, give};
use crate::{model, processors};
use std::collections::HashMap;
use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::sync::Mutex;

type DevicePtr = u64;

/// Functions that have nothing to do.
macro_rules! nothing {
    ($($name:ident($($argument:ty),*);)*) => {$(
        #[unsafe(no_mangle)]
        extern "C" fn $name($(_: $argument),*) -> Status {
            SUCCESS
        }
    )*};
}

nothing! {
    cuInit(c_uint);
    cuCtxSynchronize();
    cuStreamDestroy_v2(Handle);
    cuStreamSynchronize(Handle);
    cuStreamWaitEvent(Handle, Handle, c_uint);
    cuEventRecord(Handle, Handle);
    cuEventSynchronize(Handle);
    cuEventDestroy_v2(Handle);
    cuModuleUnload(Handle);
    cuFuncSetAttribute(Handle, c_int, c_int);
}

/// Functions that return a handle, of which there is only one.
macro_rules! handles {
    ($($name:ident($($argument:ty),*);)*) => {$(
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name(to: *mut Handle $(, _: $argument)*) -> Status {
            // SAFETY: callers give a valid pointer.
            unsafe { give(to, std::ptr::dangling_mut::<u64>().cast()) }
        }
    )*};
}

handles! {
    cuStreamCreate(c_uint);
    cuEventCreate(c_uint);
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuDeviceGetCount(to: *mut c_int) -> Status {
    // SAFETY: callers give a valid pointer.
    unsafe { give(to, 1) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuDeviceGet(to: *mut c_int, index: c_int) -> Status {
    // SAFETY: callers give a valid pointer.
    if index == 0 { unsafe { give(to, 0) } } else { INVALID_VALUE }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuDeviceGetName(to: *mut c_char, room: c_int, _: c_int) -> Status {
    let name = model().name.bytes().take((room - 1).max(0) as usize).chain([0]);
    for (i, byte) in name.enumerate() {
        // SAFETY: callers give room for that many.
        unsafe { to.add(i).write(byte as c_char) };
    }
    SUCCESS
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuDeviceGetAttribute(to: *mut c_int, attribute: c_int, _: c_int) -> Status {
    let value = match attribute {
        1..=3 => 1024,   // threads per block; its x and y
        4 => 64,         // its z
        5 => c_int::MAX, // blocks, x
        6 | 7 => 65_535, // y and z
        10 => 32,        // lanes per warp
        16 => processors(),
        75 => model().capability.0,
        76 => model().capability.1,
        97 => model().shared_memory,
        _ => 0,
    };
    // SAFETY: callers give a valid pointer.
    unsafe { give(to, value) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuDeviceTotalMem_v2(to: *mut usize, _: c_int) -> Status {
    // SAFETY: callers give a valid pointer.
    unsafe { give(to, model().memory) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuMemGetInfo_v2(free: *mut usize, total: *mut usize) -> Status {
    // SAFETY: callers give valid pointers.
    unsafe { give(free, model().memory).max(give(total, model().memory)) }
}

/// A module has one kernel, and is never unloaded. Where kernels are recorded there is nothing in it.
#[unsafe(no_mangle)]
unsafe extern "C" fn cuModuleLoadData(to: *mut Handle, image: *const c_void) -> Status {
    // SAFETY: callers give what the compiler returned, which ends with 0.
    let source = unsafe { CStr::from_ptr(image.cast()) }.to_string_lossy();
    let kernel = if source.is_empty() { Ok(None) } else { Kernel::compile(&source).map(Some) };
    match kernel {
        // SAFETY: callers give a valid pointer.
        Ok(kernel) => unsafe { give(to, Box::into_raw(Box::new(kernel)).cast()) },
        Err(error) => {
            eprintln!("CUDA emulator: {error}");
            INVALID_VALUE
        }
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuModuleGetFunction(to: *mut Handle, module: Handle, _: *const c_char) -> Status {
    // SAFETY: callers give a valid pointer.
    unsafe { give(to, module) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuLaunchKernel(
    function: *const Option<Kernel>,
    blocks_x: c_uint,
    blocks_y: c_uint,
    blocks_z: c_uint,
    threads_x: c_uint,
    threads_y: c_uint,
    threads_z: c_uint,
    shared_memory: c_uint,
    _: Handle,
    arguments: *mut Handle,
    _: *mut Handle,
) -> Status {
    if context::check() != SUCCESS {
        return context::check();
    }
    // SAFETY: callers give a function that they got from a module.
    if let Some(kernel) = unsafe { &*function } {
        let shape = [blocks_x, blocks_y, blocks_z, threads_x, threads_y, threads_z, shared_memory];
        // SAFETY: callers give the arguments that the kernel takes.
        unsafe { kernel.launch(arguments, &shape) };
    }
    SUCCESS
}

/// All allocations, of the device and for staging, by their addresses. Pages that nobody writes take no memory.
static MEMORY: Mutex<Option<HashMap<u64, Vec<u128>>>> = Mutex::new(None);

/// Allocates memory, and returns its address.
///
/// # Safety
/// The pointer is valid.
unsafe fn allocate<T>(bytes: usize, to: *mut T, of: impl FnOnce(u64) -> T) -> Status {
    if context::check() != SUCCESS {
        return context::check();
    }
    let memory = vec![0u128; bytes.div_ceil(16).max(1)];
    let address = memory.as_ptr().addr() as u64;
    MEMORY.lock().unwrap().get_or_insert_default().insert(address, memory);
    // SAFETY: it is valid.
    unsafe { give(to, of(address)) }
}

fn free(address: u64) -> Status {
    let found = MEMORY.lock().unwrap().get_or_insert_default().remove(&address);
    if found.is_some() { SUCCESS } else { INVALID_VALUE }
}

/// Tells that memory which was allocated here is a device's, in the primary context.
#[unsafe(no_mangle)]
unsafe extern "C" fn cuPointerGetAttribute(to: *mut c_void, attribute: c_int, address: DevicePtr) -> Status {
    let memory = MEMORY.lock().unwrap();
    let lies_in = |(start, words): (&u64, &Vec<u128>)| (*start..*start + 16 * words.len() as u64).contains(&address);
    if !memory.as_ref().is_some_and(|memory| memory.iter().any(lies_in)) {
        return INVALID_VALUE;
    }
    match attribute {
        // SAFETY: callers give a pointer to what the attribute is.
        1 => unsafe { give(to.cast::<Handle>(), context::primary()) },
        // SAFETY: as above.
        2 => unsafe { give(to.cast::<c_uint>(), 2) },
        _ => INVALID_VALUE,
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuMemcpyDtoDAsync_v2(to: DevicePtr, from: DevicePtr, bytes: usize, _: Handle) -> Status {
    // SAFETY: callers stay within both.
    unsafe { std::ptr::copy(from as *const u8, to as *mut u8, bytes) };
    SUCCESS
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuMemAlloc_v2(to: *mut DevicePtr, bytes: usize) -> Status {
    // SAFETY: callers give a valid pointer.
    unsafe { allocate(bytes, to, |address| address) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuMemAllocAsync(to: *mut DevicePtr, bytes: usize, _: Handle) -> Status {
    // SAFETY: callers give a valid pointer.
    unsafe { allocate(bytes, to, |address| address) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuMemAllocHost_v2(to: *mut *mut c_void, bytes: usize) -> Status {
    // SAFETY: callers give a valid pointer.
    unsafe { allocate(bytes, to, |address| address as *mut c_void) }
}

#[unsafe(no_mangle)]
extern "C" fn cuMemFree_v2(memory: DevicePtr) -> Status {
    free(memory)
}

#[unsafe(no_mangle)]
extern "C" fn cuMemFreeAsync(memory: DevicePtr, _: Handle) -> Status {
    free(memory)
}

#[unsafe(no_mangle)]
extern "C" fn cuMemFreeHost(memory: *mut c_void) -> Status {
    free(memory.addr() as u64)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuMemcpyHtoDAsync_v2(to: DevicePtr, from: *const c_void, bytes: usize, _: Handle) -> Status {
    // SAFETY: callers stay within both.
    unsafe { std::ptr::copy(from.cast::<u8>(), to as *mut u8, bytes) };
    SUCCESS
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuMemcpyDtoHAsync_v2(to: *mut c_void, from: DevicePtr, bytes: usize, _: Handle) -> Status {
    // SAFETY: callers stay within both.
    unsafe { std::ptr::copy(from as *const u8, to.cast::<u8>(), bytes) };
    SUCCESS
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuMemsetD8Async(to: DevicePtr, value: u8, bytes: usize, _: Handle) -> Status {
    // SAFETY: callers stay within it.
    unsafe { std::ptr::write_bytes(to as *mut u8, value, bytes) };
    SUCCESS
}

/// One end of a copy of rows.
#[repr(C)]
struct End<P> {
    x: usize,
    y: usize,
    /// 1: of the host.
    kind: c_uint,
    host: P,
    device: DevicePtr,
    array: Handle,
    pitch: usize,
}

impl<P> End<P> {
    fn row(&self, host: usize, row: usize) -> usize {
        let base = if self.kind == 1 { host } else { self.device as usize };
        base + (self.y + row) * self.pitch + self.x
    }
}

/// `CUDA_MEMCPY2D`.
#[repr(C)]
struct Copy2D {
    from: End<*const c_void>,
    to: End<*mut c_void>,
    width: usize,
    height: usize,
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuMemcpy2DAsync_v2(copy: *const Copy2D, _: Handle) -> Status {
    // SAFETY: callers give a valid description.
    let Copy2D { from, to, width, height } = unsafe { &*copy };
    for row in 0..*height {
        let (from, to) = (from.row(from.host.addr(), row), to.row(to.host.addr(), row));
        // SAFETY: callers stay within both.
        unsafe { std::ptr::copy(from as *const u8, to as *mut u8, *width) };
    }
    SUCCESS
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuGetErrorName(_: Status, to: *mut *const c_char) -> Status {
    // SAFETY: callers give a valid pointer.
    unsafe { give(to, c"emulator".as_ptr()) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuGetErrorString(_: Status, to: *mut *const c_char) -> Status {
    // SAFETY: callers give a valid pointer.
    unsafe { give(to, c"the emulator was given a wrong value, or no context is current".as_ptr()) }
}
