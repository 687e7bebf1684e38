//! A program that uses CUDA itself keeps its context, its streams and its memory, before, during and after calls here.
#![cfg(all(feature = "cuda", target_os = "linux"))]

use cudarc::driver::{result, sys};
use multisplit::bucket::Delta;
use multisplit::measure::Reference;
use multisplit::{Device, DeviceKind, Multisplit};
use test_support::uniform;

/// A context of the test's own, current on this thread, with a stream and memory in it.
struct Own {
    context: sys::CUcontext,
    stream: sys::CUstream,
    memory: sys::CUdeviceptr,
}

const BYTES: usize = 1 << 20;

impl Own {
    fn new(device: sys::CUdevice) -> Self {
        let mut context = std::ptr::null_mut();
        // SAFETY: the driver has had this function, of this signature, since CUDA 3.2; bindings differ by version.
        // The device is valid; what is made is used on this thread, and destroyed at the end.
        unsafe {
            let driver = libc::dlopen(c"libcuda.so.1".as_ptr(), libc::RTLD_NOW);
            let create = libc::dlsym(driver, c"cuCtxCreate_v2".as_ptr());
            type Create = unsafe extern "C" fn(*mut sys::CUcontext, u32, sys::CUdevice) -> sys::CUresult;
            let create: Create = std::mem::transmute::<*mut libc::c_void, Create>(create);
            create(&mut context, 0, device).result().unwrap();
            let stream = result::stream::create(result::stream::StreamKind::NonBlocking).unwrap();
            let memory = result::malloc_sync(BYTES).unwrap();
            Self { context, stream, memory }
        }
    }

    /// The context is current, and what was written there by the test's own stream can be read.
    fn check(&self, value: u8) {
        assert_eq!(result::ctx::get_current().unwrap(), Some(self.context), "another context is current");
        let mut back = vec![0u8; BYTES];
        // SAFETY: memory and stream are of this context, which is current, and are waited for.
        unsafe {
            result::memset_d8_async(self.memory, value, BYTES, self.stream).unwrap();
            result::memcpy_dtoh_async(&mut back, self.memory, self.stream).unwrap();
            result::stream::synchronize(self.stream).unwrap();
        }
        assert!(back.iter().all(|&byte| byte == value));
    }
}

impl Drop for Own {
    fn drop(&mut self) {
        // SAFETY: all of these were made by `new`, and nothing uses them any more.
        unsafe {
            let _ = result::free_sync(self.memory);
            let _ = result::stream::destroy(self.stream);
            let _ = sys::cuCtxDestroy_v2(self.context);
        }
    }
}

/// How often the primary context is retained cannot be asked; whether it is alive can.
fn primary_is_active(device: sys::CUdevice) -> bool {
    let (mut flags, mut active) = (0, 0);
    // SAFETY: the device is valid.
    unsafe { sys::cuDevicePrimaryCtxGetState(device, &mut flags, &mut active).result().unwrap() };
    active != 0
}

#[test]
fn a_context_of_the_callers() {
    let Some(device) = crate::common::gpu("a_context_of_the_callers").filter(|d| d.info().kind == DeviceKind::Cuda)
    else {
        return;
    };
    let index = device.name().trim_start_matches("cuda:").parse().unwrap();
    let cuda_device = result::device::get(index).unwrap();
    let own = Own::new(cuda_device);
    own.check(1);
    let again = Device::open(device.name()).unwrap();
    own.check(2);
    // Large enough that the driver is asked how much memory is left.
    let keys = uniform(1 << 23, 1);
    let f = Delta::whole(32).unwrap();
    let split = Multisplit::by(&f);
    for round in 0..3 {
        let input = again.upload(&keys).unwrap();
        own.check(3 + round);
        let mut out = again.alloc::<u32>(keys.len()).unwrap();
        let (mut offsets, mut workspace) =
            (split.offsets(&again).unwrap(), split.workspace(&again, keys.len(), 0).unwrap());
        split.enqueue(&input, &mut out, &mut [], &mut offsets, &mut workspace).unwrap();
        own.check(30 + round);
        assert_eq!(offsets.read().unwrap(), Reference::split(&keys, &f).offsets);
        own.check(60 + round);
        drop((input, out, offsets, workspace));
        again.sync().unwrap();
        own.check(90 + round);
    }
    assert!(primary_is_active(cuda_device), "CubeCL's own context is still there");
}

/// A program that retains and releases the primary context itself finds it as often retained as it left it.
#[test]
fn the_primary_context_of_the_callers() {
    let Some(device) =
        crate::common::gpu("the_primary_context_of_the_callers").filter(|d| d.info().kind == DeviceKind::Cuda)
    else {
        return;
    };
    let index: i32 = device.name().trim_start_matches("cuda:").parse().unwrap();
    let cuda_device = result::device::get(index).unwrap();
    // SAFETY: the device is valid; what is retained is released, and nothing stays current.
    unsafe {
        let primary = result::primary_ctx::retain(cuda_device).unwrap();
        sys::cuCtxPushCurrent_v2(primary).result().unwrap();
        let uploaded = device.upload(&vec![7u32; 1 << 23]).unwrap();
        assert_eq!(result::ctx::get_current().unwrap(), Some(primary));
        assert!(uploaded.download().unwrap().iter().all(|&word| word == 7));
        let mut popped = std::ptr::null_mut();
        sys::cuCtxPopCurrent_v2(&mut popped).result().unwrap();
        assert_eq!(popped, primary);
        assert_eq!(result::ctx::get_current().unwrap(), None, "nothing was left on this thread's stack of contexts");
        result::primary_ctx::release(cuda_device).unwrap();
    }
    assert_eq!(multisplit::sort(device, &[2u32, 1]).unwrap(), [1, 2]);
}
