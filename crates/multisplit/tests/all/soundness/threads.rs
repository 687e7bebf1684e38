//! Work that one thread submits and another reads, and threads that share a device.

use crate::common::everywhere;
use multisplit::bucket::Delta;
use multisplit::measure::Reference;
use multisplit::{Multisplit, sort};
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
