//! What safe code could get wrong once: threads, streams, reused memory, odd handles, functions that change their mind.

use crate::common::everywhere;
#[cfg(any(feature = "cuda", feature = "wgpu"))]
use crate::common::gpu;
use multisplit::bucket::prelude::*;
use multisplit::bucket::{Delta, Hash, Identity};
use multisplit::measure::Reference;
use multisplit::measure::bandwidth;
use multisplit::{Column, Device, Error, Multisplit, Sort, Workspace, select, sort, split_segments};
use std::sync::atomic::{AtomicU32, Ordering};
use test_support::uniform;

/// A split that is submitted on one thread is seen by a download on another.
#[test]
fn enqueued_on_another_thread() {
    everywhere("enqueued_on_another_thread", |device| {
        let keys = uniform(1 << 18, 1);
        let f = Delta::whole(32).unwrap();
        let (split, expected) = (Multisplit::by(&f), Reference::split(&keys, &f));
        let expected_keys = expected.permute(&keys);
        let input = device.upload(&keys).unwrap();
        for _ in 0..10 {
            let mut out = device.upload(&vec![0u32; keys.len()]).unwrap();
            let (mut offsets, mut workspace) =
                (split.offsets(device).unwrap(), split.workspace(device, keys.len(), 0).unwrap());
            std::thread::scope(|scope| {
                scope.spawn(|| {
                    for _ in 0..8 {
                        split.enqueue(&input, &mut out, &mut [], &mut offsets, &mut workspace).unwrap();
                    }
                });
            });
            assert!(out.download().unwrap() == expected_keys);
            assert_eq!(offsets.read().unwrap(), expected.offsets);
        }
    });
}

/// So is an upload by a split on another thread that also downloads.
#[test]
fn uploaded_on_another_thread() {
    everywhere("uploaded_on_another_thread", |device| {
        let f = Delta::whole(32).unwrap();
        let split = Multisplit::by(&f);
        for seed in 0..10 {
            let keys = uniform(1 << 18, seed);
            let input = device.upload(&keys).unwrap();
            let mut out = device.alloc(keys.len()).unwrap();
            let (mut offsets, mut workspace) =
                (split.offsets(device).unwrap(), split.workspace(device, keys.len(), 0).unwrap());
            let work = || {
                split.enqueue(&input, &mut out, &mut [], &mut offsets, &mut workspace).unwrap();
                out.download().unwrap()
            };
            let got = std::thread::scope(|scope| scope.spawn(work).join().unwrap());
            assert!(got == Reference::split(&keys, &f).permute(&keys));
        }
    });
}

/// One workspace for sorts of other widths: every one is right, and nothing beside it is touched.
#[test]
fn a_workspace_for_sorts_of_other_widths() {
    everywhere("a_workspace_for_sorts_of_other_widths", |device| {
        let n = 20_000;
        let keys = uniform(n, 2);
        let (input, mut out) = (device.upload(&keys).unwrap(), device.alloc::<u32>(n).unwrap());
        let (full, part) = (Sort::new(), Sort::new().bits(0..20));
        let mut workspace = full.workspace::<u32>(device, n, 0, 0).unwrap();
        let canary = vec![0xabcd_ef01u32; 131];
        let mut canaries = Vec::new();
        let mut sorted = keys.clone();
        sorted.sort_unstable();
        for sort in [full, part, full, full, part, full] {
            canaries.extend((0..16).map(|_| device.upload(&canary).unwrap()));
            sort.enqueue(&input, &mut out, &mut [], &mut workspace).unwrap();
        }
        assert!(out.download().unwrap() == sorted);
        assert!(canaries.iter().all(|buffer| buffer.download().unwrap() == canary));
    });
}

/// One workspace for every operation, width, number of buckets and length, one after the other.
#[test]
fn a_workspace_for_everything() {
    everywhere("a_workspace_for_everything", |device| {
        let n = 9000;
        let keys: Vec<u32> = uniform(n, 3).iter().map(|key| key % 300).collect();
        let wide: Vec<u64> = keys.iter().map(|&key| u64::from(key) << 33).collect();
        let (few, many) = (Identity::<u32>::new(300), Hash::<u32>::new(40, 7));
        let (split_few, split_many, sort) = (Multisplit::by(&many), Multisplit::by(&few), Sort::new());
        let mut workspace = Workspace::new(device);
        assert_eq!(workspace.bytes(), 0);
        for bytes in [
            split_few.workspace_bytes(device, n, 1).unwrap(),
            split_many.workspace_bytes(device, n, 1).unwrap(),
            split_few.segment_workspace_bytes(device, n, 3, 1).unwrap(),
            sort.workspace_bytes::<u32>(device, n, 0, 1).unwrap(),
        ] {
            workspace.reserve(bytes).unwrap();
            assert!(workspace.bytes() >= bytes);
        }
        let held = workspace.bytes();
        workspace.reserve(1).unwrap();
        assert_eq!(workspace.bytes(), held, "it never shrinks");

        let (input, values) = (device.upload(&keys).unwrap(), device.upload(&wide).unwrap());
        let (mut out, mut values_out) = (device.alloc(n).unwrap(), device.alloc(n).unwrap());
        let mut offsets = split_many.offsets(device).unwrap();
        let mut segment_offsets = split_few.segment_offsets(device, 3).unwrap();
        for _ in 0..2 {
            let columns = &mut [Column::new(&values, &mut values_out)];
            split_many.enqueue(&input, &mut out, columns, &mut offsets, &mut workspace).unwrap();
            let expected = Reference::split(&keys, &few);
            assert_eq!(offsets.read().unwrap(), expected.offsets);
            assert_eq!(values_out.download().unwrap(), expected.permute(&wide));

            let segments = [0, 100, 100, n];
            let columns = &mut [Column::new(&values, &mut values_out)];
            let call =
                split_few.enqueue_segments(&input, &segments, &mut out, columns, &mut segment_offsets, &mut workspace);
            call.unwrap();
            let expected = split_segments(&Device::cpu(), &keys, &segments, &many).unwrap();
            assert_eq!(segment_offsets.read().unwrap(), expected.offsets);
            assert_eq!(out.download().unwrap(), expected.keys);

            let columns = &mut [Column::new(&values, &mut values_out)];
            sort.enqueue(&input, &mut out, columns, &mut workspace).unwrap();
            let mut sorted = wide.clone();
            sorted.sort_unstable();
            assert_eq!(values_out.download().unwrap(), sorted);

            let columns = &mut [Column::new(&values, &mut values_out)];
            split_few.enqueue(&input, &mut out, columns, &mut offsets, &mut workspace).unwrap();
            assert_eq!(offsets.read().unwrap(), Reference::split(&keys, &many).offsets);
        }
    });
}

/// Offsets for many buckets serve for few, and for many again.
#[test]
fn offsets_for_fewer_and_then_more_buckets() {
    everywhere("offsets_for_fewer_and_then_more_buckets", |device| {
        let keys: Vec<u32> = uniform(5000, 4).iter().map(|key| key % 4).collect();
        let input = device.upload(&keys).unwrap();
        let mut out = device.alloc(keys.len()).unwrap();
        let (many, few) = (Identity::<u32>::new(256), Identity::<u32>::new(4));
        let mut offsets = Multisplit::by(&many).offsets(device).unwrap();
        let mut workspace = Multisplit::by(&many).workspace(device, keys.len(), 0).unwrap();
        for f in [&many, &few, &many, &few, &few, &many] {
            Multisplit::by(f).enqueue(&input, &mut out, &mut [], &mut offsets, &mut workspace).unwrap();
            assert_eq!(offsets.read().unwrap(), Reference::split(&keys, f).offsets);
            assert_eq!(offsets.capacity(), 256);
        }
        let more = Identity::<u32>::new(257);
        let mut workspace = Multisplit::by(&more).workspace(device, keys.len(), 0).unwrap();
        let error = Multisplit::by(&more).enqueue(&input, &mut out, &mut [], &mut offsets, &mut workspace).unwrap_err();
        assert_eq!(error, Error::OutputTooSmall { what: "the offsets".into(), got: 257, needed: 258 });
        // No keys leave empty buckets.
        let none = device.upload::<u32>(&[]).unwrap();
        Multisplit::by(&few).enqueue(&none, &mut out, &mut [], &mut offsets, &mut workspace).unwrap();
        assert_eq!(offsets.read().unwrap(), [0; 5]);
    });
}

/// Opening a device twice gives the same one.
#[test]
fn a_device_opened_twice() {
    everywhere("a_device_opened_twice", |device| {
        let again = Device::open(device.name()).unwrap();
        let f = Identity::<u32>::new(4);
        let split = Multisplit::by(&f);
        let keys = device.upload(&[3u32, 0, 2, 1]).unwrap();
        let (mut out, mut offsets) = (again.alloc(4).unwrap(), split.offsets(device).unwrap());
        let mut workspace = split.workspace(&again, 4, 0).unwrap();
        split.enqueue(&keys, &mut out, &mut [], &mut offsets, &mut workspace).unwrap();
        assert_eq!(out.download().unwrap(), [0, 1, 2, 3]);
    });
}

/// Buffers, offsets and workspaces may be of any stream. What uses a buffer comes after what wrote it, and its memory
/// is not used again before all of that is done.
#[test]
fn between_streams() {
    everywhere("between_streams", |device| {
        let (a, b) = (device.stream("a").unwrap(), device.stream("b").unwrap());
        assert_eq!(a.name(), device.stream("a").unwrap().name());
        let n = 100_000;
        let f = Delta::whole(16).unwrap();
        let split = Multisplit::by(&f);
        let mut workspace = split.workspace(&b, n, 0).unwrap();
        let mut offsets = split.offsets(&a).unwrap();
        for seed in 0..8 {
            let keys = uniform(n, seed);
            let expected = Reference::split(&keys, &f).permute(&keys);
            let input = device.upload(&keys).unwrap();
            let mut first = a.alloc::<u32>(n).unwrap();
            split.enqueue(&input, &mut first, &mut [], &mut offsets, &mut workspace).unwrap();
            // While `a` reads it: its memory goes back, and is used again.
            drop(input);
            let others: Vec<_> = (0..4).map(|_| device.upload(&vec![u32::MAX; n]).unwrap()).collect();
            let mut second = b.alloc::<u32>(n).unwrap();
            bandwidth::copy(&first, &mut second).unwrap();
            // Written by one stream after another has read it.
            let mut third = device.alloc::<u32>(n).unwrap();
            bandwidth::copy(&second, &mut third).unwrap();
            bandwidth::copy(&others[0], &mut second).unwrap();
            assert!(first.download().unwrap() == expected);
            assert!(third.download().unwrap() == expected);
            assert!(second.download().unwrap() == vec![u32::MAX; n]);
        }
    });
}

/// A stream can be opened by name.
#[test]
fn streams_by_name() {
    everywhere("streams_by_name", |device| {
        let named = Device::open(&format!("{}/uploads", device.name())).unwrap();
        let keys = named.upload(&[2u32, 1, 3]).unwrap();
        let mut out = device.alloc(3).unwrap();
        let mut workspace = Sort::new().workspace::<u32>(device, 3, 0, 0).unwrap();
        Sort::new().enqueue(&keys, &mut out, &mut [], &mut workspace).unwrap();
        assert_eq!(out.download().unwrap(), [1, 2, 3]);
    });
    assert!(matches!(Device::open("wgpu:99/uploads"), Err(Error::NoSuchDevice { .. })));
}

/// Threads that share a device get right results, whatever the others do.
#[test]
fn threads_that_share_a_device() {
    everywhere("threads_that_share_a_device", |device| {
        std::thread::scope(|scope| {
            for seed in 0..4u64 {
                scope.spawn(move || {
                    let keys = uniform(30_000, seed);
                    let f = Delta::whole(8).unwrap();
                    let expected = Reference::split(&keys, &f);
                    let (split, input) = (Multisplit::by(&f), device.upload(&keys).unwrap());
                    let mut workspace = split.workspace(device, keys.len(), 0).unwrap();
                    for _ in 0..10 {
                        let mut out = device.alloc(keys.len()).unwrap();
                        let mut offsets = split.offsets(device).unwrap();
                        split.enqueue(&input, &mut out, &mut [], &mut offsets, &mut workspace).unwrap();
                        let copy = sort(device, &keys[..1000]).unwrap();
                        assert!(copy.is_sorted());
                        assert_eq!(offsets.read().unwrap(), expected.offsets);
                        assert!(out.download().unwrap() == expected.permute(&keys));
                    }
                });
            }
        });
    });
}

/// Handles that claim more than there is, or begin where no element may, are refused.
#[cfg(any(feature = "cuda", feature = "wgpu"))]
#[test]
fn handles_that_do_not_fit() {
    use multisplit::cubecl::server::Handle;
    let Some(device) = gpu("handles_that_do_not_fit") else { return };
    let buffer = device.upload(&uniform(1024, 5)).unwrap();
    let handle = buffer.handle().unwrap().unwrap();
    // SAFETY: all of these are refused.
    let adopt = |handle: Handle, len| unsafe { device.adopt::<u64>(handle, len) }.map(drop);
    assert!(adopt(handle.clone(), 512).is_ok());
    assert_eq!(
        adopt(handle.clone(), 513),
        Err(Error::OutputTooSmall { what: "the handle".into(), got: 512, needed: 513 })
    );
    for offset in [1, 2, 4, 6, 12] {
        let error = adopt(handle.clone().offset_start(offset), 1).unwrap_err();
        assert!(matches!(error, Error::Misaligned { offset: at, .. } if at == offset), "{error}");
    }
    // It has room for 1024 words, whatever it says.
    let lie = Handle::from_memory(handle.memory.clone(), handle.stream, 1 << 40);
    assert!(matches!(adopt(lie, 1 << 30), Err(Error::OutputTooSmall { .. })));
    let beyond = handle.clone().offset_start(1 << 20);
    assert!(adopt(beyond, 1).is_err());
    // The device works on.
    assert_eq!(sort(device, &[2u32, 1]).unwrap(), [1, 2]);
}

/// A handle that begins in the middle of a 16-byte load is read as it must be, where the device lets it begin there.
#[cfg(feature = "cuda")]
#[test]
fn handles_between_loads() {
    let Some(device) = gpu("handles_between_loads").filter(|d| d.info().kind == multisplit::DeviceKind::Cuda) else {
        return;
    };
    let keys = uniform(10_001, 6);
    let buffer = device.upload(&keys).unwrap();
    let handle = buffer.handle().unwrap().unwrap();
    for skipped in [1usize, 2, 3, 5] {
        let n = keys.len() - skipped;
        // SAFETY: nothing writes to it.
        let part = unsafe { device.adopt::<u32>(handle.clone().offset_start(4 * skipped as u64), n) }.unwrap();
        let mut out = device.alloc::<u32>(n).unwrap();
        bandwidth::copy(&part, &mut out).unwrap();
        assert!(out.download().unwrap() == keys[skipped..]);
        let mut sums = device.alloc::<u32>(1000).unwrap();
        bandwidth::read(&part, &mut sums).unwrap();
        let sum = |words: &[u32]| words.iter().fold(0u32, |sum, &word| sum.wrapping_add(word));
        assert_eq!(sum(&sums.download().unwrap()), sum(&keys[skipped..]));
        let f = Delta::whole(32).unwrap();
        let split = Multisplit::by(&f);
        let (mut offsets, mut workspace) = (split.offsets(device).unwrap(), split.workspace(device, n, 0).unwrap());
        split.enqueue(&part, &mut out, &mut [], &mut offsets, &mut workspace).unwrap();
        assert!(out.download().unwrap() == Reference::split(&keys[skipped..], &f).permute(&keys[skipped..]));
        let mut counts = device.alloc::<u32>(33).unwrap();
        multisplit::Histogram::by(&f).enqueue(&part, &mut counts).unwrap();
        assert_eq!(sum(&counts.download().unwrap()), n as u32);
    }
}

/// A client on a software device is known for one, so that kernels there stop before the device stops them.
#[cfg(feature = "wgpu")]
#[test]
fn a_client_on_a_software_device() {
    use multisplit::DeviceKind;
    use multisplit::cubecl::wgpu::{WgpuDevice, WgpuRuntime};
    let Some(device) = gpu("a_client_on_a_software_device").filter(|d| d.info().kind == DeviceKind::Software) else {
        return;
    };
    let given = Device::from_wgpu(WgpuRuntime::client(&WgpuDevice::Cpu)).unwrap();
    assert_eq!(given.info().kind, DeviceKind::Software);
    // So many keys take more rounds of a loop than such a device runs in one kernel.
    let keys = uniform(3 << 20, 7);
    let f = Delta::whole(2).unwrap();
    let got = multisplit::split(&given, &keys, &f).unwrap();
    assert!(got.keys == Reference::split(&keys, &f).permute(&keys));
    // It is the same device, if on another stream.
    let input = given.upload(&[3u32, 1, 2]).unwrap();
    let mut out = device.alloc(3).unwrap();
    bandwidth::copy(&input, &mut out).unwrap();
    assert_eq!(out.download().unwrap(), [3, 1, 2]);
}

/// The number of buckets of [`Fickle`].
static FICKLE: AtomicU32 = AtomicU32::new(0);

/// A function that says another number of buckets each time that it is asked.
#[derive(CubeType, CubeLaunch)]
struct Fickle {
    modulus: u32,
}

#[cube]
impl BucketFn for Fickle {
    type Key = u32;
    fn bucket(&self, key: u32) -> u32 {
        key % self.modulus
    }
}

impl Buckets for Fickle {
    fn buckets(&self) -> u32 {
        [2, 7, 3, 300, 1, 5000, 2, 40][FICKLE.fetch_add(1, Ordering::Relaxed) as usize % 8]
    }
    kernel_fields!(modulus);
}

/// A number of buckets that changes between calls is read once by each: no panic, no write out of bounds.
#[test]
fn buckets_that_change_their_number() {
    everywhere("buckets_that_change_their_number", |device| {
        let keys = uniform(3000, 8);
        let (f, input) = (Fickle { modulus: 11 }, device.upload(&keys).unwrap());
        let mut out = device.alloc(keys.len()).unwrap();
        let canary = device.upload(&[0xabcd_ef01u32; 512]).unwrap();
        for round in 0..16 {
            // Whatever number is read, the result is of so many buckets, or an error that says what was wrong.
            match multisplit::split(device, &keys, &f) {
                Ok(split) => assert_eq!((split.keys.len(), split.offsets.last()), (3000, Some(&3000)), "{round}"),
                Err(error) => assert!(matches!(error, Error::BucketOutOfRange { .. }), "{error}"),
            }
            match multisplit::histogram(device, &keys, &f) {
                Ok(counts) => assert_eq!(counts.total(), 3000),
                Err(error) => panic!("{error}"),
            }
            let split = Multisplit::by(&f);
            if let (Ok(mut offsets), Ok(mut workspace)) = (split.offsets(device), split.workspace(device, 3000, 0)) {
                let enqueued = split.enqueue(&input, &mut out, &mut [], &mut offsets, &mut workspace);
                match enqueued.and_then(|()| offsets.read()) {
                    Ok(offsets) => assert_eq!(offsets.last(), Some(&3000)),
                    Err(Error::BucketOutOfRange { .. } | Error::OutputTooSmall { .. }) => {}
                    Err(Error::WorkspaceTooSmall { got, needed }) => assert!(got < needed),
                    Err(error) => panic!("{error}"),
                }
            }
            match split_segments(device, &keys, &[0, 1000, 3000], &f) {
                Ok(split) => assert_eq!(split.offsets.last(), Some(&3000)),
                Err(error) => assert!(matches!(error, Error::BucketOutOfRange { .. }), "{error}"),
            }
            match select(device, &keys, &f) {
                Ok(_) | Err(Error::WrongNumberOfBuckets { .. } | Error::BucketOutOfRange { .. }) => {}
                Err(error) => panic!("{error}"),
            }
        }
        assert_eq!(canary.download().unwrap(), [0xabcd_ef01; 512]);
    });
}

/// Sizes that no machine has are errors, and messages about them make sense.
#[test]
fn workspaces_of_any_size() {
    everywhere("workspaces_of_any_size", |device| {
        let (few, many) = (Identity::<u32>::new(4), Identity::<u32>::new(1000));
        for f in [&few, &many] {
            for (n, columns) in [(0, usize::MAX), (1, usize::MAX), (1000, usize::MAX / 2), (u32::MAX as usize, 1 << 40)]
            {
                let split = Multisplit::by(f);
                // What takes no more than a small machine has is also allocated.
                match split.workspace_bytes(device, n, columns) {
                    Ok(bytes) if bytes > 1 << 30 => continue,
                    Ok(bytes) => assert!(split.workspace(device, n, columns).unwrap().bytes() >= bytes),
                    Err(_) => assert!(split.workspace(device, n, columns).is_err()),
                }
                let _ = split.segment_workspace(device, n, 1, columns);
            }
        }
        let _ = Sort::new().workspace::<u64>(device, 1000, usize::MAX, usize::MAX).unwrap_err();
        assert!(matches!(Workspace::with_bytes(device, usize::MAX), Err(Error::OutOfMemory { .. })));
        // A workspace that holds nothing holds too little for anything that needs something.
        let (keys, mut out) = (device.upload(&vec![1u32; 5000]).unwrap(), device.alloc(5000).unwrap());
        let split = Multisplit::by(&many);
        let mut offsets = split.offsets(device).unwrap();
        match split.enqueue(&keys, &mut out, &mut [], &mut offsets, &mut Workspace::new(device)) {
            Err(Error::WorkspaceTooSmall { got: 0, needed }) => assert!(needed > 0),
            other => panic!("{other:?}"),
        }
    });
}

/// The CPU is opened without a look at any GPU.
#[cfg(target_os = "linux")]
#[test]
fn the_cpu_alone() {
    const CHILD: &str = "MULTISPLIT_TEST_THE_CPU_ALONE";
    if std::env::var_os(CHILD).is_some() {
        Device::open("cpu").unwrap();
        let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
        assert!(!maps.contains("libvulkan") && !maps.contains("libcuda"), "a driver was loaded:\n{maps}");
        return;
    }
    let program = std::env::current_exe().unwrap();
    let child =
        std::process::Command::new(program).args(["--exact", "soundness::the_cpu_alone"]).env(CHILD, "1").output();
    let child = child.unwrap();
    assert!(child.status.success(), "{}", String::from_utf8_lossy(&child.stdout));
}
