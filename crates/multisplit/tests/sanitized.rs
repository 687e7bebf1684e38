//! A reduced suite for memory checkers: every kernel, on small inputs whose buffers end where a checker sees it.
//!
//! Run by `sanitize/run` on an NVIDIA GPU; elsewhere it is a quick test like others. The tests that are ignored
//! commit the errors that the checkers are for, which shows that they would see one.

mod common;

use common::{gpu, odd_items};
use multisplit::approach::{Approach, Way};
use multisplit::bucket::{Delta, Hash, Identity, Splitters};
use multisplit::measure::Reference;
use multisplit::measure::bandwidth;
use multisplit::{
    Column, Device, DeviceKind, Histogram, Method, Multisplit, PaddedGroups, Policy, Sort, Workspace, gather, invert,
    split, split_pairs, split_segments,
};
use test_support::uniform;

/// Keys of 4 bytes that fill whole blocks of 512 bytes, and some that do not.
///
/// For initcheck keys, and ids of a byte each, fill whole loads of 16 bytes: it also reports what is loaded with others
/// and not used, and nobody writes what is behind the end of an intermediate result.
fn lengths() -> [usize; 4] {
    let for_initcheck = std::env::var("SANITIZER_TOOL").is_ok_and(|tool| tool == "initcheck");
    [128, 5 * 1024, 20 * 1024, 20 * 1024 - if for_initcheck { 80 } else { 77 }]
}

/// So few keys take one launch, unless they are given a shape.
fn three_launches() -> Policy {
    Policy::new(4, odd_items(device().unwrap()), 1)
}

fn device() -> Option<&'static Device> {
    gpu("sanitized")
}

/// More keys than a split takes in one launch.
#[test]
fn selections() {
    let Some(device) = device() else { return };
    let n = if device.info().kind == DeviceKind::Software { 20 * 1024 } else { 5 << 19 };
    for n in [n, n - 80] {
        let keys = uniform(n, 1);
        let f = Delta::whole(2).unwrap();
        let by = Multisplit::by(&f);
        let (input, mut out) = (device.upload(&keys).unwrap(), device.alloc(n).unwrap());
        let mut permutation = device.alloc(n).unwrap();
        let (mut offsets, mut workspace) = (by.offsets(device).unwrap(), by.workspace(device, n, 1).unwrap());
        let columns = &mut [Column::permutation(&mut permutation)];
        by.enqueue_select(&input, &mut out, columns, &mut offsets, &mut workspace).unwrap();
        let expected: Vec<u32> = keys.iter().copied().filter(|key| key >> 31 == 0).collect();
        let count = offsets.selected().unwrap();
        assert_eq!(count, expected.len());
        // Nobody writes what is behind.
        assert!(out.slice(..count).unwrap().download().unwrap() == expected);
    }
}

#[test]
fn splits_by_every_method() {
    let Some(device) = device() else { return };
    for n in lengths() {
        let (keys, values) = (uniform(n, 1), uniform(n, 2));
        for method in Method::ALL {
            let f = Delta::whole(4).unwrap();
            let split = Multisplit::by(&f).method(method).with_permutation();
            let got = split.split_with(device, &keys, &values).unwrap();
            let expected = Reference::split(&keys, &f);
            assert_eq!((got.keys, got.values), (expected.permute(&keys), expected.permute(&values)), "{method}");
        }
        for m in [33, 200, 1000, 70_000] {
            let f = Delta::whole(m).unwrap();
            let got = split_pairs(device, &keys, &values, &f).unwrap();
            let expected = Reference::split(&keys, &f);
            assert_eq!((got.keys, &got.offsets), (expected.permute(&keys), &expected.offsets), "m = {m}");
            let got = Multisplit::by(&f).policy(three_launches()).split_with(device, &keys, &values).unwrap();
            assert_eq!((got.values, got.offsets), (expected.permute(&values), expected.offsets), "m = {m}");
        }
        // Bucket ids that are kept, with 8-byte values.
        let splitters: Vec<u32> = (1..40).map(|i| i << 26).collect();
        let f = Splitters::new(&splitters).unwrap();
        let wide: Vec<u64> = keys.iter().map(|&key| u64::from(key)).collect();
        let expected = Reference::split(&keys, &f).permute(&wide);
        assert_eq!(split_pairs(device, &keys, &wide, &f).unwrap().values, expected);
        let got = Multisplit::by(&f).policy(three_launches()).split_with(device, &keys, &wide).unwrap();
        assert_eq!(got.values, expected);
    }
}

/// Copies and fills that begin and end anywhere, and slices that begin where the device lets them.
#[test]
fn copies_and_slices() {
    let Some(device) = device() else { return };
    let align = device.slice_alignment::<u32>();
    for n in lengths() {
        let keys = uniform(n, 8);
        let bytes: Vec<u8> = keys.iter().map(|&key| key as u8).collect();
        let (from, mut to) = (device.upload(&bytes).unwrap(), device.upload(&vec![0u8; n]).unwrap());
        to.slice_mut(3..n).unwrap().copy_from(from.slice(..n - 3).unwrap()).unwrap();
        to.slice_mut(..3).unwrap().fill(7).unwrap();
        assert_eq!(to.download().unwrap(), [&[7; 3], &bytes[..n - 3]].concat());
        let mut wide = device.upload(&vec![0u64; n]).unwrap();
        wide.slice_mut(1..).unwrap().fill(1 << 40).unwrap();
        wide.write(n - 1, &[5]).unwrap();
        assert_eq!(wide.slice(n - 2..).unwrap().download().unwrap(), [1 << 40, 5]);

        let room = n.next_multiple_of(align);
        let mut both = device.alloc::<u32>(room + n).unwrap();
        both.write(0, &keys).unwrap();
        let (input, mut out) = both.split_at_mut(room).unwrap();
        let f = Delta::whole(16).unwrap();
        let by = Multisplit::by(&f);
        let (mut offsets, mut workspace) = (by.offsets(device).unwrap(), by.workspace(device, n, 0).unwrap());
        by.enqueue(input.slice(..n).unwrap(), &mut out, &mut [], &mut offsets, &mut workspace).unwrap();
        assert_eq!(out.download().unwrap(), Reference::split(&keys, &f).permute(&keys));
    }
}

#[test]
fn sorts() {
    let Some(device) = device() else { return };
    for n in lengths() {
        let (keys, values) = (uniform(n, 3), uniform(n, 4));
        let mut sorted = keys.clone();
        sorted.sort_unstable();
        assert_eq!(multisplit::sort(device, &keys).unwrap(), sorted);
        assert_eq!(multisplit::sort_pairs(device, &keys, &values).unwrap().keys, sorted);
        if device.info().kind == DeviceKind::Cuda {
            let wide: Vec<u64> = keys.iter().zip(&values).map(|(&a, &b)| u64::from(a) << 32 | u64::from(b)).collect();
            let mut sorted = wide.clone();
            sorted.sort_unstable();
            assert_eq!(multisplit::sort(device, &wide).unwrap(), sorted);
        }
        let buffer = device.upload(&keys).unwrap();
        assert_eq!(Sort::new().trimmed(&buffer).unwrap(), Sort::new().bits(0..32));
    }
}

#[test]
fn histograms_segments_and_the_rest() {
    let Some(device) = device() else { return };
    for n in lengths() {
        let keys = uniform(n, 5);
        for m in [2, 300, 9000, 100_000] {
            let f = Hash::new(m, 1);
            let got = Histogram::by(&f).count(device, &keys).unwrap();
            assert_eq!(got, Reference::histogram(&keys, &f), "m = {m}");
        }
        for m in [7, 300] {
            let (f, segments) = (Hash::new(m, 2), [0, 1, 1, n / 3, n]);
            let got = split_segments(device, &keys, &segments, &f).unwrap();
            let expected = split_segments(&Device::cpu(), &keys, &segments, &f).unwrap();
            assert_eq!((got.keys, got.offsets), (expected.keys, expected.offsets), "m = {m}");
        }
        // So many that the device deals them out: of equal length, and not; some of which are cut.
        let equal: Vec<usize> = (0..=2048).map(|s| s * (n / 2048)).collect();
        let mut mixed: Vec<usize> = (0..5000).map(|s| s * s % (n / 3 + 1)).collect();
        mixed.extend([0, n]);
        mixed.sort_unstable();
        for segments in [&equal, &mixed] {
            let (f, keys) = (Hash::new(7, 2), &keys[..segments[segments.len() - 1]]);
            let got = split_segments(device, keys, segments, &f).unwrap();
            let expected = split_segments(&Device::cpu(), keys, segments, &f).unwrap();
            assert_eq!((got.keys, got.offsets), (expected.keys, expected.offsets), "{} segments", segments.len() - 1);
        }
        let rows: Vec<[u32; 3]> = keys.iter().map(|&key| [key; 3]).collect();
        let permutation: Vec<u32> = (0..n as u32).rev().collect();
        let (from, mut to) = (device.upload(&rows).unwrap(), device.alloc(n).unwrap());
        gather(&from, &device.upload(&permutation).unwrap(), &mut to).unwrap();
        assert_eq!(to.download().unwrap(), rows.iter().rev().copied().collect::<Vec<_>>());
        let (f, mut sorted, mut index) = (Hash::new(9, 3), device.alloc(n).unwrap(), device.alloc(n).unwrap());
        let split = Multisplit::by(&f);
        let (mut offsets, mut workspace) = (split.offsets(device).unwrap(), split.workspace(device, n, 1).unwrap());
        let columns = &mut [Column::permutation(&mut index)];
        split.enqueue(&device.upload(&keys).unwrap(), &mut sorted, columns, &mut offsets, &mut workspace).unwrap();
        let mut groups = PaddedGroups::new(device, n, 9, 64).unwrap();
        groups.enqueue(&offsets, &index).unwrap();
        let blocks = offsets.read().unwrap().windows(2).map(|range| (range[1] - range[0]).div_ceil(64)).sum::<usize>();
        assert_eq!(groups.starts().download().unwrap()[9] as usize, 64 * blocks);
        let mut inverse = device.alloc(n).unwrap();
        invert(&device.upload(&permutation).unwrap(), &mut inverse).unwrap();
        assert_eq!(inverse.download().unwrap(), permutation);
        let (from, mut to) = (device.upload(&keys).unwrap(), device.alloc(n).unwrap());
        bandwidth::copy(&from, &mut to).unwrap();
        assert_eq!(to.download().unwrap(), keys);
        let mut sums = device.alloc::<u32>(100).unwrap();
        bandwidth::read(&from, &mut sums).unwrap();
        let sum = |words: &[u32]| words.iter().fold(0u32, |sum, &word| sum.wrapping_add(word));
        assert_eq!(sum(&sums.download().unwrap()), sum(&keys));
    }
}

#[test]
fn other_approaches() {
    let Some(device) = device() else { return };
    let (keys, values) = (uniform(5000, 6), uniform(5000, 7));
    let f = Delta::whole(6).unwrap();
    let expected = Reference::split(&keys, &f);
    for way in Way::ALL {
        let got = Approach::by(&f, way).with_permutation().split_with(device, &keys, &values).unwrap();
        assert_eq!(got.values, expected.permute(&values), "{way}");
        let got = Approach::by(&f, way).split_with(device, &keys, &values).unwrap();
        assert_eq!((got.keys, got.values), (expected.permute(&keys), expected.permute(&values)), "{way}");
    }
}

/// So many keys that the cubes of a large GPU have several tiles each, and copy one while they sort another.
#[test]
fn several_tiles_per_cube() {
    let Some(device) = device() else { return };
    let n = if device.info().kind == DeviceKind::Software { 1 << 16 } else { (3 << 20) + 77 };
    let (keys, values) = (uniform(n, 9), uniform(n, 10));
    for m in [8, 48, 256] {
        let f = Delta::whole(m).unwrap();
        let expected = Reference::split(&keys, &f);
        let got = split_pairs(device, &keys, &values, &f).unwrap();
        assert_eq!((got.keys, got.values), (expected.permute(&keys), expected.permute(&values)), "m = {m}");
        let got = split(device, &keys, &f).unwrap();
        assert_eq!((got.keys, got.offsets), (expected.permute(&keys), expected.offsets), "m = {m}");
    }
}

/// Between buffers of several streams, with one workspace.
#[test]
fn between_streams() {
    let Some(device) = device() else { return };
    let (a, b) = (device.stream("a").unwrap(), device.stream("b").unwrap());
    let f = Identity::<u32>::new(16);
    let split = Multisplit::by(&f);
    let keys: Vec<u32> = uniform(4096, 8).iter().map(|key| key % 16).collect();
    let mut workspace = Workspace::with_bytes(&b, split.workspace_bytes(device, keys.len(), 1).unwrap()).unwrap();
    let mut offsets = split.offsets(device).unwrap();
    for _ in 0..3 {
        let input = a.upload(&keys).unwrap();
        let (mut out, mut permutation) = (b.alloc(keys.len()).unwrap(), device.alloc(keys.len()).unwrap());
        let columns = &mut [Column::permutation(&mut permutation)];
        split.enqueue(&input, &mut out, columns, &mut offsets, &mut workspace).unwrap();
        drop(input);
        let expected = Reference::split(&keys, &f);
        assert_eq!(permutation.download().unwrap(), expected.permutation);
        assert_eq!(offsets.read().unwrap(), expected.offsets);
    }
}

/// Kernels with an error each, for CUDA's checkers to see. They run through the CubeCL client that the library uses, in
/// memory that comes from it.
#[cfg(feature = "cuda")]
mod planted {
    use cubecl::cuda::{CudaDevice, CudaRuntime};
    use cubecl::prelude::*;
    use multisplit::cubecl;

    const UNITS: u32 = 256;

    /// Runs `launch` on memory for a word per thread and waits. Whatever comes of it: the checker is to see it, not
    /// this.
    fn commit(launch: impl Fn(&ComputeClient<CudaRuntime>, ArrayArg<CudaRuntime>)) {
        let client = CudaRuntime::client(&CudaDevice::new(0));
        let words = client.empty(4 * UNITS as usize);
        // SAFETY: all of the handle.
        launch(&client, unsafe { ArrayArg::from_raw_parts(words.clone(), UNITS as usize) });
        let _ = client.read_one(words);
    }

    macro_rules! plant {
        ($test:ident, $kernel:ident) => {
            #[test]
            #[ignore = "commits an error on purpose: sanitize/run"]
            fn $test() {
                // SAFETY: none; the error is what it is for.
                commit(|client, words| unsafe {
                    $kernel::launch_unchecked::<CudaRuntime>(
                        client,
                        CubeCount::new_single(),
                        CubeDim::new_1d(UNITS),
                        words,
                    );
                });
            }
        };
    }

    #[cube(launch_unchecked)]
    fn beyond(words: &mut Array<u32>) {
        words[(UNIT_POS_X + (1u32 << 28)) as usize] = 1;
    }
    plant!(memcheck, beyond);

    #[cube(launch_unchecked)]
    fn race(words: &mut Array<u32>) {
        let mut shared = SharedMemory::<u32>::new(2usize);
        shared[(UNIT_POS_X % 2) as usize] = UNIT_POS_X;
        words[UNIT_POS_X as usize] = shared[(1 - UNIT_POS_X % 2) as usize];
    }
    plant!(racecheck, race);

    #[cube(launch_unchecked)]
    fn divergent(words: &mut Array<u32>) {
        if UNIT_POS_X < 5 {
            sync_cube();
        }
        words[UNIT_POS_X as usize] = 1;
        sync_cube();
    }
    plant!(synccheck, divergent);

    #[cube(launch_unchecked)]
    fn uninitialized(words: &mut Array<u32>) {
        let next = words[((UNIT_POS_X + 1) % CUBE_DIM_X) as usize];
        sync_cube();
        words[UNIT_POS_X as usize] = next;
    }
    plant!(initcheck, uninitialized);
}
