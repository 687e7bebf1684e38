//! Memory of other CUDA code, which is read where it is.
#![cfg(all(feature = "cuda", target_os = "linux"))]

use crate::common::gpu;
use cudarc::driver::{result, sys};
use multisplit::bucket::Delta;
use multisplit::measure::Reference;
use multisplit::{Column, Device, DeviceKind, Error, Multisplit, Sort};
use test_support::uniform;

/// Words in memory of the test's own.
struct Own {
    address: sys::CUdeviceptr,
    context: sys::CUcontext,
}

impl Own {
    fn new(device: &Device, words: &[u32]) -> Self {
        let ordinal = device.name().trim_start_matches("cuda:").parse().unwrap();
        // SAFETY: the context is retained for as long as the memory, which is as large as what is copied there.
        unsafe {
            let context = result::primary_ctx::retain(result::device::get(ordinal).unwrap()).unwrap();
            sys::cuCtxPushCurrent_v2(context).result().unwrap();
            let address = result::malloc_sync(4 * words.len()).unwrap();
            let stream = result::stream::create(result::stream::StreamKind::NonBlocking).unwrap();
            result::memcpy_htod_async(address, words, stream).unwrap();
            device.wait_for_cuda_stream(stream as u64).unwrap();
            result::stream::destroy(stream).unwrap();
            Self { address, context }
        }
    }
}

impl Drop for Own {
    fn drop(&mut self) {
        // SAFETY: nothing uses the memory any more, and its context is current.
        unsafe {
            assert_eq!(result::ctx::get_current().unwrap(), Some(self.context), "another context is current");
            let _ = result::free_sync(self.address);
            let mut popped = std::ptr::null_mut();
            let _ = sys::cuCtxPopCurrent_v2(&mut popped).result();
        }
    }
}

#[test]
fn views_of_other_memory() {
    let Some(device) = gpu("views_of_other_memory").filter(|d| d.info().kind == DeviceKind::Cuda) else { return };
    let n = 10_001;
    let words = uniform(n, 77);
    let own = Own::new(device, &words);
    for skip in [0, 1, 4] {
        let words = &words[skip..];
        // SAFETY: they are there, and stay there until all has run.
        let view = unsafe { device.view_cuda::<u32>(own.address + 4 * skip as u64, words.len()) }.unwrap();
        let f = Delta::whole(32).unwrap();
        let split = Multisplit::by(&f);
        let (mut keys, mut values, mut index) = {
            let room = || device.alloc::<u32>(words.len()).unwrap();
            (room(), room(), room())
        };
        let mut offsets = split.offsets(device).unwrap();
        let mut workspace = split.workspace(device, n, 2).unwrap();
        let columns = &mut [Column::new(&view, &mut values), Column::permutation(&mut index)];
        split.enqueue(&view, &mut keys, columns, &mut offsets, &mut workspace).unwrap();
        let expected = Reference::split(words, &f);
        assert_eq!(offsets.read().unwrap(), expected.offsets);
        assert_eq!(keys.download().unwrap(), expected.permute(words));
        assert_eq!(values.download().unwrap(), expected.permute(words));
        assert_eq!(index.download().unwrap(), expected.permutation);
        let mut workspace = Sort::new().workspace::<u32>(device, n, 0, 0).unwrap();
        Sort::new().enqueue(&view, &mut keys, &mut [], &mut workspace).unwrap();
        assert!(keys.download().unwrap().is_sorted());
    }
    device.wait_for_cuda_context().unwrap();
    let stream = device.cuda_join_stream().unwrap();
    assert_eq!(device.stream("views").unwrap().cuda_join_stream().unwrap(), stream);
    // SAFETY: there are none.
    assert_eq!(unsafe { device.view_cuda::<u32>(0, 0) }.map(drop), Ok(()));
}

#[test]
fn views_of_what_is_not_there() {
    let words = [1u32];
    let address = words.as_ptr().addr() as u64;
    // SAFETY: it is refused.
    let got = unsafe { Device::cpu().view_cuda::<u32>(address, 1) }.map(drop);
    assert!(matches!(got, Err(Error::MissingCapability { .. })));
    let Some(device) = gpu("views_of_what_is_not_there").filter(|d| d.info().kind == DeviceKind::Cuda) else { return };
    // SAFETY: it is refused.
    let got = unsafe { device.view_cuda::<u32>(address, 1) }.map(drop);
    assert!(matches!(got, Err(Error::MissingCapability { .. })), "{got:?}");
}
