//! As many keys as a split takes: 2^32 − 1.

mod common;

use common::gpu;
use multisplit::bucket::Identity;
use multisplit::{Column, Device, Multisplit};
use rayon::prelude::*;

const N: usize = u32::MAX as usize;

#[test]
#[ignore = "needs 60 GiB of memory, and 30 GiB on the GPU: cargo test --release --test huge -- --ignored"]
fn as_many_keys_as_there_can_be() {
    on(&Device::cpu());
    if let Some(device) = gpu("as_many_keys_as_there_can_be") {
        on(device);
    }
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
