//! More than 256 buckets: the same calls, the same results, on every back end.
//!
//! Kernels take long to compile, and differ by the width of a digit. So most tests take numbers of buckets with
//! digits of 6 bits: 4096 in two passes, 100,000 in three.

use crate::common::{Way, check, check_keys, everywhere, gpu, that_take};
use multisplit::bucket::prelude::*;
use multisplit::bucket::{Hash, Identity, Lookup, Splitters};
use multisplit::measure::Reference;
use multisplit::{Column, Device, Error, Method, Multisplit, Policy, Stage, Workspace, argsplit, split, split_pairs};
use test_support::{distributions, ids, uniform};

/// Two digits and three, and around the borders between them.
const BUCKETS: [u32; 10] = [257, 300, 512, 1000, 1024, 4096, 65_535, 65_536, 65_537, 1 << 20];

#[test]
fn keys_and_values_into_every_number_of_buckets() {
    everywhere("keys_and_values_into_every_number_of_buckets", |device| {
        for m in BUCKETS {
            check_keys(&Way::new(device, Method::Auto), &ids(10_007, m), &Identity::new(m));
        }
        for n in [1, 2, 63, 255, 256, 257, 500, 1025] {
            for m in [4096, 100_000] {
                check_keys(&Way::new(device, Method::Auto), &ids(n, m), &Identity::new(m));
            }
        }
    });
}

#[test]
fn every_distribution() {
    everywhere("every_distribution", |device| {
        for m in [4000, 65_537] {
            let named = distributions(3001, m.min(1000), u64::from(m));
            for (name, ids) in named {
                println!("{name}, m = {m}");
                check_keys(&Way::new(device, Method::BlockLevel), &ids, &Identity::new(m));
            }
            // All of them in the last bucket, and none in the first.
            check_keys(&Way::new(device, Method::Auto), &[m - 1; 3001], &Identity::new(m));
        }
    });
}

/// Two columns and the permutation: they move in every pass.
#[test]
fn columns_and_permutation() {
    everywhere("columns_and_permutation", |device| {
        for m in [4096, 100_000] {
            check(&Way::new(device, Method::Auto), &ids(10_011, m), &Identity::new(m));
        }
    });
}

/// More columns than one postscan carries, and the permutation, which joins them after the first pass.
#[test]
fn many_columns() {
    everywhere("many_columns", |device| {
        let keys = ids(2003, 3000);
        let f = Identity::new(3000);
        let expected = Reference::split(&keys, &f);
        let a: Vec<u32> = (0..2003).collect();
        let b: Vec<u64> = a.iter().map(|&i| !u64::from(i)).collect();
        let columns = (&a[..], &b[..], &a[..], &b[..], &a[..]);
        let got = Multisplit::by(&f).with_permutation().split_with(device, &keys, columns).unwrap();
        let (narrow, wide) = (expected.permute(&a), expected.permute(&b));
        assert_eq!(got.values, (narrow.clone(), wide.clone(), narrow.clone(), wide, narrow));
        assert_eq!(got.keys, expected.permute(&keys));
        assert_eq!(got.permutation, Some(expected.permutation));
    });
}

/// Several tiles, several cubes, and on the CPU several chunks.
#[test]
fn more_keys() {
    everywhere("more_keys", |device| {
        for m in [4096, 100_000] {
            check_keys(&Way::new(device, Method::Auto), &ids(300_007, m), &Identity::new(m));
        }
    });
}

#[test]
fn wide_keys() {
    let keys: Vec<u64> = uniform(50_021, 6).iter().map(|&k| u64::from(k) << 31 | u64::from(k % 7)).collect();
    let floats: Vec<f64> = keys.iter().map(|&k| k as f64 / 3.0).collect();
    let splitters: Vec<f64> = (0..999).map(|i| f64::from(i) * 3e15).collect();
    let device = Device::cpu();
    let way = Way::new(&device, Method::Auto);
    for m in [257, 1000, 65_537] {
        check(&way, &keys, &Hash::new(m, 1));
        check(&way, &floats, &Hash::new(m, 2));
    }
    check(&way, &floats, &Splitters::new(&splitters).unwrap());
}

/// Bytes and halves, where the device has them.
#[test]
fn narrow_keys() {
    let bits = uniform(30_011, 9);
    let (bytes, halves): (Vec<u8>, Vec<u16>) = bits.iter().map(|&b| (b as u8, b as u16)).unzip();
    for device in that_take::<u8>("narrow_keys") {
        let way = Way::new(&device, Method::Auto);
        check(&way, &[3u8, 1, 2, 255, 0], &Identity::new(300));
        check(&way, &bytes, &Hash::new(1000, 1));
    }
    for device in that_take::<u16>("narrow_keys") {
        let way = Way::new(&device, Method::Auto);
        check(&way, &[3u16, 1, 60_000], &Identity::new(60_001));
        check(&way, &halves, &Identity::new(1 << 16));
    }
}

/// Most buckets are empty, and offsets say so.
#[test]
fn far_more_buckets_than_keys() {
    everywhere("far_more_buckets_than_keys", |device| {
        let m = 1 << 24;
        let keys = [m - 1, 5, 0, m - 1, 5];
        let result = split_pairs(device, &keys, &[0u32, 1, 2, 3, 4], &Identity::new(m)).unwrap();
        assert_eq!(result.keys, [0, 5, 5, m - 1, m - 1]);
        assert_eq!(result.values, [2, 1, 4, 0, 3]);
        assert_eq!(result.buckets(), m as usize);
        let at = |b: u32| result.offsets[b as usize];
        assert_eq!((at(0), at(1), at(5), at(6), at(m - 1), at(m)), (0, 1, 1, 3, 3, 5));
        assert!(result.offsets.is_sorted());
        assert_eq!(result.bucket(m as usize - 1), [m - 1; 2]);
    });
}

#[test]
fn no_keys_at_all() {
    everywhere("no_keys_at_all", |device| {
        let got = split_pairs(device, &[], &[0u64; 0], &Identity::<u32>::new(5000)).unwrap();
        assert!(got.keys.is_empty() && got.values.is_empty());
        assert_eq!(got.offsets, vec![0; 5001]);
    });
}

#[test]
fn ids_out_of_range_are_counted_and_nothing_is_lost() {
    everywhere("ids_out_of_range_are_counted_and_nothing_is_lost", |device| {
        let keys: Vec<u32> = (0..5000).map(|i| if i % 10 == 0 { u32::MAX - i } else { i % 1100 }).collect();
        for m in [1100, 70_000] {
            let f = Identity::<u32>::new(m);
            assert_eq!(split(device, &keys, &f), Err(Error::BucketOutOfRange { count: 500, m }));
            // Between device buffers the error comes when the result is read, and all keys are there.
            let by = Multisplit::by(&f);
            let input = device.upload(&keys).unwrap();
            let mut out = device.alloc(keys.len()).unwrap();
            let mut offsets = by.offsets(device).unwrap();
            let mut workspace = by.workspace(device, keys.len(), 0).unwrap();
            by.enqueue(&input, &mut out, &mut [], &mut offsets, &mut workspace).unwrap();
            assert_eq!(offsets.read(), Err(Error::BucketOutOfRange { count: 500, m }));
            assert_eq!(out.download().unwrap(), Reference::split(&keys, &f).permute(&keys));
        }
    });
    let f = Lookup::<u32>::new(400, vec![0, 399]).unwrap();
    assert_eq!(split(&Device::cpu(), &[0, 1, 2], &f), Err(Error::BucketOutOfRange { count: 1, m: 400 }));
}

/// A function that is costly, and whose tables are in device memory.
#[test]
fn splitters() {
    everywhere("splitters", |device| {
        let keys = uniform(20_021, 7);
        let mut splitters = uniform(1999, 8);
        splitters.sort_unstable();
        check_keys(&Way::new(device, Method::Auto), &keys, &Splitters::new(&splitters).unwrap());
    });
}

/// Keys by their remainder, scattered.
#[derive(CubeType, CubeLaunch)]
struct Remainder {
    divisor: u32,
    factor: u32,
}

#[cube]
impl BucketFn for Remainder {
    type Key = u32;
    fn bucket(&self, key: u32) -> u32 {
        wrapping_mul(key, self.factor) % self.divisor
    }
}

impl Buckets for Remainder {
    fn buckets(&self) -> u32 {
        self.divisor
    }
    kernel_fields!(divisor, factor);
}

#[test]
fn a_function_of_the_users_own() {
    everywhere("a_function_of_the_users_own", |device| {
        let keys = uniform(9001, 9);
        let way = Way::new(device, Method::Auto);
        for divisor in [257, 1009] {
            check_keys(&way, &keys, &Remainder { divisor, factor: 0x9e37_79b1 });
        }
    });
    let (keys, f) = (uniform(9001, 9), Remainder { divisor: 1009, factor: 3 });
    let expected = Reference::split(&keys, &f);
    assert_eq!(argsplit(&Device::cpu(), &keys, &f), Ok((expected.permutation, expected.offsets)));
}

/// One workspace, one set of outputs, many splits of different sizes and numbers of buckets, nothing read in between.
#[test]
fn buffers_can_be_used_again() {
    everywhere("buffers_can_be_used_again", |device| {
        let keys = ids(20_000, 66_000);
        let wide: Vec<u64> = keys.iter().map(|&key| u64::from(key) << 20).collect();
        let most = Identity::<u32>::new(70_000);
        let by = Multisplit::by(&most);
        let mut workspace = by.workspace(device, keys.len(), 2).unwrap();
        assert!(workspace.bytes() >= by.workspace_bytes(device, keys.len(), 2).unwrap());
        let mut out = device.alloc(keys.len()).unwrap();
        let mut wide_out = device.alloc(keys.len()).unwrap();
        let mut permutation = device.alloc(keys.len()).unwrap();
        for (n, m) in [(20_000, 70_000), (3, 70_000), (0, 70_000), (19_999, 66_000), (512, 70_000)] {
            let f = Identity::new(m);
            let mut offsets = by.offsets(device).unwrap();
            let (input, values) = (device.upload(&keys[..n]).unwrap(), device.upload(&wide[..n]).unwrap());
            let columns = &mut [Column::permutation(&mut permutation), Column::new(&values, &mut wide_out)];
            Multisplit::by(&f).enqueue(&input, &mut out, columns, &mut offsets, &mut workspace).unwrap();
            let expected = Reference::split(&keys[..n], &f);
            assert_eq!(offsets.read().unwrap(), expected.offsets);
            assert_eq!(out.download().unwrap()[..n], expected.permute(&keys[..n]));
            assert_eq!(wide_out.download().unwrap()[..n], expected.permute(&wide[..n]));
            assert_eq!(permutation.download().unwrap()[..n], expected.permutation);
        }
    });
}

#[test]
fn workspaces_that_are_too_small() {
    let Some(device) = gpu("workspaces_that_are_too_small") else { return };
    let f = Identity::<u32>::new(1000);
    let by = Multisplit::by(&f);
    let keys = device.upload(&vec![7u32; 1000]).unwrap();
    let mut out = device.upload(&vec![1u32; 1000]).unwrap();
    let mut permutation = device.alloc(1000).unwrap();
    let mut offsets = by.offsets(device).unwrap();
    // Nothing, half of it, and what a call without the column needs.
    let few = Identity::<u32>::new(200);
    let needed = by.workspace_bytes(device, 1000, 1).unwrap();
    let workspaces = [
        Workspace::new(device),
        Workspace::with_bytes(device, needed / 2).unwrap(),
        by.workspace(device, 1000, 0).unwrap(),
    ];
    for mut workspace in workspaces {
        let columns = &mut [Column::permutation(&mut permutation)];
        let error = by.enqueue(&keys, &mut out, columns, &mut offsets, &mut workspace).unwrap_err();
        assert!(matches!(error, Error::WorkspaceTooSmall { .. }), "{error}");
    }
    assert_eq!(out.download().unwrap(), vec![1; 1000]);
    let mut few_offsets = Multisplit::by(&few).offsets(device).unwrap();
    let mut workspace = by.workspace(device, 1000, 0).unwrap();
    let error = by.enqueue(&keys, &mut out, &mut [], &mut few_offsets, &mut workspace).unwrap_err();
    assert_eq!(error, Error::OutputTooSmall { what: "the offsets".into(), got: 201, needed: 1001 });
}

/// Shapes of the user's own, and stages for measuring.
#[test]
fn policies_and_stages() {
    let Some(device) = gpu("policies_and_stages") else { return };
    let keys = ids(3000, 4000);
    let f = Identity::new(4000);
    check_keys(&Way::new(device, Method::Auto).shaped(Policy::new(2, 3, 1)), &keys, &f);

    let by = Multisplit::by(&f);
    let input = device.upload(&keys).unwrap();
    let mut out = device.alloc(keys.len()).unwrap();
    let mut offsets = by.offsets(device).unwrap();
    let mut workspace = by.workspace(device, keys.len(), 0).unwrap();
    for stage in [Stage::Postscan, Stage::Prescan, Stage::Scan, Stage::Postscan] {
        by.through(stage).enqueue(&input, &mut out, &mut [], &mut offsets, &mut workspace).unwrap();
    }
    assert_eq!(offsets.read().unwrap(), Reference::split(&keys, &f).offsets);
}
