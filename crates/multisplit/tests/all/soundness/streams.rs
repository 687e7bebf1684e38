//! Streams of a device: memory is ordered between them.

use crate::common::everywhere;
use multisplit::bucket::Delta;
use multisplit::measure::{Reference, bandwidth};
use multisplit::{Device, Error, Multisplit, Sort};
use test_support::uniform;

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
