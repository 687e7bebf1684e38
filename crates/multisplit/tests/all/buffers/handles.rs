//! CubeCL handles and CUDA addresses: memory that others have too.
#![cfg(any(feature = "cuda", feature = "wgpu"))]

use crate::common::gpu;
use multisplit::bucket::Delta;
#[cfg(feature = "wgpu")]
use multisplit::bucket::{Buckets, Splitters};
use multisplit::measure::Reference;
use multisplit::{Column, Device, Error, Multisplit};
use test_support::uniform;

/// Handles may be of the same memory, where buffers never are.
#[test]
fn outputs_that_share_memory() {
    use multisplit::{Histogram, Sort, bucket::EvenBins};
    let Some(device) = gpu("outputs_that_share_memory") else { return };
    let mut keys = device.upload(&uniform(1024, 4)).unwrap();
    let whole = keys.handle().unwrap().unwrap();
    // The second half, and what it is of. (Parts begin where the device lets them.)
    // SAFETY: all of them are used on one stream.
    let adopt = |handle, len| unsafe { device.adopt::<u32>(handle, len).unwrap() };
    let mut half = adopt(whole.clone().offset_start(2048), 512);
    let mut all = adopt(whole.clone(), 1024);
    let first_half = adopt(whole.offset_end(2048), 512);
    let mut out = device.alloc::<u32>(1024).unwrap();
    let shared = |what: &str, other: &str| Err(Error::SharedMemory { what: what.into(), other: other.into() });

    let f = Delta::<u32>::whole(4).unwrap();
    let split = Multisplit::by(&f);
    let mut offsets = split.offsets(device).unwrap();
    let mut workspace = split.workspace(device, 1024, 2).unwrap();
    let got = split.enqueue(&keys, &mut all, &mut [], &mut offsets, &mut workspace);
    assert_eq!(got, shared("the keys", "the key output"));
    assert!(got.unwrap_err().to_string().ends_with("give each its own"));
    let columns = &mut [Column::permutation(&mut half)];
    let got = split.enqueue(&first_half, &mut all, columns, &mut offsets, &mut workspace);
    assert_eq!(got, shared("the keys", "the key output"));
    // Two halves are apart.
    let before = keys.download().unwrap();
    split.enqueue(&first_half, &mut half, &mut [], &mut offsets, &mut workspace).unwrap();
    let expected = Reference::split(&before[..512], &f);
    assert_eq!(offsets.read().unwrap(), expected.offsets);
    assert_eq!(half.download().unwrap(), expected.permute(&before[..512]));
    assert_eq!(keys.download().unwrap()[..512], before[..512]);
    // Inputs may be the same.
    let columns = &mut [Column::new(&first_half, &mut half)];
    split.enqueue(&first_half, &mut out, columns, &mut offsets, &mut workspace).unwrap();
    let columns = &mut [Column::new(&keys, &mut out), Column::permutation(&mut all)];
    let got = split.enqueue(
        &device.upload(&[0; 1024]).unwrap(),
        &mut device.alloc(1024).unwrap(),
        columns,
        &mut offsets,
        &mut workspace,
    );
    assert_eq!(got, shared("value column 0", "the permutation"));

    let sort = Sort::new().bits(0..4);
    let mut workspace = sort.workspace::<u32>(device, 1024, 1, 0).unwrap();
    let got = sort.enqueue(&all, &mut keys, &mut [], &mut workspace);
    assert_eq!(got, shared("the keys", "the key output"));
    let got = sort.enqueue_double(&mut all, &mut keys, &mut [], &mut workspace).map(drop);
    assert_eq!(got, shared("the keys", "the key output"));
    let bins = EvenBins::new(0..100u32, 4).unwrap();
    assert_eq!(Histogram::by(&bins).enqueue(&keys, &mut half), shared("the keys", "the buffer of counts"));
    assert_eq!(multisplit::gather(&keys, &out, &mut all), shared("the rows", "the output"));
    assert_eq!(multisplit::invert(&keys, &mut all), shared("the permutation", "the inverse"));
    assert_eq!(keys.copy_from(&all), shared("what is copied", "the copy"));
    assert_eq!(multisplit::measure::bandwidth::copy(&keys, &mut all), shared("what is copied", "the copy"));
    // Slices of them: halves are apart, and what lies in both is not.
    let align = device.slice_alignment::<u32>();
    assert!(512 % align == 0, "{align}");
    let got = sort.enqueue(all.slice(..512).unwrap(), keys.slice_mut(512 - align..).unwrap(), &mut [], &mut workspace);
    assert_eq!(got, shared("the keys", "the key output"));
    let mut sorted = keys.slice(..512).unwrap().download().unwrap();
    sorted.sort_by_key(|key| key & 0xf);
    sort.enqueue(all.slice(..512).unwrap(), keys.slice_mut(512..).unwrap(), &mut [], &mut workspace).unwrap();
    assert_eq!(half.download().unwrap(), sorted);
    half.copy_from(&first_half).unwrap();
    assert_eq!(keys.slice(512..).unwrap().download().unwrap(), first_half.download().unwrap());
}

/// A handle that is given away has what the buffer had, after all that was done with it, and can be adopted again.
#[test]
fn a_handle_for_good() {
    let Some(device) = gpu("a_handle_for_good") else { return };
    let other = device.stream("handles").unwrap();
    for n in [1, 1000, 100_000] {
        let keys = uniform(n, 11);
        let input = device.upload(&keys).unwrap();
        let mut out = device.alloc::<u32>(n).unwrap();
        let mut copy = other.alloc::<u32>(n).unwrap();
        let f = Delta::whole(16).unwrap();
        let split = Multisplit::by(&f);
        let (mut offsets, mut workspace) = (split.offsets(device).unwrap(), split.workspace(device, n, 0).unwrap());
        split.enqueue(&input, &mut out, &mut [], &mut offsets, &mut workspace).unwrap();
        copy.copy_from(&out).unwrap(); // on another stream, which reads it
        let handle = out.into_handle().unwrap();
        // SAFETY: nobody else has the handle.
        let mut again = unsafe { device.adopt::<u32>(handle, n) }.unwrap();
        let expected = Reference::split(&keys, &f).permute(&keys);
        assert!(again.download().unwrap() == expected);
        again.fill(7).unwrap();
        assert!(copy.download().unwrap() == expected);
        drop(again.into_handle().unwrap());
    }
    let error = Device::cpu().upload(&[1u32]).unwrap().into_handle().unwrap_err();
    assert_eq!(error, Error::MissingCapability { device: "cpu".into(), capability: "CubeCL handles".into() });
}

/// A client and handles of the user's own.
#[cfg(feature = "wgpu")]
#[test]
fn on_a_client_of_the_users_own() {
    use multisplit::cubecl::prelude::Runtime;
    use multisplit::cubecl::wgpu::{WgpuDevice, WgpuRuntime};
    let Some(device) = gpu("on_a_client_of_the_users_own") else { return };
    if device.info().kind != multisplit::DeviceKind::Software {
        return; // the name of the wgpu device below is that of the software device
    }
    let client = WgpuRuntime::client(&WgpuDevice::Cpu);
    let keys = uniform(1001, 4);
    // Neither padded nor a multiple of a load.
    let (input, output) = (client.create_from_slice(bytemuck::cast_slice(&keys)), client.empty(4 * keys.len()));
    let device = Device::from_wgpu(client.clone()).unwrap();
    // SAFETY: nothing else writes to them, and the client reads on the same stream.
    let adopt = |handle| unsafe { device.adopt::<u32>(handle, keys.len()).unwrap() };
    let (keys_in, mut keys_out) = (adopt(input), adopt(output.clone()));
    // SAFETY: it is refused.
    assert!(unsafe { device.adopt::<u64>(output.clone(), keys.len()) }.is_err());
    check_adopted(&client, &keys, &keys_in, &mut keys_out, &output, &Delta::whole(16).unwrap());
    // Labels are kept of whole loads; here the function is asked again.
    let splitters: Vec<u32> = (1..16).map(|i| i << 28).collect();
    let costly = Splitters::new(&splitters).unwrap();
    assert!(costly.is_costly());
    check_adopted(&client, &keys, &keys_in, &mut keys_out, &output, &costly);
}

#[cfg(feature = "wgpu")]
fn check_adopted<F: Buckets<Key = u32>>(
    client: &multisplit::cubecl::prelude::ComputeClient<multisplit::cubecl::wgpu::WgpuRuntime>,
    keys: &[u32],
    keys_in: &multisplit::Buffer<u32>,
    keys_out: &mut multisplit::Buffer<u32>,
    output: &multisplit::cubecl::server::Handle,
    f: &F,
) {
    let (split, device) = (Multisplit::by(f), keys_in.device().clone());
    let mut offsets = split.offsets(&device).unwrap();
    let mut workspace = split.workspace(&device, keys.len(), 0).unwrap();
    split.enqueue(keys_in, keys_out, &mut [], &mut offsets, &mut workspace).unwrap();
    let expected = Reference::split(keys, f);
    assert_eq!(offsets.read().unwrap(), expected.offsets);
    let bytes = client.read_one(output.clone()).unwrap();
    assert_eq!(bytemuck::cast_slice::<u8, u32>(&bytes)[..keys.len()], expected.permute(keys));
}

/// Other CUDA code reads and writes the memory of buffers by its address.
#[cfg(all(feature = "cuda", target_os = "linux"))]
#[test]
fn cuda_pointers() {
    use cudarc::driver::result;
    assert_eq!(Device::cpu().upload(&[1u32]).unwrap().cuda_pointer(), Ok(None));
    let Some(device) = gpu("cuda_pointers") else { return };
    if device.info().kind != multisplit::DeviceKind::Cuda {
        assert_eq!(device.upload(&[1u32]).unwrap().cuda_pointer(), Ok(None));
        assert_eq!(device.upload(&[1u32]).unwrap().cuda_pointer_mut(), Ok(None));
        return;
    }
    let index = device.name().trim_start_matches("cuda:").parse().unwrap();
    let keys = uniform(10_001, 12);
    let other = device.stream("pointers").unwrap();
    let mut buffer = other.upload(&keys).unwrap();
    let address = buffer.cuda_pointer().unwrap().unwrap();
    assert_eq!(buffer.slice(3..).unwrap().cuda_pointer().unwrap(), Some(address + 12));
    assert_eq!(buffer.cuda_pointer_mut().unwrap(), Some(address), "it stays where it is");
    // SAFETY: the context is that of the memory; what is retained is released, and what is submitted is waited for
    // before the buffer is used again.
    unsafe {
        let cuda_device = result::device::get(index).unwrap();
        let primary = result::primary_ctx::retain(cuda_device).unwrap();
        result::ctx::set_current(primary).unwrap();
        let stream = result::stream::create(result::stream::StreamKind::NonBlocking).unwrap();
        let mut back = vec![0u32; keys.len()];
        result::memcpy_dtoh_async(&mut back, address, stream).unwrap();
        result::stream::synchronize(stream).unwrap();
        assert!(back == keys);
        let part = buffer.slice_mut(1..).unwrap().cuda_pointer_mut().unwrap().unwrap();
        result::memcpy_htod_async(part, &keys[..10_000], stream).unwrap();
        result::stream::synchronize(stream).unwrap();
        result::stream::destroy(stream).unwrap();
        result::ctx::set_current(std::ptr::null_mut()).unwrap();
        result::primary_ctx::release(cuda_device).unwrap();
    }
    let mut sorted = device.alloc::<u32>(10_001).unwrap();
    let sort = multisplit::Sort::new();
    let mut workspace = sort.workspace::<u32>(device, 10_001, 0, 0).unwrap();
    sort.enqueue(&buffer, &mut sorted, &mut [], &mut workspace).unwrap();
    let mut expected = [&keys[..1], &keys[..10_000]].concat();
    assert!(buffer.download().unwrap() == expected);
    expected.sort_unstable();
    assert!(sorted.download().unwrap() == expected);
}
