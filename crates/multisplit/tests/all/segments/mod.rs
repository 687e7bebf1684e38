//! Segmented splits: every segment as the reference splits it, on every back end.

mod check;
mod refused;

use crate::common::{everywhere, gpu, that_take};
use check::{Expected, check, check_pairs, mixed, offsets_of};
use multisplit::bucket::prelude::*;
use multisplit::bucket::{Hash, Identity, Splitters};
use multisplit::measure::Reference;
use multisplit::{Column, Device, DeviceKind, Error, Method, Multisplit, Policy, Stage, split_segments};
use test_support::{Random, distributions, ids, uniform};

#[test]
fn random_segments_into_every_number_of_buckets() {
    everywhere("random_segments_into_every_number_of_buckets", |device| {
        for (seed, m) in [1, 2, 3, 5, 7, 8, 31, 32, 33, 64, 65, 100, 128, 255, 256].into_iter().enumerate() {
            let segments = mixed(seed as u64, 60);
            check_pairs(device, &ids(*segments.last().unwrap(), m), &segments, &Identity::new(m));
        }
    });
}

#[test]
fn values_and_permutation() {
    everywhere("values_and_permutation", |device| {
        for m in [3, 32, 200] {
            let segments = mixed(100 + u64::from(m), 80);
            let f = Identity::new(m);
            check(&Multisplit::by(&f), device, &ids(*segments.last().unwrap(), m), &segments, &f);
        }
    });
}

#[test]
fn shapes_of_segments() {
    everywhere("shapes_of_segments", |device| {
        let n = 5003;
        let (m, keys) = (7, ids(5003, 7));
        let f = Identity::new(m);
        let one = vec![0, n];
        let each: Vec<usize> = (0..=n).collect();
        let at_the_ends = vec![0, 0, 0, n, n, n];
        let halves = vec![0, n / 2, n];
        let giant = offsets_of((0..401).map(|i| if i == 200 { n - 400 * 3 } else { 3 }));
        for segments in [one, each, at_the_ends, halves, giant] {
            check_pairs(device, &keys, &segments, &f);
        }
        // Every length from none to two tiles of the software device and a little more.
        let segments = offsets_of((0..130).map(|i| 4 * i + i % 3));
        check_pairs(device, &ids(*segments.last().unwrap(), m), &segments, &f);
    });
}

#[test]
fn every_distribution() {
    everywhere("every_distribution", |device| {
        let segments = mixed(7, 40);
        for m in [8, 100] {
            for (name, keys) in distributions(*segments.last().unwrap(), m, 3) {
                println!("{name}");
                check_pairs(device, &keys, &segments, &Identity::new(m));
            }
        }
    });
}

/// More segments than a launch has cubes in one dimension; and on the CPU, groups of them.
#[test]
fn very_many_segments() {
    everywhere("very_many_segments", |device| {
        let mut random = Random::new(5);
        let segments = offsets_of((0..70_001).map(|_| random.below(4) as usize));
        check_pairs(device, &ids(*segments.last().unwrap(), 4), &segments, &Identity::new(4));
    });
}

/// On the CPU, segments that are split by all threads, and others among them.
#[test]
fn large_segments() {
    everywhere("large_segments", |device| {
        let segments = offsets_of([100_000, 5, 0, 70_003, 20_000, 66_000, 40_000, 1]);
        let keys = ids(*segments.last().unwrap(), 50);
        let f = Identity::new(50);
        check(&Multisplit::by(&f), device, &keys, &segments, &f);
    });
}

#[test]
fn no_keys() {
    everywhere("no_keys", |device| {
        for m in [3, 300] {
            let f = Identity::<u32>::new(m);
            let got = split_segments(device, &[], &[0, 0, 0], &f).unwrap();
            assert_eq!((got.segments(), got.offsets), (2, vec![0; 2 * m as usize + 1]));
            let got = split_segments(device, &[], &[0], &f).unwrap();
            assert_eq!((got.segments(), got.offsets), (0, vec![0]));
        }
    });
}

#[test]
fn what_the_result_tells() {
    everywhere("what_the_result_tells", |device| {
        let got = split_segments(device, &[2u32, 0, 2, 1, 1], &[0, 3, 3, 5], &Identity::new(3)).unwrap();
        assert_eq!(got.keys, [0, 2, 2, 1, 1]);
        assert_eq!(got.offsets, [0, 1, 1, 3, 3, 3, 3, 3, 5, 5]);
        assert_eq!((got.segments(), got.buckets), (3, 3));
        assert_eq!(got.range(0, 2), 1..3);
        assert_eq!((got.bucket(0, 0), got.bucket(0, 1), got.bucket(2, 1)), (&[0][..], &[][..], &[1, 1][..]));
        assert!(got.bucket(0, 3).is_empty() && got.bucket(3, 0).is_empty() && got.bucket(usize::MAX, 0).is_empty());
    });
}

/// More than 256 buckets take passes, and a search for where they begin.
#[test]
fn more_than_256_buckets() {
    everywhere("more_than_256_buckets", |device| {
        for m in [257, 4096, 100_000] {
            let segments = mixed(u64::from(m), 60);
            let f = Identity::new(m);
            check(&Multisplit::by(&f), device, &ids(*segments.last().unwrap(), m), &segments, &f);
        }
        let keys = uniform(20_011, 7);
        let mut splitters = uniform(999, 8);
        splitters.sort_unstable();
        check_pairs(device, &keys, &[0, 7, 9000, 20_000, 20_011], &Splitters::new(&splitters).unwrap());
    });
}

#[test]
fn key_types() {
    let segments = mixed(11, 60);
    let bits = uniform(*segments.last().unwrap(), 12);
    macro_rules! types {
        ($device:expr, $($K:ty: $make:expr),*) => {$({
            let keys: Vec<$K> = bits.iter().map($make).collect();
            check_pairs($device, &keys, &segments, &Hash::<$K>::new(20, 3));
        })*};
    }
    let cpu = Device::cpu();
    types!(&cpu, u32: |&b| b, i32: |&b| b as i32, f32: |&b| f32::from_bits(b));
    types!(&cpu, u64: |&b| u64::from(b) << 31 | 5, i64: |&b| (i64::from(b) << 31) - (1 << 62), f64: |&b| f64::from(b) - 2e9);
    let Some(device) = gpu("key_types") else { return };
    types!(device, i32: |&b| b as i32, f32: |&b| f32::from_bits(b));
    // Where the device has them.
    let keys: Vec<u64> = bits.iter().map(|&b| u64::from(b) << 31 | 5).collect();
    let f = Hash::<u64>::new(20, 3);
    match split_segments(device, &keys, &segments, &f) {
        Err(Error::MissingCapability { capability, .. }) => assert_eq!(capability, "u64 keys"),
        _ => check_pairs(device, &keys, &segments, &f),
    }
    for device in that_take::<u8>("key_types") {
        types!(&device, u8: |&b| b as u8);
    }
    for device in that_take::<u16>("key_types") {
        types!(&device, u16: |&b| b as u16);
    }
}

/// Keys by their remainder.
#[derive(CubeType, CubeLaunch)]
struct Modulo {
    divisor: u32,
    buckets: u32,
}

#[cube]
impl BucketFn for Modulo {
    type Key = u32;
    fn bucket(&self, key: u32) -> u32 {
        key % self.divisor
    }
}

impl Buckets for Modulo {
    fn buckets(&self) -> u32 {
        self.buckets
    }
    kernel_fields!(divisor, buckets);
}

#[test]
fn ids_out_of_range_are_counted_and_nothing_is_lost() {
    everywhere("ids_out_of_range_are_counted_and_nothing_is_lost", |device| {
        // Small segments, and ones that are cut.
        for segments in [mixed(21, 50), offsets_of([3000, 7, 0, 5000]), offsets_of((0..500).map(|i| i % 9))] {
            let keys = uniform(*segments.last().unwrap(), 22);
            for m in [5u32, 200, 300] {
                let f = Modulo { divisor: m + 1, buckets: m };
                let expected = Expected::new(&keys, &segments, &f);
                let error = Error::BucketOutOfRange { count: expected.out_of_range, m };
                assert!(expected.out_of_range > 0);
                // More columns than one launch carries do not count them twice.
                let column: Vec<u32> = (0..keys.len() as u32).collect();
                let five = (&column[..], &column[..], &column[..], &column[..], &column[..]);
                let by = Multisplit::by(&f);
                assert_eq!(by.split_segments_with(device, &keys, five, &segments), Err(error.clone()));
                // Between device buffers the error comes when the result is read, and all keys are there. Once more, to
                // see that nothing is left from the first time.
                let input = device.upload(&keys).unwrap();
                let mut out = device.alloc(keys.len()).unwrap();
                let mut offsets = by.segment_offsets(device, segments.len() - 1).unwrap();
                let mut workspace = by.segment_workspace(device, keys.len(), segments.len() - 1, 0).unwrap();
                for _ in 0..2 {
                    by.enqueue_segments(&input, &segments, &mut out, &mut [], &mut offsets, &mut workspace).unwrap();
                    assert_eq!(offsets.read(), Err(error.clone()));
                    assert_eq!(out.download().unwrap(), expected.permute(&keys));
                }
                // A split without such keys is not blamed.
                let good = Modulo { divisor: m, buckets: m };
                let by = Multisplit::by(&good);
                by.enqueue_segments(&input, &segments, &mut out, &mut [], &mut offsets, &mut workspace).unwrap();
                assert_eq!(offsets.read().unwrap(), Expected::new(&keys, &segments, &good).offsets);
            }
        }
    });
}

/// More columns than one launch carries.
#[test]
fn many_columns() {
    everywhere("many_columns", |device| {
        let segments = mixed(31, 30);
        let n = *segments.last().unwrap();
        for m in [9, 2000] {
            let (keys, f) = (ids(n, m), Identity::new(m));
            let expected = Expected::new(&keys, &segments, &f);
            let a: Vec<u32> = (0..n as u32).collect();
            let b: Vec<u64> = a.iter().map(|&i| !u64::from(i)).collect();
            let columns = (&a[..], &b[..], &a[..], &b[..], &a[..], &b[..]);
            let got = Multisplit::by(&f).with_permutation().split_segments_with(device, &keys, columns, &segments);
            let (narrow, wide) = (expected.permute(&a), expected.permute(&b));
            let got = got.unwrap();
            assert_eq!(got.values, (narrow.clone(), wide.clone(), narrow.clone(), wide.clone(), narrow, wide));
            assert_eq!(got.permutation, Some(expected.permutation));
        }
    });
}

/// One workspace, one set of outputs, many splits of different segments and numbers of buckets.
#[test]
fn buffers_can_be_used_again() {
    everywhere("buffers_can_be_used_again", |device| {
        for most in [64u32, 300] {
            let keys = ids(20_000, most);
            let wide: Vec<u64> = keys.iter().map(|&key| u64::from(key) << 20).collect();
            let f = Identity::<u32>::new(most);
            let by = Multisplit::by(&f);
            let mut workspace = by.segment_workspace(device, keys.len(), 1000, 2).unwrap();
            assert_eq!(workspace.bytes(), by.segment_workspace_bytes(device, keys.len(), 1000, 2).unwrap());
            let mut out = device.alloc(keys.len()).unwrap();
            let mut wide_out = device.alloc(keys.len()).unwrap();
            let mut permutation = device.alloc(keys.len()).unwrap();
            let regular = |n: usize, len: usize| (0..=n / len).map(|i| i * len).collect::<Vec<_>>();
            for segments in [
                vec![0, 20_000],
                regular(20_000, 20),
                regular(19_000, 1000),
                vec![0; 4],
                vec![0, 1],
                regular(5000, 500),
            ] {
                let n = *segments.last().unwrap();
                let mut offsets = by.segment_offsets(device, segments.len() - 1).unwrap();
                let (input, values) = (device.upload(&keys[..n]).unwrap(), device.upload(&wide[..n]).unwrap());
                let columns = &mut [Column::permutation(&mut permutation), Column::new(&values, &mut wide_out)];
                by.enqueue_segments(&input, &segments, &mut out, columns, &mut offsets, &mut workspace).unwrap();
                let expected = Expected::new(&keys[..n], &segments, &f);
                assert_eq!(offsets.read().unwrap(), expected.offsets);
                assert_eq!(out.download().unwrap()[..n], expected.permute(&keys[..n]));
                assert_eq!(wide_out.download().unwrap()[..n], expected.permute(&wide[..n]));
                assert_eq!(permutation.download().unwrap()[..n], expected.permutation);
            }
        }
    });
}

/// Nothing is read before all are enqueued; an ordinary split may come in between.
#[test]
fn nothing_is_waited_for() {
    everywhere("nothing_is_waited_for", |device| {
        let keys = ids(9000, 16);
        let f = Identity::<u32>::new(16);
        let by = Multisplit::by(&f);
        let input = device.upload(&keys).unwrap();
        let mut workspace = by.segment_workspace(device, keys.len(), 10, 0).unwrap();
        let mut plain = by.workspace(device, keys.len(), 0).unwrap();
        let mut runs = Vec::new();
        for segments in [vec![0, 9000], vec![0, 10, 9000], vec![0, 3000, 3000, 6000, 9000]] {
            let mut out = device.alloc(keys.len()).unwrap();
            let mut offsets = by.segment_offsets(device, segments.len() - 1).unwrap();
            by.enqueue_segments(&input, &segments, &mut out, &mut [], &mut offsets, &mut workspace).unwrap();
            let mut sorted = device.alloc(keys.len()).unwrap();
            let mut buckets = by.offsets(device).unwrap();
            by.enqueue(&out, &mut sorted, &mut [], &mut buckets, &mut plain).unwrap();
            runs.push((segments, out, offsets, sorted));
        }
        for (segments, out, offsets, sorted) in runs {
            let expected = Expected::new(&keys, &segments, &f);
            assert_eq!(offsets.read().unwrap(), expected.offsets);
            let split = expected.permute(&keys);
            assert_eq!(out.download().unwrap(), split);
            assert_eq!(sorted.download().unwrap(), Reference::split(&split, &f).permute(&split));
        }
    });
}

/// Shapes of the user's own, and stages for measuring.
#[test]
fn policies_and_stages() {
    let Some(device) = gpu("policies_and_stages") else { return };
    let segments = mixed(41, 40);
    let (m, n) = (20, *segments.last().unwrap());
    let (keys, f) = (ids(n, m), Identity::new(m));
    let by = Multisplit::by(&f);
    for policy in [Policy::new(1, 1, 1), Policy::new(2, 3, 1), Policy::new(4, 8, 1)] {
        check(&by.policy(policy), device, &keys, &segments, &f);
    }
    let input = device.upload(&keys).unwrap();
    let mut out = device.alloc(n).unwrap();
    let mut offsets = by.segment_offsets(device, 40).unwrap();
    let mut workspace = by.segment_workspace(device, n, 40, 0).unwrap();
    for stage in [Stage::Postscan, Stage::Prescan, Stage::Scan, Stage::Postscan] {
        let by = by.through(stage);
        by.enqueue_segments(&input, &segments, &mut out, &mut [], &mut offsets, &mut workspace).unwrap();
    }
    assert_eq!(offsets.read().unwrap(), Expected::new(&keys, &segments, &f).offsets);

    // The whole input as one segment is a split like any other.
    let one = by.method(Method::BlockLevel).split_segments(device, &keys, &[0, n]).unwrap();
    assert_eq!(one.keys, by.split(device, &keys).unwrap().keys);
    let error = by.method(Method::Direct).split_segments(device, &keys, &segments).unwrap_err();
    assert!(error.to_string().contains("not split by the direct method; use Method::Auto"), "{error}");
}

/// So many segments that the device deals them out: of every length, with empty ones at the ends, and a huge one.
#[test]
fn segments_dealt_out_on_the_device() {
    everywhere("segments_dealt_out_on_the_device", |device| {
        let f = Identity::new(6);
        let mut random = Random::new(61);
        let lengths = [0, 1, 2, 23, 24, 25, 31, 32, 33, 64, 65, 127, 128, 129, 255, 256, 257, 300, 511, 512, 513];
        // Other devices have so many of unequal length dealt out by the host.
        let times = if device.info().kind == DeviceKind::Software { 1 } else { 3 };
        let of_all = offsets_of((0..2500 * times).map(|_| lengths[random.below(lengths.len() as u32) as usize]));
        let huge = offsets_of((0..3001 * times).map(|s| if s == 1500 { 100_000 } else { s % 7 }));
        let empty_ends = offsets_of((0..2000 * times).map(|s| if (500..1500).contains(&s) { 9 } else { 0 }));
        let one_key = offsets_of((0..4000 * times).map(|s| usize::from(s == 3999)));
        // Of the same length, which the device need not look up: few keys, as many as a tile has, and more.
        let equal = |count: usize, len: usize| (0..=count).map(|s| s * len).collect::<Vec<_>>();
        let (few, tile, cut) = (equal(5000, 3), equal(1100, 128), equal(1030, 300));
        for segments in [of_all, huge, empty_ends, one_key, mixed(62, 1500 * times), few, tile, cut] {
            let keys = ids(*segments.last().unwrap(), 6);
            check_pairs(device, &keys, &segments, &f);
        }
        let segments = mixed(63, 1400 * times);
        check(&Multisplit::by(&f), device, &ids(*segments.last().unwrap(), 6), &segments, &f);
    });
}

/// From so many segments on, the device deals them out.
#[test]
fn around_the_most_that_the_host_deals_out() {
    everywhere("around_the_most_that_the_host_deals_out", |device| {
        let f = Identity::new(9);
        let most = if device.info().kind == DeviceKind::Software { 1024 } else { 4096 };
        for count in [1023, 1024, 1025, most - 1, most, most + 1] {
            for length in [0, 40] {
                let segments = offsets_of((0..count).map(|s| s % (length + 1)));
                check_pairs(device, &ids(*segments.last().unwrap(), 9), &segments, &f);
            }
        }
    });
}

/// Random numbers of segments of random lengths, one workspace for all, and passes for many buckets.
#[test]
fn random_segments_in_one_workspace() {
    everywhere("random_segments_in_one_workspace", |device| {
        let mut random = Random::new(71);
        let (most, n) = (6000, 200_000);
        for m in [5u32, 1000] {
            let f = Identity::<u32>::new(m);
            let by = Multisplit::by(&f);
            let mut workspace = by.segment_workspace(device, n, most, 1).unwrap();
            let (mut out, mut permutation) = (device.alloc(n).unwrap(), device.alloc(n).unwrap());
            let mut offsets = by.segment_offsets(device, most).unwrap();
            for _ in 0..8 {
                let count = 1 + random.below(most as u32) as usize;
                let longest = [1, 4, 60, 600, 6000][random.below(5) as usize];
                let mut left = n;
                let segments = offsets_of((0..count).map(|_| {
                    let len = (random.below(longest) as usize).min(left);
                    left -= len;
                    len
                }));
                let keys = ids(*segments.last().unwrap(), m);
                let input = device.upload(&keys).unwrap();
                let columns = &mut [Column::permutation(&mut permutation)];
                by.enqueue_segments(&input, &segments, &mut out, columns, &mut offsets, &mut workspace).unwrap();
                let expected = Expected::new(&keys, &segments, &f);
                assert_eq!(offsets.read().unwrap(), expected.offsets, "{count} segments of less than {longest}");
                assert_eq!(out.download().unwrap()[..keys.len()], expected.permute(&keys));
                assert_eq!(permutation.download().unwrap()[..keys.len()], expected.permutation);
            }
        }
    });
}
