//! As many keys as a split takes: 2^32 − 1.

use crate::common::gpu;
use multisplit::bucket::Identity;
use multisplit::{Column, Device, Histogram, Multisplit, Sort, gather};
use rayon::prelude::*;

const N: usize = u32::MAX as usize;

#[test]
#[ignore = "needs 60 GiB of memory, and 30 GiB on the GPU: cargo test --release --test all huge -- --ignored"]
fn as_many_keys_as_there_can_be() {
    on(&Device::cpu());
    if let Some(device) = gpu("as_many_keys_as_there_can_be") {
        on(device);
    }
}

/// Loops of kernels that go through nearly 2^32 elements end, and reach all of them. Nothing but offsets and counts
/// comes back: all keys are made on the device, equal.
#[test]
#[ignore = "needs 70 GiB on a GPU: cargo test --release --test all huge -- --ignored"]
fn loops_end() {
    let Some(device) = gpu("loops_end") else { return };
    let (row, permutation) = (device.upload(&[7u32]).unwrap(), device.alloc::<u32>(N).unwrap());
    let mut keys = device.alloc::<u32>(N).unwrap();
    // Whatever the permutation holds: indices beyond the only row read it.
    gather(&row, &permutation, &mut keys).unwrap();
    drop(permutation);
    let f = Identity::<u32>::new(1000);
    let mut counts = device.alloc::<u64>(1001).unwrap();
    Histogram::by(&f).enqueue(&keys, &mut counts).unwrap();
    let expected: Vec<u64> = (0..=1000).map(|bin| if bin == 7 { N as u64 } else { 0 }).collect();
    assert_eq!(counts.download().unwrap(), expected);
    assert_eq!(Sort::new().trimmed(&keys).unwrap(), Sort::new().bits(0..0));
    // Two passes, whose offsets are found near the end of the keys.
    let split = Multisplit::by(&f);
    let mut out = device.alloc::<u32>(N).unwrap();
    let mut offsets = split.offsets(device).unwrap();
    let mut workspace = split.workspace(device, N, 0).unwrap();
    split.enqueue(&keys, &mut out, &mut [], &mut offsets, &mut workspace).unwrap();
    let expected: Vec<usize> = (0..=1000).map(|bucket| if bucket <= 7 { 0 } else { N }).collect();
    assert_eq!(offsets.read().unwrap(), expected);
}

/// Keys are bytes, and their own buckets; the permutation shows stability: ascending within each bucket.
fn on(device: &Device) {
    let keys: Vec<u8> =
        (0..N as u64).into_par_iter().map(|i| (i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as u8).collect();
    let counts = keys.par_chunks(1 << 20).map(count).reduce(|| vec![0; 256], add);
    let f = Identity::<u8>::new(256);
    let split = Multisplit::by(&f);
    let input = device.upload(&keys).unwrap();
    let mut output = device.alloc(N).unwrap();
    let mut permutation = device.alloc(N).unwrap();
    let mut offsets = split.offsets(device).unwrap();
    let mut workspace = split.workspace(device, N, 1).unwrap();
    let columns = &mut [Column::permutation(&mut permutation)];
    split.enqueue(&input, &mut output, columns, &mut offsets, &mut workspace).unwrap();

    let offsets = offsets.read().unwrap();
    let (output, permutation) = (output.download().unwrap(), permutation.download().unwrap());
    assert_eq!((offsets[0], offsets[256]), (0, N));
    for b in 0..256 {
        let range = offsets[b]..offsets[b + 1];
        assert_eq!(range.len(), counts[b], "bucket {b} on {device:?}");
        assert!(output[range.clone()].par_iter().all(|&key| key as usize == b), "bucket {b} on {device:?}");
        let from = &permutation[range];
        assert!(from.par_iter().all(|&i| keys[i as usize] as usize == b), "bucket {b} on {device:?}");
        assert!(from.par_windows(2).all(|pair| pair[0] < pair[1]), "bucket {b} on {device:?}");
    }
}

fn count(keys: &[u8]) -> Vec<usize> {
    let mut counts = vec![0; 256];
    keys.iter().for_each(|&key| counts[key as usize] += 1);
    counts
}

fn add(mut a: Vec<usize>, b: Vec<usize>) -> Vec<usize> {
    a.iter_mut().zip(b).for_each(|(a, b)| *a += b);
    a
}
