//! Bad input: each its own clear error, and nothing is lost.

use crate::common::{everywhere, gpu};
use multisplit::bucket::{Identity, Lookup};
use multisplit::{
    Column, Device, Error, MAX_BUCKETS, Method, Multisplit, Policy, argsplit, gather, inverse, split, split_pairs,
    split_rows,
};

#[test]
fn too_few_or_too_many_buckets() {
    everywhere("too_few_or_too_many_buckets", |device| {
        assert_eq!(split(device, &[0u32], &Identity::new(0)), Err(Error::NoBuckets));
        let error = split(device, &[0u32], &Identity::new(MAX_BUCKETS + 1)).unwrap_err();
        assert!(matches!(error, Error::TooManyBuckets { limit: MAX_BUCKETS, .. }), "{error}");
        assert!(error.to_string().contains("up to 16777216; use fewer buckets"), "{error}");
    });
    if let Some(device) = gpu("too_few_or_too_many_buckets, by method") {
        for (method, m) in [(Method::Direct, 200), (Method::WarpLevel, 200), (Method::Direct, 257)] {
            let f = Identity::<u32>::new(m);
            let split = Multisplit::by(&f).method(method);
            for error in [split.split(device, &[0]).err(), split.workspace(device, 1, 0).err()] {
                let error = error.expect("it must be refused");
                assert!(matches!(error, Error::TooManyBuckets { limit: 4..=64, .. }), "{error}");
                assert!(error.to_string().contains("use Method::Auto"), "{error}");
            }
        }
    }
}

#[test]
fn columns_of_other_lengths() {
    everywhere("columns_of_other_lengths", |device| {
        let f = Identity::<u32>::new(2);
        let error = split_pairs(device, &[0, 1], (&[1u32, 2][..], &[1u64][..]), &f).unwrap_err();
        assert_eq!(error, Error::LengthMismatch { what: "value column 1".into(), got: 1, keys: 2 });
        let error = split_rows(device, &[0, 1], &["a"], &f).unwrap_err();
        assert_eq!(error, Error::LengthMismatch { what: "the rows".into(), got: 1, keys: 2 });
    });
}

#[test]
fn ids_out_of_range_are_counted_and_nothing_is_lost() {
    everywhere("ids_out_of_range_are_counted_and_nothing_is_lost", |device| {
        let keys: Vec<u32> = (0..3000).map(|i| if i % 10 == 0 { 1000 + i } else { i % 4 }).collect();
        for method in [Method::Auto, Method::Direct, Method::WarpLevel, Method::BlockLevel] {
            let f = Identity::<u32>::new(4);
            let split = Multisplit::by(&f).method(method);
            assert_eq!(split.split(device, &keys), Err(Error::BucketOutOfRange { count: 300, m: 4 }));

            // Between device buffers the error comes when the result is read, and all keys are there.
            let input = device.upload(&keys).unwrap();
            let mut output = device.alloc(keys.len()).unwrap();
            let mut offsets = split.offsets(device).unwrap();
            let mut workspace = split.workspace(device, keys.len(), 0).unwrap();
            split.enqueue(&input, &mut output, &mut [], &mut offsets, &mut workspace).unwrap();
            assert_eq!(offsets.check(), Err(Error::BucketOutOfRange { count: 300, m: 4 }));
            assert_eq!(input.download().unwrap(), keys);
            let expected = multisplit::measure::Reference::split(&keys, &f);
            assert_eq!(output.download().unwrap(), expected.permute(&keys));
        }
        // A key beyond a lookup table has no bucket.
        let f = Lookup::<u32>::new(2, vec![0, 1]).unwrap();
        assert_eq!(split(device, &[0, 1, 2], &f), Err(Error::BucketOutOfRange { count: 1, m: 2 }));
    });
}

#[test]
fn buffers_and_workspaces_that_are_too_small() {
    everywhere("buffers_and_workspaces_that_are_too_small", |device| {
        let f = Identity::<u32>::new(4);
        let split = Multisplit::by(&f);
        let keys = device.upload(&[3u32, 2, 1, 0]).unwrap();
        let mut small = device.alloc(3).unwrap();
        let mut large = device.alloc(4).unwrap();
        let mut offsets = split.offsets(device).unwrap();
        let mut workspace = split.workspace(device, 4, 1).unwrap();

        let error = split.enqueue(&keys, &mut small, &mut [], &mut offsets, &mut workspace).unwrap_err();
        assert_eq!(error, Error::OutputTooSmall { what: "the key output".into(), got: 3, needed: 4 });

        let values = device.upload(&[1u32, 2, 3]).unwrap();
        let mut values_out = device.alloc(4).unwrap();
        let columns = &mut [Column::new(&values, &mut values_out)];
        let error = split.enqueue(&keys, &mut large, columns, &mut offsets, &mut workspace).unwrap_err();
        assert_eq!(error, Error::LengthMismatch { what: "value column 0".into(), got: 3, keys: 4 });

        let values = device.upload(&[1u32, 2, 3, 4]).unwrap();
        let columns = &mut [Column::new(&values, &mut small)];
        let error = split.enqueue(&keys, &mut large, columns, &mut offsets, &mut workspace).unwrap_err();
        assert_eq!(error, Error::OutputTooSmall { what: "the output of value column 0".into(), got: 3, needed: 4 });

        let few = Identity::<u32>::new(2);
        let mut few_offsets = Multisplit::by(&few).offsets(device).unwrap();
        let error = split.enqueue(&keys, &mut large, &mut [], &mut few_offsets, &mut workspace).unwrap_err();
        assert_eq!(error, Error::OutputTooSmall { what: "the offsets".into(), got: 3, needed: 5 });

        let (mut one, mut two) = (device.alloc(4).unwrap(), device.alloc(4).unwrap());
        let columns = &mut [Column::permutation(&mut one), Column::permutation(&mut two)];
        let error = split.enqueue(&keys, &mut large, columns, &mut offsets, &mut workspace).unwrap_err();
        assert!(matches!(error, Error::InvalidPermutation(_)), "{error}");

        // After all these refusals the buffers still work.
        split.enqueue(&keys, &mut large, &mut [], &mut offsets, &mut workspace).unwrap();
        assert_eq!(offsets.read().unwrap(), [0, 1, 2, 3, 4]);
        assert_eq!(large.download().unwrap(), [0, 1, 2, 3]);
    });
    if let Some(device) = gpu("a workspace for fewer keys") {
        let f = Identity::<u32>::new(200);
        let split = Multisplit::by(&f).policy(Policy::new(1, 1, 8));
        let keys = device.upload(&vec![7u32; 10_000]).unwrap();
        let mut out = device.alloc(10_000).unwrap();
        let mut offsets = split.offsets(device).unwrap();
        let mut workspace = split.workspace(device, 10, 0).unwrap();
        let error = split.enqueue(&keys, &mut out, &mut [], &mut offsets, &mut workspace).unwrap_err();
        let needed = split.workspace_bytes(device, 10_000, 0).unwrap();
        assert_eq!(error, Error::WorkspaceTooSmall { got: workspace.bytes(), needed });
    }
}

#[test]
fn devices_that_are_not_there() {
    for name in ["", "cuda:99", "wgpu:99", "gpu", "cpu:0", "nonsense"] {
        let error = Device::open(name).unwrap_err();
        assert!(
            matches!(&error, Error::NoSuchDevice { available, .. } if available.contains(&"cpu".into())),
            "{error}"
        );
    }
}

#[test]
fn buffers_of_another_device() {
    let Some(device) = gpu("buffers_of_another_device") else { return };
    let f = Identity::<u32>::new(2);
    let split = Multisplit::by(&f);
    let cpu = Device::cpu();
    let keys = device.upload(&[1u32, 0]).unwrap();
    let mut offsets = split.offsets(device).unwrap();
    let mut workspace = split.workspace(device, 2, 0).unwrap();
    let error = split.enqueue(&keys, &mut cpu.alloc(2).unwrap(), &mut [], &mut offsets, &mut workspace).unwrap_err();
    assert!(matches!(&error, Error::WrongDevice { got, .. } if got == "cpu"), "{error}");
    let error = multisplit::invert(&keys, &mut cpu.alloc(2).unwrap()).unwrap_err();
    assert!(matches!(&error, Error::WrongDevice { got, .. } if got == "cpu"), "{error}");
    let error = multisplit::invert(&keys, &mut device.alloc(1).unwrap()).unwrap_err();
    assert!(matches!(error, Error::OutputTooSmall { got: 1, needed: 2, .. }), "{error}");
    let error = gather(&keys, &cpu.upload(&[0]).unwrap(), &mut device.alloc(1).unwrap()).unwrap_err();
    assert!(matches!(&error, Error::WrongDevice { got, .. } if got == "cpu"), "{error}");
}

#[test]
fn more_memory_than_there_is() {
    everywhere("more_memory_than_there_is", |device| {
        for len in [usize::MAX, usize::MAX / 8, 1 << 50] {
            let error = device.alloc::<u64>(len).unwrap_err();
            assert!(matches!(error, Error::OutOfMemory { .. }), "{error}");
        }
        // The device is still in order.
        assert_eq!(split(device, &[1u32, 0], &Identity::new(2)).unwrap().keys, [0, 1]);
    });
}

#[test]
fn policies_that_cannot_run() {
    let Some(device) = gpu("policies_that_cannot_run") else { return };
    let f = Identity::<u32>::new(256);
    let mut no_prescan = Policy::new(1, 1, 1);
    no_prescan.prescan_planes = 0;
    let digits_of = |bits| {
        let mut policy = Policy::new(1, 1, 1);
        policy.digit_bits = bits;
        policy
    };
    let mut roomy = Policy::new(1, 1, 1);
    roomy.least_bits = 9;
    for policy in [
        roomy,
        Policy::new(0, 1, 1),
        Policy::new(1, 0, 1),
        Policy::new(1, 1, 0),
        Policy::new(4096, 1, 1),
        Policy::new(1, 65, 1),
        no_prescan,
        digits_of(0),
        digits_of(3),
        digits_of(9),
    ] {
        let error = Multisplit::by(&f).policy(policy).split(device, &[0]).unwrap_err();
        assert!(matches!(error, Error::InvalidPolicy(_)), "{error}");
    }
    // Small tiles are counted one by one; of so many keys there would be more than an index can tell apart.
    let small = Multisplit::by(&f).method(Method::BlockLevel).policy(Policy::new(1, 1, 1));
    let error = small.workspace(device, u32::MAX as usize, 0).expect_err("too many tiles");
    assert!(matches!(error, Error::InvalidPolicy(_)), "{error}");
    assert!(error.to_string().contains("keys are too small for"), "{error}");
}

#[test]
fn permutations_that_are_none() {
    assert_eq!(inverse(&[]), Ok(vec![]));
    for bad in [vec![1], vec![0, 0], vec![0, 2], vec![u32::MAX]] {
        assert!(matches!(inverse(&bad), Err(Error::InvalidPermutation(_))), "{bad:?}");
    }
    everywhere("permutations_that_are_none", |device| {
        let (permutation, _) = argsplit(device, &[1u32, 0, 1], &Identity::new(2)).unwrap();
        assert_eq!(inverse(&inverse(&permutation).unwrap()).unwrap(), permutation);
    });
}

#[test]
fn buckets_that_are_not_there_are_empty() {
    let result = split(&Device::cpu(), &[1u32, 0, 1], &Identity::new(2)).unwrap();
    assert_eq!((result.bucket(0), result.bucket(1)), (&[0][..], &[1, 1][..]));
    for b in [2, 3, usize::MAX] {
        assert!(result.bucket(b).is_empty() && result.range(b).is_empty(), "bucket {b}");
    }
}

/// Every message says what was wrong and what to do.
#[test]
fn messages() {
    let error = Error::TooManyKeys { n: 1 << 33 };
    assert!(error.to_string().contains("2^32 - 1") && error.to_string().contains("in parts"), "{error}");
    let error = Error::BucketOutOfRange { count: 3, m: 8 };
    assert!(error.to_string().contains("3 keys") && error.to_string().contains("bucket 7"), "{error}");
}
