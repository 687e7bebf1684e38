//! The other approaches: the same results as a split, on every back end.

use crate::common::{everywhere, gpu, same_bits, that_take};
use multisplit::approach::{Approach, Way};
use multisplit::bucket::prelude::*;
use multisplit::bucket::{Delta, Hash, Identity, Lookup, Splitters};
use multisplit::measure::Reference;
use multisplit::{Column, Device, DeviceKind, Error, Workspace, gather, split};
use test_support::{distributions, floats, ids, uniform};

const BUCKETS: [u32; 10] = [1, 2, 3, 5, 8, 32, 100, 256, 1000, 65_536];

/// The ways that are worth waiting for: the iterated split has a round for each bucket, and a software GPU takes long
/// for each of them.
fn ways(device: &Device, m: u32) -> Vec<Way> {
    let slow = device.info().kind != DeviceKind::Cpu && m > 300;
    Way::ALL.into_iter().filter(|&way| !(slow && way == Way::IteratedScanSplit)).collect()
}

/// Keys alone, with 4-byte values, with 8-byte values, and with several columns and the permutation: all must equal the
/// reference, bit by bit.
fn check<F: Buckets>(device: &Device, way: Way, keys: &[F::Key], f: &F) {
    let context = || format!("{way} on {device:?}, n = {}, m = {}, {}", keys.len(), f.buckets(), F::Key::NAME);
    let expected = Reference::split(keys, f);
    assert_eq!(expected.out_of_range, 0, "the test's own data is off: {}", context());
    let narrow: Vec<u32> = (0..keys.len() as u32).map(|i| i ^ 0x5555_0000).collect();
    let wide: Vec<[u32; 2]> = narrow.iter().map(|&i| [!i, i]).collect();
    let by = Approach::by(f, way);
    let sorted = expected.permute(keys);

    let got = by.split(device, keys).unwrap_or_else(|e| panic!("{e}: {}", context()));
    assert_eq!(got.offsets, expected.offsets, "offsets: {}", context());
    same_bits(&got.keys, &sorted, "keys", &context);

    let got = by.split_with(device, keys, &narrow).unwrap_or_else(|e| panic!("{e}: {}", context()));
    assert_eq!(got.offsets, expected.offsets, "offsets with values: {}", context());
    same_bits(&got.keys, &sorted, "keys with values", &context);
    same_bits(&got.values, &expected.permute(&narrow), "narrow values", &context);

    let got = by.split_with(device, keys, &wide).unwrap_or_else(|e| panic!("{e}: {}", context()));
    same_bits(&got.keys, &sorted, "keys with wide values", &context);
    same_bits(&got.values, &expected.permute(&wide), "wide values", &context);

    let got = by.with_permutation().split_with(device, keys, (&narrow[..], &wide[..]));
    let got = got.unwrap_or_else(|e| panic!("{e}: {}", context()));
    assert_eq!(got.offsets, expected.offsets, "offsets with columns: {}", context());
    same_bits(&got.keys, &sorted, "keys with columns", &context);
    same_bits(&got.values.0, &expected.permute(&narrow), "narrow column", &context);
    same_bits(&got.values.1, &expected.permute(&wide), "wide column", &context);
    same_bits(&got.permutation.unwrap(), &expected.permutation, "permutation", &context);
}

/// Keys with values of 4 bytes: for the cases that are many.
fn check_pairs<F: Buckets>(device: &Device, way: Way, keys: &[F::Key], f: &F) {
    let context = || format!("{way} on {device:?}, n = {}, m = {}, {}", keys.len(), f.buckets(), F::Key::NAME);
    let expected = Reference::split(keys, f);
    let values: Vec<u32> = (0..keys.len() as u32).collect();
    let got = Approach::by(f, way).split_with(device, keys, &values);
    let got = got.unwrap_or_else(|e| panic!("{e}: {}", context()));
    assert_eq!(got.offsets, expected.offsets, "offsets: {}", context());
    same_bits(&got.keys, &expected.permute(keys), "keys", &context);
    same_bits(&got.values, &expected.permutation, "values", &context);
}

#[test]
fn every_number_of_buckets() {
    everywhere("every_number_of_buckets", |device| {
        for m in BUCKETS {
            let keys = ids(3001, m);
            for way in ways(device, m) {
                check_pairs(device, way, &keys, &Identity::new(m));
            }
        }
    });
}

#[test]
fn every_shape_of_elements() {
    everywhere("every_shape_of_elements", |device| {
        for m in [1, 2, 5, 1000] {
            let keys = ids(2049, m);
            for way in ways(device, m) {
                check(device, way, &keys, &Identity::new(m));
            }
        }
    });
}

/// Nothing, one, and around the sizes of tiles and parts.
#[test]
fn every_size() {
    everywhere("every_size", |device| {
        for n in [0, 1, 2, 255, 256, 257, 1023, 1024, 1025, 16_383, 16_384, 16_385, 50_003] {
            for m in [2, 5] {
                let keys = ids(n, m);
                for way in Way::ALL {
                    check_pairs(device, way, &keys, &Identity::new(m));
                }
            }
        }
        for way in ways(device, 5000) {
            check(device, way, &[], &Identity::<u32>::new(5000));
        }
    });
}

#[test]
fn every_distribution() {
    everywhere("every_distribution", |device| {
        for m in [2, 8, 100] {
            for (name, keys) in distributions(3001, m, u64::from(m)) {
                println!("{name}");
                for way in Way::ALL {
                    check_pairs(device, way, &keys, &Identity::new(m));
                }
            }
        }
    });
}

#[test]
fn floats_and_wide_keys() {
    let keys = floats(5003, 1);
    let wide: Vec<u64> = uniform(5003, 2).iter().map(|&k| u64::from(k) << 31 | u64::from(k % 7)).collect();
    everywhere("floats_and_wide_keys", |device| {
        for way in Way::ALL {
            check(device, way, &keys, &Delta::over(-20.0f32..20.0, 9).unwrap());
        }
        // A device may have no 64-bit integers.
        let f = Hash::<u64>::new(13, 1);
        if let Err(error) = split(device, &wide[..1], &f) {
            assert!(matches!(error, Error::MissingCapability { .. }), "{error}");
            let refused = |way| Approach::by(&f, way).split(device, &wide).unwrap_err();
            return Way::ALL.into_iter().for_each(|way| assert_eq!(refused(way), error, "{way}"));
        }
        for way in Way::ALL {
            check(device, way, &wide, &f);
        }
    });
    // Bytes and halves, where the device has them.
    let halves: Vec<u16> = uniform(5001, 7).iter().map(|&bits| bits as u16).collect();
    for way in [Way::ReducedBitSort, Way::ReducedBitSortByIndex, Way::RecursiveScanSplit] {
        for device in that_take::<u8>("floats_and_wide_keys") {
            check(&device, way, &[3u8, 1, 2, 255, 0, 3, 1], &Identity::new(256));
        }
        for device in that_take::<u16>("floats_and_wide_keys") {
            check(&device, way, &halves, &Hash::new(30, 2));
        }
    }
    let device = Device::cpu();
    for way in Way::ALL {
        check(&device, way, &[-1i64, 7, i64::MIN, i64::MAX], &Hash::new(300, 3));
        check(&device, way, &[0.5f64, -7.0, f64::NAN], &Hash::new(5, 4));
    }
}

/// Functions with tables, and those of users.
#[test]
fn functions() {
    #[derive(CubeType, CubeLaunch)]
    struct Remainder {
        divisor: u32,
    }

    #[cube]
    impl BucketFn for Remainder {
        type Key = u32;
        fn bucket(&self, key: u32) -> u32 {
            key % self.divisor
        }
    }

    impl Buckets for Remainder {
        fn buckets(&self) -> u32 {
            self.divisor
        }
        kernel_fields!(divisor);
    }

    everywhere("functions", |device| {
        let keys = uniform(9001, 9);
        let mut splitters = uniform(40, 8);
        splitters.sort_unstable();
        for way in Way::ALL {
            check_pairs(device, way, &keys, &Remainder { divisor: 7 });
            check_pairs(device, way, &keys, &Splitters::new(&splitters).unwrap());
        }
    });
}

#[test]
fn ids_out_of_range_are_counted_and_nothing_is_lost() {
    everywhere("ids_out_of_range_are_counted_and_nothing_is_lost", |device| {
        let keys: Vec<u32> = (0..5000).map(|i| if i % 10 == 0 { u32::MAX - i } else { i % 60 }).collect();
        for m in [60, 64, 300] {
            let f = Identity::<u32>::new(m);
            for way in ways(device, m) {
                let error = Error::BucketOutOfRange { count: 500, m };
                assert_eq!(Approach::by(&f, way).split(device, &keys), Err(error.clone()), "{way}");
                // Between device buffers the error comes when the result is read, and all keys are there.
                let by = Approach::by(&f, way);
                let input = device.upload(&keys).unwrap();
                let mut out = device.alloc(keys.len()).unwrap();
                let mut offsets = by.offsets(device).unwrap();
                let mut workspace = by.workspace(device, keys.len(), 0, 0).unwrap();
                by.enqueue(&input, &mut out, &mut [], &mut offsets, &mut workspace).unwrap();
                assert_eq!(offsets.read(), Err(error), "{way}");
                assert_eq!(out.download().unwrap(), Reference::split(&keys, &f).permute(&keys), "{way}");
            }
        }
    });
    let f = Lookup::<u32>::new(400, vec![0, 399]).unwrap();
    for way in Way::ALL {
        let error = Error::BucketOutOfRange { count: 1, m: 400 };
        assert_eq!(Approach::by(&f, way).split(&Device::cpu(), &[0, 1, 2]), Err(error));
    }
}

/// One workspace, many splits of different sizes, columns and numbers of buckets; nothing is read before all are
/// enqueued.
#[test]
fn buffers_can_be_used_again() {
    everywhere("buffers_can_be_used_again", |device| {
        let keys = ids(20_000, 30);
        let wide: Vec<u64> = keys.iter().map(|&key| u64::from(key) << 20).collect();
        for way in Way::ALL {
            let most = Identity::<u32>::new(32);
            let mut workspace = Approach::by(&most, way).workspace(device, keys.len(), 1, 1).unwrap();
            assert!(workspace.bytes() > 0);
            let mut runs = Vec::new();
            for (n, m) in [(20_000, 32), (3, 32), (0, 30), (19_999, 30), (512, 32)] {
                let f = Identity::new(m);
                let by = Approach::by(&f, way);
                let (input, values) = (device.upload(&keys[..n]).unwrap(), device.upload(&wide[..n]).unwrap());
                let (mut out, mut wide_out) = (device.alloc(n + 5).unwrap(), device.alloc(n + 5).unwrap());
                let mut permutation = device.alloc(n + 5).unwrap();
                let mut offsets = by.offsets(device).unwrap();
                let mut columns = vec![Column::permutation(&mut permutation), Column::new(&values, &mut wide_out)];
                columns.truncate(n % 3);
                let carried = columns.len();
                by.enqueue(&input, &mut out, &mut columns, &mut offsets, &mut workspace).unwrap();
                drop(columns);
                runs.push((n, f, carried, out, permutation, wide_out, offsets));
            }
            for (n, f, carried, out, permutation, wide_out, offsets) in runs {
                let expected = Reference::split(&keys[..n], &f);
                assert_eq!(offsets.read().unwrap(), expected.offsets, "{way}, n = {n}");
                assert_eq!(out.download().unwrap()[..n], expected.permute(&keys[..n]), "{way}, n = {n}");
                if carried > 0 {
                    assert_eq!(permutation.download().unwrap()[..n], expected.permutation, "{way}, n = {n}");
                }
                if carried > 1 {
                    assert_eq!(wide_out.download().unwrap()[..n], expected.permute(&wide[..n]), "{way}, n = {n}");
                }
            }
        }
    });
}

/// Rows larger than a value follow the permutation.
#[test]
fn large_rows_by_index() {
    everywhere("large_rows_by_index", |device| {
        let keys = ids(1000, 6);
        let rows: Vec<[u32; 5]> = keys.iter().zip(0..).map(|(&key, i)| [key, i, !i, 7, key ^ i]).collect();
        let f = Identity::new(6);
        let by = Approach::by(&f, Way::ReducedBitSortByIndex);
        let (input, from) = (device.upload(&keys).unwrap(), device.upload(&rows).unwrap());
        let (mut out, mut index) = (device.alloc(1000).unwrap(), device.alloc(1000).unwrap());
        let (mut to, mut offsets) = (device.alloc(1000).unwrap(), by.offsets(device).unwrap());
        let mut workspace = by.workspace(device, 1000, 1, 0).unwrap();
        by.enqueue(&input, &mut out, &mut [Column::permutation(&mut index)], &mut offsets, &mut workspace).unwrap();
        gather(&from, &index, &mut to).unwrap();
        assert_eq!(to.download().unwrap(), Reference::split(&keys, &f).permute(&rows));
    });
}

#[test]
fn what_is_refused() {
    everywhere("what_is_refused", |device| {
        let keys = device.upload(&[2u32, 1, 0]).unwrap();
        let mut out = device.upload(&[9u32; 3]).unwrap();
        for way in Way::ALL {
            let (none, three) = (Identity::<u32>::new(0), Identity::<u32>::new(3));
            assert_eq!(Approach::by(&none, way).split(device, &[1]), Err(Error::NoBuckets));
            let many = Identity::<u32>::new((1 << 24) + 1);
            assert!(matches!(Approach::by(&many, way).split(device, &[1]), Err(Error::TooManyBuckets { .. })));
            let error = Approach::by(&three, way).split_with(device, &[0, 1], &[1u32]).unwrap_err();
            assert_eq!(error, Error::LengthMismatch { what: "value column 0".into(), got: 1, keys: 2 });

            let by = Approach::by(&three, way);
            let mut offsets = by.offsets(device).unwrap();
            let needed = by.workspace_bytes(device, 3, 0, 0).unwrap();
            for mut small in [Workspace::new(device), Workspace::with_bytes(device, needed / 2).unwrap()] {
                let got = small.bytes();
                let error = by.enqueue(&keys, &mut out, &mut [], &mut offsets, &mut small).unwrap_err();
                assert_eq!(error, Error::WorkspaceTooSmall { got, needed }, "{way}");
            }
            let mut short = device.alloc(2).unwrap();
            let mut workspace = by.workspace(device, 3, 0, 0).unwrap();
            let error = by.enqueue(&keys, &mut short, &mut [], &mut offsets, &mut workspace).unwrap_err();
            assert_eq!(error, Error::OutputTooSmall { what: "the key output".into(), got: 2, needed: 3 });
            assert_eq!(out.download().unwrap(), [9; 3], "{way}");
        }
    });
    let Some(device) = gpu("what_is_refused") else { return };
    let f = Identity::<u32>::new(3);
    let by = Approach::by(&f, Way::ReducedBitSort);
    let mut elsewhere = by.workspace(&Device::cpu(), 3, 0, 0).unwrap();
    let (keys, mut out) = (device.upload(&[2u32, 1, 0]).unwrap(), device.alloc(3).unwrap());
    let mut offsets = by.offsets(device).unwrap();
    let error = by.enqueue(&keys, &mut out, &mut [], &mut offsets, &mut elsewhere).unwrap_err();
    assert!(matches!(error, Error::WrongDevice { .. }), "{error}");
}

#[test]
fn names() {
    for way in Way::ALL {
        assert_eq!(way.to_string().parse(), Ok(way));
    }
    let error = "bitonic".parse::<Way>().unwrap_err();
    assert!(error.to_string().contains("reduced-bit-sort-by-index"), "{error}");
}
