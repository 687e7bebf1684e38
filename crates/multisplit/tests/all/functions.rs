//! Every built-in bucket function, on every key type it takes, on every back end.

use crate::common::{Way, all_cases, any_keys, cases, check, fewer, is_slow, is_supported, odd_items};
use multisplit::bucket::prelude::*;
use multisplit::bucket::{BitWindow, Delta, DeltaKey, EvenBins, EvenKey, Hash, Identity, Lookup, Splitters};
use multisplit::measure::Reference;
use multisplit::{Error, Method, Policy, bf16, f16};
use test_support::{Random, floats, uniform};

const N: usize = 5003;

/// Runs a test on the CPU and on the GPU.
fn everywhere(test: &str, run: impl Fn(&Way<'_>)) {
    crate::common::everywhere(test, |device| run(&Way::new(device, Method::Auto)));
}

/// Splits keys; in parts, of which the first few, where a device takes long to compile kernels.
fn check_keys<F: Buckets>(way: &Way<'_>, keys: &[F::Key], f: &F) {
    let part = fewer(way.device, keys.len()).max(1);
    keys.chunks(part).take(8).for_each(|keys| crate::common::check_keys(way, keys, f));
}

/// Whether the device takes keys of this type; if not, it says so by name.
fn takes<K: Key>(way: &Way<'_>) -> bool {
    is_supported::<K, _>(way.split_by(&Hash::<K>::new(2, 0)).split(way.device, &[K::zeroed()]))
}

fn any_key<K: Key + DeltaKey>(way: &Way<'_>) {
    if !takes::<K>(way) {
        return;
    }
    let keys = any_keys::<K>(N, 3);
    let hash = Hash::<K>::new(37, 7);
    if is_slow(way.device) && !all_cases() {
        check_keys(way, &keys, &hash)
    } else {
        check(way, &keys, &hash)
    }
    let bits = 8 * size_of::<K>() as u32;
    let windows = [0..5, bits..bits, 0..0, bits / 3..bits / 3 + 3, bits - 4..bits];
    for range in cases(way.device, &windows, &windows[..2]) {
        check_keys(way, &keys, &BitWindow::<K>::new(range.clone()).unwrap());
    }
    // Splitters drawn from the keys themselves: every boundary is hit.
    let mut sorted: Vec<K> = keys.iter().copied().filter(|k| k.partial_cmp(k).is_some()).collect();
    sorted.sort_by(|a, b| a.partial_cmp(b).unwrap());
    for &m in cases(way.device, &[1, 2, 3, 8, 100, 256], &[100]) {
        let splitters: Vec<K> = (1..m).map(|i| sorted[i * sorted.len() / m]).collect();
        check_keys(way, &keys, &Splitters::new(&splitters).unwrap());
    }
}

fn int_key<K: IntKey + DeltaKey + TryFrom<u32>>(way: &Way<'_>) {
    if !takes::<K>(way) {
        return;
    }
    for &m in cases(way.device, &[1, 2, 3, 17, 256], &[3, 256]) {
        check_keys(way, &any_keys::<K>(N, 4), &Delta::<K>::whole(m).unwrap());
    }
    let small: Vec<K> = uniform(N, 5).into_iter().map(|k| K::try_from(k % 100).ok().unwrap()).collect();
    check_keys(way, &small, &Identity::<K>::new(100));
    let table: Vec<u32> = (0..100).map(|i| (i * 7 + 3) % 11).collect();
    check_keys(way, &small, &Lookup::<K>::new(11, table).unwrap());
}

/// Functions that take long have their results kept: with values, and at the edges of tiles.
#[test]
fn costly_functions() {
    everywhere("costly_functions", |way| {
        let mut random = Random::new(11);
        for &m in cases(way.device, &[5, 64, 200], &[5, 200]) {
            let mut splitters: Vec<u32> = (1..m).map(|_| random.next_u64() as u32).collect();
            splitters.sort_unstable();
            let f = Splitters::new(&splitters).unwrap();
            assert!(f.is_costly());
            // Tiles of the software device, which has up to 64 units, and those of a real one.
            for n in [1, 127, 128, 129, 257, 513, 8447, 8448, 8449, 30_011] {
                check(way, &uniform(n, 12), &f);
            }
            // Real devices take so few keys in one launch, and keep no ids, unless they are given a shape.
            check(&way.shaped(Policy::new(4, odd_items(way.device), 1)), &uniform(30_011, 12), &f);
            let keys: Vec<f32> = floats(5002, 13);
            let levels: Vec<f32> = (0..m - 1).map(|i| i as f32 * 0.25 - 20.0).collect();
            let check = if all_cases() { check } else { crate::common::check_keys };
            check(way, &keys, &Splitters::new(&levels).unwrap());
        }
        if takes::<u64>(way) {
            let splitters: Vec<u64> = (1..200u64).map(|i| i << 56).collect();
            check(way, &any_keys::<u64>(N, 14), &Splitters::new(&splitters).unwrap());
        }
    });
}

/// A function of the user's that asks for its ids to be kept, and gives some that are not valid.
#[derive(CubeType, CubeLaunch)]
struct SometimesOutOfRange {
    m: u32,
}

#[cube]
impl BucketFn for SometimesOutOfRange {
    type Key = u32;
    fn bucket(&self, key: u32) -> u32 {
        key % (self.m + 1)
    }
}

impl Buckets for SometimesOutOfRange {
    fn buckets(&self) -> u32 {
        self.m
    }
    fn is_costly(&self) -> bool {
        true
    }
    kernel_fields!(m);
}

#[test]
fn costly_functions_may_leave_the_range() {
    everywhere("costly_functions_may_leave_the_range", |way| {
        for m in [3, 256] {
            let f = SometimesOutOfRange { m };
            let keys = uniform(20_003, 15);
            let out_of_range = keys.iter().filter(|&&key| key % (m + 1) == m).count();
            let error = way.split_by(&f).split(way.device, &keys).unwrap_err();
            assert!(matches!(error, Error::BucketOutOfRange { count, .. } if count == out_of_range as u64), "{error}");
        }
    });
}

#[test]
fn every_function_takes_every_key_type() {
    everywhere("every_function_takes_every_key_type", |way| {
        any_key::<u8>(way);
        any_key::<u16>(way);
        any_key::<i8>(way);
        any_key::<i16>(way);
        any_key::<f16>(way);
        any_key::<bf16>(way);
        any_key::<u32>(way);
        any_key::<i32>(way);
        any_key::<f32>(way);
        any_key::<u64>(way);
        any_key::<i64>(way);
        any_key::<f64>(way);
    });
}

#[test]
fn integer_functions_take_every_integer() {
    everywhere("integer_functions_take_every_integer", |way| {
        int_key::<u8>(way);
        int_key::<u16>(way);
        int_key::<i8>(way);
        int_key::<i16>(way);
        int_key::<u32>(way);
        int_key::<i32>(way);
        int_key::<u64>(way);
        int_key::<i64>(way);
    });
}

#[test]
fn ranges_of_equal_width() {
    everywhere("ranges_of_equal_width", |way| {
        let keys = any_keys::<u32>(N, 6);
        for (lo, width, m) in [(0, 1 << 24, 256), (1000, 3, 7), (1 << 31, 12_345_679, 100), (0, u32::MAX, 2), (5, 1, 3)]
        {
            check_keys(way, &keys, &Delta::new(lo, width, m).unwrap());
        }
        let signed: Vec<i32> = keys.iter().map(|&k| k as i32 >> 16).collect();
        check_keys(way, &signed, &Delta::over(-20_000..20_000, 33).unwrap());
        check_keys(way, &floats(N, 7), &Delta::over(-10.0f32..10.0, 64).unwrap());
        check_keys(way, &floats(N, 8), &Delta::new(0.5f32, 0.125, 100).unwrap());
        if takes::<i64>(way) {
            let wide: Vec<i64> = keys.iter().map(|&k| (i64::from(k) - (1 << 31)) << 20).collect();
            check_keys(way, &wide, &Delta::over(-(1i64 << 50)..1 << 50, 200).unwrap());
        }
        if takes::<f64>(way) {
            let wide: Vec<f64> = floats(N, 9).into_iter().map(f64::from).collect();
            check_keys(way, &wide, &Delta::over(-7.0f64..19.0, 31).unwrap());
        }
    });
}

/// Keys of 16 bits, every one of them, by ranges of equal width: as an `f32` of the same value.
#[test]
fn floats_of_16_bits_are_split_as_f32() {
    use multisplit::bucket::BucketFn;
    fn check_all<K: DeltaKey<Width = f32> + EvenKey>(way: &Way<'_>, of: fn(u16) -> K, wide: fn(K) -> f32) {
        let keys: Vec<K> = (0..=u16::MAX).map(of).collect();
        let (lo, hi) = (keys[keys.iter().position(|&k| wide(k) == -8.0).unwrap()], keys[0x4200]);
        for (delta, as_f32) in [
            (Delta::over(lo..hi, 100).unwrap(), Delta::over(-8.0..wide(hi), 100).unwrap()),
            (Delta::new(lo, 0.003, 7).unwrap(), Delta::new(-8.0f32, 0.003, 7).unwrap()),
        ] {
            for &key in &keys {
                assert_eq!(delta.bucket(key), as_f32.bucket(wide(key)), "{}", wide(key));
            }
            if takes::<K>(way) {
                check_keys(way, &keys, &delta);
            }
        }
        let (bins, as_f32) = (EvenBins::new(lo..hi, 99).unwrap(), EvenBins::new(-8.0..wide(hi), 99).unwrap());
        for &key in &keys {
            assert_eq!(bins.bucket(key), as_f32.bucket(wide(key)), "{}", wide(key));
        }
    }
    everywhere("floats_of_16_bits_are_split_as_f32", |way| {
        check_all(way, f16::from_bits, f16::to_f32);
        check_all(way, bf16::from_bits, bf16::to_f32);
    });
}

/// The function of a range against its definition, exactly: division.
#[test]
fn delta_divides_exactly() {
    let mut random = Random::new(10);
    let edges = [0u32, 1, 2, 3, 5, 7, 10, 641, 1 << 16, (1 << 31) - 1, 1 << 31, u32::MAX - 1, u32::MAX];
    let widths = edges.iter().copied().chain((0..200).map(|i| random.next_u32() >> (i % 32)));
    for width in widths.filter(|&w| w > 0).collect::<Vec<_>>() {
        let f = Delta::new(0u32, width, u32::MAX).unwrap();
        let wide = Delta::new(0u64, u64::from(width) << 20 | 1, u32::MAX).unwrap();
        for key in edges.into_iter().chain((0..100).map(|_| random.next_u32())) {
            use multisplit::bucket::BucketFn;
            assert_eq!(f.bucket(key), (key / width).min(u32::MAX - 1), "{key} / {width}");
            let key = u64::from(key) << 32 | u64::from(key.wrapping_mul(0x9e37_79b9));
            let expected = (key / (u64::from(width) << 20 | 1)).min(u64::from(u32::MAX) - 1) as u32;
            assert_eq!(wide.bucket(key), expected, "{key} / {width} << 20 | 1");
        }
    }
}

/// The order of floats: −0 equals +0, NaN of either sign comes last.
#[test]
fn splitters_order_floats_as_documented() {
    use multisplit::bucket::BucketFn;
    let f = Splitters::new(&[0.0f32, f32::INFINITY]).unwrap();
    let cases = [
        (-1.0, 0),
        (-0.0, 1),
        (0.0, 1),
        (1.0, 1),
        (f32::INFINITY, 2),
        (f32::NAN, 2),
        (-f32::NAN, 2),
        (f32::NEG_INFINITY, 0),
    ];
    for (key, bucket) in cases {
        assert_eq!(f.bucket(key), bucket, "{key}");
    }
    let f = Delta::over(0.0f64..3.0, 3).unwrap();
    for (key, bucket) in
        [(-5.0, 0), (-0.0, 0), (0.0, 0), (1.0, 1), (2.9, 2), (3.0, 2), (1e300, 2), (f64::NAN, 2), (-f64::NAN, 2)]
    {
        assert_eq!(f.bucket(key), bucket, "{key}");
    }
}

#[test]
fn hashing_spreads_keys_evenly() {
    let keys: Vec<u32> = (0..1 << 16).collect();
    for seed in [0, 1, 0xdead_beef] {
        let split = Reference::split(&keys, &Hash::new(64, seed));
        for bucket in split.offsets.windows(2) {
            assert!((900..1150).contains(&(bucket[1] - bucket[0])), "a bucket of {}", bucket[1] - bucket[0]);
        }
    }
}

#[test]
#[allow(clippy::reversed_empty_ranges)] // refused, as they should be
fn unusable_parameters_are_refused() {
    fn refused<F: Buckets>(f: Result<F, Error>, says: &str) {
        match f {
            Err(Error::InvalidBuckets(reason)) => assert!(reason.contains(says), "'{reason}' does not say '{says}'"),
            Err(other) => panic!("{other}"),
            Ok(_) => panic!("accepted, but should say '{says}'"),
        }
    }
    refused(Delta::<u32>::new(0, 0, 4), "must not be 0");
    refused(Delta::<u32>::new(0, 1, 0), "at least one bucket");
    refused(Delta::<u32>::whole(0), "at least one bucket");
    refused(Delta::over(5i32..5, 4), "empty");
    refused(Delta::over(5i32..-5, 4), "empty");
    refused(BitWindow::<u64>::new(9..8), "bits 9..8");
    refused(Delta::new(f32::NAN, 1.0, 4), "finite");
    refused(Delta::new(f32::INFINITY, 1.0, 4), "finite");
    for width in [0.0, -1.0, f64::NAN, f64::INFINITY, f64::MIN_POSITIVE / 4.0] {
        refused(Delta::new(0.0, width, 4), "positive");
    }
    refused(Delta::over(f64::NAN..1.0, 4), "empty");
    refused(BitWindow::<u32>::new(30..33), "32 bits of u32");
    refused(BitWindow::<u64>::new(0..25), "at most 24");
    refused(Splitters::new(&[3u32, 2]), "must ascend");
    refused(Splitters::new(&[1.0f32, f32::NAN]), "splitter 1 is NaN");
    refused(Lookup::<u32>::new(4, Vec::new()), "at least one element");
}
